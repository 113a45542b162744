! The target is read while the message is on its way.
subroutine recv_and_use(u, n, total, src, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, src, tag, comm
  double precision, intent(inout) :: u(2, n)
  double precision, intent(out) :: total
  double precision :: b(n)
  integer :: i, req, ierr, status(MPI_STATUS_SIZE)
  call MPI_Irecv(b, n, MPI_DOUBLE_PRECISION, src, tag, comm, req, ierr)
  total = sum(u(1, :))
  call MPI_Wait(req, status, ierr)
  do i = 1, n
     u(1, i) = b(i)
  end do
end subroutine
