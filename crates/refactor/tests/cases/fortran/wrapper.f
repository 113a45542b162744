c     Fixed form: the new call needs more than one line.
      subroutine put_reals(values, number, receiver)
      implicit none
      include 'mpif.h'
      integer number, receiver, code
      double precision values(*)
      call mpi_send(values, number, mpi_double_precision, receiver,
     &     7, mpi_comm_world, code)
      end

      subroutine put_plane(u, nx, ny, nz, receiver)
      implicit none
      include 'mpif.h'
      integer nx, ny, nz, receiver, j, k, filled, error_code
      double precision u(nx, ny, nz), plane(1000)
      filled = 0
      do k = 1, nz
         do j = 1, ny
            filled = filled + 1
            plane(filled) = u(2, j, k)
         end do
      end do
      call put_reals(plane, filled, receiver)
      end

c wrapper: put_reals = MPI_Send(buf=1, count=2, datatype=mpi_double_precision, dest=3, tag="7", comm=mpi_comm_world, ierror=error_code)
c run:
c double u[60]; FILL(u);
c if (RANK == 0) put_plane_(u, I(3), I(4), I(5), &PEER);
c else {
c double got[20];
c MPI_Recv(got, 20, MPI_DOUBLE, PEER, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
c SHOW(got);
c }
