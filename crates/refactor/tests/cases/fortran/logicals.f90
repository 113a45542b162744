! Characters and logicals are elements as well.
subroutine send_flags(flags, n, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  logical, intent(in) :: flags(2, n)
  logical :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = flags(2, i)
  end do
  call MPI_Send(b, n, MPI_LOGICAL, dest, tag, comm, ierr)
end subroutine

! run:
! int flags[12] = {0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1};
! SEND(6, MPI_INT, send_flags_(flags, I(6), &PEER, &TAG, FCOMM));
! SHOW(flags);
