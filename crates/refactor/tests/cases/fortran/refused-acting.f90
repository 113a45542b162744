! Procedures that no name calls: an operator that writes to an array.
module acting_operators
  implicit none
  real(8) :: acted(20, 20)
  interface operator(.hit.)
    module procedure hit
  end interface
contains
  integer function hit(r)
    integer, intent(in) :: r
    acted = -4
    hit = r
  end function
end module

subroutine by_operator(n, to, comm)
  use mpi
  use acting_operators
  implicit none
  integer :: n, to, comm, i, k, ierr
  real(8) :: b(20)
  do i = 1, n
    b(i) = acted(3, i)
  end do
  k = .hit. 7
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, to, k, comm, ierr)
end subroutine
