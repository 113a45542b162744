! A region that is a broadcast, in one of the bindings; the last rank prints what it has received.
program regions
#ifdef USE_MPI_F08
  use mpi_f08
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  integer, parameter :: block = 50, rounds = 9
  integer :: ierr, rank, ranks, r, round, source, many
  integer :: out(block), in(block)
#ifdef USE_MPI_F08
  type(MPI_Request) :: request
  type(MPI_Status) :: status
#else
  integer :: request, status(MPI_STATUS_SIZE)
#endif

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  do round = 1, rounds
    out = 1000 * round
    in = -1
    call MPI_Pcontrol(1)
    if (rank == 0) then
      do r = 1, ranks - 1
        call MPI_Send(out, block, MPI_INTEGER, r, 1, MPI_COMM_WORLD, ierr)
      end do
    else if (rank == 1) then
      call MPI_Recv(in, block, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, status, ierr)
    else
      call MPI_Irecv(in, block, MPI_INTEGER, 0, 1, MPI_COMM_WORLD, request, ierr)
      call MPI_Wait(request, status, ierr)
    end if
    call MPI_Pcontrol(0)
    if (rank > 0) then
#ifdef USE_MPI_F08
      source = status%MPI_SOURCE
#else
      source = status(MPI_SOURCE)
#endif
      call MPI_Get_count(status, MPI_INTEGER, many, ierr)
      if (rank == ranks - 1) print '(a, i0, a, i0, 3i7)', 'round ', round, ' from ', source, many, in(1), in(block)
    end if
  end do
  call MPI_Finalize(ierr)
end program regions
