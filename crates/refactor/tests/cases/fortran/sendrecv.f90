! Packed, exchanged and unpacked in one call.
subroutine swap_columns(u, n, m, to, from, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, to, from, tag, comm
  double precision, intent(inout) :: u(0:n + 1, 0:m + 1)
  double precision :: out(m), in(m)
  integer :: j, ierr, status(MPI_STATUS_SIZE)
  do j = 1, m
     out(j) = u(1, j)
  end do
  call MPI_Sendrecv(out, m, MPI_DOUBLE_PRECISION, to, tag, &
       in, m, MPI_DOUBLE_PRECISION, from, tag, comm, status, ierr)
  do j = 1, m
     u(n + 1, j) = in(j)
  end do
end subroutine

! assume: what is received into 'u' is not what is sent from it
! run:
! double u[6 * 7]; FILL(u);
! swap_columns_(u, I(4), I(5), &PEER, &PEER, &TAG, FCOMM);
! SHOW(u);
