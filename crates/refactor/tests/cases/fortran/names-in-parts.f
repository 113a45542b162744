C     Names that fixed form sees whole.
      SUBROUTINE IN_TWO_LINES(U, N, DEST, TAG, COMM)
      INCLUDE 'mpif.h'
      INTEGER N, DEST, TAG, COMM, I, IERR
      DOUBLE PRECISION U(16, N), B(64)
      DO 20 I = 1, N
        B(I) = U(3, I)
   20 CONTINUE
      CALL MPI_
     &SEND(B, N, MPI_DOUBLE_PRECISION, DEST, TAG, COMM, IERR)
      END

      SUBROUTINE GROWN_TOGETHER(U, N, DEST, TAG, COMM)
      INCLUDE 'mpif.h'
      INTEGER N, DEST, TAG, COMM, I, IERR
      DOUBLE PRECISION U(16, N), B(64)
      DO 20 I = 1, N
        B(I) = U(3, I)
   20 CONTINUE
      CALLMPI_SEND(B, N, MPI_DOUBLE_PRECISION, DEST, TAG, COMM, IERR)
      END
