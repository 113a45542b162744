C     Lines that an option of the compiler makes statements.
      SUBROUTINE MARKED(U, N, DEST, TAG, COMM)
      INCLUDE 'mpif.h'
      INTEGER N, DEST, TAG, COMM, I, IERR
      DOUBLE PRECISION U(16, N), B(64)
C$    IERR = 0
C$OMP FLUSH
C$$$  an old comment of an editor
      IERR = 0
      DO 20 I = 1, N
        B(I) = U(3, I)
   20 CONTINUE
      CALL MPI_SEND(B, N, MPI_DOUBLE_PRECISION, DEST, TAG, COMM, IERR)
      END

      SUBROUTINE MARKED_COPY(U, N, DEST, TAG, COMM)
      INCLUDE 'mpif.h'
      INTEGER N, DEST, TAG, COMM, I, IERR
      DOUBLE PRECISION U(16, N), B(64)
      DO 20 I = 1, N
        B(I) = U(3, I)
*$      B(I) = -U(3, I)
   20 CONTINUE
      CALL MPI_SEND(B, N, MPI_DOUBLE_PRECISION, DEST, TAG, COMM, IERR)
      END

      SUBROUTINE MARKED_PART(U, N, DEST, TAG, COMM)
      INCLUDE 'mpif.h'
      INTEGER N, DEST, TAG, COMM, I, IERR
      DOUBLE PRECISION U(16, N), B(64)
      DO 20 I = 1, N
        B(I) = U(3, I)
!$   &    + 1
   20 CONTINUE
      CALL MPI_SEND(B, N, MPI_DOUBLE_PRECISION, DEST, TAG, COMM, IERR)
      END

! run:
! double u[16 * 5]; FILL(u);
! SEND(5, MPI_DOUBLE, marked_(u, I(5), &PEER, &TAG, FCOMM)); SHOW(u);
