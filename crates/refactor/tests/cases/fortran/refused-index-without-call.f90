! What the copies count is used later, also where the call is not made.
subroutine sometimes(u, n, m, total, peer, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, peer, tag, comm
  integer, intent(out) :: total
  double precision, intent(in) :: u(2 * n)
  double precision :: b(n)
  integer :: i, k, ierr
  k = 0
  do i = 1, n
     k = k + 1
     b(k) = u(2 * i)
  end do
  if (m > 2) call MPI_Send(b, n, MPI_DOUBLE_PRECISION, peer, tag, comm, ierr)
  total = k
end subroutine

subroutine left(u, n, m, total, peer, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, peer, tag, comm
  integer, intent(out) :: total
  double precision, intent(in) :: u(2 * n)
  double precision :: b(n)
  integer :: i, k, ierr
  k = 0
  do i = 1, n
     k = k + 1
     b(k) = u(2 * i)
  end do
  if (m < 2) go to 10
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, peer, tag, comm, ierr)
10 continue
  total = k
end subroutine
