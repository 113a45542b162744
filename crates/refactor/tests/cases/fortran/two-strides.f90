! Blocks of two arrays in turn, of sizes that differ: no regular type has their order, but one struct has it, of two types.
subroutine send_sides(lhs, rhs, i, n, m, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: i, n, m, dest, tag, comm
  real(8), intent(in) :: lhs(3, 3, n, m, m), rhs(3, n, m, m)
  real(8) :: buffer(12 * m * m)
  integer :: a, b, j, k, p, ierr
  p = 0
  do k = 1, m
     do j = 1, m
        do b = 1, 3
           do a = 1, 3
              buffer(p + a) = lhs(b, a, i, j, k)
           end do
           p = p + 3
        end do
        do a = 1, 3
           buffer(p + a) = rhs(a, i, j, k)
        end do
        p = p + 3
     end do
  end do
  call MPI_Send(buffer, 12 * m * m, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! run:
! double lhs[9 * 4 * 9], rhs[3 * 4 * 9]; FILL(lhs); FILL(rhs);
! SEND(108, MPI_DOUBLE, send_sides_(lhs, rhs, I(3), I(4), I(3), &PEER, &TAG, FCOMM));
! SHOW(lhs); SHOW(rhs);
