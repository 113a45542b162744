! Buffers that are unpacked as whole arrays: of one dimension and of two, with bounds of their own.
subroutine receive_whole(u, n, m, from, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, from, tag, comm
  double precision, intent(inout) :: u(0:m + 1, 0:n + 1)
  double precision :: r(m, 2), q(0:n + 1)
  integer :: ierr
  call MPI_Recv(r, 2 * m, MPI_DOUBLE_PRECISION, from, tag, comm, MPI_STATUS_IGNORE, ierr)
  u(1:m, 1:2) = r
  call MPI_Recv(q, n + 2, MPI_DOUBLE_PRECISION, from, tag, comm, MPI_STATUS_IGNORE, ierr)
  u(m, :) = q
end subroutine

! Another array of the same size may be allocated anew.
subroutine receive_anew(u, n, from, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, from, tag, comm
  double precision, allocatable, intent(inout) :: u(:)
  double precision :: r(n)
  integer :: ierr
  call MPI_Recv(r, n, MPI_DOUBLE_PRECISION, from, tag, comm, MPI_STATUS_IGNORE, ierr)
  u = r
end subroutine

! run:
! double u[7 * 9]; FILL(u);
! if (RANK == 0) receive_whole_(u, I(7), I(5), &PEER, &TAG, FCOMM); else { GIVE(10, MPI_DOUBLE); GIVE(9, MPI_DOUBLE); }
! SHOW(u);
