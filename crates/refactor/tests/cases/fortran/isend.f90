! Sent without blocking; the buffer is two-dimensional and filled by sections.
subroutine start_send(g, n1, n2, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n1, n2, dest, tag, comm
  double precision, intent(in) :: g(n1, n2)
  double precision :: buf(n2, 2)
  integer :: req, ierr
  buf(:, 1) = g(2, :)
  buf(:, 2) = g(n1 - 1, :)
  call MPI_Isend(buf, 2 * n2, MPI_DOUBLE_PRECISION, dest, tag, comm, req, ierr)
  call MPI_Wait(req, MPI_STATUS_IGNORE, ierr)
end subroutine

! run:
! double g[42]; FILL(g);
! SEND(12, MPI_DOUBLE, start_send_(g, I(7), I(6), &PEER, &TAG, FCOMM));
! SHOW(g);
