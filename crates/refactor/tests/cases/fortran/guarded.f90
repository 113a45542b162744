! Which part is packed depends on a flag.
subroutine send_guarded(u, v, n, both, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  logical, intent(in) :: both
  double precision, intent(in) :: u(n, 4), v(n, 4)
  double precision :: b(8)
  integer :: k, m, ierr
  m = 0
  do k = 1, 4
     m = m + 1
     b(m) = u(2, k)
  end do
  if (both) then
     do k = 1, 4
        m = m + 1
        b(m) = v(3, k)
     end do
  end if
  call MPI_Send(b, m, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! run:
! double u[24], v[24]; FILL(u); FILL(v);
! SEND(8, MPI_DOUBLE, send_guarded_(u, v, I(6), I(1), &PEER, &TAG, FCOMM));
! SEND(4, MPI_DOUBLE, send_guarded_(u, v, I(6), I(0), &PEER, &TAG, FCOMM));
! SHOW(u); SHOW(v);
