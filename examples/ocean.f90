! Halo exchange of an ocean model, with mpi_f08: the fields of a layer cake of water on a periodic grid of columns.
!
! Every rank holds fields(longitude, latitude, depth, field) inside one line of ghost columns. One repetition sends the
! outermost columns to the four neighbours and receives theirs into the ghost columns: Irecv, Isend, Waitall, or the same
! as persistent requests. The sides are described as subarrays, or as hvectors of hvectors. Edges between two sides
! belong to neither: they are gaps.
module ocean_halo
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use cells
  implicit none

  type, extends(experiment) :: halo
    integer :: n, variables
    logical :: persistent
    type(MPI_Comm) :: grid
    integer :: neighbour(2, 2) ! (low or high, axis)
    type(MPI_Datatype) :: inner(2, 2), ghost(2, 2)
    type(MPI_Request) :: requests(8)
    real(real64), allocatable :: fields(:, :, :, :)
  contains
    procedure :: fill => fill_halo, verify => verify_halo, communicate => communicate_halo
  end type
  real(real64), parameter :: gap = -1
  integer, parameter :: depth = 20

contains

  subroutine run(n, variables, form)
    integer, intent(in) :: n, variables
    character(len=*), intent(in) :: form
    type(halo) :: h
    integer :: axis, side, dims(2), at
    h%n = n
    h%variables = variables
    h%persistent = form == 'persistent'
    dims = 0
    call MPI_Dims_create(ranks, 2, dims)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .true.], .false., h%grid)
    allocate (h%fields(0:n + 1, 0:n + 1, depth, variables))
    h%fields = gap
    do axis = 1, 2
      call MPI_Cart_shift(h%grid, axis - 1, 1, h%neighbour(1, axis), h%neighbour(2, axis))
      do side = 1, 2
        h%inner(side, axis) = describe(h, form, axis, merge(1, n, side == 1))
        h%ghost(side, axis) = describe(h, form, axis, merge(0, n + 1, side == 1))
      end do
    end do
    if (h%persistent) call make_requests(h)
    call run_cell(h)
    do at = 1, merge(size(h%requests), 0, h%persistent)
      call MPI_Request_free(h%requests(at))
    end do
    do axis = 1, 2
      do side = 1, 2
        call MPI_Type_free(h%inner(side, axis))
        call MPI_Type_free(h%ghost(side, axis))
      end do
    end do
    call MPI_Comm_free(h%grid)
  end subroutine

  ! The columns in line `at` (0 and n + 1 are ghosts) across an axis, in all depths and fields.
  type(MPI_Datatype) function describe(h, form, axis, at) result(side)
    type(halo), intent(in) :: h
    character(len=*), intent(in) :: form
    integer, intent(in) :: axis, at
    integer :: sizes(4), subsizes(4), starts(4)
    integer(MPI_ADDRESS_KIND), parameter :: cell = 8
    integer(MPI_ADDRESS_KIND) :: line, place(1)
    type(MPI_Datatype) :: run, layers
    sizes = shape(h%fields)
    if (form /= 'hvector') then
      subsizes = [h%n, h%n, depth, h%variables]
      subsizes(axis) = 1
      starts = [1, 1, 0, 0]
      starts(axis) = at
      call MPI_Type_create_subarray(4, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, side)
    else
      line = sizes(1) * cell
      if (axis == 1) then
        place = at * cell + line
        call MPI_Type_create_hvector(h%n, 1, line, MPI_DOUBLE_PRECISION, run)
      else
        place = at * line + cell
        call MPI_Type_contiguous(h%n, MPI_DOUBLE_PRECISION, run)
      end if
      call MPI_Type_create_hvector(depth * h%variables, 1, sizes(2) * line, run, layers)
      call MPI_Type_create_hindexed(1, [1], place, layers, side)
      call MPI_Type_free(run)
      call MPI_Type_free(layers)
    end if
    call MPI_Type_commit(side)
  end function

  ! The tag is the side of the sender.
  subroutine make_requests(h)
    type(halo), intent(inout) :: h
    integer :: axis, side, at
    at = 0
    do axis = 1, 2
      do side = 1, 2
        call MPI_Recv_init(h%fields, 1, h%ghost(side, axis), h%neighbour(side, axis), 2 * axis + 1 - side, h%grid, &
                           h%requests(at + 1))
        call MPI_Send_init(h%fields, 1, h%inner(side, axis), h%neighbour(side, axis), 2 * axis - 2 + side, h%grid, &
                           h%requests(at + 2))
        at = at + 2
      end do
    end do
  end subroutine

  subroutine communicate_halo(self)
    class(halo), intent(inout) :: self
    integer :: axis, side, at
    if (self%persistent) then
      call MPI_Startall(size(self%requests), self%requests)
    else
      at = 0
      do axis = 1, 2
        do side = 1, 2
          at = at + 1
          call MPI_Irecv(self%fields, 1, self%ghost(side, axis), self%neighbour(side, axis), 2 * axis + 1 - side, &
                         self%grid, self%requests(at))
        end do
      end do
      do axis = 1, 2
        do side = 1, 2
          at = at + 1
          call MPI_Isend(self%fields, 1, self%inner(side, axis), self%neighbour(side, axis), 2 * axis - 2 + side, &
                         self%grid, self%requests(at))
        end do
      end do
    end if
    call MPI_Waitall(size(self%requests), self%requests, MPI_STATUSES_IGNORE)
  end subroutine

  ! The value of a cell: unique among the cells of all ranks and 1000 generations, and exact in a double.
  elemental real(real64) function value(of_rank, generation, x, y, z, field)
    integer, intent(in) :: of_rank, generation, x, y, z, field
    value = ((((mod(generation, 1000) * 64.0_real64 + of_rank) * 8 + field) * 32 + z) * 1024 + y) * 1024 + x
  end function

  subroutine fill_halo(self, generation)
    class(halo), intent(inout) :: self
    integer, intent(in) :: generation
    integer :: x, y, z, field
    do concurrent(field=1:self%variables, z=1:depth, y=1:self%n, x=1:self%n)
      self%fields(x, y, z, field) = value(rank, generation, x, y, z, field)
    end do
  end subroutine

  ! Own cells kept, ghost columns filled, edges as they were at first.
  subroutine verify_halo(self, generation)
    class(halo), intent(inout) :: self
    integer, intent(in) :: generation
    real(real64) :: expected
    integer :: x, y, z, field
    do field = 1, self%variables
      do z = 1, depth
        do y = 0, self%n + 1
          do x = 0, self%n + 1
            expected = value(owner(self, x, y), generation, around(x), around(y), z, field)
            if (around(x) /= x .and. around(y) /= y) expected = gap
            if (abs(self%fields(x, y, z, field) - expected) > 0) call mismatch('another value', [x, y, z, field])
          end do
          call checksum(self%fields(:, y, z, field))
        end do
      end do
    end do

  contains
    pure integer function around(i)
      integer, intent(in) :: i
      around = merge(self%n, merge(1, i, i == self%n + 1), i == 0)
    end function
  end subroutine

  ! Whose cell lies at a place of the local array.
  pure integer function owner(h, x, y)
    class(halo), intent(in) :: h
    integer, intent(in) :: x, y
    owner = rank
    if (x == 0) owner = h%neighbour(1, 1)
    if (x == h%n + 1) owner = h%neighbour(2, 1)
    if (y == 0) owner = h%neighbour(1, 2)
    if (y == h%n + 1) owner = h%neighbour(2, 2)
  end function
end module

program ocean
  use, intrinsic :: iso_fortran_env, only: int64
  use cells, only: start, wanted, finish
  use ocean_halo, only: run, depth
  implicit none
  integer, parameter :: orders(*) = [32, 128], fields_of(*) = [1, 4]
  character(len=10), parameter :: forms(*) = [character(len=10) :: 'subarray', 'hvector', 'persistent']
  character(len=40) :: layout
  integer :: order, fields, form
  integer(int64) :: bytes

  call start('ocean')
  do order = 1, size(orders)
    do fields = 1, size(fields_of)
      write (layout, '(a,i0,a,i0)') 'columns-n', orders(order), '-f', fields_of(fields)
      bytes = 4_int64 * orders(order) * depth * fields_of(fields) * 8
      do form = 1, size(forms)
        if (wanted(trim(layout), trim(forms(form)), bytes, order == fields)) &
          call run(orders(order), fields_of(fields), trim(forms(form)))
      end do
    end do
  end do
  call finish()
end program
