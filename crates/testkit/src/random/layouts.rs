//! Random layouts as applications have them: twenty families, and six ways to blemish each.
//!
//! The families are those of book/src/tables/tree-gaps.md. Every one is written once, for about
//! `n` elements in O(n) time: small layouts go to the exact methods as tests, large ones are
//! timed.

mod expectation;
mod gaps;
mod matrices;
mod nests;
mod numbers;
mod records;

pub use expectation::{alternating_repeated, row_and_column, two_tiled};

use super::Rng;

/// A family of layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// Rows and columns of a matrix, one after the other: contiguous and strided lines;
    /// expectation test 11 is one of each, a frame has four.
    RowColumn,
    /// Two blocks of different lengths in turn, at different distances; in expectation test 10 the
    /// second block touches the next period.
    Alternating,
    /// Equal blocks at one distance, then at another (or the same, expectation test 5).
    TwoTiled,
    /// Upper or lower triangle of a matrix, with or without the diagonal, by rows or by columns.
    Triangular,
    /// Some fields of every structure of an array, structure by structure or field by field.
    StructFields,
    /// Some of the six faces of a box in a 3-d array, each one or two layers thick.
    HaloFaces,
    /// One process's part of a matrix that is distributed by blocks, cyclically, in two
    /// dimensions; the last block may be partial.
    BlockCyclic,
    /// Boxes of one to three sizes at irregular places of a matrix: adaptive mesh refinement.
    AmrBoxes,
    /// Runs of adjacent elements, of random lengths, with random gaps: rows of a sparse matrix.
    SparseRuns,
    /// Independent random displacements, ascending or not. No structure.
    Random,
    /// Two to five nested levels, each evenly strided or a short list.
    Nest,
    /// A random sequence of two to four short blocks, each repeated evenly for a while or once.
    Motifs,
    /// The displacements of a random type tree of vec, idx, idxbuc and strc; may go backwards.
    RandomTree,
    /// Steps of two lengths in the order of the Fibonacci word: repeats everywhere, no period.
    Fibonacci,
    /// Steps of two lengths in the order of the Thue-Morse word: no block three times in a row.
    ThueMorse,
    /// A period of steps, now and then with another step instead.
    NoisyPeriod,
    /// The nonzero diagonals around the main one of a matrix, row by row.
    Banded,
    /// Runs of elements at an even distance, of two to four distinct lengths, at irregular places.
    Buckets,
    /// A box in a 3- or 4-d array, its loops in any order: transposed boxes go back and forth.
    Subarray,
    /// Copies of one short block at irregular places, in order or shuffled.
    IndexedBlocks,
}

impl Shape {
    /// All families.
    pub const ALL: [Shape; 20] = [
        Shape::RowColumn,
        Shape::Alternating,
        Shape::TwoTiled,
        Shape::Triangular,
        Shape::StructFields,
        Shape::HaloFaces,
        Shape::BlockCyclic,
        Shape::AmrBoxes,
        Shape::SparseRuns,
        Shape::Random,
        Shape::Nest,
        Shape::Motifs,
        Shape::RandomTree,
        Shape::Fibonacci,
        Shape::ThueMorse,
        Shape::NoisyPeriod,
        Shape::Banded,
        Shape::Buckets,
        Shape::Subarray,
        Shape::IndexedBlocks,
    ];

    /// Unique name, words joined by spaces.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Shape::RowColumn => "row and column",
            Shape::Alternating => "alternating",
            Shape::TwoTiled => "two tiled",
            Shape::Triangular => "triangular",
            Shape::StructFields => "struct fields",
            Shape::HaloFaces => "halo faces",
            Shape::BlockCyclic => "block-cyclic",
            Shape::AmrBoxes => "AMR boxes",
            Shape::SparseRuns => "sparse runs",
            Shape::Random => "random",
            Shape::Nest => "nest",
            Shape::Motifs => "motifs",
            Shape::RandomTree => "random tree",
            Shape::Fibonacci => "Fibonacci",
            Shape::ThueMorse => "Thue-Morse",
            Shape::NoisyPeriod => "noisy period",
            Shape::Banded => "banded",
            Shape::Buckets => "buckets",
            Shape::Subarray => "subarray",
            Shape::IndexedBlocks => "indexed blocks",
        }
    }

    /// Whether a description much shorter than the list of displacements may exist: not if every
    /// displacement is independent of the others.
    #[must_use]
    pub fn is_structured(self) -> bool {
        self != Shape::Random
    }

    /// Displacements in elements, 1 to `n` of them: the family, or (if it is structured) now and
    /// then two to five copies of it, as for several components or time steps.
    fn draw(self, rng: &mut Rng, n: usize) -> Vec<i64> {
        if n < 8 || !self.is_structured() || rng.u32(0..4) > 0 {
            return self.one(rng, n);
        }
        let copies = rng.usize(2..6);
        let block = self.one(rng, n / copies);
        nests::copies(rng, n / block.len(), &block)
    }

    /// The family itself.
    fn one(self, rng: &mut Rng, n: usize) -> Vec<i64> {
        match self {
            Shape::RowColumn => matrices::row_column(rng, n),
            Shape::Alternating => records::alternating(rng, n),
            Shape::TwoTiled => records::two_tiled(rng, n),
            Shape::Triangular => matrices::triangular(rng, n),
            Shape::StructFields => records::struct_fields(rng, n),
            Shape::HaloFaces => matrices::halo_faces(rng, n),
            Shape::BlockCyclic => matrices::block_cyclic(rng, n),
            Shape::AmrBoxes => matrices::amr_boxes(rng, n),
            Shape::SparseRuns => gaps::sparse_runs(rng, n),
            Shape::Random => gaps::random(rng, n),
            Shape::Nest => nests::nest(rng, n),
            Shape::Motifs => gaps::motifs(rng, n),
            Shape::RandomTree => nests::random_tree(rng, n),
            Shape::Fibonacci => gaps::fibonacci(rng, n),
            Shape::ThueMorse => gaps::thue_morse(rng, n),
            Shape::NoisyPeriod => gaps::noisy_period(rng, n),
            Shape::Banded => matrices::banded(rng, n),
            Shape::Buckets => records::buckets(rng, n),
            Shape::Subarray => matrices::subarray(rng, n),
            Shape::IndexedBlocks => records::indexed_blocks(rng, n),
        }
    }
}

