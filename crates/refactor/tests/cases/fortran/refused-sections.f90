! Sections with gaps are copied before the call.
subroutine send_every_second(u, n, m, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  double precision, intent(in) :: u(m, n)
  double precision :: b(2 * n)
  integer :: i, ierr
  do i = 1, n
     b(2 * i - 1) = u(3, i)
  end do
  call MPI_Send(b(1:2 * n:2), n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

subroutine send_inside(u, n, m, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  double precision, intent(in) :: u(m, n)
  double precision :: b(2 * n, 2)
  integer :: i, ierr
  do i = 1, n
     b(i + 1, 1) = u(3, i)
     b(i + 1, 2) = u(2, i)
  end do
  call MPI_Send(b(2:n + 1, :), 2 * n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine
