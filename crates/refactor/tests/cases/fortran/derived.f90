! Components of derived types, in an array of them.
module particles_of_case
  implicit none
  type :: particle
     sequence
     double precision :: position(3)
     integer :: id, kind
     double precision :: charge
  end type
end module

subroutine send_positions(p, n, dest, tag, comm)
  use mpi
  use particles_of_case
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  type(particle), intent(in) :: p(n)
  double precision :: b(3, n)
  integer :: i, ierr
  do i = 1, n
     b(1, i) = p(i)%position(1)
     b(2, i) = p(i)%position(2)
     b(3, i) = p(i)%position(3)
  end do
  call MPI_Send(b, 3 * n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! The component is an array, all of which is meant.
subroutine send_whole_positions(p, n, dest, tag, comm)
  use mpi
  use particles_of_case
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  type(particle), intent(in) :: p(n)
  double precision :: b(3, n)
  integer :: i, ierr
  do i = 1, n
     b(:, i) = p(i)%position
  end do
  call MPI_Send(b, 3 * n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
end subroutine

! run:
! struct { double r[3]; int id, kind; double q; } p[9]; FILLB(p);
! SEND(27, MPI_DOUBLE, send_positions_(p, I(9), &PEER, &TAG, FCOMM));
! SEND(27, MPI_DOUBLE, send_whole_positions_(p, I(9), &PEER, &TAG, FCOMM));
! SHOW(p);