/// An irregularity in a regular layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Blemish {
    /// Nothing; the first element lies at 0.
    None,
    /// The first element does not lie at 0.
    Shifted,
    /// One element lies elsewhere.
    OneChanged,
    /// One element is left out.
    OneMissing,
    /// There is one element more.
    OneInserted,
    /// The last block is cut off.
    PartialLast,
}

impl Blemish {
    /// All kinds.
    pub const ALL: [Blemish; 6] = [
        Blemish::None,
        Blemish::Shifted,
        Blemish::OneChanged,
        Blemish::OneMissing,
        Blemish::OneInserted,
        Blemish::PartialLast,
    ];

    /// Unique name, words joined by spaces.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Blemish::None => "none",
            Blemish::Shifted => "shifted",
            Blemish::OneChanged => "one changed",
            Blemish::OneMissing => "one missing",
            Blemish::OneInserted => "one inserted",
            Blemish::PartialLast => "partial last",
        }
    }

    /// Spoils `layout` (at least one element, displacements in elements). It grows by one element
    /// at most, and stays as it is where it is too short to be spoiled.
    fn spoil(self, rng: &mut Rng, layout: &mut Vec<i64>) {
        let other = |rng: &mut Rng| if rng.bool() { rng.i64(1..8) } else { -rng.i64(1..8) };
        match self {
            Blemish::None => {}
            Blemish::Shifted => {
                let shift = other(rng) * [1, 13][rng.usize(0..2)];
                layout.iter_mut().for_each(|d| *d += shift);
            }
            Blemish::OneChanged => {
                let at = rng.usize(0..layout.len());
                layout[at] += other(rng);
            }
            Blemish::OneMissing => {
                if layout.len() > 1 {
                    layout.remove(rng.usize(0..layout.len()));
                }
            }
            Blemish::OneInserted => {
                let at = rng.usize(0..=layout.len());
                let near = layout[at.min(layout.len() - 1)];
                layout.insert(at, near + other(rng));
            }
            Blemish::PartialLast => {
                let left_out = rng.usize(0..=layout.len() / 8) + 1;
                layout.truncate(layout.len().saturating_sub(left_out).max(1));
            }
        }
    }
}

/// A layout of this family with random parameters: 1 to `most` (at least 1) elements, most of the
/// time between `most / 8` and `most`, half of the time more than `most / 2`. Displacements in
/// bytes, in the order of the layout.
pub fn random_layout(rng: &mut Rng, shape: Shape, blemish: Blemish, most: usize) -> Vec<i64> {
    let room = match blemish {
        Blemish::OneInserted => most.max(2) - 1,
        _ => most.max(1),
    };
    let mut size = || rng.usize((room / 8).max(1)..=room);
    let n = size().max(size());
    let mut layout = from_zero(shape.draw(rng, n));
    if rng.u32(0..16) == 0 {
        layout.iter_mut().for_each(|d| *d = -*d);
    }
    if most > 1 || blemish != Blemish::OneInserted {
        blemish.spoil(rng, &mut layout);
    }
    in_bytes(rng, layout)
}

/// A layout of this family, not blemished, of `n / 2` to `n` (at least 1) elements; O(n).
pub fn large_layout(rng: &mut Rng, shape: Shape, n: usize) -> Vec<i64> {
    let layout = from_zero(shape.draw(rng, n.max(1)));
    in_bytes(rng, layout)
}

fn from_zero(mut layout: Vec<i64>) -> Vec<i64> {
    let first = layout[0];
    layout.iter_mut().for_each(|d| *d -= first);
    layout
}

/// Elements of 1, 4 or 8 bytes.
fn in_bytes(rng: &mut Rng, mut layout: Vec<i64>) -> Vec<i64> {
    let size = [1, 4, 8][rng.usize(0..3)];
    layout.iter_mut().for_each(|d| *d *= size);
    layout
}
