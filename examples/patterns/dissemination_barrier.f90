! Nobody goes on before all have come: empty messages, each twice as far as the one before.
program dissemination_barrier
  use mpi
  implicit none
  integer, parameter :: steps = 3
  integer :: step, ierror
  call MPI_Init(ierror)
  do step = 1, steps
    call barrier(MPI_COMM_WORLD)
  end do
  call MPI_Finalize(ierror)
contains
  subroutine barrier(comm)
    integer, intent(in) :: comm
    integer :: rank, size, far, nothing(1)
    call MPI_Comm_rank(comm, rank, ierror)
    call MPI_Comm_size(comm, size, ierror)
    far = 1
    ! one call: comm = comm
    do while (far < size)
      call MPI_Sendrecv(nothing, 0, MPI_BYTE, modulo(rank + far, size), 3, &
                        nothing, 0, MPI_BYTE, modulo(rank - far, size), 3, &
                        comm, MPI_STATUS_IGNORE, ierror)
      far = 2*far
    end do
    ! to here
  end subroutine
end program
