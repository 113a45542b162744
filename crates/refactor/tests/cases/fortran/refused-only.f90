! Of the names of MPI the procedure sees some only.
subroutine seen_in_part(u, n, m, dest, comm)
  use mpi, only: mpi_double_precision
  implicit none
  integer :: n, m, i, j, dest, comm, ierr
  double precision :: u(3, n, m), b(100)
  do j = 1, m
    do i = 2, n
      b(i - 1 + (j - 1) * (n - 1)) = u(2, i, j)
    end do
  end do
  call mpi_send(b, (n - 1) * m, mpi_double_precision, dest, 1, comm, ierr)
end subroutine
subroutine seen_in_part_f08(u, n, m, dest, comm)
  use mpi_f08, only: mpi_double_precision, mpi_send, mpi_comm
  implicit none
  integer :: n, m, i, j, dest, ierr
  type(mpi_comm) :: comm
  double precision :: u(3, n, m), b(100)
  do j = 1, m
    do i = 2, n
      b(i - 1 + (j - 1) * (n - 1)) = u(2, i, j)
    end do
  end do
  call mpi_send(b, (n - 1) * m, mpi_double_precision, dest, 1, comm)
end subroutine
