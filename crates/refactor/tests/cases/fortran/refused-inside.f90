! Procedures inside of others see the variables of these.
subroutine host_source(u, n, s, comm)
  use mpi
  integer :: n, s, comm, ierr, i
  double precision :: u(3*n), b(100)
  do i = 1, n
    b(i) = u(3*i)
  end do
  call change()
  call mpi_send(b, n, mpi_double_precision, s, 1, comm, ierr)
contains
  subroutine change()
    u(3) = 7
  end subroutine
end subroutine

subroutine host_buffer(u, n, s, comm, t)
  use mpi
  integer :: n, s, comm, ierr, i
  double precision :: u(3*n), b(100), t
  do i = 1, n
    b(i) = u(3*i)
  end do
  call mpi_send(b, n, mpi_double_precision, s, 1, comm, ierr)
  call look()
contains
  subroutine look()
    t = b(1)
  end subroutine
end subroutine

subroutine host_bound(u, n, s, comm)
  use mpi
  integer :: n, s, comm, ierr, i, m
  double precision :: u(3*n), b(100)
  m = n
  call shrink()
  do i = 1, m
    b(i) = u(3*i)
  end do
  call mpi_send(b, n, mpi_double_precision, s, 1, comm, ierr)
contains
  subroutine shrink()
    m = m - 1
  end subroutine
end subroutine
