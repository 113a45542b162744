! A section whose elements follow each other is a buffer as its first element is: with bounds on one side, of an array
! that begins at 0, and a column of several.
subroutine send_beginning(u, n, m, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  double precision, intent(in) :: u(m, n)
  double precision :: b(2 * n)
  integer :: ierr
  b(1:n) = u(3, 1:n)
  call MPI_Send(b(1:n), n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

subroutine receive_from_zero(u, n, m, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  double precision, intent(inout) :: u(m, n)
  double precision :: b(0:n)
  integer :: i, ierr
  call MPI_Recv(b(:n - 1), n, MPI_DOUBLE_PRECISION, dest, tag, comm, MPI_STATUS_IGNORE, ierr)
  do i = 1, n
     u(2, i) = b(i - 1)
  end do
end subroutine

subroutine send_columns(u, n, m, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  double precision, intent(in) :: u(m, n)
  double precision :: b(5:n + 4, 2)
  integer :: i, ierr
  do i = 1, n
     b(i + 4, 2) = u(1, i)
  end do
  call MPI_Send(b(:, 2), n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! run:
! double u[5 * 7]; FILL(u);
! SEND(7, MPI_DOUBLE, send_beginning_(u, I(7), I(5), &PEER, &TAG, FCOMM));
! SEND(0, MPI_DOUBLE, send_beginning_(u, I(0), I(5), &PEER, &TAG, FCOMM));
! RECV(7, MPI_DOUBLE, receive_from_zero_(u, I(7), I(5), &PEER, &TAG, FCOMM));
! SEND(7, MPI_DOUBLE, send_columns_(u, I(7), I(5), &PEER, &TAG, FCOMM));
! SHOW(u);
