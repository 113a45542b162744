! Requests that are made once; ghost columns are sent and received every step.
subroutine steps_with_ghosts(g, n1, n2, steps, other, tag, comm)
  use mpi
  implicit none
  integer, intent(in) :: n1, n2, steps, other, tag, comm
  double precision, intent(inout) :: g(0:n1, n2)
  double precision :: buf_out(n2), buf_in(n2)
  integer :: j, step, ierr, requests(2), statuses(MPI_STATUS_SIZE, 2)
  call MPI_Recv_init(buf_in, n2, MPI_DOUBLE_PRECISION, other, tag, comm, requests(1), ierr)
  call MPI_Send_init(buf_out, n2, MPI_DOUBLE_PRECISION, other, tag, comm, requests(2), ierr)
  do step = 1, steps
     do j = 1, n2
        buf_out(j) = g(n1 - 1, j)
     end do
     call MPI_Startall(2, requests, ierr)
     call MPI_Waitall(2, requests, statuses, ierr)
     do j = 1, n2
        g(0, j) = buf_in(j)
     end do
     g(1:n1-1, :) = 0.5d0 * (g(0:n1-2, :) + g(2:n1, :))
  end do
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)
end subroutine

! assume: what is received into 'g' is not what is sent from it
! run:
! double g[7 * 5]; FILL(g);
! steps_with_ghosts_(g, I(6), I(5), I(3), &PEER, &TAG, FCOMM);
! SHOW(g);
