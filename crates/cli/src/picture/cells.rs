//! The first part of a type's memory as a row of equal cells.

use commloom_layout::{Kind, Type};

/// What lies in one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// No byte of the type.
    Gap,
    /// Bytes of the run of this number, in packed order.
    Run(usize),
    /// Bytes of several runs.
    Several,
}

/// The memory from `low` on, in cells of `unit` bytes.
pub struct Cells {
    /// Displacement of the first cell.
    pub low: i64,
    /// Bytes per cell: the largest unit in which all displacements and lengths are whole.
    pub unit: i64,
    pub cells: Vec<Cell>,
    /// Cells behind the last one that is held here.
    pub left_out: u64,
    /// Lower and upper bound, as cell numbers from `low`.
    pub bounds: (i64, i64),
}

impl Cells {
    /// At most `most` cells; runs past the limit are not looked at.
    pub fn of(ty: &Type, most: usize) -> Cells {
        /// Runs that can touch the cells shown come early in all but odd types; a limit keeps types
        /// of 10^9 runs drawable.
        const MOST_RUNS: usize = 1 << 20;
        let unit = i64::try_from(unit(ty, gcd(ty.lb().unsigned_abs(), ty.ub().unsigned_abs())))
            .ok()
            .filter(|&u| u > 0)
            .unwrap_or(1);
        let low = ty.lb().min(ty.true_lb()).min(ty.ub());
        let high = ty.ub().max(ty.true_ub()).max(ty.lb());
        let total = high.abs_diff(low).div_ceil(unit.unsigned_abs());
        let held = usize::try_from(total).unwrap_or(most).min(most);
        let mut cells = vec![Cell::Gap; held];
        for (number, run) in ty.byte_runs().take(MOST_RUNS).enumerate() {
            let first = run.displacement.abs_diff(low) / unit.unsigned_abs();
            let length = run.length / unit.unsigned_abs();
            let first = usize::try_from(first).unwrap_or(held).min(held);
            let end = first.saturating_add(usize::try_from(length).unwrap_or(held)).min(held);
            for cell in &mut cells[first..end] {
                *cell = match cell {
                    Cell::Gap => Cell::Run(number),
                    Cell::Run(_) | Cell::Several => Cell::Several,
                };
            }
        }
        let cell_of = |at: i64| at.wrapping_sub(low) / unit;
        let left_out = total.saturating_sub(wide(held));
        Cells { low, unit, cells, left_out, bounds: (cell_of(ty.lb()), cell_of(ty.ub())) }
    }

    /// Displacement of a cell.
    pub fn displacement(&self, cell: usize) -> i128 {
        i128::from(self.low) + i128::from(self.unit) * i128::from(wide(cell))
    }
}

/// Largest unit that divides `so_far`, all basic sizes and all displacements of the tree.
fn unit(ty: &Type, so_far: u64) -> u64 {
    let indices = |list: &[i64]| list.iter().fold(so_far, |g, i| gcd(g, i.unsigned_abs()));
    let here = match ty.kind() {
        Kind::Leaf(basic) => gcd(so_far, basic.size()),
        Kind::Vec { stride, .. } => gcd(so_far, stride.unsigned_abs()),
        Kind::Idx { indices: list, .. } | Kind::Strc { indices: list, .. } => indices(list),
        Kind::IdxBuc { stride, indices: list, .. } => gcd(indices(list), stride.unsigned_abs()),
        Kind::Resized { .. } => so_far,
    };
    ty.children().iter().fold(here, |g, child| unit(child, g))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A number of cells or nodes; all machines that this runs on have at most 64 bits.
pub fn wide(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
