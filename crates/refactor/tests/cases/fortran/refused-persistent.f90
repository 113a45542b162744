! Memory that is not the same where the request is made and where it is started.
subroutine pointers_swapped(a, b, n1, n2, steps, dest, comm)
  use mpi
  implicit none
  integer, intent(in) :: n1, n2, steps, dest, comm
  double precision, intent(inout), target :: a(n1, n2), b(n1, n2)
  double precision, pointer :: u(:, :), unew(:, :), other(:, :)
  double precision :: row(n2)
  integer :: j, step, req, ierr
  u => a
  unew => b
  call MPI_Send_init(row, n2, MPI_DOUBLE_PRECISION, dest, 3, comm, req, ierr)
  do step = 1, steps
     do j = 1, n2
        row(j) = u(2, j)
     end do
     call MPI_Start(req, ierr)
     call MPI_Wait(req, MPI_STATUS_IGNORE, ierr)
     other => u
     u => unew
     unew => other
  end do
  call MPI_Request_free(req, ierr)
end subroutine

subroutine allocated_anew(n1, n2, steps, dest, comm)
  use mpi
  implicit none
  integer, intent(in) :: n1, n2, steps, dest, comm
  double precision, allocatable :: u(:, :)
  double precision :: row(n2)
  integer :: j, step, req, ierr
  allocate(u(n1, n2))
  u = 1.5d0
  call MPI_Send_init(row, n2, MPI_DOUBLE_PRECISION, dest, 3, comm, req, ierr)
  do step = 1, steps
     do j = 1, n2
        row(j) = u(2, j)
     end do
     call MPI_Start(req, ierr)
     call MPI_Wait(req, MPI_STATUS_IGNORE, ierr)
     deallocate(u)
     allocate(u(n1 + step, n2))
     u = 2.5d0
  end do
  call MPI_Request_free(req, ierr)
end subroutine

subroutine exchanged(u, v, n1, n2, steps, dest, comm)
  use mpi
  implicit none
  integer, intent(in) :: n1, n2, steps, dest, comm
  double precision, intent(inout), allocatable :: u(:, :), v(:, :)
  double precision, allocatable :: w(:, :)
  double precision :: row(n2)
  integer :: j, step, req, ierr
  call MPI_Send_init(row, n2, MPI_DOUBLE_PRECISION, dest, 3, comm, req, ierr)
  do step = 1, steps
     do j = 1, n2
        row(j) = u(2, j)
     end do
     call MPI_Start(req, ierr)
     call MPI_Wait(req, MPI_STATUS_IGNORE, ierr)
     call move_alloc(u, w)
     call move_alloc(v, u)
     call move_alloc(w, v)
  end do
  call MPI_Request_free(req, ierr)
end subroutine

subroutine others_completed(u, n, m, comm)
  use mpi
  implicit none
  integer, intent(in) :: n, m, comm
  double precision, intent(inout) :: u(2, n)
  double precision :: row(n)
  integer :: j, reqs(4), ierr
  call MPI_Send_init(row, n, MPI_DOUBLE_PRECISION, 1, 3, comm, reqs(1), ierr)
  do j = 1, n
     row(j) = u(2, j)
  end do
  call MPI_Startall(2, reqs(1:2), ierr)
  call MPI_Waitall(2, reqs(3:4), MPI_STATUSES_IGNORE, ierr)
  u = 0
  call MPI_Waitall(2, reqs(1:2), MPI_STATUSES_IGNORE, ierr)
end subroutine
