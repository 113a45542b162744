! The variable for errors says where to, too.
subroutine error_is_destination(u, n, to, tag, comm)
  use mpi
  implicit none
  integer :: n, to, tag, comm, i, ie
  real(8) :: u(20, 20), b(20)
  ie = to
  do i = 1, n
    b(i) = u(2, i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, ie, tag, comm, ie)
end subroutine

! run:
! double u[400]; FILL(u);
! SEND(9, MPI_DOUBLE, error_is_destination_(u, I(9), &PEER, &TAG, FCOMM));
! SHOW(u);
