! Storage is shared by variables of different types.
subroutine equiv(u, n, s, comm)
  use mpi
  integer :: n, s, comm, ierr, i
  double precision :: u(3*n), b(100), w(100)
  integer :: iw(200)
  equivalence (w, iw)
  w(1:n) = u(1:n)
  do i = 1, n
    b(i) = w(i)
  end do
  iw = 3
  call mpi_send(b, n, mpi_double_precision, s, 1, comm, ierr)
  u(1) = iw(3)
end subroutine
