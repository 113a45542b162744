! A module of wrappers: one has an argument for the datatype, one is for real(8).
module wrapped_exchange
  implicit none
contains
  subroutine isend_cr(b, n, type, to, request)
    use mpi
    real(8), intent(in) :: b(*)
    integer, intent(in) :: n, type, to
    integer, intent(out) :: request
    integer :: ierr
    call MPI_Isend(b, n, type, to, 7, MPI_COMM_WORLD, request, ierr)
  end subroutine

  subroutine isend_r8(b, n, to, request, error)
    use mpi
    real(8), intent(in) :: b(*)
    integer, intent(in) :: n, to
    integer, intent(out) :: request, error
    call MPI_Isend(b, n, MPI_REAL8, to, 7, MPI_COMM_WORLD, request, error)
  end subroutine

  subroutine wait_all_cr(n, requests)
    use mpi
    integer, intent(in) :: n
    integer, intent(inout) :: requests(n)
    integer :: ierr
    call MPI_Waitall(n, requests, MPI_STATUSES_IGNORE, ierr)
  end subroutine
end module

subroutine wrapped_rows(u, n, m, to)
  use mpi
  use wrapped_exchange
  implicit none
  integer, intent(in) :: n, m, to
  real(8), intent(inout) :: u(n, m)
  real(8) :: low(m), high(m)
  integer :: requests(2), j, code
  do j = 1, m
     low(j) = u(1, j)
  end do
  call ISEND_CR(low, m, MPI_DOUBLE_PRECISION, to, requests(1))
  do j = 1, m
     high(j) = u(n, j)
  end do
  call isend_r8(high, m, to, requests(2), code)
  call Wait_All_Cr(2, requests)
  u(1, 1) = 0
end subroutine

! wrapper: isend_cr = MPI_Isend(buf=1, count=2, datatype=3, dest=4, request=5)
! wrapper: Isend_R8 = MPI_Isend(buf=1, count=2, datatype=MPI_REAL8, dest=3, tag="7", comm=MPI_COMM_WORLD, request=4, ierror=5)
! wrapper: wait_all_cr = MPI_Waitall(count=1, array_of_requests=2)
! run:
! double u[42], got[6]; FILL(u);
! if (RANK == 0) wrapped_rows_(u, I(7), I(6), &PEER);
! else for (int k = 0; k < 2; k++) {
!     MPI_Recv(got, 6, MPI_DOUBLE, PEER, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
!     SHOW(got);
! }
! SHOW(u);
