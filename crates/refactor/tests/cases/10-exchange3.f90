subroutine exchange_unknown(g, iex, nx, ny, nz, isiz1, isiz2, isiz3, north, south, dp_type, comm)
  implicit none
  include 'mpif.h'
  integer iex, nx, ny, nz, isiz1, isiz2, isiz3, north, south, dp_type, comm
  double precision g(5, -1:isiz1+2, -1:isiz2+2, isiz3)
  double precision buf(5, 2*isiz2*isiz3), buf1(5, 2*isiz2*isiz3)
  integer j, k, m, ip1, ip2, mid, status(MPI_STATUS_SIZE), ierr
  if (iex .eq. 0) then
     if (north .ne. -1) then
        call MPI_IRECV(buf1, 10*ny*nz, dp_type, MPI_ANY_SOURCE, 1, comm, mid, ierr)
     end if
     if (south .ne. -1) then
        do k = 1, nz
           do j = 1, ny
              ip1 = (k - 1)*ny + j
              ip2 = ip1 + ny*nz
              do m = 1, 5
                 buf(m, ip1) = g(m, nx - 1, j, k)
                 buf(m, ip2) = g(m, nx, j, k)
              end do
           end do
        end do
        call MPI_SEND(buf, 10*ny*nz, dp_type, south, 1, comm, ierr)
     end if
     if (north .ne. -1) then
        call MPI_WAIT(mid, status, ierr)
        do k = 1, nz
           do j = 1, ny
              ip1 = (k - 1)*ny + j
              ip2 = ip1 + ny*nz
              do m = 1, 5
                 g(m, -1, j, k) = buf1(m, ip1)
                 g(m, 0, j, k) = buf1(m, ip2)
              end do
           end do
        end do
     end if
  end if
end subroutine

! run:
! double g[5 * 6 * 7 * 3]; int type = MPI_Type_c2f(MPI_DOUBLE); FILL(g);
! exchange_unknown_(g, I(0), I(2), I(3), I(3), I(2), I(3), I(3), RANK ? &PEER : I(-1), RANK ? I(-1) : &PEER, &type, FCOMM);
! SHOW(g);
