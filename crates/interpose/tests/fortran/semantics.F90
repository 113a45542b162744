! What a Fortran program can observe of MPI: received bytes, statuses, error classes, positions, the sentinels.
! One text for the three bindings: compiled with -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08, and -DLARGE_COUNTS where
! mpi_f08 has procedures with counts of MPI_COUNT_KIND. Every observation is a line;
! the test compares the lines under commloom with the native ones. Two ranks. With an argument, only the named section
! runs.

#if defined(USE_MPI_F08)
#define DATATYPE type(MPI_Datatype)
#define REQUESTS(n) type(MPI_Request), dimension(n)
#define STATUSES(n) type(MPI_Status), dimension(n)
#define FILE type(MPI_File)
#define MESSAGE type(MPI_Message)
#define AT(s, i) s(i)
#define FIELD(s, i, name) s(i)%name
#else
#define DATATYPE integer
#define REQUESTS(n) integer, dimension(n)
#define STATUSES(n) integer, dimension(MPI_STATUS_SIZE, n)
#define FILE integer
#define MESSAGE integer
#define AT(s, i) s(:, i)
#define FIELD(s, i, name) s(name, i)
#endif
#define WORLD MPI_COMM_WORLD

module observations
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if defined(MPIF_H)
  include 'mpif.h'
#endif
  integer, parameter :: words = 2**15, origin = words / 2, kinds = 12, room = 4096, width = 100
  integer, parameter :: address = MPI_ADDRESS_KIND, wide = selected_int_kind(18)
  integer, asynchronous :: memory(words), other(words), packed(words)
  DATATYPE :: types(kinds)
  character(len=24) :: names(kinds), section
  character(len=width) :: lines(room)
  integer :: rank, peer, said = 0, odd
  ! Behind one integer in a common block: as little aligned as Fortran allows.
  STATUSES(3) :: status
  common /unaligned/ odd, status

