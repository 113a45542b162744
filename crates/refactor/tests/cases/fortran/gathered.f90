! The root puts together what all have given.
subroutine collect_planes(mine, whole, n1, n2, comm)
  use mpi
  implicit none
  integer, intent(in) :: n1, n2, comm
  double precision, intent(in) :: mine(n1, n2)
  double precision, intent(inout) :: whole(n1, n2, *)
  double precision :: buf(n1, n2, 4)
  integer :: p, i, j, np, me, ierr
  call MPI_Comm_size(comm, np, ierr)
  call MPI_Comm_rank(comm, me, ierr)
  call MPI_Gather(mine, n1 * n2, MPI_DOUBLE_PRECISION, buf, n1 * n2, MPI_DOUBLE_PRECISION, 0, comm, ierr)
  if (me == 0) then
     do p = 1, np
        do j = 1, n2
           do i = 1, n1
              whole(i, j, 2 * p - 1) = buf(i, j, p)
           end do
        end do
     end do
  end if
end subroutine

! assume: the elements of 'whole' that are received are distinct
! run:
! double mine[6], whole[24]; FILL(mine); FILL(whole);
! collect_planes_(mine, whole, I(3), I(2), FCOMM);
! SHOW(whole);
