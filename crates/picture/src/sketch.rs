//! How copies became a datatype, as one SVG picture: the code, the cells of its arrays, the
//! datatype's tree.

use std::fmt::Write;

use crate::cells::Cell;
use crate::grid::{Grid, PLANES, Plane};
use crate::html::escape;
use crate::svg::colour;

/// Sizes in pixels.
const CELL: (usize, usize) = (30, 22);
const MARGIN: usize = 20;
const LINE: usize = 18;
const WIDTH: usize = 1100;
const NODE: usize = 26;
const INDENT: usize = 28;
/// Lines of code and nodes that are drawn.
const LINES: usize = 40;

/// The drawing, from above.
#[derive(Debug, Clone)]
pub struct Sketch<'s> {
    /// In bold letters.
    pub title: &'s str,
    /// Lines of code.
    pub code: &'s [String],
    /// Above the grids.
    pub caption: &'s str,
    /// The arrays.
    pub grids: &'s [Grid],
    /// The steps one after the other, each with its result.
    pub steps: &'s [(String, String)],
    /// Above the tree.
    pub heading: &'s str,
    /// The tree's nodes, each with its depth.
    pub tree: &'s [(usize, String)],
}

/// Draws it.
#[must_use]
pub fn sketch(sketch: &Sketch<'_>) -> String {
    let mut body = String::new();
    let mut y = MARGIN + 4;
    text((MARGIN, y), r#" font-weight="bold" font-size="14""#, sketch.title, &mut body);
    y = code(sketch.code, y + 10, &mut body);
    text((MARGIN, y + LINE), "", sketch.caption, &mut body);
    y += LINE + 8;
    let cells = sketch.grids.iter().flat_map(|grid| &grid.planes).flat_map(|plane| &plane.cells);
    let last = cells.flatten().max().copied().unwrap_or(0);
    for grid in sketch.grids {
        y = draw_grid(grid, last, y, &mut body);
    }
    y = draw_steps(sketch.steps, y + 8, &mut body);
    text((MARGIN, y + LINE), "", sketch.heading, &mut body);
    y = draw_tree(sketch.tree, y + LINE + 8, &mut body) + MARGIN;
    let title = escape(sketch.title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{y}\" \
         viewBox=\"0 0 {WIDTH} {y}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         {body}</svg>\n"
    )
}

fn text((x, y): (usize, usize), style: &str, text: &str, out: &mut String) {
    let _ = writeln!(
        out,
        r#"<text x="{x}" y="{y}"{style} xml:space="preserve">{}</text>"#,
        escape(&cut(text))
    );
}

/// At most what fits on a line.
fn cut(text: &str) -> String {
    const MOST: usize = 140;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Each part is drawn from `top` on, and returns where it ended.
fn code(lines: &[String], top: usize, out: &mut String) -> usize {
    if lines.is_empty() {
        return top;
    }
    let shown = lines.len().min(LINES);
    let height = shown * LINE + 10;
    let width = WIDTH - 2 * MARGIN;
    let _ = writeln!(
        out,
        "<rect x=\"{MARGIN}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" rx=\"4\" \
         fill=\"#f6f6f6\"/>"
    );
    for (number, line) in lines.iter().take(LINES).enumerate() {
        let line = if number + 1 == LINES && shown < lines.len() { "..." } else { line };
        let at = (MARGIN + 10, top + 5 + number * LINE + 13);
        text(at, r#" font-family="monospace""#, line, out);
    }
    top + height + 8
}

/// Colours go from 1 to the `last` number.
fn draw_grid(grid: &Grid, last: usize, top: usize, out: &mut String) -> usize {
    text((MARGIN, top + LINE), r#" font-weight="bold""#, &grid.heading, out);
    let (mut x, mut y) = (MARGIN, top + LINE + 6);
    let mut bottom = y;
    for plane in grid.planes.iter().take(PLANES) {
        let width = (grid.row * CELL.0).max(8 * plane.name.chars().count());
        if x > MARGIN && x + width + MARGIN > WIDTH {
            (x, y) = (MARGIN, bottom + 6);
        }
        bottom = bottom.max(draw_plane(grid, plane, last, (x, y), out));
        x += width + MARGIN;
    }
    if let Some(left_out) = grid.left_out() {
        text((MARGIN, bottom + LINE), "", &left_out, out);
        bottom += LINE;
    }
    bottom + 4
}

fn draw_plane(
    grid: &Grid,
    plane: &Plane,
    last: usize,
    (left, top): (usize, usize),
    out: &mut String,
) -> usize {
    let mut y = top;
    if !plane.name.is_empty() {
        text((left, top + 12), r##" fill="#555555" font-size="11""##, &plane.name, out);
        y += LINE;
    }
    for cells in grid.rows(plane) {
        for (column, cell) in cells.iter().enumerate() {
            let x = left + column * CELL.0;
            let fill = colour(cell.map_or(Cell::Gap, |number| Cell::Piece(number - 1)), last);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{fill}\" \
                 stroke=\"#bbbbbb\" stroke-width=\"0.5\"/>",
                CELL.0, CELL.1
            );
            if let Some(number) = cell {
                let at = (x + CELL.0 / 2, y + 15);
                text(at, r#" text-anchor="middle" font-size="11""#, &number.to_string(), out);
            }
        }
        y += CELL.1;
    }
    y + 6
}

fn draw_steps(steps: &[(String, String)], top: usize, out: &mut String) -> usize {
    let mut y = top;
    for (what, came) in steps.iter().take(LINES) {
        text((MARGIN, y + LINE), r##" fill="#2255aa""##, what, out);
        y += LINE;
        text((MARGIN + INDENT, y + LINE), r#" font-family="monospace""#, came, out);
        y += LINE + 3;
    }
    if steps.len() > LINES {
        text((MARGIN, y + LINE), "", &format!("and {} more", steps.len() - LINES), out);
        y += LINE;
    }
    y + 8
}

fn draw_tree(tree: &[(usize, String)], top: usize, out: &mut String) -> usize {
    let mut parents: Vec<usize> = Vec::new();
    for (line, (depth, label)) in tree.iter().take(LINES).enumerate() {
        let (x, y) = (MARGIN + depth * INDENT, top + line * NODE);
        parents.truncate(*depth);
        if let Some(parent) = parents.last() {
            let (px, py) = (x - INDENT + 10, top + parent * NODE + 20);
            let _ = writeln!(
                out,
                r##"<path d="M{px} {py}V{}H{x}" fill="none" stroke="#888888"/>"##,
                y + 10
            );
        }
        parents.push(line);
        let label = cut(label);
        // Monospaced letters are 7.2 pixels wide at this size.
        let width = 16 + 29 * label.chars().count() / 4;
        let _ = writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"20\" rx=\"4\" \
             fill=\"#e8eef8\" stroke=\"#888888\"/>"
        );
        text((x + 7, y + 14), r#" font-family="monospace""#, &label, out);
    }
    let drawn = tree.len().min(LINES);
    let bottom = top + drawn * NODE;
    match tree.len() - drawn {
        0 => bottom,
        more => {
            text((MARGIN, bottom + 12), "", &format!("and {more} more nodes"), out);
            bottom + LINE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_are_drawn_and_names_are_escaped() {
        let planes = vec![Plane { name: "g[0]".into(), cells: vec![None, Some(1)] }];
        let grids = [Grid { heading: "g".into(), row: 2, planes }];
        let tree = [(0, "vector <2>".to_owned()), (1, "MPI_INT".to_owned())];
        let code = ["for (i = 0; i < n; i++)".to_owned()];
        let drawn = Sketch {
            title: "a.c:1",
            code: &code,
            caption: "at n = 2",
            grids: &grids,
            steps: &[("vector".to_owned(), "vector(n, 1, 3)".to_owned())],
            heading: "as a type",
            tree: &tree,
        };
        let svg = sketch(&drawn);
        assert!(svg.contains("i &lt; n") && svg.contains("vector &lt;2&gt;"), "{svg}");
        assert_eq!(svg.matches("<rect ").count(), 1 + 1 + 2 + 2, "{svg}");
    }
}
