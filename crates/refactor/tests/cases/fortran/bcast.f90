! Parameters of different variables, from the process that has read them.
subroutine share_parameters(dt, tend, alpha, comm)
  use mpi
  implicit none
  double precision, intent(inout) :: dt, tend, alpha
  integer, intent(in) :: comm
  double precision :: buf(3)
  integer :: myid, ierr
  call MPI_Comm_rank(comm, myid, ierr)
  if (myid .eq. 0) then
     buf(1) = dt
     buf(2) = tend
     buf(3) = alpha
  end if
  call MPI_Bcast(buf, 3, MPI_DOUBLE_PRECISION, 0, comm, ierr)
  if (myid .ne. 0) then
     dt = buf(1)
     tend = buf(2)
     alpha = buf(3)
  end if
end subroutine

subroutine share_plane(u, n1, n2, n3, k, root, comm)
  use mpi
  implicit none
  integer, intent(in) :: n1, n2, n3, k, root, comm
  double precision, intent(inout) :: u(n1, n2, n3)
  double precision :: plane(n2, n3)
  integer :: i, j, myid, ierr
  call MPI_Comm_rank(comm, myid, ierr)
  do j = 1, n3
     do i = 1, n2
        plane(i, j) = u(k, i, j)
     end do
  end do
  call MPI_Bcast(plane, n2 * n3, MPI_DOUBLE_PRECISION, root, comm, ierr)
  do j = 1, n3
     do i = 1, n2
        u(k, i, j) = plane(i, j)
     end do
  end do
end subroutine

! run:
! double dt = 0.5 + RANK, tend = 7 + RANK, alpha = 3 - RANK, u[24]; FILL(u);
! share_parameters_(&dt, &tend, &alpha, FCOMM);
! SHOW(dt); SHOW(tend); SHOW(alpha);
! share_plane_(u, I(2), I(3), I(4), I(2), I(1), FCOMM);
! SHOW(u);
