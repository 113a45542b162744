subroutine rows(u, n, m, dest, tag, comm)
  use mpi
  implicit none
  real(8), intent(in) :: u(:, :)
  integer, intent(in) :: n, m, dest, tag, comm
  real(8) :: b(n * m)
  integer :: i, j, p, ierr
  p = 0
  do j = 1, m
     do i = 2, n - 1
        p = p + 1
        b(p) = u(i, j)
     end do
  end do
  call mpi_send(b, p, MPI_REAL8, dest, tag, comm, ierr)
end subroutine

subroutine rows_of_a_part(whole, n, m, dest, tag, comm)
  implicit none
  interface
     subroutine rows(u, n, m, dest, tag, comm)
       real(8), intent(in) :: u(:, :)
       integer, intent(in) :: n, m, dest, tag, comm
     end subroutine
  end interface
  integer, intent(in) :: n, m, dest, tag, comm
  real(8), intent(in) :: whole(3 * n, 2 * m)
  call rows(whole(2::3, ::2), n, m, dest, tag, comm)
end subroutine

! run:
! double whole[15 * 8]; FILL(whole);
! SEND(12, MPI_DOUBLE, rows_of_a_part_(whole, I(5), I(4), &PEER, &TAG, FCOMM));
! SHOW(whole);