contains

  subroutine say(what, a, b, c, d)
    character(len=*), intent(in) :: what
    integer, intent(in) :: a, b, c, d
    said = said + 1
    write (lines(said), '(a,i0,5a,4(1x,i0))') 'rank ', rank, ' ', trim(section), ': ', trim(what), ' ', a, b, c, d
  end subroutine

  subroutine fill(array, seed)
    integer, intent(out) :: array(:)
    integer, intent(in) :: seed
    integer(wide) :: x
    integer :: i
    x = seed
    do i = 1, size(array)
      x = mod(x * 1103515245_wide + 12345_wide, 2147483648_wide)
      array(i) = int(x)
    end do
  end subroutine

  integer function hash(array)
    integer, intent(in) :: array(:)
    integer(wide) :: h
    integer :: i
    h = 7
    do i = 1, size(array)
      h = mod(h * 131071_wide + array(i) + 2147483648_wide, 2147483629_wide)
    end do
    hash = int(h)
  end function

  integer function class_of(code)
    integer, intent(in) :: code
    integer :: ierr
    call MPI_Error_class(code, class_of, ierr)
  end function

  ! The status at a place, and whether its request is null.
  subroutine say_status(what, i, datatype_)
    character(len=*), intent(in) :: what
    integer, intent(in) :: i
    DATATYPE, intent(in) :: datatype_
    integer :: copies, elements, ierr
    call MPI_Get_count(AT(status, i), datatype_, copies, ierr)
    call MPI_Get_elements(AT(status, i), datatype_, elements, ierr)
    call say(what, FIELD(status, i, MPI_SOURCE), FIELD(status, i, MPI_TAG), copies, elements)
  end subroutine

  subroutine make_types()
    DATATYPE :: t, u
    DATATYPE :: parts(3)
    integer :: i, ierr, lengths(3)
    integer(address) :: offsets(3)
    names = [character(len=24) :: 'vector', 'hvector back', 'indexed', 'indexed block', 'struct', 'subarray', &
             'resized column', 'nested', 'contiguous', 'dup', 'long vector', 'f90 real']
    call MPI_Type_vector(50, 2, 4, MPI_INTEGER, types(1), ierr)
    call MPI_Type_create_hvector(9, 3, -40_address, MPI_INTEGER2, types(2), ierr)
    call MPI_Type_indexed(5, [1, 3, 0, 2, 4], [0, 4, 9, 11, 30], MPI_DOUBLE_PRECISION, types(3), ierr)
    call MPI_Type_create_indexed_block(6, 2, [7, 0, 3, 20, 14, 11], MPI_INTEGER, types(4), ierr)
    lengths = [3, 1, 2]
    offsets = [0_address, 8_address, 16_address]
    parts = [MPI_CHARACTER, MPI_DOUBLE_PRECISION, MPI_INTEGER]
    call MPI_Type_create_struct(3, lengths, offsets, parts, t, ierr)
    call MPI_Type_create_resized(t, 0_address, 32_address, types(5), ierr)
    call MPI_Type_free(t, ierr)
    call MPI_Type_create_subarray(3, [8, 7, 6], [5, 4, 3], [2, 2, 1], MPI_ORDER_FORTRAN, MPI_REAL, types(6), ierr)
    call MPI_Type_vector(16, 1, 16, MPI_DOUBLE_PRECISION, t, ierr)
    call MPI_Type_create_resized(t, 0_address, 8_address, types(7), ierr)
    call MPI_Type_free(t, ierr)
    call MPI_Type_vector(4, 2, 3, MPI_INTEGER, t, ierr)
    call MPI_Type_create_hvector(5, 1, 200_address, t, u, ierr)
    call MPI_Type_create_hvector(3, 1, 1600_address, u, types(8), ierr)
    call MPI_Type_free(t, ierr)
    call MPI_Type_free(u, ierr)
    call MPI_Type_contiguous(100, MPI_INTEGER, types(9), ierr)
    call MPI_Type_commit(types(1), ierr)
    call MPI_Type_dup(types(1), types(10), ierr)
    call MPI_Type_vector(2000, 2, 4, MPI_INTEGER, types(11), ierr)
    call MPI_Type_create_f90_real(12, 100, t, ierr)
    call MPI_Type_vector(20, 3, 5, t, types(12), ierr)
    do i = 2, kinds
      call MPI_Type_commit(types(i), ierr)
    end do
  end subroutine

  ! Each way to move a message from rank 0 to rank 1, the receiver's memory hashed whole.
  subroutine transfers()
    integer :: kind, count, way
    do kind = 1, kinds
      do count = 0, 3
        do way = 0, 13
          if (kind == 11 .and. count > 1) cycle ! no room
          call fill(memory, rank * 1000 + kind * 100 + way)
          if (rank == 0) then
            call transfer_out(types(kind), count, way)
          else
            call transfer_in(types(kind), count, way, names(kind))
          end if
        end do
      end do
    end do
  end subroutine

  subroutine transfer_out(datatype_, count, way)
    DATATYPE, intent(in) :: datatype_
    integer, intent(in) :: count, way
    REQUESTS(1) :: r
    integer :: ierr
    select case (mod(way, 5))
    case (0)
      call MPI_Send(memory(origin), count, datatype_, 1, way, WORLD, ierr)
    case (1)
      call MPI_Ssend(memory(origin), count, datatype_, 1, way, WORLD, ierr)
    case (2)
      call MPI_Bsend(memory(origin), count, datatype_, 1, way, WORLD, ierr)
    case (3)
      call MPI_Isend(memory(origin), count, datatype_, 1, way, WORLD, r(1), ierr)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
    case (4)
      call MPI_Issend(memory(origin), count, datatype_, 1, way, WORLD, r(1), ierr)
      call MPI_Waitall(1, r, MPI_STATUSES_IGNORE, ierr)
    end select
  end subroutine

  subroutine transfer_in(datatype_, count, way, name)
    DATATYPE, intent(in) :: datatype_
    integer, intent(in) :: count, way
    character(len=*), intent(in) :: name
    REQUESTS(2) :: r
    MESSAGE :: message
    integer :: ierr, index, indices(2), done, source, tag
    logical :: flag
    r = MPI_REQUEST_NULL
    flag = .false.
    done = 0
    index = -1
    source = merge(0, MPI_ANY_SOURCE, mod(way, 2) == 0)
    tag = merge(way, MPI_ANY_TAG, mod(way, 4) /= 0)
    if (way >= 4) call MPI_Irecv(memory(origin), count, datatype_, source, tag, WORLD, r(2), ierr)
    select case (way)
    case (0)
      call MPI_Recv(memory(origin), count, datatype_, source, tag, WORLD, AT(status, 2), ierr)
    case (1)
      call MPI_Recv(memory(origin), count, datatype_, source, tag, WORLD, MPI_STATUS_IGNORE, ierr)
    case (2)
      call MPI_Mprobe(source, tag, WORLD, message, AT(status, 1), ierr)
      call MPI_Mrecv(memory(origin), count, datatype_, message, AT(status, 2), ierr)
    case (3)
      call MPI_Mprobe(source, tag, WORLD, message, MPI_STATUS_IGNORE, ierr)
      call MPI_Imrecv(memory(origin), count, datatype_, message, r(2), ierr)
      call MPI_Wait(r(2), MPI_STATUS_IGNORE, ierr)
    case (4)
      call MPI_Wait(r(2), AT(status, 2), ierr)
    case (5)
      call MPI_Wait(r(2), MPI_STATUS_IGNORE, ierr)
    case (6)
      do while (.not. flag)
        call MPI_Test(r(2), flag, AT(status, 2), ierr)
      end do
    case (7)
      call MPI_Waitall(2, r, status, ierr)
    case (8)
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    case (9)
      call MPI_Waitany(2, r, index, AT(status, 2), ierr)
    case (10)
      call MPI_Waitsome(2, r, done, indices, status, ierr)
      AT(status, 2) = AT(status, 1)
      index = indices(1)
    case (11)
      do while (.not. flag)
        call MPI_Testall(2, r, flag, status, ierr)
      end do
    case (12)
      do while (.not. flag)
        call MPI_Testany(2, r, index, flag, AT(status, 2), ierr)
      end do
    case (13)
      do while (done == 0)
        call MPI_Testsome(2, r, done, indices, MPI_STATUSES_IGNORE, ierr)
      end do
      index = indices(1)
    end select
    call say(name, count, way, hash(memory), index)
    call say('request null', merge(1, 0, r(2) == MPI_REQUEST_NULL), done, 0, 0)
    if (all(way /= [1, 3, 5, 8, 13])) call say_status('status', 2, datatype_)
  end subroutine

  subroutine exchanges()
    integer :: kind, back, ierr
    do kind = 1, kinds
      if (kind == 11) cycle
      back = kind + 1
      if (back == 11) back = 12
      if (back > kinds) back = 1
      call fill(memory, rank + 10 * kind)
      call fill(other, rank + 10 * kind + 5)
      if (rank == 0) then
        call MPI_Sendrecv(memory(origin), 2, types(kind), peer, kind, other(origin), 2, types(back), peer, kind, &
                          WORLD, AT(status, 1), ierr)
        call say_status('status', 1, types(back))
      else
        call MPI_Sendrecv(memory(origin), 2, types(back), peer, kind, other(origin), 2, types(kind), peer, kind, &
                          WORLD, MPI_STATUS_IGNORE, ierr)
      end if
      call say(names(kind), hash(other), 0, 0, 0)
      call MPI_Sendrecv_replace(memory(origin), 2, types(kind), peer, 0, peer, 0, WORLD, AT(status, 1), ierr)
      call say('replaced', hash(memory), 0, 0, 0)
      call MPI_Sendrecv(memory(origin), 1, types(kind), MPI_PROC_NULL, 0, other(origin), 1, types(kind), &
                        MPI_PROC_NULL, 0, WORLD, AT(status, 1), ierr)
      call say_status('null status', 1, types(kind))
    end do
  end subroutine

  ! Absolute addresses.
  subroutine bottom()
    DATATYPE :: t
    DATATYPE :: parts(2)
    integer(address) :: at_(2)
    REQUESTS(1) :: r
    integer :: i, ierr, lengths(2)
    call MPI_Get_address(memory(17), at_(1), ierr)
    call MPI_Get_address(other(41), at_(2), ierr)
    lengths = [3, 5]
    parts = [MPI_INTEGER, MPI_DOUBLE_PRECISION]
    call MPI_Type_create_struct(2, lengths, at_, parts, t, ierr)
    call MPI_Type_commit(t, ierr)
    do i = 1, 4
      call fill(memory, rank + i)
      call fill(other, rank + i + 7)
      if (rank == 0) then
        if (mod(i, 2) == 0) then
          call MPI_Send(MPI_BOTTOM, 1, t, 1, 0, WORLD, ierr)
        else
          call MPI_Isend(MPI_BOTTOM, 1, t, 1, 0, WORLD, r(1), ierr)
          call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
        end if
      else if (i <= 2) then
        call MPI_Recv(MPI_BOTTOM, 1, t, 0, 0, WORLD, MPI_STATUS_IGNORE, ierr)
      else
        call MPI_Irecv(MPI_BOTTOM, 1, t, 0, 0, WORLD, r(1), ierr)
        call MPI_Waitall(1, r, MPI_STATUSES_IGNORE, ierr)
      end if
      call say('memory', hash(memory), hash(other), 0, 0)
      call MPI_Bcast(MPI_BOTTOM, 1, t, 0, WORLD, ierr)
      call say('broadcast', hash(memory), hash(other), 0, 0)
    end do
    call MPI_Type_free(t, ierr)
  end subroutine

  subroutine collectives()
    integer :: kind, root, ierr
    REQUESTS(2) :: r
    DATATYPE :: both(2)
    do kind = 1, kinds
      root = mod(kind, 2)
      call start()
      call MPI_Bcast(memory(origin), 1, types(kind), root, WORLD, ierr)
      call say(names(kind), hash(memory), 0, 0, 0)
      call start()
      call MPI_Ibcast(memory(origin), 1, types(kind), root, WORLD, r(1), ierr)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
      call say('ibcast', hash(memory), 0, 0, 0)
      if (any(kind == [2, 11])) cycle ! overlapping elements, or no room
      call start()
      call MPI_Gather(memory(origin), 1, types(kind), other(origin), 1, types(kind), root, WORLD, ierr)
      call say('gather', hash(other), 0, 0, 0)
      call start()
      if (rank == root) then
        call MPI_Gather(MPI_IN_PLACE, 1, types(kind), memory(origin), 1, types(kind), root, WORLD, ierr)
      else
        call MPI_Gather(memory(origin), 1, types(kind), other, 1, types(kind), root, WORLD, ierr)
      end if
      call say('gather in place', hash(memory), 0, 0, 0)
      if (rank == root) then
        call MPI_Scatter(other(origin), 1, types(kind), MPI_IN_PLACE, 1, types(kind), root, WORLD, ierr)
      else
        call MPI_Scatter(other, 1, types(kind), memory(origin), 1, types(kind), root, WORLD, ierr)
      end if
      call say('scatter in place', hash(memory), 0, 0, 0)
      call start()
      call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memory(origin), 1, types(kind), WORLD, ierr)
      call say('allgather in place', hash(memory), 0, 0, 0)
      call start()
      call MPI_Iallgather(memory(origin), 1, types(kind), other(origin), 1, types(kind), WORLD, r(1), ierr)
      call MPI_Alltoall(memory(origin), 1, types(kind), packed(origin), 1, types(kind), WORLD, ierr)
      call MPI_Waitall(1, r, MPI_STATUSES_IGNORE, ierr)
      call say('iallgather, alltoall', hash(other), hash(packed), 0, 0)
      call start()
      call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memory(origin), 1, types(kind), WORLD, ierr)
      call say('alltoall in place', hash(memory), 0, 0, 0)
      call start()
      call MPI_Gatherv(memory(origin), 1 + rank, types(kind), other(origin), [1, 2], [2, 0], types(kind), root, &
                       WORLD, ierr)
      call say('gatherv', hash(other), 0, 0, 0)
      call MPI_Scatterv(other(origin), [2, 1], [0, 2], types(kind), memory(origin), 2 - rank, types(kind), root, &
                        WORLD, ierr)
      call say('scatterv', hash(memory), 0, 0, 0)
      call start()
      call MPI_Allgatherv(memory(origin), 1 + rank, types(kind), other(origin), [1, 2], [2, 0], types(kind), &
                          WORLD, ierr)
      call say('allgatherv', hash(other), 0, 0, 0)
      call start()
      call MPI_Alltoallv(memory(origin), [1, 1], [0, 1], types(kind), other(origin), [1, 1], [1, 0], types(kind), &
                         WORLD, ierr)
      call say('alltoallv', hash(other), 0, 0, 0)
      call start()
      both = types(kind)
      call MPI_Alltoallw(memory(origin), [1, 1], [0, 16384], both, other(origin), [1, 1], [16384, 0], both, WORLD, ierr)
      call say('alltoallw', hash(other), 0, 0, 0)
    end do

  contains
    subroutine start()
      call fill(memory, rank + 100 * kind)
      call fill(other, rank + 100 * kind + 1)
      call fill(packed, rank + 100 * kind + 2)
    end subroutine
  end subroutine

  ! The same requests, started again and again.
  subroutine persistent()
    integer :: kind, round, ierr, index
    logical :: flag
    REQUESTS(2) :: r
    do kind = 1, kinds
      if (rank == 0) then
        call MPI_Send_init(memory(origin), 1, types(kind), 1, 1, WORLD, r(1), ierr)
        call MPI_Ssend_init(other(origin), 1, types(kind), 1, 2, WORLD, r(2), ierr)
      else
        call MPI_Recv_init(memory(origin), 1, types(kind), 0, 1, WORLD, r(1), ierr)
        call MPI_Recv_init(other(origin), 1, types(kind), MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, r(2), ierr)
      end if
      do round = 1, 5
        call fill(memory, rank + 10 * round + kind)
        call fill(other, rank + 10 * round + kind + 1)
        if (round == 1) then
          ! The tag of the second receive is any: it must not take the first message.
          call MPI_Start(r(1), ierr)
          call MPI_Wait(r(1), AT(status, 1), ierr)
          call MPI_Start(r(2), ierr)
          call MPI_Wait(r(2), AT(status, 2), ierr)
        else
          call MPI_Startall(2, r, ierr)
          select case (round)
          case (2)
            call MPI_Waitall(2, r, status, ierr)
          case (3)
            call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
          case (4)
            call MPI_Waitany(2, r, index, AT(status, 3), ierr)
            call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
          case (5)
            flag = .false.
            do while (.not. flag)
              call MPI_Testall(2, r, flag, status, ierr)
            end do
          end select
        end if
        call say(names(kind), round, hash(memory), hash(other), merge(1, 0, any([r(1) == MPI_REQUEST_NULL, &
                 r(2) == MPI_REQUEST_NULL])))
        if (rank == 1 .and. any(round == [1, 2, 5])) then
          call say_status('first', 1, types(kind))
          call say_status('second', 2, types(kind))
        end if
      end do
      call MPI_Request_free(r(1), ierr)
      call MPI_Request_free(r(2), ierr)
      call say('freed', merge(1, 0, r(1) == MPI_REQUEST_NULL), 0, 0, 0)
    end do
  end subroutine

  subroutine packing()
    integer :: kind, count, position, ierr, bytes
    do kind = 1, kinds
      do count = 0, 3
        if (kind == 11 .and. count > 1) cycle
        call fill(memory, kind + 20 * count)
        call fill(other, 1)
        packed = 0
        position = 5
        call MPI_Pack(memory(origin), count, types(kind), packed, 4 * words, position, WORLD, ierr)
        call say(names(kind), ierr, position, hash(packed), 0)
        position = 5
        call MPI_Unpack(packed, 4 * words, position, other(origin), count, types(kind), WORLD, ierr)
        call MPI_Pack_size(count, types(kind), WORLD, bytes, ierr)
        call say('unpacked', ierr, position, hash(other), bytes)
      end do
    end do
  end subroutine

  ! Noncontiguous actual arguments: with mpi_f08 on MPICH the library itself makes a datatype of them.
  subroutine sections()
    integer :: ierr
    call fill(memory, rank)
    if (rank == 0) then
      call MPI_Send(memory(1:4000:4), 1000, MPI_INTEGER, 1, 0, WORLD, ierr)
      call MPI_Send(memory(2:8000:2), 2, types(1), 1, 0, WORLD, ierr)
    else
      call MPI_Recv(memory(3:3002:3), 1000, MPI_INTEGER, 0, 0, WORLD, AT(status, 1), ierr)
    end if
    if (rank == 1) then
      call MPI_Recv(memory(9000:19000:5), 2, types(1), 0, 0, WORLD, AT(status, 1), ierr)
      call say_status('status', 1, types(1))
    end if
    call say('sections', hash(memory), 0, 0, 0)
  end subroutine

