! An assignment that is no copy, names that others have in their modules, pointers to procedures
! and those of Cray, and what others write at any time.
module defined_assignments
  implicit none
  type cell_of_two
    real(8) :: x
  end type
  interface assignment(=)
    module procedure doubled
  end interface
contains
  elemental subroutine doubled(l, r)
    type(cell_of_two), intent(out) :: l
    type(cell_of_two), intent(in) :: r
    l%x = r%x * 2
  end subroutine
end module

subroutine by_assignment(c, n, to, comm)
  use mpi
  use defined_assignments
  implicit none
  integer :: n, to, comm, i, ierr
  type(cell_of_two) :: b(20), c(20, 20)
  do i = 1, n
    b(i) = c(3, i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, to, 7, comm, ierr)
end subroutine

subroutine harmless()
end subroutine

module renamed_procedures
  implicit none
  real(8) :: renamed_array(20, 20)
contains
  subroutine harmful()
    renamed_array = -4
  end subroutine
end module

subroutine by_other_name(n, to, comm)
  use mpi
  use renamed_procedures, harmless => harmful
  implicit none
  integer :: n, to, comm, i, ierr
  real(8) :: b(20)
  do i = 1, n
    b(i) = renamed_array(3, i)
  end do
  call harmless()
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, to, 7, comm, ierr)
end subroutine

subroutine by_pointer(n, to, comm)
  use mpi
  use renamed_procedures
  implicit none
  procedure(harmful), pointer :: harmless
  integer :: n, to, comm, i, ierr
  real(8) :: b(20)
  harmless => harmful
  do i = 1, n
    b(i) = renamed_array(3, i)
  end do
  call harmless()
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, to, 7, comm, ierr)
end subroutine

subroutine at_any_time(u, n, to, comm)
  use mpi
  implicit none
  integer :: n, to, comm, i, ierr
  real(8), volatile :: u(20, 20)
  real(8) :: b(20)
  do i = 1, n
    b(i) = u(3, i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, to, 7, comm, ierr)
end subroutine
