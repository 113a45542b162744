! A procedure of a type has the object as its first argument.
module tb
  implicit none
  type box
    integer :: k
  contains
    procedure :: put
  end type
contains
  subroutine put(self, u)
    class(box) :: self
    double precision :: u(*)
    u(3) = self%k
  end subroutine
  subroutine bound(o, u, n, s, comm)
    use mpi
    type(box) :: o
    integer :: n, s, comm, ierr, i
    double precision :: u(3*n), b(100)
    do i = 1, n
      b(i) = u(3*i)
    end do
    call o%put(u)
    call mpi_send(b, n, mpi_double_precision, s, 1, comm, ierr)
  end subroutine
end module
