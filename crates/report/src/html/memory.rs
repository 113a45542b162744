//! Memory as an SVG picture that a telephone can show.

use std::fmt::Write;

use commloom_picture::{Cell, colour};

use crate::Memory;

/// Sizes in units of the picture, of which its width is scaled to the page's.
const CELL: usize = 12;
const COLUMNS: usize = 32;
const ROW: usize = 19;
const LEFT: usize = 52;
const TOP: usize = 3;

/// The picture, for cells of `unit` bytes. Equal neighbours are one rectangle.
pub fn svg(memory: &Memory, unit: i64) -> String {
    let cells = memory.cells();
    let rows = cells.len().div_ceil(COLUMNS).max(1);
    let (width, height) = (LEFT + COLUMNS * CELL + 4, 2 * TOP + rows * ROW);
    let mut out = format!(
        "<svg class=\"memory\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} \
         {height}\" role=\"img\" aria-label=\"where the bytes lie\">\n"
    );
    let parts = usize::try_from(memory.parts).unwrap_or(usize::MAX);
    for (row, line) in cells.chunks(COLUMNS).enumerate() {
        let y = TOP + row * ROW;
        let at = displacement(memory, unit, row * COLUMNS);
        let _ = writeln!(
            out,
            "<text class=\"at\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{at}</text>",
            LEFT - 5,
            y + 9
        );
        let mut column = 0;
        for run in line.chunk_by(|a, b| a == b) {
            let place = (column, y, displacement(memory, unit, row * COLUMNS + column));
            rectangle(run[0], run.len(), place, parts, &mut out);
            column += run.len();
        }
    }
    for at in [memory.lb, memory.ub] {
        bound(at, cells.len(), &mut out);
    }
    out + "</svg>\n"
}

/// Equal cells side by side, from this column, height and displacement on.
fn rectangle(
    cell: Cell,
    length: usize,
    (column, y, at): (usize, usize, i128),
    parts: usize,
    out: &mut String,
) {
    let (x, width) = (LEFT + column * CELL, length * CELL);
    let shape = format!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{CELL}\"");
    let _ = match cell {
        Cell::Gap => writeln!(out, "<rect class=\"cell gap\" {shape}/>"),
        Cell::Several => writeln!(
            out,
            "<rect class=\"cell\" fill=\"{}\" {shape}><title>several parts</title></rect>",
            colour(cell, parts)
        ),
        Cell::Piece(number) => writeln!(
            out,
            "<rect class=\"cell\" fill=\"{}\" {shape}><title>part {number}, from byte \
             {at}</title></rect>",
            colour(cell, parts)
        ),
    };
    // Two digits fit into a cell.
    if let Cell::Piece(number) = cell
        && number < 100
    {
        let _ = writeln!(
            out,
            "<text class=\"number\" x=\"{}\" y=\"{}\" font-size=\"7\">{number}</text>",
            x + 2,
            y + 9
        );
    }
}

/// A line at a bound that is shown; one at the end of a row stands there.
fn bound(at: i64, cells: usize, out: &mut String) {
    let Some(cell) = usize::try_from(at).ok().filter(|&cell| cell <= cells) else { return };
    let ends_row = cell > 0 && cell == cells && cell.is_multiple_of(COLUMNS);
    let (row, column) =
        if ends_row { (cell / COLUMNS - 1, COLUMNS) } else { (cell / COLUMNS, cell % COLUMNS) };
    let (x, y) = (LEFT + column * CELL, TOP + row * ROW);
    let _ = writeln!(
        out,
        "<path class=\"bound\" d=\"M{x} {}V{}\"/>",
        y.saturating_sub(3),
        y + CELL + 3
    );
}

fn displacement(memory: &Memory, unit: i64, cell: usize) -> i128 {
    let cell = i128::try_from(cell).unwrap_or(i128::MAX);
    i128::from(memory.low).saturating_add(i128::from(unit).saturating_mul(cell))
}
