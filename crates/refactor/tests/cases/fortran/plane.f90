! A plane of a four-dimensional array, explicit shape, from module mpi.
subroutine send_plane(u, nx, ny, nz, k, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: nx, ny, nz, k, dest, tag, comm
  double precision, intent(in) :: u(5, nx, ny, nz)
  double precision :: buf(5 * nx * nz)
  integer :: i, l, m, n, ierr
  n = 0
  do l = 1, nz
     do i = 1, nx
        do m = 1, 5
           n = n + 1
           buf(n) = u(m, i, k, l)
        end do
     end do
  end do
  call MPI_Send(buf, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! run:
! double u[5 * 3 * 4 * 6]; FILL(u);
! SEND(90, MPI_DOUBLE, send_plane_(u, I(3), I(4), I(6), I(2), &PEER, &TAG, FCOMM));
! SEND(0, MPI_DOUBLE, send_plane_(u, I(3), I(4), I(0), I(2), &PEER, &TAG, FCOMM));
! SHOW(u);
