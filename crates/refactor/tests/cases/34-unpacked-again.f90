! What unpacks is called once more, for what nobody has received: it must stay.
module field_34
  integer, parameter :: n = 12, block = 5
  double precision :: rhs(block, -1:n, n, 3), line(block * n), away(block * n)
end module

subroutine post_34(id, cell, from, comm)
  use mpi
  use field_34
  implicit none
  integer :: id, cell, from, comm, ierr
  call mpi_irecv(line, block * n, MPI_DOUBLE_PRECISION, from, cell, comm, id, ierr)
end subroutine

subroutine take_34(cell)
  use field_34
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

subroutine sweep_34(slice, from, comm)
  use mpi
  use field_34
  implicit none
  integer :: slice(3), from, comm, stage, c, id, j, m, ierr
  do stage = 1, 3
     c = slice(stage)
     if (stage > 1) then
        call post_34(id, c, from, comm)
        call mpi_wait(id, MPI_STATUS_IGNORE, ierr)
        call take_34(c)
     end if
     do j = 1, n
        do m = 1, block
           rhs(m, 0, j, c) = rhs(m, 0, j, c) - rhs(m, -1, j, c)
        end do
     end do
  end do
end subroutine

subroutine again_34()
  use field_34
  implicit none
  line = 0
  call take_34(2)
end subroutine
