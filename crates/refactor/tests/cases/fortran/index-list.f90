! Points of an interface by a list of numbers that begin at one; three components each.
subroutine send_interface(accel, ibool, npoin, n, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: npoin, n, dest, tag, comm
  real(4), intent(in) :: accel(3, npoin)
  integer, intent(in) :: ibool(n)
  real(4) :: buf(3, n)
  integer :: i, ierr
  do i = 1, n
     buf(:, i) = accel(:, ibool(i))
  end do
  call MPI_Send(buf, 3 * n, MPI_REAL, dest, tag, comm, ierr)
end subroutine

! run:
! float accel[60]; int ibool[] = {20, 3, 3, 1, 8}; FILL(accel);
! SEND(15, MPI_FLOAT, send_interface_(accel, ibool, I(20), I(5), &PEER, &TAG, FCOMM));
! SHOW(accel);
