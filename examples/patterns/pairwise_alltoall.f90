! A block from everybody to everybody, pair by pair.
program pairwise_alltoall
  use mpi
  implicit none
  integer, parameter :: n = 8, steps = 3
  double precision, allocatable :: out(:, :), in(:, :)
  integer :: rank, size, step, from, i, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  allocate (out(n, 0:size - 1), in(n, 0:size - 1))
  do step = 1, steps
    out = 10000*step + 1000*rank + reshape([(i, i=1, n*size)], [n, size])
    call exchange()
    do from = 0, size - 1
      if (any(in(:, from) /= 10000*step + 1000*from + n*rank + [(i, i=1, n)])) &
        call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end do
  end do
  call MPI_Finalize(ierror)
contains
  subroutine exchange()
    integer :: k, to
    in(:, rank) = out(:, rank)
    ! one call: SEND = out; RECEIVE = in
    do k = 1, size - 1
      to = modulo(rank + k, size)
      from = modulo(rank - k, size)
      call MPI_Sendrecv(out(1, to), n, MPI_DOUBLE_PRECISION, to, k, &
                        in(1, from), n, MPI_DOUBLE_PRECISION, from, k, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end do
    ! to here
  end subroutine
end program
