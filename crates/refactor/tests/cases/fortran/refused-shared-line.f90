! Several statements share a line.
subroutine send_shared(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  double precision, intent(in) :: u(2, n)
  double precision :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = u(1, i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr); ierr = 0
end subroutine
