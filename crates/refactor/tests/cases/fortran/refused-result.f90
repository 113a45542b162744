! What a function gives back its caller reads; what is kept another call of the same procedure fills.
function packed(u, n, dest, comm) result(b)
  use mpi
  implicit none
  integer :: n, dest, comm, j, ierr
  double precision :: u(2 * n), b(n)
  do j = 1, n
    b(j) = u(2 * j)
  end do
  call mpi_send(b, n, mpi_double_precision, dest, 1, comm, ierr)
end function

recursive subroutine deeper(u, n, dest, comm, depth)
  use mpi
  implicit none
  integer :: n, dest, comm, j, ierr, depth
  double precision :: u(2 * n)
  double precision, save :: b(100)
  do j = 1, n
    b(j) = u(2 * j)
  end do
  if (depth > 0) call deeper(u(n), n / 2, dest, comm, depth - 1)
  call mpi_send(b, n, mpi_double_precision, dest, 1, comm, ierr)
end subroutine
