c     Lines that fixed and free form read: continued in column 6, and by
c     an ampersand in column 73.
      subroutine both_forms(n, m, all, comm)
      use mpi
      integer n, m, comm, ierr, pair(2), all(2, 0:1)
      pair(1) = n
      pair(2) = m
      CALL mpi_allgather (pair, 2, MPI_INTEGER, all, 2,                 &
     &                    MPI_INTEGER, comm, ierr)
      end subroutine
c run:
c int all[4] = {0}, n, m; n = RANK + 3; m = RANK + 5;
c both_forms_(&n, &m, all, FCOMM);
c SHOW(all);
