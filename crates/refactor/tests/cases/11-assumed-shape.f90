subroutine rows(u, n, m, dest, tag, comm)
  use mpi
  implicit none
  real(8), intent(in) :: u(:, :)
  integer, intent(in) :: n, m, dest, tag, comm
  real(8) :: b(n * m)
  integer :: i, j, p, ierr
  p = 0
  do j = 1, m
     do i = 2, n - 1
        p = p + 1
        b(p) = u(i, j)
     end do
  end do
  call mpi_send(b, p, MPI_REAL8, dest, tag, comm, ierr)
end subroutine
