! Everybody's column to the last process, which posts all receives at once.
program linear_gather
  use mpi
  implicit none
  integer, parameter :: n = 12, steps = 3
  real, allocatable, asynchronous :: matrix(:, :)
  real :: column(n)
  integer, allocatable :: requests(:)
  integer :: rank, size, root, step, from, i, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  root = size - 1
  allocate (matrix(n, 0:root), requests(0:root))
  do step = 1, steps
    column = [(1000*step + rank*n + i, i=1, n)]
    if (rank == root) matrix(:, root) = column
    ! one call: BLOCKS = matrix; BLOCK = column
    if (rank == root) then
      do from = 0, root - 1
        call MPI_Irecv(matrix(1, from), n, MPI_REAL, from, 1, MPI_COMM_WORLD, requests(from), ierror)
      end do
      call MPI_Waitall(root, requests, MPI_STATUSES_IGNORE, ierror)
    else
      call MPI_Send(column, n, MPI_REAL, root, 1, MPI_COMM_WORLD, ierror)
    end if
    ! to here
    if (rank == root) then
      if (any(matrix /= 1000*step + reshape([(i, i=1, n*size)], [n, size]))) &
        call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end if
  end do
  call MPI_Finalize(ierror)
end program
