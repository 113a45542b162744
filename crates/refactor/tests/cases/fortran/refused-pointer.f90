! Pointers may lead to the same memory.
subroutine send_pointer(n, dest, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, dest, tag, comm
  double precision, pointer :: u(:), b(:)
  integer :: i, ierr
  allocate(u(2 * n))
  b => u(1:n)
  do i = 1, n
     b(i) = u(2 * i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, dest, tag, comm, ierr)
  deallocate(u)
end subroutine
