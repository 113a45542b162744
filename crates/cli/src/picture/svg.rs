//! Memory and tree of a type as one SVG picture, without scripts or fonts of its own.

use std::fmt::Write;

use commloom_layout::Type;

use super::cells::{Cell, Cells, wide};
use crate::cmd::show::label;

/// Sizes in pixels.
const CELL: usize = 16;
const COLUMNS: usize = 64;
const ROWS: usize = 32;
const ROW: usize = 30;
const LEFT: usize = 90;
const MARGIN: usize = 20;
/// Nodes of the tree that are drawn.
const NODES: usize = 60;
const NODE: usize = 26;
const INDENT: usize = 28;

/// The picture.
pub fn svg(ty: &Type) -> String {
    let mut memory = String::new();
    let height = draw_memory(ty, MARGIN + 40, &mut memory);
    let mut tree = String::new();
    let bottom = draw_tree(ty, height + 50, &mut tree);
    let width = LEFT + COLUMNS * CELL + MARGIN;
    let title = escape(&shorten(&ty.to_string(), 150));
    let y = height + 30;
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom}" viewBox="0 0 {width} {bottom}" font-family="sans-serif" font-size="12">
<title>{title}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="{MARGIN}" y="{MARGIN}" font-weight="bold">Memory: colour and number give the packed order, grey lies in several runs; {unit} per cell</text>
{memory}<text x="{MARGIN}" y="{y}" font-weight="bold">Tree: {size} bytes, extent {extent}, {runs} runs</text>
{tree}</svg>
"##,
        unit = bytes(Cells::of(ty, 0).unit),
        size = ty.size(),
        extent = ty.extent(),
        runs = ty.runs(),
    )
}

fn bytes(n: i64) -> String {
    if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") }
}

/// Draws from `top` on and returns where it ended.
fn draw_memory(ty: &Type, top: usize, out: &mut String) -> usize {
    let picture = Cells::of(ty, COLUMNS * ROWS);
    let runs = usize::try_from(ty.runs()).unwrap_or(usize::MAX);
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
            let fill = colour(*cell, runs);
            let _ = writeln!(
                out,
                r##"<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="#bbbbbb" stroke-width="0.5"/>"##
            );
            // A run is numbered in its first cell.
            let starts = column == 0 || cells[column - 1] != *cell;
            if let (Cell::Run(number), true) = (*cell, starts && runs <= 1000) {
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
        let _ = writeln!(out, r#"<text x="{LEFT}" y="{y}">and {left_out} more cells</text>"#);
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
        r##"<path d="M{x} {}V{}" stroke="#c00000" stroke-width="2"/><text x="{x}" y="{}" text-anchor="middle" font-size="9" fill="#c00000">{name}</text>"##,
        y - 3,
        y + CELL + 3,
        y - 4
    );
}

/// From blue for the first run over yellow to red for the last. Hexadecimal, as SVG 1.1 knows no
/// other notation that all viewers share.
fn colour(cell: Cell, runs: usize) -> String {
    const STOPS: [[usize; 3]; 3] = [[0x8A, 0xB4, 0xF0], [0xF4, 0xE3, 0x9A], [0xF0, 0x96, 0x8A]];
    match cell {
        Cell::Gap => "#f6f6f6".to_owned(),
        Cell::Several => "#606060".to_owned(),
        Cell::Run(number) => {
            let last = runs.saturating_sub(1).max(1);
            // In 256ths of the distance between two stops.
            let place = number.saturating_mul(512).checked_div(last).unwrap_or(0).min(512);
            let (stop, share) = if place < 256 { (0, place) } else { (1, place - 256) };
            let mix =
                |k: usize| (STOPS[stop][k] * (256 - share) + STOPS[stop + 1][k] * share) / 256;
            format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
        }
    }
}

fn draw_tree(ty: &Type, top: usize, out: &mut String) -> usize {
    let mut drawn = 0;
    draw_node(ty, 0, None, top, &mut drawn, out);
    let mut bottom = top + drawn * NODE;
    let left_out = ty.nodes().saturating_sub(wide(drawn));
    if left_out > 0 {
        let y = bottom + 12;
        let _ = writeln!(out, r#"<text x="{MARGIN}" y="{y}">and {left_out} more nodes</text>"#);
        bottom += 20;
    }
    bottom + MARGIN
}

/// Draws a node as a box on line `drawn`, joined to its parent, then its children.
fn draw_node(
    ty: &Type,
    depth: usize,
    parent: Option<usize>,
    top: usize,
    drawn: &mut usize,
    out: &mut String,
) {
    if *drawn == NODES {
        return;
    }
    let line = *drawn;
    *drawn += 1;
    let (x, y) = (MARGIN + depth * INDENT, top + line * NODE);
    let text = shorten(&label(ty), 110);
    let width = 14 + 7 * text.chars().count();
    if let Some(parent) = parent {
        let (px, py) = (x - INDENT + 10, top + parent * NODE + 20);
        let _ = writeln!(
            out,
            r##"<path d="M{px} {py}V{}H{x}" fill="none" stroke="#888888"/>"##,
            y + 10
        );
    }
    let fill = if ty.children().is_empty() { "#e8f4e8" } else { "#e8eef8" };
    let _ = writeln!(
        out,
        r##"<rect x="{x}" y="{y}" width="{width}" height="20" rx="4" fill="{fill}" stroke="#888888"/><text x="{}" y="{}" font-family="monospace">{}</text>"##,
        x + 7,
        y + 14,
        escape(&text)
    );
    for child in ty.children() {
        draw_node(child, depth + 1, Some(line), top, drawn, out);
    }
}

fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
