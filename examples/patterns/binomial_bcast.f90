! One process's numbers to all, down a binomial tree.
program binomial_bcast
  use mpi
  implicit none
  integer, parameter :: n = 100, root = 2, steps = 3
  double precision :: x(n)
  integer :: rank, step, i, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  do step = 1, steps
    x = -1
    if (rank == root) x = [(1000*step + i, i=1, n)]
    call broadcast(MPI_COMM_WORLD)
    if (any(x /= [(1000*step + i, i=1, n)])) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end do
  call MPI_Finalize(ierror)
contains
  subroutine broadcast(comm)
    integer, intent(in) :: comm
    integer :: size, place, bit
    call MPI_Comm_size(comm, size, ierror)
    place = modulo(rank - root, size)
    bit = 1
    do while (bit < size .and. iand(place, bit) == 0)
      bit = 2*bit
    end do
    ! one call: BUFFER = x
    if (place /= 0) call MPI_Recv(x, n, MPI_DOUBLE_PRECISION, modulo(place - bit + root, size), 7, &
                                  comm, MPI_STATUS_IGNORE, ierror)
    bit = bit/2
    do while (bit > 0)
      if (place + bit < size) call MPI_Send(x, n, MPI_DOUBLE_PRECISION, modulo(place + bit + root, size), 7, &
                                            comm, ierror)
      bit = bit/2
    end do
    ! to here
  end subroutine
end program
