! Sizes of another kind than the arguments of MPI.
subroutine long_count(u, n, m, dest, comm)
  use mpi
  implicit none
  integer(8) :: n, m, i, j
  integer :: dest, comm, ierr
  double precision :: u(2 * n, m), b(100)
  do j = 1, m
    do i = 1, n
      b(i + (j - 1) * n) = u(2 * i, j)
    end do
  end do
  call mpi_send(b, int(n * m), mpi_double_precision, dest, 1, comm, ierr)
end subroutine

! run:
! double u[60]; long n = 5, m = 3; FILL(u);
! SEND(15, MPI_DOUBLE, long_count_(u, &n, &m, &PEER, FCOMM));
! SHOW(u);
