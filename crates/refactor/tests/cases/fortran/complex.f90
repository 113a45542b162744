! Complex numbers of a plane in Fourier space.
subroutine send_modes(c, n, m, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  complex(8), intent(in) :: c(0:n - 1, 0:m - 1)
  complex(8) :: b(n / 2, m)
  integer :: i, j, ierr
  do j = 0, m - 1
     do i = 0, n / 2 - 1
        b(i + 1, j + 1) = c(i, j)
     end do
  end do
  call MPI_Send(b, n / 2 * m, MPI_DOUBLE_COMPLEX, dest, tag, comm, ierr)
end subroutine

! run:
! double c[2 * 7 * 4]; FILL(c);
! SEND(12, MPI_C_DOUBLE_COMPLEX, send_modes_(c, I(7), I(4), &PEER, &TAG, FCOMM));
! SHOW(c);
