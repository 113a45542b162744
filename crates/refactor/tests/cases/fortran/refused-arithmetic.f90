! Averaged while it is packed.
subroutine send_average(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  double precision, intent(in) :: u(2, n)
  double precision :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = 0.5d0 * (u(1, i) + u(2, i))
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! Single precision is sent, double precision is kept.
subroutine send_single(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  double precision, intent(in) :: u(2, n)
  real :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = real(u(1, i))
  end do
  call MPI_Send(b, n, MPI_REAL, dest, tag, comm, ierr)
end subroutine
