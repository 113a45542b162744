! Lists of elements, with a distance, of an array that begins elsewhere, and beside other elements.
subroutine send_offset(u, list, n, low, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, low, dest, tag, comm
  real(8), intent(in) :: u(low:low + 19)
  integer, intent(in) :: list(n)
  real(8) :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = u(list(i) + low)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

subroutine send_beside(u, list, n, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  real(8), intent(in) :: u(20)
  integer, intent(in) :: list(n)
  real(8) :: b(n + 2)
  integer :: i, ierr
  do i = 1, n
     b(i) = u(list(i))
  end do
  b(n + 1) = u(5)
  b(n + 2) = u(7)
  call MPI_Send(b, n + 2, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

subroutine send_rows(u, list, n, m, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  real(8), intent(in) :: u(4, 5, m)
  integer, intent(in) :: list(n)
  real(8) :: b(n, m)
  integer :: i, j, ierr
  do j = 1, m
     do i = 1, n
        b(i, j) = u(2, list(i), j)
     end do
  end do
  call MPI_Send(b, n * m, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! run:
! double u[40]; int list[] = {4, 19, 0, 1, 1}, other[] = {4, 20, 1, 1}, rows[] = {5, 1, 3}; FILL(u);
! SEND(5, MPI_DOUBLE, send_offset_(u, list, I(5), I(-3), &PEER, &TAG, FCOMM));
! SEND(6, MPI_DOUBLE, send_beside_(u, other, I(4), &PEER, &TAG, FCOMM));
! SEND(6, MPI_DOUBLE, send_rows_(u, rows, I(3), I(2), &PEER, &TAG, FCOMM));
! SHOW(u);
