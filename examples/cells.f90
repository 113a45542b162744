! What the Fortran examples share: the options, the cell protocol and the checksum of common.h. A cell communicates one
! layout, in one description, of one size, over and over, and prints one line:
!
!     CELL <example> <layout> <description> <bytes> <median_us> <min_us> <crc64>
!
! or, by turns as it is and with commloom, that of paired.h:
!
!     PAIRS <example> <layout> <description> <bytes> <native> <commloom> <native> <commloom> ...
module cells
  use, intrinsic :: iso_fortran_env, only: int64, real64, output_unit, error_unit
  use mpi_f08
  implicit none
  private
  public :: start, wanted, run_cell, checksum, mismatch, finish, rank, ranks, experiment

  integer, parameter :: warm_up = 2, settle = 100, least = 5, checksum_until = 4, verify_every = 50, exit_usage = 2
  integer, parameter :: most_pairs = 24, fewest_pairs = 8
  real(real64), parameter :: cell_budget_s = 0.020_real64, pairs_budget_s = 0.3_real64

  ! What one program gives to run_cell: three steps on its own state. The generation numbers the values to send.
  type, abstract :: experiment
  contains
    procedure(step), deferred :: fill, verify
    procedure(exchange), deferred :: communicate
  end type
  abstract interface
    subroutine step(self, generation)
      import :: experiment
      class(experiment), intent(inout) :: self
      integer, intent(in) :: generation
    end subroutine
    subroutine exchange(self)
      import :: experiment
      class(experiment), intent(inout) :: self
    end subroutine
  end interface

  integer, protected :: rank, ranks
  character(len=:), allocatable :: example, only, layout, description
  logical :: quick = .false., all_cells = .false., list = .false., paired = .false., checksumming
  integer :: fixed_repetitions = 0, seen = 0, verified = 0, failed = 0, mismatches
  integer(int64) :: bytes, crc, table(0:255)

