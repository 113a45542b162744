! What each process gives to the root is a row.
subroutine gather_rows(u, n, m, all, root, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, root, comm
  double precision, intent(in) :: u(n, m)
  double precision, intent(out) :: all(m, 2)
  double precision :: row(m)
  integer :: j, ierr
  do j = 1, m
     row(j) = u(3, j)
  end do
  call MPI_Gather(row, m, MPI_DOUBLE_PRECISION, all, m, MPI_DOUBLE_PRECISION, root, comm, ierr)
end subroutine

! run:
! double u[20], all[10]; FILL(u); FILL(all);
! gather_rows_(u, I(4), I(5), all, I(1), FCOMM);
! SHOW(u); SHOW(all);
