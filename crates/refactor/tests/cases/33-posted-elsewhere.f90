! A receive is posted in one procedure, waited for in its caller, and unpacked in a third one.
module field
  integer, parameter :: n = 12, block = 5
  double precision :: rhs(block, -1:n, n, 3), line(block * n), away(block * n)
end module

subroutine post(id, cell, from, comm)
  use mpi
  use field
  implicit none
  integer :: id, cell, from, comm, ierr
  call mpi_irecv(line, block * n, MPI_DOUBLE_PRECISION, from, cell, comm, id, ierr)
end subroutine

subroutine take(cell)
  use field
  implicit none
  integer :: cell, j, m, ptr
  ptr = 0
  do j = 1, n
     do m = 1, block
        rhs(m, -1, j, cell) = line(ptr + m)
     end do
     ptr = ptr + block
  end do
end subroutine

subroutine sweep(slice, from, comm)
  use mpi
  use field
  implicit none
  integer :: slice(3), from, comm, stage, c, id, j, m, ierr
  do stage = 1, 3
     c = slice(stage)
     if (stage > 1) then
        call post(id, c, from, comm)
        call mpi_wait(id, MPI_STATUS_IGNORE, ierr)
        call take(c)
     end if
     do j = 1, n
        do m = 1, block
           rhs(m, 0, j, c) = rhs(m, 0, j, c) - rhs(m, -1, j, c)
        end do
     end do
  end do
end subroutine

! run:
! extern double __field_MOD_rhs[2520]; int slice[] = {2, 1, 3}; FILL(__field_MOD_rhs);
! if (RANK == 0) {
!     sweep_(slice, &PEER, FCOMM);
! } else {
!     TAG = 1; GIVE(60, MPI_DOUBLE);
!     TAG = 3; GIVE(60, MPI_DOUBLE);
!     TAG = 7;
! }
! SHOW(__field_MOD_rhs);
