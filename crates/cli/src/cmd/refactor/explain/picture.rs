//! The datatype at small sizes: cells of the program's arrays, numbered in the order of the
//! buffer.

use commloom_picture::{Grid, Plane, Sketch, sketch};
use commloom_refactor::check::Finding;
use commloom_refactor::copies::Direction;
use commloom_refactor::explain::{Array, Example};

use super::{Site, lines};
use crate::cmd::refactor::words;

/// The arrays as they are drawn.
pub fn grids(example: &Example) -> Vec<Grid> {
    example.arrays.iter().map(grid).collect()
}

fn grid(array: &Array) -> Grid {
    let planes = array
        .planes
        .iter()
        .map(|plane| Plane { name: plane.name.clone(), cells: plane.cells.clone() })
        .collect();
    let bytes = commloom_picture::counted(array.cell.unsigned_abs(), "byte", "bytes");
    let rows = array.rows.map_or_else(String::new, |(first, last, all)| {
        format!(", rows {first} to {last} of {all}")
    });
    let heading = format!("{}, {} cells of {bytes} in a row{rows}", array.name, array.row);
    Grid { heading, row: array.row, planes }
}

/// Which sizes are shown: `at nx = 6, ny = 5`.
pub fn sizes(example: &Example) -> String {
    let all: Vec<String> =
        example.sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if all.is_empty() { String::new() } else { format!("at {}", all.join(", ")) }
}

/// The meaning of the numbers in the cells.
pub fn meaning(site: &Site<'_>) -> String {
    let buffer = &site.explanation.buffer;
    match site.explanation.direction {
        Some(Direction::Unpack) => format!("numbered by where it comes from in '{buffer}'"),
        _ => format!("numbered by its place in '{buffer}'"),
    }
}

/// All in one picture; none where there is no datatype.
pub fn svg(site: &Site<'_>) -> Option<String> {
    let Finding { function, outcome, .. } = site.finding;
    let summary = &outcome.as_ref().ok()?.summary;
    let example = site.explanation.example.as_ref()?;
    let at = words::place(site.project, site.finding.site);
    let buffer = &site.explanation.buffer;
    let mut grids = grids(example);
    grids.push(strip(&grids, buffer));
    Some(sketch(&Sketch {
        title: &format!("{at}: {function} of '{buffer}'"),
        code: &lines::code(site),
        caption: &format!("What is copied {}, {}:", sizes(example), meaning(site)),
        grids: &grids,
        steps: &lines::passes(site),
        heading: &format!("As a datatype that begins at {}: {summary}", site.explanation.begin),
        tree: &site.explanation.tree,
    }))
}

/// The buffer.
fn strip(grids: &[Grid], buffer: &str) -> Grid {
    /// Cells in a row.
    const ROW: usize = 30;
    let all = grids.iter().flat_map(|grid| &grid.planes).flat_map(|plane| &plane.cells);
    let last = all.flatten().max().copied().unwrap_or(0);
    let cells = (1..=last).map(Some).collect();
    let planes = vec![Plane { name: String::new(), cells }];
    Grid { heading: buffer.to_owned(), row: last.clamp(1, ROW), planes }
}
