! The same as patterns.c for what is written otherwise in Fortran: words before a subroutine say what is expected of it
! on 4 processes, and a region from "one call:" on may give way to printed code.
program patterns
  use mpi
  implicit none
  integer, parameter :: n = 200, most = 8, steps = 5
  double precision :: a(n*most), b(n*most), t(n*most)
  integer :: rank, nprocs, step, argument, ierror
  integer(8) :: seen, state = 0
  character(len=64) :: name
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierror)
  do argument = 1, command_argument_count()
    call get_command_argument(argument, name)
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    call MPI_Pcontrol(100)
    seen = 5381
    a = 0
    b = 0
    t = 0
    do step = 0, steps - 1
      select case (name)
      case ('bcast_tree'); call bcast_tree()
      case ('bcast_lengths'); call bcast_lengths()
      case ('bcast_probed'); call bcast_probed()
      case ('bcast_stop'); call bcast_stop()
      case ('gather_unequal'); call gather_unequal()
      case ('alltoall_pairs'); call alltoall_pairs()
      case ('scan_chain'); call scan_chain()
      case ('max_doubling'); call max_doubling()
      case ('bcast_row'); call bcast_row()
      end select
    end do
    print '(a,i0,1x,a,a,i0)', 'process ', rank, trim(name), ': ', seen
  end do
  call MPI_Finalize(ierror)
