c     Long names: what is written is wrapped before column 72.
      subroutine fixlng(averylongarrayname, thefirstextent,
     &                  thesecondextent, destination, messagetag, kommu)
      implicit none
      include 'mpif.h'
      integer thefirstextent, thesecondextent
      integer destination, messagetag, kommu, ierror
      integer outerloop, innerloop, runningindex
      double precision averylongarrayname(thefirstextent,
     &   thesecondextent, 3)
      double precision thepackedbuffer(1000)
      runningindex = 0
      do outerloop = 2, thesecondextent - 1
         do innerloop = 1, 3
            runningindex = runningindex + 1
            thepackedbuffer(runningindex) =
     &         averylongarrayname(thefirstextent - 1, outerloop,
     &                            innerloop)
         end do
      end do
      call mpi_send(thepackedbuffer, runningindex,
     &   mpi_double_precision, destination, messagetag, kommu,
     &   ierror)
      end

! run:
! double u[5 * 6 * 3]; FILL(u);
! SEND(12, MPI_DOUBLE, fixlng_(u, I(5), I(6), &PEER, &TAG, FCOMM));
! SHOW(u);
