//! Memory as lines of characters.

use std::fmt::Write;

use commloom_layout::Type;

use crate::cells::{By, Cell, Cells};

/// Cells on a line.
const WIDTH: usize = 64;

/// Where the bytes of a type lie: one character per `unit` bytes, on at most `lines` lines.
#[must_use]
pub fn memory(ty: &Type, unit: i64, by: By, lines: usize) -> String {
    let picture = Cells::of(ty, unit, by, WIDTH * lines);
    let last = picture.displacement(picture.cells.len());
    let gutter = picture.low.to_string().len().max(last.to_string().len());
    let mut text = String::new();
    for (line, cells) in picture.cells.chunks(WIDTH).enumerate() {
        let start = line * WIDTH;
        let mut row = String::new();
        for (k, cell) in cells.iter().enumerate() {
            row.push(edge(&picture, start + k));
            row.push(character(*cell));
        }
        let end = start + cells.len();
        if end == picture.cells.len() {
            row.push(edge(&picture, end));
        }
        let _ = writeln!(text, "{:>gutter$} {}", picture.displacement(start), row.trim_end());
    }
    if picture.left_out > 0 {
        let _ = writeln!(text, "{:>gutter$} and {} more characters", "", picture.left_out);
    }
    text
}

/// The bound that lies between this cell and the one before.
fn edge(picture: &Cells, cell: usize) -> char {
    let at = i64::try_from(cell).unwrap_or(i64::MAX);
    match (picture.bounds.0 == at, picture.bounds.1 == at) {
        (true, true) => '|',
        (true, false) => '[',
        (false, true) => ']',
        (false, false) => ' ',
    }
}

fn character(cell: Cell) -> char {
    const NAMES: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    match cell {
        Cell::Gap => '.',
        Cell::Piece(number) => char::from(NAMES[number % NAMES.len()]),
        Cell::Several => '*',
    }
}
