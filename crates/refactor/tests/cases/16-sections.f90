subroutine edge(u, n, k, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, k, dest, tag, comm
  real(8), intent(in) :: u(0:n, n)
  real(8) :: b(n)
  integer :: ierr
  b(1:n) = u(k, 1:n)
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! run:
! double u[6 * 5]; FILL(u);
! SEND(5, MPI_DOUBLE, edge_(u, I(5), I(2), &PEER, &TAG, FCOMM));
! SHOW(u);
