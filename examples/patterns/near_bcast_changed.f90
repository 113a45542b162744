! Nearly a broadcast: each process changes the numbers before it sends them on.
program near_bcast_changed
  use mpi
  implicit none
  integer, parameter :: n = 100, steps = 3
  double precision :: x(n)
  integer :: rank, size, step, i, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  do step = 1, steps
    if (rank == 0) x = [(1000*step + i, i=1, n)]
    if (rank > 0) call MPI_Recv(x, n, MPI_DOUBLE_PRECISION, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    x = 1.5*x
    if (rank + 1 < size) call MPI_Send(x, n, MPI_DOUBLE_PRECISION, rank + 1, 0, MPI_COMM_WORLD, ierror)
  end do
  call MPI_Finalize(ierror)
end program
