C     All in capitals, continued lines, numbers of statements.
      SUBROUTINE SNDUPR(U, NX, NY, IDEST, ITAG, ICOMM)
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER NX, NY, IDEST, ITAG, ICOMM, IERR, I, J
      REAL*8 U(NX, NY), BUF(2, 100)
      DO 100 J = 1, NY
         BUF(1, J) = U(1, J)
         BUF(2, J) = U(NX, J)
  100 CONTINUE
      CALL MPI_SEND(BUF, 2 * NY, MPI_REAL8, IDEST, ITAG, ICOMM,
     1              IERR)
      RETURN
      END

! run:
! double u[30]; FILL(u);
! SEND(12, MPI_DOUBLE, sndupr_(u, I(5), I(6), &PEER, &TAG, FCOMM));
! SHOW(u);
