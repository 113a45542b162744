! The request is completed by somebody else, the buffer is in a module.
module buffers_of_case
  implicit none
  double precision :: outgoing(100)
  integer :: pending
contains
  subroutine start(u, n, dest, tag, comm)
    use mpi
    integer, intent(in) :: n, dest, tag, comm
    double precision, intent(in) :: u(2, n)
    integer :: i, ierr
    do i = 1, n
       outgoing(i) = u(1, i)
    end do
    call MPI_Isend(outgoing, n, MPI_DOUBLE_PRECISION, dest, tag, comm, pending, ierr)
  end subroutine

  subroutine finish
    use mpi
    integer :: ierr
    call MPI_Wait(pending, MPI_STATUS_IGNORE, ierr)
  end subroutine
end module
