! An alltoall of persistent requests, in one of the three bindings; rank 0 prints what it has received.
program replaced
#ifdef USE_MPI_F08
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  integer, parameter :: most = 8, block = 5, rounds = 9
  integer :: ierr, rank, ranks, r, round, many, source
  integer :: out(block, 0:most - 1), in(block, 0:most - 1)
#ifdef USE_MPI_F08
  type(MPI_Request) :: requests(2 * most)
  type(MPI_Status) :: statuses(2 * most)
#else
  integer :: requests(2 * most), statuses(MPI_STATUS_SIZE, 2 * most)
#endif

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  many = 0
  do r = 0, ranks - 1
    many = many + 1
    call MPI_Recv_init(in(1, r), block, MPI_INTEGER, r, 1, MPI_COMM_WORLD, requests(many), ierr)
  end do
  do r = 0, ranks - 1
    many = many + 1
    call MPI_Send_init(out(1, r), block, MPI_INTEGER, r, 1, MPI_COMM_WORLD, requests(many), ierr)
  end do
  do round = 1, rounds
    do r = 0, ranks - 1
      out(:, r) = 1000 * round + 10 * rank + r
    end do
    in = -1
    call MPI_Startall(many, requests, ierr)
    call MPI_Waitall(many, requests, statuses, ierr)
#ifdef USE_MPI_F08
    source = statuses(ranks)%MPI_SOURCE
#else
    source = statuses(MPI_SOURCE, ranks)
#endif
    if (rank == 0) print '(a, i0, a, i0, 20i7)', 'round ', round, ' from ', source, in(1:2, 0:ranks - 1)
  end do
  do r = 1, many
    call MPI_Request_free(requests(r), ierr)
  end do
  call MPI_Finalize(ierr)
end program replaced
