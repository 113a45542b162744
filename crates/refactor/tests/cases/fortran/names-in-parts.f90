! A name of MPI in two lines.
subroutine in_two_lines_free(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer :: n, dest, tag, comm, i, ierr
  real(8) :: u(16, n), b(n)
  do i = 1, n
     b(i) = u(3, i)
  end do
  call mpi_&
      &send(b, n, MPI_REAL8, dest, tag, comm, ierr)
end subroutine
