! The buffer is an argument: who called may read it.
subroutine send_argument(u, b, n, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  double precision, intent(in) :: u(2, n)
  double precision, intent(inout) :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = u(1, i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine
