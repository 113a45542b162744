//! [`Pictures`]: where the bytes of a layout lie, small enough to travel with a row.

use commloom_layout::Type;
use commloom_picture::{By, Cell, Cells, parts_in_words, unit};
use serde::{Deserialize, Serialize};

/// Cells that a picture shows at most.
const CELLS: usize = 256;

/// The memory of a type, as the program and as the normal form cut it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pictures {
    /// Bytes per cell, in both.
    pub unit: i64,
    /// As the program describes it.
    pub before: Memory,
    /// In the normal form; nothing where that is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Memory>,
}

/// The first part of a type's memory as a row of cells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Displacement of the first cell, in bytes.
    pub low: i64,
    /// Lower bound, in cells from the first.
    pub lb: i64,
    /// Upper bound, in cells from the first.
    pub ub: i64,
    /// Runs of equal cells, `7x2` for two of part 7, with spaces between them. A gap is `.`, and
    /// `*` stands for several parts in one cell.
    pub cells: String,
    /// Cells that are not shown.
    pub left_out: u64,
    /// Parts of the description's root.
    pub parts: u64,
    /// Their meaning.
    pub legend: String,
}

impl Pictures {
    /// Of a type and its normal form.
    #[must_use]
    pub fn of(before: &Type, after: &Type) -> Pictures {
        let unit = unit(&[before, after]);
        Pictures {
            unit,
            before: Memory::of(before, unit),
            after: (before != after).then(|| Memory::of(after, unit)),
        }
    }
}

impl Memory {
    fn of(ty: &Type, unit: i64) -> Memory {
        let all = Cells::of(ty, unit, By::Parts, CELLS);
        let run = |cells: &[Cell]| match cells[0] {
            Cell::Gap => format!(".x{}", cells.len()),
            Cell::Several => format!("*x{}", cells.len()),
            Cell::Piece(number) => format!("{number}x{}", cells.len()),
        };
        let runs: Vec<String> = all.cells.chunk_by(|a, b| a == b).map(run).collect();
        let cells = runs.join(" ");
        let (lb, ub) = all.bounds;
        let legend = parts_in_words(ty);
        Memory { low: all.low, lb, ub, cells, left_out: all.left_out, parts: all.pieces, legend }
    }

    /// The cells again. What was not written by us is left out.
    pub(crate) fn cells(&self) -> Vec<Cell> {
        let run = |run: &str| {
            let (what, length) = run.split_once('x')?;
            let cell = match what {
                "." => Cell::Gap,
                "*" => Cell::Several,
                number => Cell::Piece(number.parse().ok()?),
            };
            Some(std::iter::repeat_n(cell, length.parse().ok()?))
        };
        self.cells.split(' ').filter_map(run).flatten().take(CELLS).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::{Basic, mpi};

    #[test]
    fn a_vector_is_shown_by_its_blocks() {
        let ty = mpi::vector(3, 2, 4, &Type::leaf(Basic::INT)).unwrap();
        let pictures = Pictures::of(&ty, &ty);
        assert_eq!((pictures.unit, pictures.after), (4, None));
        let memory = pictures.before;
        assert_eq!(memory.cells, "0x2 .x2 1x2 .x2 2x2");
        assert_eq!((memory.low, memory.lb, memory.ub, memory.parts), (0, 0, 10, 3));
        assert_eq!(memory.legend, "3 copies of the vec");
        assert_eq!(memory.cells().len(), 10);
    }

    #[test]
    fn nonsense_draws_nothing() {
        let memory =
            Memory { cells: "x 1x yx2 99999999999999999999x1 .x3".into(), ..Memory::default() };
        assert_eq!(memory.cells(), [Cell::Gap; 3]);
    }

    #[test]
    fn long_types_are_cut() {
        let ty = mpi::vector(1_000_000_000, 1, 2, &Type::leaf(Basic::INT)).unwrap();
        let memory = Pictures::of(&ty, &ty).before;
        assert_eq!(memory.cells().len(), CELLS);
        assert_eq!(memory.left_out, 2_000_000_000 - 1 - 256);
    }
}
