! Arrays that are allocated before the request is made.
subroutine allocated_steps(n1, n2, steps, dest, comm, last)
  use mpi
  implicit none
  integer, intent(in) :: n1, n2, steps, dest, comm
  double precision, intent(out) :: last
  double precision, allocatable :: u(:, :)
  double precision :: row(n2)
  integer :: j, step, req, ierr
  allocate(u(n1, n2))
  u = 1.5d0
  call MPI_Send_init(row, n2, MPI_DOUBLE_PRECISION, dest, 3, comm, req, ierr)
  do step = 1, steps
     do j = 1, n2
        row(j) = u(2, j)
     end do
     call MPI_Start(req, ierr)
     call MPI_Wait(req, MPI_STATUS_IGNORE, ierr)
     u(:, :) = u(:, :) + 1.0d0
  end do
  call MPI_Request_free(req, ierr)
  last = u(1, 1)
  deallocate(u)
end subroutine

! run:
! double last = 0;
! if (RANK == 0) allocated_steps_(I(4), I(3), I(2), &PEER, FCOMM, &last);
! else { TAKE(3, MPI_DOUBLE); TAKE(3, MPI_DOUBLE); }
! SHOW(last);
