! One assignment of a section of two dimensions into a flat buffer by reshape is refused; into a buffer of its shape it is not.
subroutine send_section(u, n, m, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  integer, intent(in) :: u(n, m, 3)
  integer :: b(n - 2, 3)
  integer :: ierr
  b(:, :) = u(2:n - 1, m, :)
  call MPI_Send(b, 3 * (n - 2), MPI_INTEGER, dest, tag, comm, ierr)
end subroutine

! run:
! int u[5 * 4 * 3]; FILL(u);
! SEND(9, MPI_INT, send_section_(u, I(5), I(4), &PEER, &TAG, FCOMM));
! SHOW(u);
