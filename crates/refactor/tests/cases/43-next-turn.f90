! A send that is completed in the next turn of a loop, after its source was scaled.
subroutine sweep_43(u, n, cells, next, comm)
  use mpi
  implicit none
  integer :: n, cells, next, comm, c, i, request, ierr
  double precision :: u(n, n, cells), line(n)
  do c = 1, cells
     if (c > 1) then
        u(:, :, c - 1) = 2 * u(:, :, c - 1)
        call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
     end if
     if (c < cells) then
        do i = 1, n
           line(i) = u(2, i, c)
        end do
        call mpi_isend(line, n, MPI_DOUBLE_PRECISION, next, c, comm, request, ierr)
     end if
  end do
end subroutine
