! Everybody gets the diagonal of everybody.
subroutine allgather_diagonal(u, n, all, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, comm
  integer, intent(in) :: u(n, n)
  integer, intent(inout) :: all(n, 2)
  integer :: d(n), i, ierr
  do i = 1, n
     d(i) = u(i, i)
  end do
  call mpi_allgather(d, n, MPI_INTEGER, all, n, MPI_INTEGER, comm, ierr)
end subroutine

! run:
! int u[25], all[10]; FILL(u); FILL(all);
! allgather_diagonal_(u, I(5), all, FCOMM);
! SHOW(u); SHOW(all);
