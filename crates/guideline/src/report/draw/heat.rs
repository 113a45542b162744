//! Heat maps.

use std::fmt::Write;

use crate::report::heat::HeatMap;
use crate::verdict::mode_name;
use commloom_picture::html::escape;

use super::{coordinate, text};

const LEFT: f64 = 224.0;
const ROW: f64 = 22.0;
const CELL: f64 = 64.0;
/// Names of libraries, then of modes.
const HEAD: f64 = 40.0;
/// A letter, about.
const LETTER: f64 = 7.0;

/// From these factors on cells have the next colour.
pub const CLASSES: [f64; 6] = [1.1, 1.5, 2.0, 3.0, 5.0, 10.0];

/// The map as lines of SVG, and how wide and high they are in pixels.
pub fn heat_map(map: &HeatMap, libraries: &[String]) -> (String, (f64, f64)) {
    let mut out = String::new();
    let left = |column: usize| LEFT + CELL * float(column);
    // A name stands above all modes of its library.
    let mut column = 0;
    while let Some(&(library, _)) = map.columns.get(column) {
        let modes = map.columns[column..].iter().take_while(|(k, _)| *k == library).count();
        let middle = f64::midpoint(left(column), left(column + modes));
        let name = libraries.get(library).map_or("", String::as_str);
        let fits = CELL * float(modes) / LETTER;
        text(&mut out, (middle, 14.0), "h", "middle", &shortened(name, fits));
        column += modes;
    }
    for (column, (_, mode)) in map.columns.iter().enumerate() {
        let middle = left(column) + CELL / 2.0;
        text(&mut out, (middle, 32.0), "soft", "middle", mode_name(*mode));
    }
    let mut y = HEAD;
    let mut last = "";
    for row in &map.rows {
        if row.layout != last {
            text(&mut out, (0.0, y + 15.0), "h", "start", &row.layout);
            y += ROW;
            last = &row.layout;
        }
        let way = shortened(&row.way, (LEFT - 16.0) / LETTER);
        text(&mut out, (12.0, y + 15.0), "", "start", &way);
        for (column, cell) in row.cells.iter().enumerate() {
            let Some(cell) = cell else { continue };
            let class = CLASSES.iter().filter(|&&from| cell.worst > from).count();
            let (x, top) = (coordinate(left(column) + 1.0), coordinate(y + 1.0));
            let _ = writeln!(
                out,
                "<rect class=\"f{class}\" x=\"{x}\" y=\"{top}\" width=\"{}\" height=\"{}\"><title>{:.2} at {}; mean \
                 {:.2}</title></rect>",
                CELL - 2.0,
                ROW - 2.0,
                cell.worst,
                escape(&cell.at),
                cell.mean
            );
            let place = (left(column) + CELL / 2.0, y + 15.0);
            let digits = if cell.worst < 100.0 { 1 } else { 0 };
            text(
                &mut out,
                place,
                &format!("g{class}"),
                "middle",
                &format!("{:.digits$}", cell.worst),
            );
        }
        y += ROW;
    }
    (out, (left(map.columns.len()), y + 4.0))
}

fn shortened(words: &str, letters: f64) -> String {
    let fits = |n: usize| float(n) <= letters;
    if fits(words.chars().count()) {
        return words.to_owned();
    }
    let kept: String =
        words.chars().enumerate().take_while(|(k, _)| fits(k + 2)).map(|(_, c)| c).collect();
    kept + "…"
}

fn float(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}
