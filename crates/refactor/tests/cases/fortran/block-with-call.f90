! A block that packs and sends; a second call sends the same.
subroutine in_a_block(u, n, dest, comm)
  use mpi
  implicit none
  integer :: n, dest, comm, i, ierr
  double precision :: u(4 * n), b(100)
  block
    do i = 1, n
      b(i) = u(4 * i)
    end do
    call mpi_send(b, n, mpi_double_precision, dest, 3, comm, ierr)
  end block
  call mpi_send(b, n, mpi_double_precision, dest, 5, comm, ierr)
end subroutine

! run:
! double u[40]; FILL(u);
! if (RANK == 0) in_a_block_(u, I(9), &PEER, FCOMM); else { TAKE(9, MPI_DOUBLE); TAKE(9, MPI_DOUBLE); }
! SHOW(u);
