! A column that is received where there is a neighbour, and unpacked under that condition.
subroutine shift(u, n, m, left, right, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, left, right, tag, comm
  double precision, intent(inout) :: u(m, n)
  double precision :: s(n), r(n)
  integer :: ierr
  s = u(m - 1, :)
  call MPI_Sendrecv(s, n, MPI_DOUBLE_PRECISION, right, tag, r, n, MPI_DOUBLE_PRECISION, left, tag, &
                    comm, MPI_STATUS_IGNORE, ierr)
  if (left /= MPI_PROC_NULL) then
     u(1, :) = r
  end if
end subroutine

! run:
! double u[5 * 7]; int nobody = MPI_PROC_NULL; FILL(u);
! shift_(u, I(7), I(5), &PEER, &PEER, &TAG, FCOMM);
! shift_(u, I(7), I(5), &nobody, &nobody, &TAG, FCOMM);
! SHOW(u);
