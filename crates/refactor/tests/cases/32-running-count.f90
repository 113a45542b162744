! One count runs through copies of which each call of the procedure makes one.
subroutine give(axis, dir, u, n1, n2, n3, buff, nm, dest, comm)
  use mpi
  implicit none
  integer, intent(in) :: axis, dir, n1, n2, n3, nm, dest, comm
  double precision, intent(in) :: u(n1, n2, n3)
  double precision :: buff(nm, 4)
  integer :: i1, i2, i3, length, which, ierr
  ! assume: 'buff' is not read again
  which = 2 + dir
  length = 0
  if (axis .eq. 1) then
     if (dir .eq. -1) then
        do i3 = 2, n3 - 1
           do i2 = 2, n2 - 1
              length = length + 1
              buff(length, which) = u(2, i2, i3)
           end do
        end do
        call mpi_send(buff(1, which), length, MPI_DOUBLE_PRECISION, dest, axis, comm, ierr)
     else if (dir .eq. +1) then
        do i3 = 2, n3 - 1
           do i2 = 2, n2 - 1
              length = length + 1
              buff(length, which) = u(n1 - 1, i2, i3)
           end do
        end do
        call mpi_send(buff(1, which), length, MPI_DOUBLE_PRECISION, dest, axis, comm, ierr)
     end if
  end if
  if (axis .eq. 3) then
     do i2 = 1, n2
        do i1 = 1, n1
           length = length + 1
           buff(length, which) = u(i1, i2, 2)
        end do
     end do
     call mpi_send(buff(1, which), length, MPI_DOUBLE_PRECISION, dest, axis, comm, ierr)
  end if
  print *, 'sent', length
end subroutine

! run:
! double u[4 * 5 * 6], buff[4 * 40]; FILL(u);
! SEND(12, MPI_DOUBLE, give_(I(1), I(-1), u, I(4), I(5), I(6), buff, I(40), &PEER, FCOMM));
! SEND(12, MPI_DOUBLE, give_(I(1), I(1), u, I(4), I(5), I(6), buff, I(40), &PEER, FCOMM));
! SEND(20, MPI_DOUBLE, give_(I(3), I(1), u, I(4), I(5), I(6), buff, I(40), &PEER, FCOMM));
! SHOW(u);