contains
  subroutine fill(x)
    double precision, intent(out) :: x(:)
    integer :: i
    do i = 1, size(x)
      state = modulo(state*1103515245_8 + 12345 + 977*rank, 2147483648_8)
      x(i) = dble(state/256)
    end do
  end subroutine

  subroutine look(x)
    double precision, intent(in) :: x(:)
    integer :: i
    do i = 1, size(x)
      seen = ieor(ishftc(seen, 7), transfer(x(i), seen))
    end do
  end subroutine

  ! In the place of MPI_Test.
  subroutine until(request, flag, ignored, error)
    integer :: request, ignored(*), error
    logical :: flag
    flag = .false.
    do while (.not. flag)
      call MPI_Test(request, flag, MPI_STATUS_IGNORE, error)
    end do
  end subroutine

  ! expect: MPI_Bcast
  subroutine bcast_tree()
    integer :: bit
    if (rank == 0) call fill(a(1:n))
    bit = 1
    ! one call: BUFFER = a
    do while (bit < nprocs)
      if (iand(rank, bit) /= 0) then
        call MPI_Recv(a, n, MPI_DOUBLE_PRECISION, rank - bit, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        exit
      end if
      bit = 2*bit
    end do
    bit = bit/2
    do while (bit > 0)
      if (rank + bit < nprocs) call MPI_Send(a, n, MPI_DOUBLE_PRECISION, rank + bit, 1, MPI_COMM_WORLD, ierror)
      bit = bit/2
    end do
    ! to here
    call look(a(1:n))
  end subroutine

  ! expect: MPI_Bcast
  subroutine bcast_lengths()
    integer :: many, i
    many = 50 + 10*step
    if (rank == 0) call fill(a(1:many))
    ! one call: BUFFER = a(3:); count = many - 2
    if (rank == 0) then
      do i = 1, nprocs - 1
        call MPI_Send(a(3), many - 2, MPI_DOUBLE_PRECISION, i, 2, MPI_COMM_WORLD, ierror)
      end do
    else
      call MPI_Recv(a(3), many - 2, MPI_DOUBLE_PRECISION, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end if
    ! to here
    call look(a(1:many))
  end subroutine

  ! expect: MPI_Bcast+MPI_Bcast
  subroutine bcast_probed()
    integer :: many, i, status(MPI_STATUS_SIZE)
    many = merge(50 + 10*step, 0, rank == 0)
    call fill(a(1:many))
    ! one call: BUFFER = a; count = many
    if (rank == 0) then
      do i = 1, nprocs - 1
        call MPI_Send(a, many, MPI_DOUBLE_PRECISION, i, 3, MPI_COMM_WORLD, ierror)
      end do
    else
      call MPI_Probe(0, 3, MPI_COMM_WORLD, status, ierror)
      call MPI_Get_count(status, MPI_DOUBLE_PRECISION, many, ierror)
      call MPI_Recv(a, many, MPI_DOUBLE_PRECISION, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end if
    ! to here
    call look(a(1:many))
  end subroutine

  ! expect: MPI_Ibcast+MPI_Test
  subroutine bcast_stop()
    integer :: i
    logical :: stopped
    stopped = .false.
    if (rank == 0) call fill(a(1:1))
    ! one call: BUFFER = a; flag = stopped; MPI_Test = until
    if (rank == 0) then
      do i = 1, nprocs - 1
        call MPI_Send(a, 1, MPI_DOUBLE_PRECISION, i, 4, MPI_COMM_WORLD, ierror)
      end do
    end if
    do while (rank > 0 .and. .not. stopped)
      call MPI_Iprobe(0, 4, MPI_COMM_WORLD, stopped, MPI_STATUS_IGNORE, ierror)
      if (stopped) call MPI_Recv(a, 1, MPI_DOUBLE_PRECISION, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end do
    ! to here
    call look(a(1:1))
  end subroutine

  ! expect: MPI_Gatherv+MPI_Gatherv
  subroutine gather_unequal()
    integer :: many, i, at
    many = 10 + 5*rank
    call fill(a(1:many))
    at = 11
    b(1:10) = a(1:10)
    ! one call: BLOCK = a; BLOCKS = b(11); count = many
    if (rank == 0) then
      do i = 1, nprocs - 1
        call MPI_Recv(b(at), 10 + 5*i, MPI_DOUBLE_PRECISION, i, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        at = at + 10 + 5*i
      end do
    else
      call MPI_Send(a, many, MPI_DOUBLE_PRECISION, 0, 5, MPI_COMM_WORLD, ierror)
    end if
    ! to here
    if (rank == 0) call look(b(1:n))
  end subroutine

  ! expect: MPI_Alltoallv
  subroutine alltoall_pairs()
    integer :: k, to, from
    call fill(a(1:n*nprocs))
    ! one call: SEND = a; RECEIVE = b
    do k = 1, nprocs - 1
      to = modulo(rank + k, nprocs)
      from = modulo(rank - k, nprocs)
      call MPI_Sendrecv(a(n*to + 1), n, MPI_DOUBLE_PRECISION, to, 6, b(n*from + 1), n, MPI_DOUBLE_PRECISION, from, 6, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end do
    ! to here
    call look(b(1:n*nprocs))
  end subroutine

  ! expect: MPI_Scan
  subroutine scan_chain()
    call fill(a(1:n))
    ! one call: BUFFER = a
    if (rank > 0) then
      call MPI_Recv(t, n, MPI_DOUBLE_PRECISION, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      a(1:n) = a(1:n) + t(1:n)
    end if
    if (rank < nprocs - 1) call MPI_Send(a, n, MPI_DOUBLE_PRECISION, rank + 1, 7, MPI_COMM_WORLD, ierror)
    ! to here
    call look(a(1:n))
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine

  ! powers of two; expect: MPI_Allreduce
  subroutine max_doubling()
    integer :: bit
    call fill(a(1:n))
    bit = 1
    ! one call: BUFFER = a
    do while (bit < nprocs)
      call MPI_Sendrecv(a, n, MPI_DOUBLE_PRECISION, ieor(rank, bit), 8, t, n, MPI_DOUBLE_PRECISION, ieor(rank, bit), 8, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      a(1:n) = max(a(1:n), t(1:n))
      bit = 2*bit
    end do
    ! to here
    call look(a(1:n))
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine

  ! expect: MPI_Bcast
  subroutine bcast_row()
    integer :: row, i
    call MPI_Type_vector(20, 1, 10, MPI_DOUBLE_PRECISION, row, ierror)
    call MPI_Type_commit(row, ierror)
    if (rank == 0) call fill(a(1:n))
    ! one call: BUFFER = a
    if (rank == 0) then
      do i = 1, nprocs - 1
        call MPI_Send(a, 1, row, i, 9, MPI_COMM_WORLD, ierror)
      end do
    else
      call MPI_Recv(a, 1, row, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    end if
    ! to here
    call look(a(1:n))
    call MPI_Type_free(row, ierror)
  end subroutine
end program
