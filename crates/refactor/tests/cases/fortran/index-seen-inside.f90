! A procedure inside of another one packs with a running index, and into a buffer, of the outer one.
subroutine from_inside(u, n, s, comm, t)
  use mpi
  integer :: n, s, comm, ierr, i, k
  double precision :: u(3*n), b(100), t
  call work()
  t = b(2)
contains
  subroutine work()
    k = 0
    do i = 1, n
      k = k + 1
      b(k) = u(3*i)
    end do
    call mpi_send(b, n, mpi_double_precision, s, 1, comm, ierr)
  end subroutine
end subroutine

! The same, where only the index is needed later.
subroutine index_of_host(u, n, s, comm, t)
  use mpi
  integer :: n, s, comm, k
  double precision :: u(3*n)
  integer :: t
  call work()
  t = k
contains
  subroutine work()
    integer :: i, ierr
    double precision :: b(100)
    k = 0
    do i = 1, n
      k = k + 1
      b(k) = u(3*i)
    end do
    call mpi_send(b, n, mpi_double_precision, s, 1, comm, ierr)
  end subroutine
end subroutine

! The index is read inside.
subroutine index_read_inside(u, n, s, comm, t)
  use mpi
  integer :: n, s, comm, ierr, i, k
  double precision :: u(3*n), b(100)
  integer :: t
  k = 0
  do i = 1, n
    k = k + 1
    b(k) = u(3*i)
  end do
  call mpi_send(b, n, mpi_double_precision, s, 1, comm, ierr)
  call look()
contains
  subroutine look()
    t = k
  end subroutine
end subroutine

! run:
! double u[60]; int t = 0; FILL(u);
! SEND(7, MPI_DOUBLE, index_of_host_(u, I(7), &PEER, FCOMM, &t));
! SHOW(t);
! SEND(5, MPI_DOUBLE, index_read_inside_(u, I(5), &PEER, FCOMM, &t));
! SHOW(t);
