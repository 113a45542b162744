! A variable has the name of a procedure of the language: a type that is kept would need it.
subroutine own_any(u, n, m, dest, tag, comm)
  use mpi
  implicit none
  integer :: n, m, dest, tag, comm, i, ierr, any
  real(8) :: u(m, n), b(n)
  any = 3
  do i = 1, n
     b(i) = u(any, i)
  end do
  call mpi_send(b, n, MPI_REAL8, dest, tag, comm, ierr)
end subroutine

! run:
! double u[16 * 5]; FILL(u);
! SEND(5, MPI_DOUBLE, own_any_(u, I(5), I(16), &PEER, &TAG, FCOMM)); SHOW(u);
