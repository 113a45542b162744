! Requests under mpi_f08, both directions.
subroutine exchange_f08(u, n, other, tag, comm)
  use mpi_f08
  implicit none
  integer, intent(in) :: n, other, tag
  type(MPI_Comm), intent(in) :: comm
  real(8), intent(inout) :: u(0:n + 1, n)
  real(8) :: out(n), in(n)
  type(MPI_Request) :: requests(2)
  integer :: j, ierr
  out = u(n, :)
  call MPI_Irecv(in, n, MPI_DOUBLE_PRECISION, other, tag, comm, requests(1), ierr)
  call MPI_Isend(out, n, MPI_DOUBLE_PRECISION, other, tag, comm, requests(2), ierr)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  do j = 1, n
     u(0, j) = in(j)
  end do
end subroutine

! assume: all
! run:
! double u[8 * 6]; FILL(u);
! exchange_f08_(u, I(6), &PEER, &TAG, FCOMM);
! SHOW(u);
