! Wrappers that cannot be given a datatype.
module refused_exchange
  implicit none
contains
  subroutine send_reals(b, n, to)
    use mpi
    real(8), intent(in) :: b(*)
    integer, intent(in) :: n, to
    integer :: ierr
    call MPI_Send(b, n, MPI_REAL8, to, 7, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine send_typed(b, n, type, to)
    use mpi
    real(8), intent(in) :: b(:)
    integer, intent(in) :: n, type, to
    integer :: ierr
    call MPI_Send(b, n, type, to, 7, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine send_some(b, n, type, to)
    use mpi
    real(8), intent(in) :: b(*)
    integer, intent(in) :: n, type, to
    integer :: ierr
    call MPI_Send(b, n, type, to, 7, MPI_COMM_WORLD, ierr)
  end subroutine
end module

subroutine refused_shape(u, n, m, to)
  use mpi
  use refused_exchange
  implicit none
  integer, intent(in) :: n, m, to
  real(8), intent(in) :: u(n, m)
  real(8) :: low(m)
  integer :: j
  do j = 1, m
     low(j) = u(1, j)
  end do
  call send_typed(low, m, MPI_DOUBLE_PRECISION, to)
end subroutine

subroutine refused_no_error(u, n, m, to)
  use mpi
  use refused_exchange
  implicit none
  integer, intent(in) :: n, m, to
  real(8), intent(in) :: u(n, m)
  real(8) :: low(m)
  integer :: j
  do j = 1, m
     low(j) = u(1, j)
  end do
  call send_reals(low, m, to)
end subroutine

subroutine refused_no_mpi(u, n, m, to, type)
  use refused_exchange
  implicit none
  integer, intent(in) :: n, m, to, type
  real(8), intent(in) :: u(n, m)
  real(8) :: low(m)
  integer :: j
  do j = 1, m
     low(j) = u(1, j)
  end do
  call send_some(low, m, type, to)
end subroutine

! wrapper: send_typed = MPI_Send(buf=1, count=2, datatype=3, dest=4)
! wrapper: send_some = MPI_Send(buf=1, count=2, datatype=3, dest=4)
! wrapper: send_reals = MPI_Send(buf=1, count=2, datatype=MPI_REAL8, dest=3, tag="7", comm=MPI_COMM_WORLD)
