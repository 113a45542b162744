! Old and new bindings of MPI in one file: each procedure has its own.
module new_bindings
  use mpi_f08
  implicit none
contains
  subroutine send_new(u, n, dest, tag, comm)
    integer, intent(in) :: n, dest, tag
    type(MPI_Comm), intent(in) :: comm
    real(8), intent(in) :: u(n, n)
    real(8) :: b(n)
    integer :: j
    do j = 1, n
       b(j) = u(n, j)
    end do
    call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm)
  end subroutine
end module

module names_of_mpi
  use mpi_f08
end module

subroutine send_with_new(u, n, dest, tag, comm)
  use new_bindings
  implicit none
  integer, intent(in) :: n, dest, tag
  type(MPI_Comm), intent(in) :: comm
  real(8), intent(in) :: u(n, n)
  call send_new(u, n, dest, tag, comm)
end subroutine

subroutine send_old(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  real(8), intent(in) :: u(n, n)
  real(8) :: b(n)
  integer :: j, ierr
  do j = 1, n
     b(j) = u(1, j)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

subroutine send_renamed(u, n, dest, tag, comm)
  use names_of_mpi
  implicit none
  integer, intent(in) :: n, dest, tag
  type(MPI_Comm), intent(in) :: comm
  real(8), intent(in) :: u(n, n)
  real(8) :: b(n)
  integer :: j
  do j = 1, n
     b(j) = u(2, j)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm)
end subroutine

! run:
! double u[36]; FILL(u);
! SEND(6, MPI_DOUBLE, send_with_new_(u, I(6), &PEER, &TAG, FCOMM));
! SEND(6, MPI_DOUBLE, send_old_(u, I(6), &PEER, &TAG, FCOMM));
! SEND(6, MPI_DOUBLE, send_renamed_(u, I(6), &PEER, &TAG, FCOMM));
! SHOW(u);
