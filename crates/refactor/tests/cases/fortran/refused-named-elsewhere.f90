! Shared buffers that are read by other names, in lists, in declarations and in submodules; a named constant is no memory.
module named_elsewhere
  implicit none
  double precision :: listed(40), equal(40), other(40), asked(40), below(40)
  double precision, parameter :: constant(2, 4) = reshape((/1d0, 2d0, 3d0, 4d0, 5d0, 6d0, 7d0, 8d0/), (/2, 4/))
  equivalence (equal, other)
  namelist /some/ listed
  interface
    module subroutine read_below(to)
      double precision, intent(out) :: to
    end subroutine
  end interface
contains
  subroutine send_listed(u, n, dest, tag, comm)
    use mpi
    integer, intent(in) :: n, dest, tag, comm
    double precision, intent(in) :: u(2 * n)
    integer :: i, ierr
    do i = 1, n
      listed(i) = u(2 * i)
    end do
    call MPI_Send(listed, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
  end subroutine

  subroutine send_equal(u, n, dest, tag, comm)
    use mpi
    integer, intent(in) :: n, dest, tag, comm
    double precision, intent(in) :: u(2 * n)
    integer :: i, ierr
    do i = 1, n
      equal(i) = u(2 * i)
    end do
    call MPI_Send(equal, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
  end subroutine

  subroutine send_asked(u, n, dest, tag, comm)
    use mpi
    integer, intent(in) :: n, dest, tag, comm
    double precision, intent(in) :: u(2 * n)
    integer :: i, ierr
    do i = 1, n
      asked(i) = u(2 * i)
    end do
    call MPI_Send(asked, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
  end subroutine

  subroutine asks(to)
    double precision, intent(out) :: to
    double precision :: some(int(asked(1)))
    to = size(some)
  end subroutine

  subroutine send_below(u, n, dest, tag, comm)
    use mpi
    integer, intent(in) :: n, dest, tag, comm
    double precision, intent(in) :: u(2 * n)
    integer :: i, ierr
    do i = 1, n
      below(i) = u(2 * i)
    end do
    call MPI_Send(below, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
  end subroutine

  subroutine send_constant(n, dest, tag, comm)
    use mpi
    integer, intent(in) :: n, dest, tag, comm
    double precision :: b(4)
    integer :: i, ierr
    do i = 1, n
      b(i) = constant(2, i)
    end do
    call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
  end subroutine
end module

submodule (named_elsewhere) below_it
  implicit none
contains
  module subroutine read_below(to)
    double precision, intent(out) :: to
    to = below(3)
  end subroutine
end submodule
