! Statements under OpenMP, and comments without it, around copies.
subroutine timed(u, n, dest, tag, comm)
  use mpi
!$ use omp_lib
  implicit none
  integer :: n, dest, tag, comm, i, ierr
!$ integer :: threads
  real(8) :: u(16, n), b(n)
!$ threads = omp_get_max_threads()
!$ if (threads > 1) &
!$   & threads = threads - 1
  do i = 1, n
     b(i) = u(3, i)
  end do
  call mpi_send(b, n, MPI_REAL8, dest, tag, comm, ierr)
!$ threads = threads + 1
end subroutine

! Other values are sent with OpenMP.
subroutine other_values(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer :: n, dest, tag, comm, i, ierr
  real(8) :: u(16, n), b(n)
  do i = 1, n
     b(i) = u(3, i)
!$   b(i) = -u(3, i)
  end do
  call mpi_send(b, n, MPI_REAL8, dest, tag, comm, ierr)
end subroutine

subroutine read_later(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer :: n, dest, tag, comm, i, ierr
  real(8) :: u(16, n), b(n)
  do i = 1, n
     b(i) = u(3, i)
  end do
  call mpi_send(b, n, MPI_REAL8, dest, tag, comm, ierr)
!$ u(1, 1) = b(1)
end subroutine

subroutine written_before_the_call(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer :: n, dest, tag, comm, i, ierr
  real(8) :: u(16, n), b(n)
  do i = 1, n
     b(i) = u(3, i)
  end do
!$ i = 0
  call mpi_send(b, n, MPI_REAL8, dest, tag, comm, ierr)
end subroutine

! Two programs in one text: what stands in the branch is executed in any case without OpenMP.
subroutine torn_branch(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer :: n, dest, tag, comm, i, ierr
  real(8) :: u(16, n), b(n)
!$ if (n > 10) then
  n = n - 1
!$ end if
  do i = 1, n
     b(i) = u(3, i)
  end do
  call mpi_send(b, n, MPI_REAL8, dest, tag, comm, ierr)
end subroutine

subroutine torn_line(u, n, dest, tag, comm)
  use mpi
  implicit none
  integer :: n, dest, tag, comm, i, ierr
  real(8) :: u(16, n), b(n)
  do i = 1, n &
!$   / 2 &
     + 0
     b(i) = u(3, i)
  end do
  call mpi_send(b, n, MPI_REAL8, dest, tag, comm, ierr)
end subroutine

! run:
! double u[16 * 5]; FILL(u);
! SEND(5, MPI_DOUBLE, timed_(u, I(5), &PEER, &TAG, FCOMM)); SHOW(u);
