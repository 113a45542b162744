! Two receives use one buffer, one after the other, and one send what was received.
subroutine borders(u, n, m, north, west, east, axis, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, north, west, east, axis, comm
  double precision, intent(inout) :: u(0:n+1, 0:m+1)
  double precision :: line(10000)
  integer :: i, ierr
  if (axis == 2) then
     if (north /= -1) then
        call MPI_RECV(line(1), n, MPI_DOUBLE_PRECISION, north, 1, comm, MPI_STATUS_IGNORE, ierr)
        do i = 1, n
           u(i, 0) = line(i)
        end do
     end if
     if (west /= -1) then
        call MPI_RECV(line(1), m, MPI_DOUBLE_PRECISION, west, 2, comm, MPI_STATUS_IGNORE, ierr)
        do i = 1, m
           u(0, i) = line(i)
        end do
     end if
     do i = 0, n
        line(i + 1) = u(i, 1)
     end do
     call MPI_SEND(line, n + 1, MPI_DOUBLE_PRECISION, east, 3, comm, ierr)
  end if
end subroutine

! run:
! double u[7 * 6]; FILL(u);
! if (RANK == 0) {
!     borders_(u, I(5), I(4), &PEER, &PEER, &PEER, I(2), FCOMM);
! } else {
!     TAG = 1; GIVE(5, MPI_DOUBLE);
!     TAG = 2; GIVE(4, MPI_DOUBLE);
!     TAG = 7; TAKE(6, MPI_DOUBLE);
! }
! SHOW(u);
