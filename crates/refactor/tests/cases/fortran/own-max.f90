! Procedures of the program have names of those of the language.
module own_max
contains
  subroutine own_max_send(u, n, m, dest, tag, comm)
    use mpi
    implicit none
    integer :: n, m, dest, tag, comm, i, ierr
    real(8) :: u(m, n), b(n)
    do i = 1, n
       b(i) = u(2, i)
    end do
    call mpi_send(b, n, MPI_REAL8, dest, tag, comm, ierr)
  end subroutine

  integer function max(a, b)
    integer, intent(in) :: a, b
    max = a - b
  end function
end module

module own_min
  interface min
     module procedure smaller
  end interface
contains
  integer function smaller(a, b)
    integer, intent(in) :: a, b
    smaller = a - b
  end function
end module

! The bound is not the smaller one.
subroutine own_min_send(u, n, m, dest, tag, comm)
  use own_min
  use mpi
  implicit none
  integer :: n, m, dest, tag, comm, i, ierr
  real(8) :: u(m, n), b(n)
  do i = 1, 4
     b(i) = u(min(m, 3), i)
  end do
  call mpi_send(b, 4, MPI_REAL8, dest, tag, comm, ierr)
end subroutine
