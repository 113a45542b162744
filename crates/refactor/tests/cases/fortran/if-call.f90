! The call is the body of a logical if.
subroutine send_if(u, n, wanted, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, wanted, dest, tag, comm
  double precision, intent(in) :: u(n, n)
  double precision :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = u(2, i)
  end do
  if (wanted > 0) call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! run:
! double u[25]; FILL(u);
! SEND(5, MPI_DOUBLE, send_if_(u, I(5), I(1), &PEER, &TAG, FCOMM));
! send_if_(u, I(5), I(0), &PEER, &TAG, FCOMM);
! SHOW(u);
