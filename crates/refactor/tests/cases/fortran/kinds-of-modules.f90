! Kinds that a module gives, under its name or another one, also by way of a second module; of iso_fortran_env under
! another name.
module kinds
  use iso_fortran_env, only: long => real64
  implicit none
  integer, parameter :: dp = selected_real_kind(15, 307), single = kind(1.0)
  integer, parameter :: also = long
end module

module kinds_again
  use kinds
  implicit none
  integer, parameter :: again = dp
end module

subroutine send_kind(u, n, m, dest, tag, comm)
  use mpi
  use kinds
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  real(dp), intent(in) :: u(m, n)
  real(kind=also) :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = u(3, i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

subroutine receive_kind(u, n, m, dest, tag, comm)
  use mpi
  use kinds_again, only: wp => again
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  real(wp), intent(inout) :: u(m, n)
  real(wp) :: b(n)
  integer :: i, ierr
  call MPI_Recv(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, MPI_STATUS_IGNORE, ierr)
  do i = 1, n
     u(2, i) = b(i)
  end do
end subroutine

! A number of another kind is converted.
subroutine send_converted(u, n, m, dest, tag, comm)
  use mpi
  use kinds, only: dp, sp => single
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  real(dp), intent(in) :: u(m, n)
  real(sp) :: b(n)
  integer :: i, ierr
  do i = 1, n
     b(i) = real(u(4, i), sp)
  end do
  call MPI_Send(b, n, MPI_REAL, dest, tag, comm, ierr)
end subroutine

! run:
! double u[5 * 7]; FILL(u);
! SEND(7, MPI_DOUBLE, send_kind_(u, I(7), I(5), &PEER, &TAG, FCOMM));
! RECV(7, MPI_DOUBLE, receive_kind_(u, I(7), I(5), &PEER, &TAG, FCOMM));
! SEND(7, MPI_FLOAT, send_converted_(u, I(7), I(5), &PEER, &TAG, FCOMM));
! SHOW(u);
