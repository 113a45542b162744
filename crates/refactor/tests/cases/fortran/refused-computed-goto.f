c     Who knows where this goes.
      subroutine sndgto(u, n, kind, idest, itag, icomm)
      include 'mpif.h'
      integer n, kind, idest, itag, icomm, ierr, i
      double precision u(2, n), w(100)
      i = 0
   10 i = i + 1
      w(i) = u(1, i)
      if (i .lt. n) goto 10
      call mpi_send(w, n, MPI_DOUBLE_PRECISION, idest, itag, icomm,
     &              ierr)
      end
