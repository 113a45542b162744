! Everybody's sum at process 0, up a binomial tree.
program binomial_reduce
  use mpi
  implicit none
  integer, parameter :: n = 50, steps = 1
  real :: x(n)
  integer :: rank, size, step, i, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  do step = 1, steps
    x = [(100*step + 10*rank + i, i=1, n)]
    call sum_at_root(MPI_COMM_WORLD)
    if (rank == 0) then
      if (any(x /= [(size*(100*step + i) + 5*size*(size - 1), i=1, n)])) &
        call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end if
  end do
  call MPI_Finalize(ierror)
contains
  subroutine sum_at_root(comm)
    integer, intent(in) :: comm
    real :: other(n)
    integer :: bit
    bit = 1
    do while (bit < size)
      if (iand(rank, bit) /= 0) then
        call MPI_Send(x, n, MPI_REAL, rank - bit, 5, comm, ierror)
        return
      end if
      if (rank + bit < size) then
        call MPI_Recv(other, n, MPI_REAL, rank + bit, 5, comm, MPI_STATUS_IGNORE, ierror)
        x = x + other
      end if
      bit = 2*bit
    end do
  end subroutine
end program
