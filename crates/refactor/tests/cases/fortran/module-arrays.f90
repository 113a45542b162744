! The field is a variable of a module, allocated elsewhere.
module fields_of_case
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer :: nx, ny
  real(dp), allocatable :: temperature(:, :)
contains
  subroutine set_up(values, n, m)
    integer, intent(in) :: n, m
    real(dp), intent(in) :: values(n, m)
    nx = n
    ny = m
    allocate(temperature(0:n - 1, m))
    temperature = values
  end subroutine

  subroutine send_edge(dest, tag, comm)
    use mpi
    integer, intent(in) :: dest, tag, comm
    real(dp) :: edge(ny)
    integer :: j, ierr
    do j = 1, ny
       edge(j) = temperature(1, j)
    end do
    call MPI_Send(edge, ny, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
  end subroutine
end module

subroutine edge_of_module(values, n, m, dest, tag, comm)
  use fields_of_case
  implicit none
  integer, intent(in) :: n, m, dest, tag, comm
  real(dp), intent(in) :: values(n, m)
  call set_up(values, n, m)
  call send_edge(dest, tag, comm)
  deallocate(temperature)
end subroutine

! run:
! double u[35]; FILL(u);
! SEND(5, MPI_DOUBLE, edge_of_module_(u, I(7), I(5), &PEER, &TAG, FCOMM));
! SHOW(u);
