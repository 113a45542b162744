//! Tables of kernels, one per instruction set. The code is the same every time; what differs is
//! what the compiler may emit for it, and its [`Lanes`](crate::kernels::lanes::Lanes).

use commloom_plan::{Form, MOST_MOVES, PeriodBlock, Pieces, Program};

use crate::kernels::cursor::{Listed, Offset, Strided};
use crate::kernels::lanes::Plain;
#[cfg(target_arch = "x86_64")]
use crate::kernels::program;
#[cfg(target_arch = "x86_64")]
use crate::kernels::x86::{Avx2, Avx512};
use crate::kernels::{Grid, Matrix, Places, ProgramFn, Row, blocks, period, strided, transpose};
use crate::moves::{Direction, Pack, Unpack};

/// Block lengths with kernels of their own; the first entry stands for every other length.
pub(crate) const LENGTHS: [usize; 17] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 40, 48, 64];

type RowsFn = unsafe fn(&Grid);
type ColumnFn = unsafe fn(*mut u8, *mut u8, usize, isize, usize);
type ListFn<O> = unsafe fn(&Grid, &[O]);
type MatrixFn = unsafe fn(&Matrix);
type StridedFn = unsafe fn(&Row);
type RunsFn<O> = unsafe fn(*mut u8, *mut u8, &[O], &[u64]);
type PeriodsFn = unsafe fn(&Grid, &Pieces);
type PeriodListFn<O> = unsafe fn(&Grid, &[O], &Pieces);
type PartsFn = unsafe fn(&Grid, &[PeriodBlock]);
type PartListFn<O> = unsafe fn(&Grid, &[O], &[PeriodBlock]);

/// The kernels of one instruction set, by direction ([`Direction::INDEX`]) and block length
/// ([`LENGTHS`]).
pub(crate) struct Kernels {
    column: [[ColumnFn; 17]; 2],
    rows: [[RowsFn; 17]; 2],
    narrow: [[ListFn<i32>; 17]; 2],
    wide: [[ListFn<i64>; 17]; 2],
    narrow_runs: [RunsFn<i32>; 2],
    wide_runs: [RunsFn<i64>; 2],
    periods: [PeriodsFn; 2],
    narrow_periods: [PeriodListFn<i32>; 2],
    wide_periods: [PeriodListFn<i64>; 2],
    parts: [PartsFn; 2],
    narrow_parts: [PartListFn<i32>; 2],
    wide_parts: [PartListFn<i64>; 2],
    matrices: [MatrixFn; 17],
    strided: [StridedFn; 17],
    programs: Programs,
}

/// Index into a table of [`LENGTHS`].
#[inline(always)]
fn class(length: usize) -> usize {
    const SMALL: [u8; 65] = {
        let mut classes = [0; 65];
        let mut i = 1;
        while i < 17 {
            #[allow(clippy::cast_possible_truncation)]
            let class = i as u8;
            classes[LENGTHS[i]] = class;
            i += 1;
        }
        classes
    };
    SMALL.get(length).map_or(0, |&class| usize::from(class))
}

impl Kernels {
    /// Moves `count` blocks of `length` bytes, `stride` apart in memory and dense in the packed
    /// stream. What a small message is mostly: everything is passed in registers.
    ///
    /// # Safety
    /// These blocks are valid on their sides, which do not overlap; the table is of this
    /// processor.
    #[inline(always)]
    pub(crate) unsafe fn column<D: Direction>(
        &self,
        memory: *mut u8,
        packed: *mut u8,
        count: usize,
        stride: isize,
        length: usize,
    ) {
        // SAFETY: the caller vouches for the blocks and the table, whose functions know this
        // length.
        unsafe { self.column[D::INDEX][class(length)](memory, packed, count, stride, length) }
    }

    /// Moves the rows of a grid.
    ///
    /// # Safety
    /// - All blocks of the grid are valid for reads on the source side, for writes on the other.
    /// - The two sides do not overlap.
    /// - The processor has the instructions of this table (true for what `select` returns).
    #[inline(always)]
    pub(crate) unsafe fn rows<D: Direction>(&self, grid: &Grid) {
        // SAFETY: the caller vouches for the grid and the table, whose functions know this length.
        unsafe { self.rows[D::INDEX][class(grid.length)](grid) }
    }

    /// Moves the rows of a grid that lie at `places` from its first byte in memory.
    ///
    /// # Safety
    /// The rows at the places are valid on their sides, which do not overlap; the table is of this
    /// processor.
    pub(crate) unsafe fn list<D: Direction>(&self, grid: &Grid, places: Places<'_>) {
        let class = class(grid.length);
        // SAFETY: the caller vouches for the rows and the table, whose functions know this length.
        unsafe {
            match places {
                Places::Narrow(list) => self.narrow[D::INDEX][class](grid, list),
                Places::Wide(list) => self.wide[D::INDEX][class](grid, list),
            }
        }
    }

