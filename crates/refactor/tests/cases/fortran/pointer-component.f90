! The field is a component of a derived type in a module.
module domain_of_case
  implicit none
  type :: domain
     integer :: n
     real(8) :: flux(6, 6)
  end type
  type(domain) :: here
end module

subroutine send_flux(values, dest, tag, comm)
  use mpi
  use domain_of_case
  implicit none
  real(8), intent(in) :: values(6, 6)
  integer, intent(in) :: dest, tag, comm
  here%flux = values
  call send_component(dest, tag, comm)
end subroutine

subroutine send_component(dest, tag, comm)
  use mpi
  use domain_of_case
  implicit none
  integer, intent(in) :: dest, tag, comm
  real(8) :: b(6)
  integer :: i, ierr
  do i = 1, 6
     b(i) = here%flux(4, i)
  end do
  call MPI_Send(b, 6, MPI_REAL8, dest, tag, comm, ierr)
end subroutine

! run:
! double u[36]; FILL(u);
! SEND(6, MPI_DOUBLE, send_flux_(u, &PEER, &TAG, FCOMM));
! SHOW(u);
