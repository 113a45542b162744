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
    /// Runs of equal cells: the number of the part that they belong to and how many they are. -1 is
    /// a gap, -2 stands for several parts.
    pub cells: Vec<(i64, usize)>,
    /// Cells that are not shown.
    pub left_out: u64,
    /// Parts of the description's root.
    pub parts: u64,
    /// What they are.
    pub legend: String,
}

const GAP: i64 = -1;
const SEVERAL: i64 = -2;

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
        let mut cells: Vec<(i64, usize)> = Vec::new();
        for cell in &all.cells {
            let number = match *cell {
                Cell::Gap => GAP,
                Cell::Several => SEVERAL,
                Cell::Piece(number) => i64::try_from(number).unwrap_or(i64::MAX),
            };
            match cells.last_mut() {
                Some((last, length)) if *last == number => *length += 1,
                _ => cells.push((number, 1)),
            }
        }
        let (lb, ub) = all.bounds;
        let legend = parts_in_words(ty);
        Memory { low: all.low, lb, ub, cells, left_out: all.left_out, parts: all.pieces, legend }
    }

    /// The cells again.
    pub(crate) fn cells(&self) -> Vec<Cell> {
        let cell = |number| match number {
            SEVERAL => Cell::Several,
            // What else is negative was not written by us.
            _ => usize::try_from(number).map_or(Cell::Gap, Cell::Piece),
        };
        let runs = self.cells.iter().map(|&(number, n)| std::iter::repeat_n(cell(number), n));
        runs.flatten().take(CELLS).collect()
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
        assert_eq!(memory.cells, [(0, 2), (-1, 2), (1, 2), (-1, 2), (2, 2)]);
        assert_eq!((memory.low, memory.lb, memory.ub, memory.parts), (0, 0, 10, 3));
        assert_eq!(memory.legend, "3 copies of the vec");
        assert_eq!(memory.cells().len(), 10);
    }

    #[test]
    fn long_types_are_cut() {
        let ty = mpi::vector(1_000_000_000, 1, 2, &Type::leaf(Basic::INT)).unwrap();
        let memory = Pictures::of(&ty, &ty).before;
        assert_eq!(memory.cells().len(), CELLS);
        assert_eq!(memory.left_out, 2_000_000_000 - 1 - 256);
    }
}
