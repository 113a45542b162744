! A type is made once, for as long as its numbers stay.
subroutine send_kept(u, nx, ny, peer, tag, comm)
  implicit none
  include 'mpif.h'
  integer nx, ny, peer, tag, comm, ierr, j
  double precision u(nx, ny), b(64)
  do j = 1, ny
     b(j) = u(2, j)
  end do
  call mpi_send(b, ny, MPI_DOUBLE_PRECISION, peer, tag, comm, ierr)
end subroutine

! run:
! double u[72]; FILL(u);
! for (int ny = 5; ny >= 0; ny--) {
! SEND(ny, MPI_DOUBLE, send_kept_(u, I(4), &ny, &PEER, &TAG, FCOMM));
! SEND(ny, MPI_DOUBLE, send_kept_(u, I(4), &ny, &PEER, &TAG, FCOMM));
! }
