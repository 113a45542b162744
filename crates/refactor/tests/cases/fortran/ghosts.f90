! Ghost layers: bounds that begin below one.
subroutine fill_ghosts(q, n, src, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, src, tag, comm
  real, intent(inout) :: q(-1:n + 2, -1:n + 2)
  real :: buf(2 * n)
  integer :: i, j, ierr, status(MPI_STATUS_SIZE)
  call MPI_RECV(buf, 2 * n, MPI_REAL, src, tag, comm, status, ierr)
  do j = 1, n
     do i = -1, 0
        q(i, j) = buf((j - 1) * 2 + i + 2)
     end do
  end do
end subroutine

! run:
! float q[9 * 9]; FILL(q);
! RECV(10, MPI_FLOAT, fill_ghosts_(q, I(5), &PEER, &TAG, FCOMM));
! SHOW(q);
