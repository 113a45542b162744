//! Heat maps.

use std::fmt::Write;

use commloom_picture::html::escape;

use super::svg::{coordinate, text};
use crate::float;

const LEFT: f64 = 224.0;
const ROW: f64 = 22.0;
const CELL: f64 = 64.0;
/// Heads of columns, in two lines.
const HEAD: f64 = 40.0;
/// A letter, about.
const LETTER: f64 = 7.0;

/// Squares in rows and columns.
#[derive(Debug, Clone)]
pub struct HeatMap {
    /// From left to right.
    pub columns: Vec<HeatColumn>,
    /// From top to bottom.
    pub rows: Vec<HeatRow>,
}

/// The head of a column. Neighbours of one group have one head above their names.
#[derive(Debug, Clone)]
pub struct HeatColumn {
    /// Equal in all columns of a group.
    pub group: usize,
    /// Of the group.
    pub head: String,
    /// Of the column.
    pub name: String,
}

/// One row. Neighbours of one section have one title above their names.
#[derive(Debug, Clone)]
pub struct HeatRow {
    /// Title of the section.
    pub section: String,
    /// Of the row.
    pub name: String,
    /// One for each column, where there is one.
    pub squares: Vec<Option<Square>>,
}

/// A coloured number.
#[derive(Debug, Clone)]
pub struct Square {
    /// Its colour.
    pub shade: Shade,
    /// The text in it.
    pub number: String,
    /// The text that a pointer on it shows.
    pub title: String,
}

/// A colour, the stronger the larger its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shade {
    /// From almost white to dark red: 0 to 6.
    Warm(usize),
    /// From pale to strong blue: 1 to 4.
    Cool(usize),
}

impl HeatMap {
    /// The map as lines of SVG, and how wide and high they are in pixels.
    #[must_use]
    pub fn draw(&self) -> (String, (f64, f64)) {
        let mut out = String::new();
        let left = |column: usize| LEFT + CELL * float(column);
        let mut column = 0;
        for group in self.columns.chunk_by(|a, b| a.group == b.group) {
            let middle = f64::midpoint(left(column), left(column + group.len()));
            let fits = CELL * float(group.len()) / LETTER;
            text(&mut out, (middle, 14.0), "h", "middle", &shortened(&group[0].head, fits));
            column += group.len();
        }
        for (number, column) in self.columns.iter().enumerate() {
            let middle = left(number) + CELL / 2.0;
            text(&mut out, (middle, 32.0), "soft", "middle", &column.name);
        }
        let mut y = HEAD;
        for rows in self.rows.chunk_by(|a, b| a.section == b.section) {
            text(&mut out, (0.0, y + 15.0), "h", "start", &rows[0].section);
            y += ROW;
            for row in rows {
                let name = shortened(&row.name, (LEFT - 16.0) / LETTER);
                text(&mut out, (12.0, y + 15.0), "", "start", &name);
                for (column, square) in row.squares.iter().enumerate() {
                    if let Some(square) = square {
                        square.draw(&mut out, (left(column), y));
                    }
                }
                y += ROW;
            }
        }
        (out, (left(self.columns.len()), y + 4.0))
    }
}

impl Square {
    fn draw(&self, out: &mut String, (left, y): (f64, f64)) {
        let (class, number) = match self.shade {
            Shade::Warm(number) => ("f", number),
            Shade::Cool(number) => ("b", number),
        };
        let _ = writeln!(
            out,
            "<rect class=\"{class}{number}\" x=\"{}\" y=\"{}\" width=\"{}\" \
             height=\"{}\"><title>{}</title></rect>",
            coordinate(left + 1.0),
            coordinate(y + 1.0),
            CELL - 2.0,
            ROW - 2.0,
            escape(&self.title)
        );
        let place = (left + CELL / 2.0, y + 15.0);
        text(out, place, &format!("g{number}"), "middle", &self.number);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_sections_are_named_once() {
        let column = |name: &str| HeatColumn { group: 0, head: "Head".into(), name: name.into() };
        let square = Square { shade: Shade::Cool(4), number: "2.0".into(), title: "a < b".into() };
        let row = |name: &str, squares| HeatRow { section: "S".into(), name: name.into(), squares };
        let map = HeatMap {
            columns: vec![column("one"), column("two")],
            rows: vec![row("first", vec![Some(square), None]), row("second", vec![None, None])],
        };
        let (svg, size) = map.draw();
        assert_eq!((svg.matches("Head").count(), svg.matches(">S<").count()), (1, 1), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 1, "{svg}");
        assert!(svg.contains("class=\"b4\"") && svg.contains("a &lt; b"), "{svg}");
        assert_eq!(size, (LEFT + 2.0 * CELL, HEAD + 3.0 * ROW + 4.0));
    }
}
