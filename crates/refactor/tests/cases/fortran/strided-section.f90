! Every third element, the last one first.
subroutine send_thirds(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  real(8), intent(in) :: u(3 * n)
  real(8) :: b(n)
  integer :: ierr
  b(1:n) = u(3 * n:1:-3)
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! run:
! double u[30]; FILL(u);
! SEND(10, MPI_DOUBLE, send_thirds_(u, I(10), &PEER, &TAG, FCOMM));
! SEND(0, MPI_DOUBLE, send_thirds_(u, I(0), &PEER, &TAG, FCOMM));
! SHOW(u);
