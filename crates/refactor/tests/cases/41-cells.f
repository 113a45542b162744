c Faces of cells of different sizes: the types are made by loops.
c assume: nsend is what p0 counts at 41-cells.f:23
c assume: nrecv is what p1 counts at 41-cells.f:43
c assume: what is received into 'u' is not what is sent from it
      subroutine faces(u, ncells, csize, coord, ss, sr, nsend, nrecv,
     >                 east, west, dp_type, comm)
      implicit none
      include 'mpif.h'
      integer ncells, csize(2, 4), coord(4), ss, sr, nsend, nrecv
      integer east, west, dp_type, comm
      double precision u(5, -2:20, 0:20, 4)
      double precision out_buffer(4000), in_buffer(4000)
      integer i, j, c, m, p0, p1, error
      integer requests(2), statuses(MPI_STATUS_SIZE, 2)

      p0 = 0
      do  c = 1, ncells
c        the two last layers of all cells but those at the eastern wall
         if (coord(c) .ne. ncells) then
            do   j = 0, csize(2,c)-1
               do   i = csize(1,c)-2, csize(1,c)-1
                  do   m = 1, 5
                     out_buffer(ss+p0) = u(m,i,j,c)
                     p0 = p0 + 1
                  end do
               end do
            end do
         endif
      end do

      call mpi_irecv(in_buffer(sr), nrecv, dp_type, west, 7,
     >     comm, requests(1), error)
      call mpi_isend(out_buffer(ss), nsend, dp_type, east, 7,
     >     comm, requests(2), error)
      call mpi_waitall(2, requests, statuses, error)

      p1 = 0
      do  c = 1, ncells
         if (coord(c) .ne. 1) then
            do   j = 0, csize(2,c)-1
               do   i = -2, -1
                  do   m = 1, 5
                     u(m,i,j,c) = in_buffer(sr+p1)
                     p1 = p1 + 1
                  end do
               end do
            end do
         endif
      end do

      return
      end

! run:
! double u[5 * 23 * 21 * 4]; int csize[] = {6, 4, 4, 7, 3, 4, 0, 0}, coord[] = {1, 2, 3, 0};
! int type = MPI_Type_c2f(MPI_DOUBLE); FILL(u);
! faces_(u, I(3), csize, coord, I(1), I(1), I(110), I(110), &PEER, &PEER, &type, FCOMM);
! SHOW(u);
