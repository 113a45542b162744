//! Memory and trees of one or two types as one SVG picture, without scripts or fonts of its own.

use std::fmt::Write;

use commloom_layout::Type;

use crate::cells::{By, Cell, Cells, wide};
use crate::html::escape;
use crate::label::label;

/// Sizes in pixels.
const CELL: usize = 16;
const COLUMNS: usize = 64;
const ROW: usize = 30;
const LEFT: usize = 90;
const MARGIN: usize = 20;
const LINE: usize = 18;
/// Rows of memory, and nodes of the tree, that are drawn of all panels together.
const ROWS: usize = 32;
const NODES: usize = 60;
const NODE: usize = 26;
const INDENT: usize = 28;

/// One type in the picture.
pub struct Panel<'t> {
    /// The type.
    pub ty: &'t Type,
    /// Bold line above it.
    pub heading: String,
    /// The parts that the colours of its memory tell apart.
    pub by: By,
    /// A line about that.
    pub legend: String,
}

/// The picture: memory and tree of each panel, one panel under the other, in cells of `unit`
/// bytes, with lines of text above all.
#[must_use]
pub fn svg(title: &str, lines: &[String], unit: i64, panels: &[Panel<'_>]) -> String {
    let share = panels.len().max(1);
    let mut body = String::new();
    let mut y = MARGIN;
    for line in lines {
        text(MARGIN, y, "", line, &mut body);
        y += LINE;
    }
    for panel in panels {
        y += LINE / 2;
        text(MARGIN, y, r#" font-weight="bold" font-size="14""#, &panel.heading, &mut body);
        y += LINE;
        text(MARGIN, y, r##" fill="#555555""##, &panel.legend, &mut body);
        y = draw_memory(panel, unit, y + LINE, ROWS / share, &mut body);
        y = draw_tree(panel.ty, y, NODES / share, &mut body);
    }
    let width = LEFT + COLUMNS * CELL + MARGIN;
    let title = escape(&shorten(title, 150));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{y}\" \
         viewBox=\"0 0 {width} {y}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         {body}</svg>\n"
    )
}

fn text(x: usize, y: usize, style: &str, text: &str, out: &mut String) {
    let text = escape(&shorten(text, 170));
    let _ = writeln!(out, r#"<text x="{x}" y="{y}"{style}>{text}</text>"#);
}

/// Draws from `top` on and returns where it ended.
fn draw_memory(panel: &Panel<'_>, unit: i64, top: usize, rows: usize, out: &mut String) -> usize {
    let picture = Cells::of(panel.ty, unit, panel.by, COLUMNS * rows);
    let pieces = usize::try_from(picture.pieces).unwrap_or(usize::MAX);
    for (row, cells) in picture.cells.chunks(COLUMNS).enumerate() {
        let y = top + row * ROW;
        let _ = writeln!(
            out,
            r##"<text x="{}" y="{}" text-anchor="end" fill="#555555">{}</text>"##,
            LEFT - 8,
            y + 12,
            picture.displacement(row * COLUMNS)
        );
        for (column, cell) in cells.iter().enumerate() {
            let x = LEFT + column * CELL;
            let fill = colour(*cell, pieces);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{fill}\" \
                 stroke=\"#bbbbbb\" stroke-width=\"0.5\"/>"
            );
            // A run or part is numbered in its first cell.
            let starts = column == 0 || cells[column - 1] != *cell;
            if let (Cell::Piece(number), true) = (*cell, starts && pieces <= 1000) {
                let _ = writeln!(
                    out,
                    r##"<text x="{}" y="{}" font-size="8">{number}</text>"##,
                    x + 2,
                    y + 11
                );
            }
        }
    }
    for (name, at) in [("lb", picture.bounds.0), ("ub", picture.bounds.1)] {
        draw_bound(name, at, &picture, top, out);
    }
    let rows = picture.cells.len().div_ceil(COLUMNS).max(1);
    let mut bottom = top + rows * ROW;
    if picture.left_out > 0 {
        let left_out = picture.left_out;
        let y = bottom + 8;
        text(LEFT, y, "", &format!("and {left_out} more cells"), out);
        bottom += 20;
    }
    bottom
}

/// A bound: a line at the left edge of its cell (at the end of the row for an upper bound there).
fn draw_bound(name: &str, at: i64, picture: &Cells, top: usize, out: &mut String) {
    let Some(cell) = usize::try_from(at).ok().filter(|&c| c <= picture.cells.len()) else {
        return;
    };
    let ends_row = name == "ub" && cell > 0 && cell % COLUMNS == 0;
    let (row, column) =
        if ends_row { (cell / COLUMNS - 1, COLUMNS) } else { (cell / COLUMNS, cell % COLUMNS) };
    let (x, y) = (LEFT + column * CELL, top + row * ROW);
    let _ = writeln!(
        out,
        "<path d=\"M{x} {}V{}\" stroke=\"#c00000\" stroke-width=\"2\"/>\
         <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\" font-size=\"9\" \
         fill=\"#c00000\">{name}</text>",
        y - 3,
        y + CELL + 3,
        y - 4
    );
}

/// From blue for the first run or part over yellow to red for the last of so many. Hexadecimal,
/// as SVG 1.1 knows no other notation that all viewers share.
#[must_use]
pub fn colour(cell: Cell, pieces: usize) -> String {
    const STOPS: [[usize; 3]; 3] = [[0x8A, 0xB4, 0xF0], [0xF4, 0xE3, 0x9A], [0xF0, 0x96, 0x8A]];
    match cell {
        Cell::Gap => "#f6f6f6".to_owned(),
        Cell::Several => "#606060".to_owned(),
        Cell::Piece(number) => {
            let last = pieces.saturating_sub(1).max(1);
            // In 256ths of the distance between two stops.
            let place = number.saturating_mul(512).checked_div(last).unwrap_or(0).min(512);
            let (stop, share) = if place < 256 { (0, place) } else { (1, place - 256) };
            let mix =
                |k: usize| (STOPS[stop][k] * (256 - share) + STOPS[stop + 1][k] * share) / 256;
            format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
        }
    }
}

/// Draws at most `most` nodes from `top` on and returns where it ended.
fn draw_tree(ty: &Type, top: usize, most: usize, out: &mut String) -> usize {
    let mut drawn = Drawn { nodes: 0, most, top };
    draw_node(ty, 0, None, &mut drawn, out);
    let drawn = drawn.nodes;
    let mut bottom = top + drawn * NODE;
    let left_out = ty.nodes().saturating_sub(wide(drawn));
    if left_out > 0 {
        let y = bottom + 12;
        text(MARGIN, y, "", &format!("and {left_out} more nodes"), out);
        bottom += 20;
    }
    bottom + MARGIN
}

/// How many nodes were drawn, how many may be, and where the first one is.
struct Drawn {
    nodes: usize,
    most: usize,
    top: usize,
}

/// Draws a node as a box on the next line, joined to its parent, then its children.
fn draw_node(ty: &Type, depth: usize, parent: Option<usize>, drawn: &mut Drawn, out: &mut String) {
    if drawn.nodes == drawn.most {
        return;
    }
    let line = drawn.nodes;
    drawn.nodes += 1;
    let (x, y) = (MARGIN + depth * INDENT, drawn.top + line * NODE);
    let label = shorten(&label(ty), 110);
    // Monospaced fonts are 7.2 pixels wide at this size.
    let width = 16 + 29 * label.chars().count() / 4;
    if let Some(parent) = parent {
        let (px, py) = (x - INDENT + 10, drawn.top + parent * NODE + 20);
        let _ = writeln!(
            out,
            r##"<path d="M{px} {py}V{}H{x}" fill="none" stroke="#888888"/>"##,
            y + 10
        );
    }
    let fill = if ty.children().is_empty() { "#e8f4e8" } else { "#e8eef8" };
    let _ = writeln!(
        out,
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"20\" rx=\"4\" fill=\"{fill}\" \
         stroke=\"#888888\"/><text x=\"{}\" y=\"{}\" font-family=\"monospace\">{}</text>",
        x + 7,
        y + 14,
        escape(&label)
    );
    for child in ty.children() {
        draw_node(child, depth + 1, Some(line), drawn, out);
    }
}

fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
