C     Cards with numbers and names in columns 73 to 80, and words without blanks.
      SUBROUTINE NUMBERED(U, N, M, DEST, TAG, COMM)                     00000010
      INCLUDE 'mpif.h'                                                  00000020
      INTEGER N, M, DEST, TAG, COMM, I, IERR                            00000030
      DOUBLE PRECISION U(M, N), B(64)                                   00000040
      DO 20 I = 1, N                                                    00000050
        B(I) = U(3, I)                                                  00000060
   20 CONTINUE                                                          00000070
      IF (N .GT. 2)                                                     00000080
     &  CALL MPI_SEND(B, N, MPI_DOUBLE_PRECISION, DEST, TAG, COMM,      00000090
     &                IERR)                                             00000100
      END                                                               00000110
      SUBROUTINE NUMBERED_CALL(U, N, M, DEST, TAG, COMM)                00000120
      INCLUDE 'mpif.h'                                                  00000130
      INTEGER N, M, DEST, TAG, COMM, I, IERR                            00000140
      DOUBLE PRECISION U(M, N), B(64)                                   00000150
      DO20I=1,N                                                         00000160
   20 B(I) = U(3, I)                                                    00000170
      CALL MPI_SEND(B, N, MPI_DOUBLE_PRECISION, DEST, TAG, COMM, IERR)  00000180
      END                                                               00000190
      SUBROUTINE NAMED_CALL(U, N, M, DEST, TAG, COMM)                    NAMED
      INCLUDE 'mpif.h'                                                   NAMED
      INTEGER N, M, DEST, TAG, COMM, I, IERR                             NAMED
      DOUBLE PRECISION U(M, N), B(64)                                    NAMED
      I = 0                                                              NAMED
      DOWHILE(I .LT. N)                                                  NAMED
        I = I + 1                                                        NAMED
        B(I) = U(3, I)                                                   NAMED
      END DO                                                             NAMED
      CALL MPI_SEND(B, N, MPI_DOUBLE_PRECISION, DEST, TAG, COMM, IERR)   NAMED
      END                                                                NAMED

! run:
! double u[16 * 5]; FILL(u);
! SEND(5, MPI_DOUBLE, numbered_(u, I(5), I(16), &PEER, &TAG, FCOMM));
! SEND(5, MPI_DOUBLE, numbered_call_(u, I(5), I(16), &PEER, &TAG, FCOMM));
! SEND(5, MPI_DOUBLE, named_call_(u, I(5), I(16), &PEER, &TAG, FCOMM));
! SHOW(u);
