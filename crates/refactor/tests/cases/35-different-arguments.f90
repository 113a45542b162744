! The cell that is unpacked is not the one that the receive was posted for: where the call stands, nobody knows it.
module field_35
  integer, parameter :: n = 12, block = 5
  double precision :: rhs(block, -1:n, n, 3), line(block * n), away(block * n)
end module

subroutine post_35(id, cell, from, comm)
  use mpi
  use field_35
  implicit none
  integer :: id, cell, from, comm, ierr
  call mpi_irecv(line, block * n, MPI_DOUBLE_PRECISION, from, cell, comm, id, ierr)
end subroutine

subroutine take_35(cell)
  use field_35
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

subroutine sweep_35(slice, from, comm)
  use mpi
  use field_35
  implicit none
  integer :: slice(3), from, comm, stage, c, other, id, j, m, ierr
  do stage = 1, 3
     c = slice(stage)
     if (stage > 1) then
        call post_35(id, c, from, comm)
        call mpi_wait(id, MPI_STATUS_IGNORE, ierr)
        other = slice(1)
        call take_35(other)
     end if
     do j = 1, n
        do m = 1, block
           rhs(m, 0, j, c) = rhs(m, 0, j, c) - rhs(m, -1, j, c)
        end do
     end do
  end do
end subroutine
