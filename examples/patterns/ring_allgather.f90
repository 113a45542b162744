! Everybody's block to everybody, around a ring: each process sends on what has come last.
program ring_allgather
  use mpi
  implicit none
  integer, parameter :: n = 16, steps = 3
  integer, allocatable :: all(:, :)
  integer :: rank, size, step, i, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  allocate (all(n, 0:size - 1))
  do step = 1, steps
    all(:, rank) = [(1000*step + 100*rank + i, i=1, n)]
    call ring()
    do i = 0, size - 1
      if (any(all(:, i) /= 1000*step + 100*i + [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])) &
        call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end do
  end do
  call MPI_Finalize(ierror)
contains
  subroutine ring()
    integer :: k, out, in
    ! one call: BLOCKS = all
    do k = 0, size - 2
      out = modulo(rank - k, size)
      in = modulo(rank - k - 1, size)
      call MPI_Sendrecv(all(1, out), n, MPI_INTEGER, modulo(rank + 1, size), 0, &
                        all(1, in), n, MPI_INTEGER, modulo(rank - 1, size), 0, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end do
    ! to here
  end subroutine
end program
