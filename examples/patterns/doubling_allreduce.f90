! Everybody's sum at everybody, by recursive doubling; the number of processes is a power of two.
program doubling_allreduce
  use mpi
  implicit none
  integer, parameter :: n = 20, steps = 1
  double precision :: x(n)
  integer :: rank, size, step, i, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  do step = 1, steps
    x = [(100*step + 10*rank + i, i=1, n)]
    call sum_of_all(MPI_COMM_WORLD)
    if (any(x /= [(size*(100*step + i) + 5*size*(size - 1), i=1, n)])) &
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  end do
  call MPI_Finalize(ierror)
contains
  subroutine sum_of_all(comm)
    integer, intent(in) :: comm
    double precision :: other(n)
    integer :: bit, partner
    bit = 1
    ! one call: BUFFER = x
    do while (bit < size)
      partner = ieor(rank, bit)
      call MPI_Sendrecv(x, n, MPI_DOUBLE_PRECISION, partner, 5, other, n, MPI_DOUBLE_PRECISION, partner, 5, &
                        comm, MPI_STATUS_IGNORE, ierror)
      x = x + other
      bit = 2*bit
    end do
    ! to here
  end subroutine
end program
