c     The buffer is the field, under another name.
      subroutine sndeqv(n, idest, itag, icomm)
      include 'mpif.h'
      integer n, idest, itag, icomm, ierr, i
      double precision u(200), w(100)
      equivalence (u(101), w(1))
      do i = 1, n
         w(i) = u(2 * i)
      end do
      call mpi_send(w, n, MPI_DOUBLE_PRECISION, idest, itag, icomm,
     &              ierr)
      end
