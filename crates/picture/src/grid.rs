//! Arrays as grids of cells, with numbers in those that are copied, as people draw them.

use std::fmt::Write;

/// An array, or the part of it that is worth a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// A line above it.
    pub heading: String,
    /// Cells in a row.
    pub row: usize,
    /// Rows that belong together, each with what the first cell is called.
    pub planes: Vec<Plane>,
}

/// A part of a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plane {
    /// The text above it.
    pub name: String,
    /// All its cells; the number of those that have one.
    pub cells: Vec<Option<usize>>,
}

/// Planes of one grid that are drawn.
pub(crate) const PLANES: usize = 12;
/// Rows of one plane that are drawn.
pub(crate) const ROWS: usize = 40;

impl Grid {
    /// The rows of a plane that are drawn.
    pub(crate) fn rows<'p>(&self, plane: &'p Plane) -> impl Iterator<Item = &'p [Option<usize>]> {
        plane.cells.chunks(self.row.max(1)).take(ROWS)
    }

    /// The rest, which is not drawn, in words.
    pub(crate) fn left_out(&self) -> Option<String> {
        let planes = self.planes.len().saturating_sub(PLANES);
        let most = self.planes.iter().take(PLANES).map(|p| p.cells.len() / self.row.max(1)).max();
        let rows = most.unwrap_or(0).saturating_sub(ROWS);
        match (planes, rows) {
            (0, 0) => None,
            (0, rows) => Some(format!("and {rows} more rows")),
            (planes, _) => Some(format!("and {planes} more planes like these")),
        }
    }
}

/// As lines of at most so many characters, if a plane alone is not wider.
#[must_use]
pub fn grid(grid: &Grid, width: usize) -> String {
    let largest = grid.planes.iter().flat_map(|p| &p.cells).flatten().max().copied().unwrap_or(0);
    let wide = largest.to_string().len() + 1;
    let blocks: Vec<Vec<String>> = grid
        .planes
        .iter()
        .take(PLANES)
        .map(|plane| {
            let rows = grid.rows(plane).map(|cells| {
                let cells = cells.iter().map(|cell| match cell {
                    Some(number) => format!("{number:>wide$}"),
                    None => format!("{:>wide$}", "·"),
                });
                cells.collect::<String>()
            });
            std::iter::once(format!(" {}", plane.name)).chain(rows).collect()
        })
        .collect();
    let mut text = format!("{}\n", grid.heading);
    let mut blocks = blocks.as_slice();
    while let Some(first) = blocks.first() {
        let column =
            |block: &[String]| block.iter().map(|line| line.chars().count()).max().unwrap_or(0) + 3;
        let mut used = column(first);
        let beside = blocks[1..]
            .iter()
            .take_while(|block| {
                used += column(block);
                used <= width + 3
            })
            .count();
        let (line, rest) = blocks.split_at(1 + beside);
        blocks = rest;
        for row in 0..line.iter().map(Vec::len).max().unwrap_or(0) {
            let mut out = String::new();
            for block in line {
                let cell = block.get(row).map_or("", String::as_str);
                let _ = write!(out, "{cell:<width$}", width = column(block));
            }
            let _ = writeln!(text, "{}", out.trim_end());
        }
    }
    if let Some(left_out) = grid.left_out() {
        let _ = writeln!(text, " {left_out}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(name: &str, cells: &[usize]) -> Plane {
        let number = |n: &usize| (*n > 0).then_some(*n);
        Plane { name: name.to_owned(), cells: cells.iter().map(number).collect() }
    }

    #[test]
    fn planes_stand_beside_each_other_as_far_as_they_fit() {
        let planes = vec![plane("g[0]", &[0, 1, 0, 2]), plane("g[1]", &[0, 10, 0, 11])];
        let grid_of = Grid { heading: "g".into(), row: 2, planes };
        assert_eq!(grid(&grid_of, 20), "g\n g[0]     g[1]\n  ·  1     · 10\n  ·  2     · 11\n");
        assert_eq!(grid(&grid_of, 8), "g\n g[0]\n  ·  1\n  ·  2\n g[1]\n  · 10\n  · 11\n");
    }

    #[test]
    fn what_is_too_much_is_told() {
        let planes = vec![plane("a", &[1]); PLANES + 2];
        let many = Grid { heading: "a".into(), row: 1, planes };
        assert!(grid(&many, 10).ends_with(" and 2 more planes like these\n"));
        let long = Grid { heading: "a".into(), row: 1, planes: vec![plane("a", &[1; ROWS + 3])] };
        assert!(grid(&long, 10).ends_with(" and 3 more rows\n"));
        let empty = Grid { heading: "a".into(), row: 0, planes: vec![plane("", &[])] };
        assert_eq!(grid(&empty, 10), "a\n\n");
    }
}
