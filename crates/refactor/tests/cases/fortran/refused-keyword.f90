! Arguments by keyword.
subroutine send_keywords(u, n, dest, tag, comm)
  use mpi_f08
  implicit none
  integer, intent(in) :: n, dest, tag
  type(MPI_Comm), intent(in) :: comm
  double precision, intent(in) :: u(2, n)
  double precision :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = u(1, i)
  end do
  call MPI_Send(buf=b, count=n, datatype=MPI_DOUBLE_PRECISION, dest=dest, tag=tag, comm=comm, ierror=ierr)
end subroutine
