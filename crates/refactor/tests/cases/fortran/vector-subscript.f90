! A vector subscript: the list is in the section.
subroutine send_subscripted(u, list, n, m, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  double precision, intent(in) :: u(m)
  integer, intent(in) :: list(n)
  double precision :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = u(list(i))
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! run:
! double u[20]; int list[] = {4, 20, 1, 1}; FILL(u);
! SEND(4, MPI_DOUBLE, send_subscripted_(u, list, I(4), I(20), &PEER, &TAG, FCOMM));
! SHOW(u);
