! Fortran has no expression that asks first whether there is anything.
module parts_of_lists
  implicit none
  type list_part
    integer :: off
  end type
end module

subroutine offset_of_pointer(u, l, n, to, comm)
  use mpi
  use parts_of_lists
  implicit none
  real(8) :: u(400), b(64)
  type(list_part), pointer :: l
  integer :: n, to, comm, i, ierr
  do i = 1, n
    b(i) = u(l%off + 3 * i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, to, 7, comm, ierr)
end subroutine

subroutine quotient_of_index(u, n, k, to, comm)
  use mpi
  implicit none
  integer :: n, k, to, comm, i, ierr
  real(8) :: u(400), b(64)
  do i = 1, n
    b(i) = u(n / k + 3 * i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, to, 7, comm, ierr)
end subroutine
