c     The buffer is in a common block that another procedure reads.
      subroutine sndcmn(u, n, idest, itag, icomm)
      include 'mpif.h'
      integer n, idest, itag, icomm, ierr, i
      double precision u(2, n), w
      common /wrkcas/ w(100)
      do i = 1, n
         w(i) = u(1, i)
      end do
      call mpi_send(w, n, MPI_DOUBLE_PRECISION, idest, itag, icomm,
     &              ierr)
      end

      double precision function wrksum(n)
      integer n, i
      double precision w
      common /wrkcas/ w(100)
      wrksum = 0
      do i = 1, n
         wrksum = wrksum + w(i)
      end do
      end
