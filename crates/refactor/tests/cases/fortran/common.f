c     The field is in a common block; the buffer is not.
      subroutine sndcol(k, idest, itag, icomm)
      include 'mpif.h'
      integer n
      parameter (n = 8)
      double precision u(n, n)
      common /fldcas/ u
      double precision buf(n)
      integer k, idest, itag, icomm, i, ierr
      do 10 i = 1, n
         buf(i) = u(k, i)
   10 continue
      call mpi_send(buf, n, MPI_DOUBLE_PRECISION, idest, itag,
     &              icomm, ierr)
      return
      end

! run:
! extern double fldcas_[64]; FILL(fldcas_);
! SEND(8, MPI_DOUBLE, sndcol_(I(3), &PEER, &TAG, FCOMM));
! SHOW(fldcas_);
