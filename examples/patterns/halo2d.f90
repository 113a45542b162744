! The borders of tiles of a 3 x 2 grid to their neighbours: columns as they are, rows by a vector type.
program halo2d
  use mpi
  implicit none
  integer, parameter :: rows = 3, columns = 2, n = 6, steps = 3
  double precision, asynchronous :: tile(0:n + 1, 0:n + 1)
  integer :: rank, size, side, step, below, i, j, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  if (size /= rows*columns) call MPI_Abort(MPI_COMM_WORLD, 2, ierror)
  call MPI_Type_vector(n, 1, n + 2, MPI_DOUBLE_PRECISION, side, ierror)
  call MPI_Type_commit(side, ierror)
  do step = 1, steps
    do j = 1, n
      tile(1:n, j) = [(10000*step + 1000*rank + 10*i + j, i=1, n)]
    end do
    call exchange(rank/columns, modulo(rank, columns), MPI_COMM_WORLD)
    below = neighbour(rank/columns + 1, modulo(rank, columns))
    if (below /= MPI_PROC_NULL) then
      if (any(tile(n + 1, 1:n) /= [(10000*step + 1000*below + 10 + j, j=1, n)])) &
        call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end if
  end do
  call MPI_Type_free(side, ierror)
  call MPI_Finalize(ierror)
contains
  integer function neighbour(row, column)
    integer, intent(in) :: row, column
    neighbour = MPI_PROC_NULL
    if (row >= 0 .and. row < rows .and. column >= 0 .and. column < columns) neighbour = row*columns + column
  end function

  subroutine exchange(row, column, comm)
    integer, intent(in) :: row, column, comm
    integer :: requests(8), up, down, left, right
    up = neighbour(row - 1, column)
    down = neighbour(row + 1, column)
    left = neighbour(row, column - 1)
    right = neighbour(row, column + 1)
    ! one call: BUFFER = tile(1, 0)
    call MPI_Irecv(tile(0, 1), 1, side, up, 0, comm, requests(1), ierror)
    call MPI_Irecv(tile(n + 1, 1), 1, side, down, 1, comm, requests(2), ierror)
    call MPI_Irecv(tile(1, 0), n, MPI_DOUBLE_PRECISION, left, 2, comm, requests(3), ierror)
    call MPI_Irecv(tile(1, n + 1), n, MPI_DOUBLE_PRECISION, right, 3, comm, requests(4), ierror)
    call MPI_Isend(tile(n, 1), 1, side, down, 0, comm, requests(5), ierror)
    call MPI_Isend(tile(1, 1), 1, side, up, 1, comm, requests(6), ierror)
    call MPI_Isend(tile(1, n), n, MPI_DOUBLE_PRECISION, right, 2, comm, requests(7), ierror)
    call MPI_Isend(tile(1, 1), n, MPI_DOUBLE_PRECISION, left, 3, comm, requests(8), ierror)
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, ierror)
    ! to here
  end subroutine
end program
