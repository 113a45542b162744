! The variable that tells about errors is one that the place of the data depends on.
subroutine row_of_error(u, n, k, to, tag, comm)
  use mpi
  implicit none
  real(8) :: u(20, 20), b(20)
  integer :: n, k, to, tag, comm, i
  do i = 1, n
    b(i) = u(k, i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, to, tag, comm, k)
end subroutine

! run:
! double u[400]; FILL(u);
! int k = 3;
! SEND(20, MPI_DOUBLE, row_of_error_(u, I(20), &k, &PEER, &TAG, FCOMM));
! SHOW(u);
