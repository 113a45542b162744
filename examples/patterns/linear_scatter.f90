! The columns of one process's matrix to all, one message after the other.
program linear_scatter
  use mpi
  implicit none
  integer, parameter :: n = 12, steps = 3
  real, allocatable :: matrix(:, :)
  real :: column(n)
  integer :: rank, size, step, to, i, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  allocate (matrix(n, 0:size - 1))
  do step = 1, steps
    if (rank == 0) then
      do to = 0, size - 1
        matrix(:, to) = [(1000*step + to*n + i, i=1, n)]
      end do
    end if
    ! one call: BLOCKS = matrix; BLOCK = column
    if (rank == 0) then
      do to = 1, size - 1
        call MPI_Send(matrix(1, to), n, MPI_REAL, to, 1, MPI_COMM_WORLD, ierror)
      end do
    else
      call MPI_Recv(column, n, MPI_REAL, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end if
    ! to here
    if (rank == 0) column = matrix(:, 0)
    if (any(column /= [(1000*step + rank*n + i, i=1, n)])) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end do
  call MPI_Finalize(ierror)
end program
