c     Old style: loops that share a label, the call with a label too.
      subroutine oldlbl(a, n, m, idest, itag, icomm)
      include 'mpif.h'
      integer n, m, idest, itag, icomm
      real a(n, m), w(1000)
      l = 0
      do 20 j = 1, m
      do 20 i = 1, n, 2
      l = l + 1
      w(l) = a(i, j)
   20 continue
   30 call mpi_send(w, l, mpi_real, idest, itag, icomm, ierr)
      end

! run:
! float a[35]; FILL(a);
! SEND(20, MPI_FLOAT, oldlbl_(a, I(7), I(5), &PEER, &TAG, FCOMM));
! SHOW(a);
