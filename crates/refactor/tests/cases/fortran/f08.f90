! Handles are types under mpi_f08, and the error argument is optional.
subroutine send_f08(u, n, dest, tag, comm)
  use mpi_f08
  implicit none
  integer, intent(in) :: n, dest, tag
  type(MPI_Comm), intent(in) :: comm
  real(8), intent(in) :: u(n, n)
  real(8) :: b(n)
  integer :: j
  do j = 1, n
     b(j) = u(n, j)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm)
end subroutine

! run:
! double u[36]; FILL(u);
! SEND(6, MPI_DOUBLE, send_f08_(u, I(6), &PEER, &TAG, FCOMM));
! SHOW(u);
