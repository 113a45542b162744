c     Lines that fixed and free form read: continued in column 6, and by
c     an ampersand in column 73.
      subroutine both_forms(n, m, all, comm)
      use mpi
      integer n(9), m(9), comm, ierr, i, pair(18), all(18, 0:1)
      do i = 1, 9
        pair(i) = n(i)
        pair(9 + i) = m(i)
      end do
      CALL mpi_allgather (pair, 18, MPI_INTEGER, all, 18,               &
     &                    MPI_INTEGER, comm, ierr)
      end subroutine
c run:
c int all[36] = {0}, n[9], m[9];
c for (int i = 0; i < 9; i++) { n[i] = RANK + 3 + i; m[i] = 5 * i; }
c both_forms_(n, m, all, FCOMM);
c SHOW(all);
