! Blocks of columns to and from all processes.
subroutine turn_around(u, v, n, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, comm
  double precision, intent(in) :: u(n, *)
  double precision, intent(inout) :: v(n, *)
  double precision :: sbuf(n * 8), rbuf(n * 8)
  integer :: p, j, pos, np, ierr
  call MPI_Comm_size(comm, np, ierr)
  pos = 0
  do p = 1, np
     do j = 2, n
        pos = pos + 1
        sbuf(pos) = u(j, 2 * p)
     end do
  end do
  call MPI_Alltoall(sbuf, n - 1, MPI_DOUBLE_PRECISION, rbuf, n - 1, MPI_DOUBLE_PRECISION, comm, ierr)
  pos = 0
  do p = 1, np
     do j = 1, n - 1
        pos = pos + 1
        v(j, p) = rbuf(pos)
     end do
  end do
end subroutine

! assume: the elements of 'v' that are received are distinct
! run:
! double u[16], v[8]; FILL(u); FILL(v);
! turn_around_(u, v, I(4), FCOMM);
! SHOW(v);
