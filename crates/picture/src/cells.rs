//! The first part of a type's memory as a row of equal cells.

use commloom_layout::{Kind, Type};

/// The content of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// No byte of the type.
    Gap,
    /// Bytes of the run or part of this number, in packed order.
    Piece(usize),
    /// Bytes of several of them.
    Several,
}

/// The parts that the bytes of a type are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Runs of adjacent bytes: the same for every description of a layout.
    Runs,
    /// Parts of the root: how this description cuts the layout.
    Parts,
}

/// The memory from `low` on, in cells of `unit` bytes.
pub struct Cells {
    /// Displacement of the first cell.
    pub low: i64,
    /// Bytes per cell.
    pub unit: i64,
    /// The cells, in the order of memory.
    pub cells: Vec<Cell>,
    /// Cells behind the last one that is held here.
    pub left_out: u64,
    /// Lower and upper bound, as cell numbers from `low`.
    pub bounds: (i64, i64),
    /// Runs or parts of the whole type.
    pub pieces: u64,
}

impl Cells {
    /// At most `most` cells of `unit` bytes each (see [`unit`]); runs past a limit are not looked
    /// at.
    #[must_use]
    pub fn of(ty: &Type, unit: i64, by: By, most: usize) -> Cells {
        let low = ty.lb().min(ty.true_lb()).min(ty.ub());
        let high = ty.ub().max(ty.true_ub()).max(ty.lb());
        let total = high.abs_diff(low).div_ceil(unit.unsigned_abs());
        let held = usize::try_from(total).unwrap_or(most).min(most);
        let mut cells = vec![Cell::Gap; held];
        for (number, displacement, length) in pieces(ty, by) {
            let first = displacement.abs_diff(low) / unit.unsigned_abs();
            let length = length / unit.unsigned_abs();
            let first = usize::try_from(first).unwrap_or(held).min(held);
            let end = first.saturating_add(usize::try_from(length).unwrap_or(held)).min(held);
            for cell in &mut cells[first..end] {
                *cell = match *cell {
                    Cell::Gap => Cell::Piece(number),
                    Cell::Piece(other) if other == number && by == By::Parts => *cell,
                    Cell::Piece(_) | Cell::Several => Cell::Several,
                };
            }
        }
        let cell_of = |at: i64| at.wrapping_sub(low) / unit;
        let left_out = total.saturating_sub(wide(held));
        let bounds = (cell_of(ty.lb()), cell_of(ty.ub()));
        let pieces = match by {
            By::Runs => ty.runs(),
            By::Parts => number_of_parts(ty),
        };
        Cells { low, unit, cells, left_out, bounds, pieces }
    }

    /// Displacement of a cell.
    #[must_use]
    pub fn displacement(&self, cell: usize) -> i128 {
        i128::from(self.low) + i128::from(self.unit) * i128::from(wide(cell))
    }
}

/// Runs of bytes with the number of the piece that they belong to: number, displacement, length. A
/// limit keeps types of 10^9 runs drawable: what touches the cells shown comes early in all but
/// odd types.
fn pieces(ty: &Type, by: By) -> Box<dyn Iterator<Item = (usize, i64, u64)> + '_> {
    const MOST_RUNS: usize = 1 << 20;
    match by {
        By::Runs => {
            let runs = ty.byte_runs().enumerate();
            Box::new(runs.map(|(k, run)| (k, run.displacement, run.length)).take(MOST_RUNS))
        }
        By::Parts => {
            let runs = parts(ty).enumerate().take(MOST_RUNS).flat_map(|(k, (at, part))| {
                let runs: Vec<_> = part.byte_runs().take(MOST_RUNS).collect();
                runs.into_iter().map(move |r| (k, at.wrapping_add(r.displacement), r.length))
            });
            Box::new(runs.take(MOST_RUNS))
        }
    }
}

/// The parts of the root in packed order, each with the place that it is moved to.
fn parts(ty: &Type) -> Box<dyn Iterator<Item = (i64, Type)> + '_> {
    match ty.kind() {
        Kind::Resized { child, .. } => parts(child),
        Kind::Leaf(_) => Box::new(std::iter::once((0, ty.clone()))),
        Kind::Vec { count, stride, child } => Box::new((0..*count).map(move |k| {
            let k = i64::try_from(k).unwrap_or(i64::MAX);
            (stride.wrapping_mul(k), child.clone())
        })),
        Kind::Idx { indices, child } => Box::new(indices.iter().map(|&at| (at, child.clone()))),
        Kind::IdxBuc { stride, indices, blocks, child } => {
            let bucket = |block: u64| Type::vec(block, *stride, child.clone());
            let buckets = indices.iter().zip(blocks.iter());
            Box::new(buckets.filter_map(move |(&at, &block)| Some((at, bucket(block).ok()?))))
        }
        Kind::Strc { indices, children } => {
            Box::new(indices.iter().copied().zip(children.iter().cloned()))
        }
    }
}

/// How many parts the root has, and what they are: `5 copies of the vec`.
#[must_use]
pub fn parts_in_words(ty: &Type) -> String {
    match ty.kind() {
        Kind::Resized { child, .. } => parts_in_words(child),
        Kind::Leaf(_) => "one leaf".to_owned(),
        Kind::Vec { count, .. } => counted(*count, "copy of the vec", "copies of the vec"),
        Kind::Idx { indices, .. } => {
            counted(wide(indices.len()), "entry of the idx", "entries of the idx")
        }
        Kind::IdxBuc { indices, .. } => {
            counted(wide(indices.len()), "bucket of the idxbuc", "buckets of the idxbuc")
        }
        Kind::Strc { indices, .. } => {
            counted(wide(indices.len()), "part of the strc", "parts of the strc")
        }
    }
}

/// A number and what there are so many of.
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// How many parts the root has.
fn number_of_parts(ty: &Type) -> u64 {
    match ty.kind() {
        Kind::Resized { child, .. } => number_of_parts(child),
        Kind::Leaf(_) => 1,
        Kind::Vec { count, .. } => *count,
        Kind::Idx { indices, .. } | Kind::IdxBuc { indices, .. } | Kind::Strc { indices, .. } => {
            wide(indices.len())
        }
    }
}

/// Largest number of bytes in which all displacements and lengths of all `types` are whole.
#[must_use]
pub fn unit(types: &[&Type]) -> i64 {
    let bounds = |ty: &Type| gcd(ty.lb().unsigned_abs(), ty.ub().unsigned_abs());
    let all = types.iter().fold(0, |g, ty| common(ty, gcd(g, bounds(ty))));
    i64::try_from(all).ok().filter(|&u| u > 0).unwrap_or(1)
}

/// Largest unit that divides `so_far`, all basic sizes and all displacements of the tree.
fn common(ty: &Type, so_far: u64) -> u64 {
    let indices = |list: &[i64]| list.iter().fold(so_far, |g, i| gcd(g, i.unsigned_abs()));
    let here = match ty.kind() {
        Kind::Leaf(basic) => gcd(so_far, basic.size()),
        Kind::Vec { stride, .. } => gcd(so_far, stride.unsigned_abs()),
        Kind::Idx { indices: list, .. } | Kind::Strc { indices: list, .. } => indices(list),
        Kind::IdxBuc { stride, indices: list, .. } => gcd(indices(list), stride.unsigned_abs()),
        Kind::Resized { .. } => so_far,
    };
    ty.children().iter().fold(here, |g, child| common(child, g))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A number of cells or nodes; all machines that this runs on have at most 64 bits.
pub(crate) fn wide(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
