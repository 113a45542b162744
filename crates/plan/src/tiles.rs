//! [`Tiles`]: copies whose two sides run along different dimensions, such as a matrix that is
//! stored by rows and packed by columns.
//!
//! In the order of either side the other one is touched line by line with nothing but one element
//! taken from each, and every line is fetched again for the next element. Moving blocks, a few
//! lines of either side at a time, touches every line once.

use crate::node::Node;
use crate::number::signed;
use crate::{Kernel, Shape, Target};

/// One dimension of a copy: side A is memory (or the source), side B the packed stream (or the
/// destination).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dim {
    /// Number of steps.
    pub count: u64,
    /// Bytes from one step to the next on side A.
    pub a: i64,
    /// The same on side B.
    pub b: i64,
}

/// Elements on a grid, near to each other along different dimensions on the two sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tiles {
    /// Bytes of an element.
    pub length: u64,
    /// The dimension of the least stride on side A. In a node's kernel it is the node's own loop.
    pub along_a: Dim,
    /// The dimension of the least stride on side B.
    pub along_b: Dim,
    /// The other dimensions, by falling stride on side A.
    pub others: Box<[Dim]>,
    /// Bytes that are written to each line of the grid before the next line begins: blocks are so
    /// long on the written side, and one cache line on the one that is read.
    pub block: u64,
}

/// Bytes of a cache line; also the widest transpose in registers.
const LINE: u64 = 64;

/// Bytes of a block on the written side. Measured on Zen 5 against the better of two loops by
/// hand: whole lines are best (doubles of 100^2 to 4000^2: .27 to .77; in 64 x 64 blocks .30 to
/// .80)...
const BLOCK: u64 = LINE;

/// ... unless the lines of a column fall into few sets of the cache (512^2 doubles: .39 by lines,
/// .36 by 64 x 64 blocks, .11 with this).
const CONFLICT_BLOCK: u64 = 8 * LINE;

/// Strides that are a multiple of this put a column's lines into at most four sets of a 4 kB way.
const CONFLICT: i64 = 1024;

/// Nests are looked at to this depth, so that making a loop takes constant time.
const DEPTH: usize = 6;

/// Bytes of a lane of a vector register: the kernels transpose squares of so many bytes a side.
const LANE: u64 = 16;

/// The kernel of a loop, where it is a transpose that pays.
pub(crate) fn of_loop(count: u64, stride: i64, body: &Node, target: &Target) -> Option<Kernel> {
    let dim = |count, stride, body: &Node| {
        Some(Dim { count, a: stride, b: signed(body.bytes(), "a body").ok()? })
    };
    // Not on the heap: this is asked for every loop, mostly in vain.
    let mut dims = [dim(count, stride, body)?; DEPTH];
    let (mut depth, mut node) = (1, body);
    while let Shape::Loop { count, stride, body } = node.shape() {
        *dims.get_mut(depth)? = dim(*count, *stride, body)?;
        (depth, node) = (depth + 1, body);
    }
    let tiles = Tiles::new(&dims[..depth], node.block()?, target)?;
    // A column that is a program of its own is only left for transposes in registers.
    let program = matches!(body.kernel(), Kernel::Programs { .. });
    let better = tiles.fits_registers() && !(program && tiles.stays_in(target.l1));
    (tiles.along_a == dims[0] && (better || !program)).then_some(Kernel::Tiles(tiles))
}

impl Tiles {
    /// The grid of `dims` (outermost first), where it is a transpose that is worth its blocks.
    pub(crate) fn new(dims: &[Dim], length: u64, target: &Target) -> Option<Tiles> {
        let least = |side: fn(&Dim) -> i64| {
            (0..dims.len()).rev().min_by_key(|&i| side(&dims[i]).unsigned_abs())
        };
        let (i, j) = (least(|dim| dim.a)?, least(|dim| dim.b)?);
        let (along_a, along_b) = (dims[i], dims[j]);
        let near = |stride: i64| (length..=LINE).contains(&stride.unsigned_abs());
        if i == j || length == 0 || !near(along_a.a) || !near(along_b.b) {
            return None;
        }
        let rest = dims.iter().enumerate().filter(|&(k, _)| k != i && k != j);
        let mut others: Vec<Dim> = rest.map(|(_, dim)| *dim).collect();
        others.sort_by_key(|dim| std::cmp::Reverse(dim.a.unsigned_abs()));
        let conflict = along_a.b % CONFLICT == 0 || along_b.a % CONFLICT == 0;
        let block = if conflict { CONFLICT_BLOCK } else { BLOCK };
        let tiles = Tiles { length, along_a, along_b, others: others.into(), block };
        let pays = if tiles.fits_registers() {
            tiles.is_large(target.l1) || !tiles.stays_in(target.l1)
        } else {
            // Moved one by one, elements of 24 and 40 bytes took 1.0 to 1.4 times the plain loop,
            // and .4 to .7 where lines conflict.
            conflict && !tiles.stays_in(target.l1)
        };
        pays.then_some(tiles)
    }

    /// Whether both sides are dense and large enough for the transposes in registers. Three
    /// columns of doubles take 1.2 times what a loop over each takes.
    fn fits_registers(&self) -> bool {
        let (length, least) = (self.length.cast_signed(), self.square().max(4));
        self.length.is_power_of_two()
            && self.length <= LANE
            && (self.along_a.a, self.along_b.b) == (length, length)
            && self.along_a.count >= least
            && self.along_b.count >= least
    }

    /// Elements a side of the squares that registers transpose.
    fn square(&self) -> u64 {
        LANE / self.length.clamp(1, LANE)
    }

    /// Whether transposes in registers win even where lines stay in the first-level cache of so
    /// many bytes. Elements of 16 bytes are moved one by one anyway.
    fn is_large(&self, cache: u64) -> bool {
        if self.length < LANE {
            self.along_a.count >= 2 * self.square()
        } else {
            self.along_a.count.saturating_mul(self.along_b.count) > cache / LANE
        }
    }

    /// Whether the lines of side A that one run along B touches stay in a cache of so many bytes
    /// until the next run.
    fn stays_in(&self, cache: u64) -> bool {
        let stride = self.along_b.a.unsigned_abs();
        // Strides of many lines use only some of the sets.
        let share = if stride < LINE { 1 } else { 1 << (stride / LINE).trailing_zeros().min(6) };
        let line = stride.clamp(self.length, LINE);
        self.along_b.count.saturating_mul(line).saturating_mul(share) <= cache / 2
    }
}
