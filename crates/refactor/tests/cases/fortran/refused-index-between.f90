! What the first loop leaves in an index is read before the second one counts on.
subroutine first_part(u, v, n, m, first, peer, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, peer, tag, comm
  integer, intent(out) :: first
  double precision, intent(in) :: u(4 * n), v(3 * m)
  double precision :: b(n + m)
  integer :: i, k, ierr
  k = 0
  do i = 1, n
     k = k + 1
     b(k) = u(4 * i)
  end do
  first = k
  do i = 1, m
     k = k + 1
     b(k) = v(3 * i)
  end do
  call MPI_Send(b, k, MPI_DOUBLE_PRECISION, peer, tag, comm, ierr)
end subroutine