    /// Moves the elements of a matrix, read along its columns and written along its rows.
    ///
    /// # Safety
    /// The elements are valid on their sides, which do not overlap; the table is of this
    /// processor.
    pub(crate) unsafe fn matrix(&self, matrix: &Matrix) {
        // SAFETY: the caller vouches for the elements and the table, whose functions know this
        // length.
        unsafe { self.matrices[class(matrix.length)](matrix) }
    }

    /// Moves blocks that are strided on both sides.
    ///
    /// # Safety
    /// The blocks are valid on their sides, which do not overlap; the table is of this processor.
    pub(crate) unsafe fn strided(&self, row: &Row) {
        // SAFETY: the caller vouches for the blocks and the table, whose functions know this
        // length.
        unsafe { self.strided[class(row.length)](row) }
    }

    /// Moves runs: run `i` at `places[i]` from `memory`, packed from `starts[i]` to
    /// `starts[i + 1]` with the first at `packed`.
    ///
    /// # Safety
    /// The runs are valid on their sides, which do not overlap; the table is of this processor.
    pub(crate) unsafe fn runs<D: Direction>(
        &self,
        memory: *mut u8,
        packed: *mut u8,
        places: Places<'_>,
        starts: &[u64],
    ) {
        // SAFETY: the caller vouches for the runs and the table.
        unsafe {
            match places {
                Places::Narrow(list) => self.narrow_runs[D::INDEX](memory, packed, list, starts),
                Places::Wide(list) => self.wide_runs[D::INDEX](memory, packed, list, starts),
            }
        }
    }

    /// Moves the rows of a grid (columns and length do not matter), each a period of these pieces.
    ///
    /// # Safety
    /// The pieces of these periods are valid on their sides, which do not overlap; the table is of
    /// this processor.
    pub(crate) unsafe fn periods<D: Direction>(&self, grid: &Grid, pieces: &Pieces) {
        // SAFETY: the caller vouches for the pieces and the table.
        unsafe { self.periods[D::INDEX](grid, pieces) }
    }

    /// The same with the rows at `places` from the grid's first byte in memory.
    ///
    /// # Safety
    /// The pieces of these periods are valid on their sides, which do not overlap; the table is of
    /// this processor.
    pub(crate) unsafe fn period_list<D: Direction>(
        &self,
        grid: &Grid,
        places: Places<'_>,
        pieces: &Pieces,
    ) {
        // SAFETY: the caller vouches for the pieces and the table.
        unsafe {
            match places {
                Places::Narrow(list) => self.narrow_periods[D::INDEX](grid, list, pieces),
                Places::Wide(list) => self.wide_periods[D::INDEX](grid, list, pieces),
            }
        }
    }

    /// Moves the rows of a grid (columns and length do not matter), each a period of these blocks.
    ///
    /// # Safety
    /// The blocks of these periods are valid on their sides, which do not overlap; the table is of
    /// this processor.
    pub(crate) unsafe fn parts<D: Direction>(&self, grid: &Grid, parts: &[PeriodBlock]) {
        // SAFETY: the caller vouches for the blocks and the table.
        unsafe { self.parts[D::INDEX](grid, parts) }
    }

    /// The same with the rows at `places` from the grid's first byte in memory.
    ///
    /// # Safety
    /// The blocks of these periods are valid on their sides, which do not overlap; the table is of
    /// this processor.
    pub(crate) unsafe fn part_list<D: Direction>(
        &self,
        grid: &Grid,
        places: Places<'_>,
        parts: &[PeriodBlock],
    ) {
        // SAFETY: the caller vouches for the blocks and the table.
        unsafe {
            match places {
                Places::Narrow(list) => self.narrow_parts[D::INDEX](grid, list, parts),
                Places::Wide(list) => self.wide_parts[D::INDEX](grid, list, parts),
            }
        }
    }
}

impl Kernels {
    /// The function for a program, where there are the instructions for it. Its duties are those
    /// of [`Kernels::rows`] for the periods that it is asked to move.
    #[inline(always)]
    pub(crate) fn program(&self, program: &Program) -> Option<ProgramFn> {
        let functions = self.programs[usize::from(program.unit() == 1)]?;
        functions[program.form().number()].get(program.moves().len().wrapping_sub(1)).copied()
    }
}