contains

  ! Starts MPI and reads the options.
  subroutine start(name)
    character(len=*), intent(in) :: name
    character(len=256) :: option, value
    integer :: i, bit, status
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    example = name
    only = ''
    do i = 0, 255
      table(i) = i
      do bit = 1, 8
        table(i) = ieor(shiftr(table(i), 1), merge(int(z'C96C5795D7870F42', int64), 0_int64, btest(table(i), 0)))
      end do
    end do
    i = 1
    do while (i <= command_argument_count())
      call get_command_argument(i, option)
      call get_command_argument(i + 1, value)
      select case (option)
      case ('--quick')
        quick = .true.
      case ('--all')
        all_cells = .true.
      case ('--list')
        list = .true.
      case ('--paired')
        paired = .true.
      case ('--only')
        only = trim(value)
        i = i + 1
      case ('--reps')
        read (value, *, iostat=status) fixed_repetitions
        if (status /= 0 .or. fixed_repetitions < 1) call usage('--reps wants a positive number')
        i = i + 1
      case default
        call usage('unknown option ' // trim(option))
      end select
      i = i + 1
    end do
  end subroutine

  subroutine usage(message)
    character(len=*), intent(in) :: message
    if (rank == 0) write (error_unit, '(4a)') example, ': ', message, &
      new_line('a') // '  options: --only SUBSTRING, --quick, --all, --paired, --reps N, --list'
    call MPI_Finalize()
    stop exit_usage
  end subroutine

  ! Is this cell to be run? Answers no, and prints it, under --list. Every rank asks for the same cells.
  ! Cells that are not in the demo run under --all only.
  logical function wanted(layout_, description_, bytes_, in_demo)
    character(len=*), intent(in) :: layout_, description_
    integer(int64), intent(in) :: bytes_
    logical, intent(in) :: in_demo
    character(len=256) :: line
    write (line, '(6a,i0)') example, ' ', layout_, ' ', description_, ' ', bytes_
    wanted = (in_demo .or. all_cells) .and. (index(line, only) > 0 .or. only == '')
    if (.not. wanted) return
    seen = seen + 1
    layout = layout_
    description = description_
    bytes = bytes_
    if (list .and. rank == 0) print '(a)', trim(line)
    wanted = .not. list
  end function

  ! Adds received values to the checksum of the cell.
  subroutine checksum(values)
    real(real64), intent(in) :: values(:)
    integer(int64) :: word
    integer :: i, byte
    if (.not. checksumming) return
    crc = not(crc)
    do i = 1, size(values)
      word = transfer(values(i), word)
      do byte = 0, 7
        crc = ieor(table(iand(ieor(crc, shiftr(word, 8 * byte)), 255_int64)), shiftr(crc, 8))
      end do
    end do
    crc = not(crc)
  end subroutine

  ! Something was not received as it must be.
  subroutine mismatch(what, where)
    character(len=*), intent(in) :: what
    integer, intent(in) :: where(:)
    mismatches = mismatches + 1
    if (mismatches == 1) write (error_unit, '(2a,i0,7a,*(1x,i0))') example, ': rank ', rank, ', cell ', layout, ' ', &
      description, ': ', what, ' at', where
  end subroutine

  ! Runs the cell that wanted() just named.
  subroutine run_cell(self)
    class(experiment), intent(inout) :: self
    real(real64), allocatable :: seconds(:)
    real(real64) :: begin, total
    integer :: limit, repetition, generation
    logical :: last
    limit = merge(300, merge(100, merge(40, 16, bytes <= 524288), bytes <= 65536), bytes <= 4096)
    if (quick) limit = 6
    if (fixed_repetitions > 0) limit = fixed_repetitions
    allocate (seconds(limit))
    mismatches = 0
    crc = 0
    total = 0
    generation = 1000 * seen
    do repetition = 1, warm_up
      call self%fill(generation)
      call self%communicate()
      generation = generation + 1
    end do
    checksumming = .false.
    ! What decides by the exchanges of a run has then decided.
    if (.not. quick .and. fixed_repetitions == 0) then
      do repetition = 1, settle
        call self%communicate()
      end do
    end if
    if (paired) then
      call run_pairs(self, generation)
      return
    end if
    do repetition = 0, limit - 1
      last = repetition + 1 == limit
      if (.not. quick .and. fixed_repetitions == 0) last = last .or. (repetition >= least .and. total > cell_budget_s)
      call MPI_Bcast(last, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD)
      call self%fill(generation)
      call MPI_Barrier(MPI_COMM_WORLD)
      begin = MPI_Wtime()
      call self%communicate()
      seconds(repetition + 1) = MPI_Wtime() - begin
      total = total + seconds(repetition + 1)
      checksumming = repetition <= checksum_until .and. mod(repetition, 2) == 0
      if (checksumming .or. last .or. mod(repetition, verify_every) == verify_every - 1) call self%verify(generation)
      generation = generation + 1
      if (last) exit
    end do
    call report(seconds(:repetition + 1))
  end subroutine

  ! Blocks of repetitions by turns, native, commloom, commloom, native, each after one that is not timed.
  subroutine run_pairs(self, generation)
    class(experiment), intent(inout) :: self
    integer, intent(inout) :: generation
    real(real64), allocatable :: seconds(:, :, :)
    real(real64) :: begin, start_of_cell, spent
    integer :: length, most, fewest, pair, turn, way, repetition
    logical :: last
    length = merge(20, merge(8, 3, bytes <= 65536), bytes <= 4096)
    most = most_pairs
    if (quick) then
      length = 2
      most = 2
    end if
    fewest = min(fewest_pairs, most)
    allocate (seconds(length, 2, most))
    start_of_cell = MPI_Wtime()
    do pair = 1, most
      spent = MPI_Wtime() - start_of_cell
      last = pair == most .or. (pair >= fewest .and. spent > pairs_budget_s)
      call MPI_Bcast(last, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD)
      do turn = 0, 1
        way = ieor(turn, iand(pair - 1, 1))
        call MPI_Pcontrol(way)
        do repetition = 0, length
          call self%fill(generation)
          call MPI_Barrier(MPI_COMM_WORLD)
          begin = MPI_Wtime()
          call self%communicate()
          if (repetition == 0) then
            call self%verify(generation)
          else
            seconds(repetition, way + 1, pair) = MPI_Wtime() - begin
          end if
          generation = generation + 1
        end do
      end do
      if (last) exit
    end do
    call MPI_Pcontrol(1)
    call report_pairs(seconds(:, :, :pair))
  end subroutine

  subroutine report_pairs(seconds)
    real(real64), intent(inout), contiguous :: seconds(:, :, :)
    real(real64) :: middle(2, size(seconds, 3))
    integer :: way, pair
    if (.not. slowest(size(seconds), seconds)) return
    do pair = 1, size(seconds, 3)
      do way = 1, 2
        middle(way, pair) = median(seconds(:, way, pair))
      end do
    end do
    print '(7a,i0,*(1x,f0.3))', 'PAIRS ', example, ' ', layout, ' ', description, ' ', bytes, middle * 1e6_real64
    flush (output_unit)
  end subroutine

  ! The times of the slowest rank, and whether this one has to print them: nothing has gone wrong.
  logical function slowest(count, seconds)
    integer, intent(in) :: count
    real(real64), intent(inout) :: seconds(count)
    call MPI_Allreduce(MPI_IN_PLACE, seconds, count, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, mismatches, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    slowest = mismatches == 0 .and. rank == 0
    if (mismatches > 0) then
      failed = failed + 1
    else
      verified = verified + 1
    end if
  end function

  subroutine report(seconds)
    real(real64), intent(inout) :: seconds(:)
    integer(int64) :: all_crcs(ranks)
    integer :: i
    logical :: prints
    prints = slowest(size(seconds), seconds)
    call MPI_Gather(crc, 1, MPI_INTEGER8, all_crcs, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD)
    if (.not. prints) return
    checksumming = .true.
    crc = 0
    call checksum([(transfer(all_crcs(i), 0.0_real64), i=1, ranks)])
    print '(7a,i0,2(1x,f0.3),1x,z16.16)', 'CELL ', example, ' ', layout, ' ', description, ' ', bytes, &
      median(seconds) * 1e6_real64, minval(seconds) * 1e6_real64, crc
    flush (output_unit)
  end subroutine

  real(real64) function median(values)
    real(real64), intent(inout) :: values(:)
    call sort(values)
    associate (n => size(values))
      median = (values((n + 1) / 2) + values(n / 2 + 1)) / 2
    end associate
  end function

  subroutine sort(values)
    real(real64), intent(inout) :: values(:)
    real(real64) :: value
    integer :: i, j
    do i = 2, size(values)
      value = values(i)
      do j = i - 1, 1, -1
        if (values(j) <= value) exit
        values(j + 1) = values(j)
      end do
      values(j + 1) = value
    end do
  end subroutine

  ! Ends the program: the last line and the exit status.
  subroutine finish()
    if (rank == 0 .and. .not. list) then
      if (failed > 0) then
        write (error_unit, '(2a,i0,a,i0,a)') example, ': ', failed, ' of ', seen, ' cells FAILED'
      else
        print '(a,i0,a)', 'VERIFIED ', verified, ' cells'
      end if
    end if
    call MPI_Finalize()
    if (failed > 0) stop 1
  end subroutine
end module
