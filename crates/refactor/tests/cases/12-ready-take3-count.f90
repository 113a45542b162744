! assume: 8*nm2 is 8*n2*n3 - 16*n2 - 16*n3 + 32
module buffers_counted
  integer, parameter :: nm2 = 5000
  double precision :: buff(nm2, 4)
end module

subroutine ready_counted(id, src, comm, request)
  use mpi
  use buffers_counted
  implicit none
  integer, intent(in) :: id, src, comm
  integer :: request, ierr
  call mpi_irecv(buff(1, id), nm2, MPI_DOUBLE_PRECISION, src, 7, comm, request, ierr)
end subroutine

subroutine take3_counted(id, u, n1, n2, n3, request)
  use mpi
  use buffers_counted
  implicit none
  integer, intent(in) :: id, n1, n2, n3
  double precision, intent(inout) :: u(n1, n2, n3)
  integer :: request, ierr, i2, i3, indx
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  indx = 0
  do i3 = 2, n3 - 1
     do i2 = 2, n2 - 1
        indx = indx + 1
        u(n1, i2, i3) = buff(indx, id)
     end do
  end do
end subroutine

subroutine comm3_counted(u, n1, n2, n3, src, comm)
  use buffers_counted
  implicit none
  integer, intent(in) :: n1, n2, n3, src, comm
  double precision, intent(inout) :: u(n1, n2, n3)
  integer :: request
  call ready_counted(2, src, comm, request)
  call take3_counted(2, u, n1, n2, n3, request)
end subroutine