/// The functions that can run a program: by unit (4 bytes, 1 byte), if there are the instructions.
type Programs = [Option<&'static [[ProgramFn; MOST_MOVES]; Form::COUNT]>; 2];

macro_rules! lengths {
    ($module:ident :: $kernel:ident) => {
        [
            $module::$kernel::<0>, $module::$kernel::<1>, $module::$kernel::<2>,
            $module::$kernel::<3>, $module::$kernel::<4>, $module::$kernel::<5>,
            $module::$kernel::<6>, $module::$kernel::<7>, $module::$kernel::<8>,
            $module::$kernel::<12>, $module::$kernel::<16>, $module::$kernel::<20>,
            $module::$kernel::<24>, $module::$kernel::<32>, $module::$kernel::<40>,
            $module::$kernel::<48>, $module::$kernel::<64>,
        ]
    };
    ($module:ident :: $kernel:ident, $($generics:ty),+) => {
        [
            $module::$kernel::<$($generics),+, 0>, $module::$kernel::<$($generics),+, 1>,
            $module::$kernel::<$($generics),+, 2>, $module::$kernel::<$($generics),+, 3>,
            $module::$kernel::<$($generics),+, 4>, $module::$kernel::<$($generics),+, 5>,
            $module::$kernel::<$($generics),+, 6>, $module::$kernel::<$($generics),+, 7>,
            $module::$kernel::<$($generics),+, 8>, $module::$kernel::<$($generics),+, 12>,
            $module::$kernel::<$($generics),+, 16>, $module::$kernel::<$($generics),+, 20>,
            $module::$kernel::<$($generics),+, 24>, $module::$kernel::<$($generics),+, 32>,
            $module::$kernel::<$($generics),+, 40>, $module::$kernel::<$($generics),+, 48>,
            $module::$kernel::<$($generics),+, 64>,
        ]
    };
}

/// Transposes in registers, if there are any for this element length and the matrix is large
/// enough: the widest first.
macro_rules! transposes {
    ($m:ident, $n:ident: $($register:ident)*) => {
        if matches!($n, 1 | 2 | 4 | 8 | 16) && $m.is_dense() {
            $(
                let lanes = <$register as transpose::Zip>::COUNT;
                let square = 16 / $n.max(1);
                // Four lanes of bytes took three times as long as two: 64 rows are too many at
                // once.
                let wide = $n == 1 && lanes == 4;
                if !wide && $m.columns.count >= square && $m.rows.count >= square * lanes {
                    // SAFETY: the caller vouches for the elements, and this function has the
                    // instructions; there are enough rows and columns.
                    unsafe {
                        match $n {
                            1 => return transpose::tiles::<$register, 1, 16>($m),
                            2 => return transpose::tiles::<$register, 2, 8>($m),
                            4 => return transpose::tiles::<$register, 4, 4>($m),
                            8 => return transpose::tiles::<$register, 8, 2>($m),
                            16 => return transpose::tiles::<$register, 16, 1>($m),
                            _ => {}
                        }
                    }
                }
            )*
        }
    };
}

macro_rules! table {
    (
        $table:ident, $module:ident, $lanes:ident, $programs:expr, [$($register:ident)*],
        $doc:literal $(, $feature:literal)?
    ) => {
        mod $module {
            #[cfg(target_arch = "aarch64")]
            use std::arch::aarch64::uint8x16_t;
            #[cfg(target_arch = "x86_64")]
            #[allow(unused_imports, reason = "each table has its own registers")]
            use std::arch::x86_64::{__m128i, __m256i, __m512i};

            use super::{
                Direction, Grid, Listed, Matrix, Offset, PeriodBlock, Pieces, Row, Strided, blocks,
                period, transpose,
            };

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn column<D: Direction, const N: usize>(
                memory: *mut u8,
                packed: *mut u8,
                count: usize,
                stride: isize,
                length: usize,
            ) {
                // SAFETY: the caller vouches for the blocks, and this function has the
                // instructions.
                unsafe {
                    blocks::column::<super::$lanes, D, N>(memory, packed, count, stride, length);
                }
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn matrix<const N: usize>(matrix: &Matrix) {
                transposes!(matrix, N: $($register)*);
                // SAFETY: the caller vouches for the elements, whatever their number.
                unsafe { transpose::moves::<N>(matrix) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn strided<const N: usize>(row: &Row) {
                // SAFETY: the caller vouches for the blocks of the row.
                unsafe { super::strided::strided::<N>(row) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn rows<D: Direction, const N: usize>(grid: &Grid) {
                // SAFETY: the caller vouches for the grid, and this function has the instructions.
                unsafe { blocks::rows::<super::$lanes, D, N>(grid) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn list<D: Direction, O: Offset, const N: usize>(
                grid: &Grid,
                offsets: &[O],
            ) {
                // SAFETY: the caller vouches for the rows at the offsets, and this function has
                // the instructions.
                unsafe { blocks::list::<super::$lanes, D, O, N>(grid, offsets) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn runs<D: Direction, O: Offset>(
                memory: *mut u8,
                packed: *mut u8,
                offsets: &[O],
                starts: &[u64],
            ) {
                // SAFETY: the caller vouches for the runs, and this function has the instructions.
                unsafe { blocks::runs::<super::$lanes, D, O>(memory, packed, offsets, starts) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn periods<D: Direction>(grid: &Grid, pieces: &Pieces) {
                let places = Strided::new(grid.memory, grid.row_a);
                // SAFETY: the caller vouches for the pieces at the places of this cursor.
                unsafe { period::tile::<D, _>(places, grid, pieces) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn period_list<D: Direction, O: Offset>(
                grid: &Grid,
                offsets: &[O],
                pieces: &Pieces,
            ) {
                let places = Listed::<O, D, false>::new(grid.memory, offsets, 0);
                // SAFETY: the caller vouches for the pieces at the places of this cursor.
                unsafe { period::tile::<D, _>(places, grid, pieces) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn parts<D: Direction>(grid: &Grid, parts: &[PeriodBlock]) {
                let places = Strided::new(grid.memory, grid.row_a);
                // SAFETY: the caller vouches for the blocks at these places, and this function has
                // the instructions.
                unsafe { period::parts::<super::$lanes, D, _>(places, grid, parts) }
            }

            $(#[target_feature(enable = $feature)])?
            pub(super) unsafe fn part_list<D: Direction, O: Offset>(
                grid: &Grid,
                offsets: &[O],
                parts: &[PeriodBlock],
            ) {
                let places = Listed::<O, D, false>::new(grid.memory, offsets, 0);
                // SAFETY: the caller vouches for the blocks at these places, and this function has
                // the instructions.
                unsafe { period::parts::<super::$lanes, D, _>(places, grid, parts) }
            }
        }

        #[doc = $doc]
        pub(crate) const $table: Kernels = Kernels {
            column: [lengths!($module::column, Pack), lengths!($module::column, Unpack)],
            rows: [lengths!($module::rows, Pack), lengths!($module::rows, Unpack)],
            narrow: [lengths!($module::list, Pack, i32), lengths!($module::list, Unpack, i32)],
            wide: [lengths!($module::list, Pack, i64), lengths!($module::list, Unpack, i64)],
            narrow_runs: [$module::runs::<Pack, i32>, $module::runs::<Unpack, i32>],
            wide_runs: [$module::runs::<Pack, i64>, $module::runs::<Unpack, i64>],
            periods: [$module::periods::<Pack>, $module::periods::<Unpack>],
            narrow_periods: [
                $module::period_list::<Pack, i32>,
                $module::period_list::<Unpack, i32>,
            ],
            wide_periods: [
                $module::period_list::<Pack, i64>,
                $module::period_list::<Unpack, i64>,
            ],
            parts: [$module::parts::<Pack>, $module::parts::<Unpack>],
            narrow_parts: [$module::part_list::<Pack, i32>, $module::part_list::<Unpack, i32>],
            wide_parts: [$module::part_list::<Pack, i64>, $module::part_list::<Unpack, i64>],
            matrices: lengths!($module::matrix),
            strided: lengths!($module::strided),
            programs: $programs,
        };
    };
}

#[cfg(target_arch = "aarch64")]
table!(
    PORTABLE,
    plain,
    Plain,
    [None, None],
    [uint8x16_t],
    "What every processor of this architecture has."
);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
table!(PORTABLE, plain, Plain, [None, None], [], "What every processor of this architecture has.");
#[cfg(target_arch = "x86_64")]
table!(
    PORTABLE,
    plain,
    Plain,
    [None, None],
    [__m128i],
    "What every processor of this architecture has."
);
#[cfg(target_arch = "x86_64")]
table!(AVX2, avx2, Avx2, [None, None], [__m256i __m128i], "32-byte registers.", "avx2");
#[cfg(target_arch = "x86_64")]
table!(
    AVX512,
    avx512,
    Avx512,
    [Some(&program::WORDS), None],
    [__m512i __m256i __m128i],
    "64-byte registers.",
    "avx512f,avx512bw,avx512dq,avx512vl"
);

/// 64-byte registers, and permutations of bytes.
#[cfg(target_arch = "x86_64")]
pub(crate) const VBMI: Kernels =
    Kernels { programs: [Some(&program::WORDS), Some(&program::BYTES)], ..AVX512 };
