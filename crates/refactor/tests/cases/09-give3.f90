subroutine give3(u, n1, n2, n3, dp_type, dest, tag, comm)
  implicit none
  include 'mpif.h'
  integer n1, n2, n3, dp_type, dest, tag, comm, ierr
  integer i2, i3, ss
  double precision u(n1, n2, n3)
  double precision buff(n2 * n3)
  ss = 0
  do i3 = 2, n3 - 1
     do i2 = 2, n2 - 1
        ss = ss + 1
        buff(ss) = u(2, i2, i3)
     enddo
  enddo
  call mpi_send(buff, ss, dp_type, dest, tag, comm, ierr)
end subroutine

! run:
! double u[4 * 5 * 6]; int type = MPI_Type_c2f(MPI_DOUBLE); FILL(u);
! SEND(12, MPI_DOUBLE, give3_(u, I(4), I(5), I(6), &type, &PEER, &TAG, FCOMM));
! SEND(0, MPI_DOUBLE, give3_(u, I(4), I(1), I(6), &type, &PEER, &TAG, FCOMM));
! SHOW(u);