#if defined(LARGE_COUNTS)
  subroutine large_counts()
    integer(MPI_COUNT_KIND), parameter :: two = 2
    integer(MPI_COUNT_KIND) :: position
    REQUESTS(1) :: r
    integer :: kind, ierr
    do kind = 1, kinds
      if (kind == 11) cycle
      call fill(memory, rank + kind)
      call fill(other, rank + kind + 1)
      if (rank == 0) then
        call MPI_Send(memory(origin), two, types(kind), 1, 0, WORLD, ierr)
        call MPI_Isend(memory(origin), two, types(kind), 1, 0, WORLD, r(1), ierr)
        call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
      else
        call MPI_Irecv(memory(origin), two, types(kind), 0, 0, WORLD, r(1), ierr)
        call MPI_Recv(other(origin), two, types(kind), 0, 0, WORLD, AT(status, 1), ierr)
        call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
        call say_status('status', 1, types(kind))
      end if
      position = 0
      call MPI_Pack(memory(origin), two, types(kind), packed, int(4 * words, MPI_COUNT_KIND), position, WORLD, ierr)
      call say(names(kind), hash(memory), hash(other), hash(packed), int(position))
      call MPI_Bcast(memory(origin), two, types(kind), 1, WORLD, ierr)
      call say('broadcast', hash(memory), 0, 0, 0)
    end do
  end subroutine
