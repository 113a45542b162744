! What is sent and what is received lies in one array; with fewer than two columns it is the same.
subroutine exchange_tested(u, nx, nz, left, right, comm)
    use mpi
    implicit none
    integer, intent(in) :: nx, nz, left, right, comm
    real(8), intent(inout) :: u(1 - 2:nx + 2, nz)
    real(8) :: to_left(2, nz), to_right(2, nz), from_left(2, nz), from_right(2, nz)
    integer :: r(4), i, k, ierr
    call mpi_irecv(from_left, 2*nz, MPI_REAL8, left, 1, comm, r(1), ierr)
    call mpi_irecv(from_right, 2*nz, MPI_REAL8, right, 2, comm, r(2), ierr)
    do k = 1, nz
        do i = 1, 2
            to_left(i, k) = u(i, k)
            to_right(i, k) = u(nx - 2 + i, k)
        end do
    end do
    call mpi_isend(to_left, 2*nz, MPI_REAL8, left, 2, comm, r(3), ierr)
    call mpi_isend(to_right, 2*nz, MPI_REAL8, right, 1, comm, r(4), ierr)
    call mpi_wait(r(1), MPI_STATUS_IGNORE, ierr)
    call mpi_wait(r(2), MPI_STATUS_IGNORE, ierr)
    do k = 1, nz
        do i = 1, 2
            u(i - 2, k) = from_left(i, k)
            u(nx + i, k) = from_right(i, k)
        end do
    end do
    call mpi_wait(r(3), MPI_STATUS_IGNORE, ierr)
    call mpi_wait(r(4), MPI_STATUS_IGNORE, ierr)
end subroutine exchange_tested

! The same in a procedure inside of another one, whose sizes it has.
subroutine exchange_around(u, nx, nz, left, right, comm)
    use mpi
    implicit none
    integer, intent(in) :: nx, nz, left, right, comm
    real(8), intent(inout) :: u(1 - 2:nx + 2, nz)
    call exchange_inside(u)
contains
    subroutine exchange_inside(v)
        real(8), intent(inout) :: v(1 - 2:nx + 2, nz)
        real(8) :: to_right(2, nz), from_left(2, nz)
        integer :: r, i, k, ierr
        call mpi_irecv(from_left, 2*nz, MPI_REAL8, left, 1, comm, r, ierr)
        do k = 1, nz
            do i = 1, 2
                to_right(i, k) = v(nx - 2 + i, k)
            end do
        end do
        call mpi_send(to_right, 2*nz, MPI_REAL8, right, 1, comm, ierr)
        call mpi_wait(r, MPI_STATUS_IGNORE, ierr)
        do k = 1, nz
            do i = 1, 2
                v(i - 2, k) = from_left(i, k)
            end do
        end do
    end subroutine exchange_inside
end subroutine exchange_around

! run:
! double u[80]; FILL(u);
! for (int n = 1; n < 5; n++)
!     exchange_tested_(u, &n, I(6), I(PEER), I(PEER), FCOMM);
! for (int n = 1; n < 5; n++)
!     exchange_around_(u, &n, I(6), I(PEER), I(PEER), FCOMM);
! SHOW(u);
