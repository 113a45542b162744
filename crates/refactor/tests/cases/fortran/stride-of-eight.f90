! Each eighth element of an array of which only the distances are known, in bytes: no number of
! elements of the default kind.
subroutine eighths(u, n, dest, tag, comm)
  use mpi
  implicit none
  real(8), intent(in) :: u(:)
  integer, intent(in) :: n, dest, tag, comm
  real(8) :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = u(8 * i)
  end do
  call mpi_send(b, n, MPI_REAL8, dest, tag, comm, ierr)
end subroutine

subroutine eighths_of_a_part(whole, n, dest, tag, comm)
  implicit none
  interface
     subroutine eighths(u, n, dest, tag, comm)
       real(8), intent(in) :: u(:)
       integer, intent(in) :: n, dest, tag, comm
     end subroutine
  end interface
  integer, intent(in) :: n, dest, tag, comm
  real(8), intent(in) :: whole(16 * n)
  call eighths(whole(::2), n, dest, tag, comm)
end subroutine

! run:
! double whole[16 * 5]; FILL(whole);
! SEND(5, MPI_DOUBLE, eighths_of_a_part_(whole, I(5), &PEER, &TAG, FCOMM)); SHOW(whole);