#endif

  subroutine errors()
    DATATYPE :: raw
    REQUESTS(2) :: r
    integer :: ierr, code, position
    call MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Type_vector(3, 1, 2, MPI_INTEGER, raw, ierr)
    call MPI_Send(memory, -1, types(1), peer, 0, WORLD, code)
    call say('negative count', class_of(code), 0, 0, 0)
    call MPI_Send(memory, 1, MPI_DATATYPE_NULL, peer, 0, WORLD, code)
    call say('null type', class_of(code), 0, 0, 0)
    call MPI_Send(memory, 1, raw, peer, 0, WORLD, code)
    call say('not committed', class_of(code), 0, 0, 0)
    call MPI_Isend(memory, 1, types(1), 77, 0, WORLD, r(1), code)
    call say('rank', class_of(code), 0, 0, 0)
    call MPI_Irecv(memory, 1, types(1), peer, -7, WORLD, r(1), code)
    call say('tag', class_of(code), 0, 0, 0)
    position = 0
    call MPI_Pack(memory, 1, types(1), packed, 16, position, WORLD, code)
    call say('room', class_of(code), position, 0, 0)
    call MPI_Type_free(raw, ierr)
    if (rank == 0) then
      call MPI_Send(memory, 2, types(1), 1, 5, WORLD, ierr)
      call MPI_Send(memory, 2, types(1), 1, 5, WORLD, ierr)
    else
      call MPI_Recv(memory, 1, types(1), 0, 5, WORLD, AT(status, 1), code)
      call say('truncated', class_of(code), 0, 0, 0)
      r = MPI_REQUEST_NULL
      call MPI_Irecv(memory, 1, types(1), 0, 5, WORLD, r(2), ierr)
      call MPI_Waitall(2, r, status, code)
      call say('truncated', class_of(code), class_of(FIELD(status, 2, MPI_ERROR)), 0, 0)
    end if
    call MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL, ierr)
  end subroutine

  subroutine requests_()
    DATATYPE :: t
    REQUESTS(24) :: many
    integer :: ierr, i, index
    logical :: flag
    ! Cancelled: nothing arrives, the buffer keeps its bytes.
    call fill(memory, 3)
    call MPI_Irecv(memory(origin), 1, types(1), peer, 99, WORLD, many(1), ierr)
    call MPI_Cancel(many(1), ierr)
    call MPI_Wait(many(1), AT(status, 1), ierr)
    call MPI_Test_cancelled(AT(status, 1), flag, ierr)
    call say('cancelled', merge(1, 0, flag), hash(memory), 0, 0)
    ! After a true flag the buffer may be read, before the request is waited for.
    if (rank == 0) then
      call MPI_Send(memory(origin), 2, types(5), 1, 1, WORLD, ierr)
    else
      call MPI_Irecv(memory(origin), 2, types(5), 0, 1, WORLD, many(1), ierr)
      flag = .false.
      do while (.not. flag)
        call MPI_Request_get_status(many(1), flag, AT(status, 1), ierr)
      end do
      call say('get_status', hash(memory), merge(1, 0, many(1) == MPI_REQUEST_NULL), 0, 0)
      call say_status('status', 1, types(5))
      call MPI_Wait(many(1), AT(status, 2), ierr)
      call say_status('status', 2, types(5))
    end if
    ! A send that is freed at once still arrives.
    do i = 1, 5
      call fill(memory, rank + i)
      if (rank == 0) then
        call MPI_Isend(memory(origin), 1, types(11), 1, 6, WORLD, many(1), ierr)
        call MPI_Request_free(many(1), ierr)
        call say('freed', merge(1, 0, many(1) == MPI_REQUEST_NULL), 0, 0, 0)
      else
        call MPI_Recv(memory(origin), 1, types(11), 0, 6, WORLD, MPI_STATUS_IGNORE, ierr)
        call say('arrived', hash(memory), 0, 0, 0)
      end if
      call MPI_Barrier(WORLD, ierr)
    end do
    ! Many at once, completed out of order, types freed while they are under way.
    call fill(memory, rank + 12)
    do i = 1, 24
      call MPI_Type_vector(20 + i, 1, 2 + mod(i, 3), MPI_INTEGER, t, ierr)
      call MPI_Type_commit(t, ierr)
      if (rank == 0) then
        call MPI_Isend(memory(200 * i), 1, t, 1, 100 + i, WORLD, many(i), ierr)
      else
        call MPI_Irecv(memory(200 * i), 1, t, 0, 100 + i, WORLD, many(i), ierr)
      end if
      call MPI_Type_free(t, ierr)
    end do
    do i = 1, 24
      call MPI_Waitany(24, many, index, MPI_STATUS_IGNORE, ierr)
    end do
    call say('many', hash(memory), 0, 0, 0)
  end subroutine

  ! Libraries of MPI-IO call MPI themselves.
  subroutine files()
    character(len=1000) :: program
    FILE :: handle
    integer :: ierr, kind
    integer(MPI_OFFSET_KIND) :: displacement
    call get_command_argument(0, program)
    do kind = 1, kinds
      if (any(kind == [2, 4, 11])) cycle ! places that do not rise are for memory only
      call fill(memory, rank + kind)
      call fill(other, rank + kind + 50)
      call MPI_File_open(WORLD, trim(program) // '.data', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                         MPI_INFO_NULL, handle, ierr)
      displacement = rank * 8192
      call MPI_File_set_view(handle, displacement, MPI_BYTE, types(kind), 'native', MPI_INFO_NULL, ierr)
      ! A status of a file says nothing of a source or a tag: they stay what they were.
      FIELD(status, 1, MPI_SOURCE) = kind
      FIELD(status, 1, MPI_TAG) = kind
      call MPI_File_write_all(handle, memory(origin), 1, types(kind), AT(status, 1), ierr)
      call say_status('written', 1, types(kind))
      call MPI_File_seek(handle, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
      call MPI_File_read_all(handle, other(origin), 1, types(kind), MPI_STATUS_IGNORE, ierr)
      call MPI_File_close(handle, ierr)
      call say(names(kind), hash(other), ierr, 0, 0)
    end do
  end subroutine

  ! Rank 0 prints all lines: the launcher would mix those of two ranks.
  subroutine print_all()
    integer :: i, n, ierr
    if (rank == 1) then
      call MPI_Send(said, 1, MPI_INTEGER, 0, 1, WORLD, ierr)
      call MPI_Send(lines, said * width, MPI_CHARACTER, 0, 2, WORLD, ierr)
      return
    end if
    do i = 1, said
      print '(a)', trim(lines(i))
    end do
    call MPI_Recv(n, 1, MPI_INTEGER, 1, 1, WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Recv(lines, n * width, MPI_CHARACTER, 1, 2, WORLD, MPI_STATUS_IGNORE, ierr)
    do i = 1, n
      print '(a)', trim(lines(i))
    end do
  end subroutine

  logical function wanted(name)
    character(len=*), intent(in) :: name
    character(len=24) :: argument
    call get_command_argument(1, argument)
    wanted = argument == '' .or. argument == name
    if (wanted) section = name
  end function
end module

program semantics
  use observations
  implicit none
  integer, parameter :: attached = 200000
  character :: buffered(attached)
  integer :: ierr, i, bytes
  call MPI_Init(ierr)
  call MPI_Comm_rank(WORLD, rank, ierr)
  peer = 1 - rank
  call MPI_Buffer_attach(buffered, attached, ierr)
  call make_types()
  if (wanted('transfers')) call transfers()
  if (wanted('exchanges')) call exchanges()
  if (wanted('bottom')) call bottom()
  if (wanted('collectives')) call collectives()
  if (wanted('persistent')) call persistent()
  if (wanted('packing')) call packing()
  if (wanted('sections')) call sections()
#if defined(LARGE_COUNTS)
  if (wanted('large counts')) call large_counts()
#endif
  if (wanted('errors')) call errors()
  if (wanted('requests')) call requests_()
  if (wanted('files')) call files()
  do i = 1, kinds
    call MPI_Type_free(types(i), ierr)
  end do
  call print_all()
  call MPI_Finalize(ierr)
end program
