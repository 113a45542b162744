! Another request is waited for; a condition writes the source.
logical function bump(u)
  double precision :: u(*)
  u(3) = 5
  bump = .true.
end function

subroutine waits(u, n, s, comm)
  use mpi
  integer :: n, s, comm, ierr, i, r(2)
  double precision :: u(3*n), b(100), d(100)
  do i = 1, n
    b(i) = u(3*i)
  end do
  call mpi_isend(b, n, mpi_double_precision, s, 1, comm, r(1), ierr)
  call mpi_irecv(d, n, mpi_double_precision, s, 2, comm, r(2), ierr)
  call mpi_wait(r(2), mpi_status_ignore, ierr)
  u(3) = d(1)
  call mpi_wait(r(1), mpi_status_ignore, ierr)
end subroutine

subroutine cond(u, n, s, comm)
  use mpi
  integer :: n, s, comm, ierr, i
  double precision :: u(3*n), b(100)
  logical, external :: bump
  do i = 1, n
    b(i) = u(3*i)
  end do
  if (bump(u)) call mpi_send(b, n, mpi_double_precision, s, 1, comm, ierr)
end subroutine
