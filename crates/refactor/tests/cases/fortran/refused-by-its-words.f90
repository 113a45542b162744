! Names of the language that are the program's, memory that may not be there, and what statements
! and keyword arguments write to.
subroutine named_size(a, n, to, comm)
  use mpi
  implicit none
  real(8) :: a(:, :), b(64)
  integer :: n, to, comm, size, i, ierr
  call MPI_Comm_size(comm, size, ierr)
  do i = 1, n
    b(i) = a(3, i)
  end do
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, mod(to, size), 7, comm, ierr)
end subroutine

subroutine perhaps(u, v, n, to, comm)
  use mpi
  implicit none
  real(8) :: u(:, :), b(64)
  real(8), optional :: v(:, :)
  integer :: n, to, comm, i, ierr
  if (present(v)) then
    do i = 1, n
      b(i) = v(2, i)
    end do
  else
    do i = 1, n
      b(i) = u(2, i)
    end do
  end if
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, to, 7, comm, ierr)
end subroutine

subroutine internal_file(u, n, to, comm)
  use mpi
  implicit none
  character(4) :: u(20, 20), b(20)
  integer :: n, to, comm, j, ierr
  do j = 1, n
    b(j) = u(3, j)
  end do
  write (u(3, 2), '(i4)') 1234
  call MPI_Send(b, 4 * n, MPI_CHARACTER, to, 7, comm, ierr)
end subroutine

subroutine by_keyword(u, n, k, to, comm)
  use mpi
  implicit none
  real(8) :: u(20, 20), b(20)
  integer :: n, to, comm, j, k, ierr
  do j = 1, n
    b(j) = u(k, j)
  end do
  call get_environment_variable('PATH', length=k)
  call MPI_Send(b, n, MPI_DOUBLE_PRECISION, to, 7, comm, ierr)
end subroutine
