! A loop whose turns have no order.
subroutine send_concurrent(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  double precision, intent(in) :: u(n, n)
  double precision :: b(n)
  integer :: i, ierr
  do concurrent (i = 1:n)
     b(i) = u(2, i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! run:
! double u[25]; FILL(u);
! SEND(5, MPI_DOUBLE, send_concurrent_(u, I(5), &PEER, &TAG, FCOMM));
! SHOW(u);
