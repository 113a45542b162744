! Received without blocking, unpacked after the wait.
subroutine recv_pending(g, n1, n2, src, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n1, n2, src, tag, comm
  double precision, intent(inout) :: g(n1, n2)
  double precision :: buf(n2, 2)
  integer :: j, req, ierr, status(MPI_STATUS_SIZE)
  call MPI_Irecv(buf, 2 * n2, MPI_DOUBLE_PRECISION, src, tag, comm, req, ierr)
  call MPI_Wait(req, status, ierr)
  do j = 1, n2
     g(1, j) = buf(j, 1)
     g(n1, j) = buf(j, 2)
  end do
end subroutine

! assume: these copies write to different elements of 'g'
! assume: all
! run:
! double g[42]; FILL(g);
! RECV(12, MPI_DOUBLE, recv_pending_(g, I(7), I(6), &PEER, &TAG, FCOMM));
! SHOW(g);
