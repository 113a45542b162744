//! Output of the examples (see `examples/common.h`): one `CELL` line per cell, or one `PAIRS` line
//! where ways go by turns (`examples/paired.h`), then `VERIFIED n cells`.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One row of the table, for each MPI library: a message or exchange.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// Name of the program.
    pub example: String,
    /// The layout in memory.
    pub layout: String,
    /// How it is described to MPI.
    pub description: String,
    /// That a rank sends in one repetition.
    pub bytes: u64,
}

/// The description of a layout that the program packs itself.
const BY_HAND: &str = "by-hand";
/// Begins the name of a layout whose time is that of a whole step, with the computing.
const STEP: &str = "step-";

impl Cell {
    /// The same message, packed by hand; nothing where it is.
    #[must_use]
    pub fn by_hand(&self) -> Option<Cell> {
        let typed = self.description != BY_HAND;
        typed.then(|| Cell { description: BY_HAND.to_owned(), ..self.clone() })
    }

    /// The name of these cells in a summary: the example, and what sets them apart from its
    /// others.
    #[must_use]
    pub fn subject(&self) -> String {
        let step = if self.layout.starts_with(STEP) { ", whole step" } else { "" };
        let by_hand = if self.description == BY_HAND { ", packed by hand" } else { "" };
        format!("{}{step}{by_hand}", self.example)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.example, self.layout, self.description, self.bytes)
    }
}

/// The measurement of one cell in one launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Which cell.
    pub cell: Cell,
    /// Median over the repetitions, of the slowest rank.
    pub median_us: f64,
    /// Minimum over the repetitions, of the slowest rank.
    pub min_us: f64,
    /// Of everything that all ranks received in a fixed set of repetitions.
    pub checksum: String,
}

/// The measurement of one cell in one launch in which native and commloom go by turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockTimes {
    /// Which cell.
    pub cell: Cell,
    /// Medians of blocks in microseconds: native and commloom, side by side in time.
    pub pairs: Vec<[f64; 2]>,
}

/// Why an output cannot be trusted.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A line that begins like a cell and is none.
    #[error("output line {line} is not a cell ({reason}): {text:?}")]
    BadCell {
        /// From 1.
        line: usize,
        /// The whole line.
        text: String,
        /// The fault of the line.
        reason: &'static str,
    },
    /// The program did not say that it verified its results.
    #[error("no line \"VERIFIED n cells\" after {0} cells")]
    NotVerified(usize),
    /// It verified another number of cells than it printed.
    #[error("{verified} cells verified, but {printed} printed")]
    Count {
        /// From the last line.
        verified: usize,
        /// Lines.
        printed: usize,
    },
    /// A cell that should be there is not.
    #[error("cell \"{0}\" is missing")]
    Missing(Cell),
    /// A cell that nobody asked for, or one twice.
    #[error("cell \"{0}\" was not expected")]
    Unexpected(Cell),
}

/// Reads the output of a measuring launch. Lines of other programs (of the MPI library, say) are
/// passed over.
///
/// # Errors
/// When the output is not that of an example which verified all it printed.
pub fn parse(output: &str) -> Result<Vec<Sample>, Error> {
    lines(output, "CELL ", sample)
}

/// Reads the output of a launch in which native and commloom go by turns.
///
/// # Errors
/// As [`parse`].
pub fn parse_pairs(output: &str) -> Result<Vec<BlockTimes>, Error> {
    lines(output, "PAIRS ", blocks)
}

fn lines<T>(
    output: &str,
    begins: &str,
    read: impl Fn(&str) -> Result<T, &'static str>,
) -> Result<Vec<T>, Error> {
    let mut found = Vec::new();
    let mut verified = None;
    for (number, text) in output.lines().enumerate() {
        if let Some(rest) = text.strip_prefix(begins) {
            let bad = |reason| Error::BadCell { line: number + 1, text: text.to_owned(), reason };
            found.push(read(rest).map_err(bad)?);
        } else if let Some(rest) = text.strip_prefix("VERIFIED ") {
            verified = rest.strip_suffix(" cells").and_then(|n| n.parse::<usize>().ok());
        }
    }
    let printed = found.len();
    match verified {
        None => Err(Error::NotVerified(printed)),
        Some(verified) if verified != printed => Err(Error::Count { verified, printed }),
        Some(_) => Ok(found),
    }
}

/// Checks that exactly the `expected` cells were measured, each one once.
///
/// # Errors
/// The first cell that is missing or superfluous.
pub fn check_cells(measured: &[&Cell], expected: &[Cell]) -> Result<(), Error> {
    for cell in expected {
        match measured.iter().filter(|m| **m == cell).count() {
            0 => return Err(Error::Missing(cell.clone())),
            1 => {}
            _ => return Err(Error::Unexpected(cell.clone())),
        }
    }
    match measured.iter().find(|m| !expected.contains(m)) {
        Some(extra) => Err(Error::Unexpected((*extra).clone())),
        None => Ok(()),
    }
}

/// Reads the output of `--list`.
#[must_use]
pub fn parse_list(output: &str, example: &str) -> Vec<Cell> {
    let own = |cell: &Cell| cell.example == example;
    output.lines().filter_map(|line| cell(&fields(line)).ok().filter(own)).collect()
}

/// The fields of a line.
fn fields(text: &str) -> Vec<&str> {
    text.split_ascii_whitespace().collect()
}

/// The cell that these four fields name.
fn cell(fields: &[&str]) -> Result<Cell, &'static str> {
    let &[example, layout, description, bytes] = fields else {
        return Err("wrong number of fields");
    };
    let bytes = bytes.parse().map_err(|_| "bytes are no number")?;
    let owned = str::to_owned;
    Ok(Cell {
        example: owned(example),
        layout: owned(layout),
        description: owned(description),
        bytes,
    })
}

fn time(text: &str) -> Result<f64, &'static str> {
    match text.parse::<f64>() {
        Ok(time) if time.is_finite() && time >= 0.0 => Ok(time),
        _ => Err("a time is no number"),
    }
}

fn blocks(text: &str) -> Result<BlockTimes, &'static str> {
    let fields = fields(text);
    let (named, times) = fields.split_at_checked(4).ok_or("wrong number of fields")?;
    let (pairs, []) = times.as_chunks::<2>() else { return Err("a block without its partner") };
    if pairs.is_empty() {
        return Err("no blocks");
    }
    let pair = |[native, commloom]: &[&str; 2]| Ok([time(native)?, time(commloom)?]);
    Ok(BlockTimes { cell: cell(named)?, pairs: pairs.iter().map(pair).collect::<Result<_, _>>()? })
}

fn sample(text: &str) -> Result<Sample, &'static str> {
    let fields = fields(text);
    let &[.., median, min, checksum] = fields.as_slice() else {
        return Err("wrong number of fields");
    };
    let cell = cell(&fields[..fields.len() - 3])?;
    if checksum.len() != 16 || !checksum.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err("the checksum has not 16 hexadecimal digits");
    }
    let (median_us, min_us) = (time(median)?, time(min)?);
    Ok(Sample { cell, median_us, min_us, checksum: checksum.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "CELL pingpong tiled-A2-B4 vector 3200 1.250 1.125 00ff00ff00ff00ff";

    fn output(lines: &[&str]) -> String {
        lines.join("\n")
    }

    #[test]
    fn cells_packed_by_hand_and_whole_steps_are_told_apart() {
        let cell = |layout: &str, description: &str| Cell {
            example: "stencil".into(),
            layout: layout.into(),
            description: description.into(),
            bytes: 8,
        };
        let by_hand = cell("exchange-n32", "by-hand");
        assert_eq!(cell("exchange-n32", "isend").by_hand().as_ref(), Some(&by_hand));
        assert_eq!(by_hand.by_hand(), None);
        assert_eq!(cell("exchange-n32", "isend").subject(), "stencil");
        assert_eq!(by_hand.subject(), "stencil, packed by hand");
        assert_eq!(cell("step-n32", "isend").subject(), "stencil, whole step");
    }

    #[test]
    fn a_cell_is_read_field_by_field() {
        let samples = parse(&output(&["noise of mpiexec", LINE, "VERIFIED 1 cells"])).unwrap();
        assert_eq!(samples.len(), 1);
        assert_eq!(samples[0].cell.to_string(), "pingpong tiled-A2-B4 vector 3200");
        assert_eq!((samples[0].median_us, samples[0].min_us), (1.25, 1.125));
        assert_eq!(samples[0].checksum, "00ff00ff00ff00ff");
    }

    #[test]
    fn blocks_are_read_in_pairs() {
        let blocks = parse_pairs("x\nPAIRS e l d 8 2.0 1.0 4.0 2.5\nVERIFIED 1 cells\n").unwrap();
        assert_eq!(blocks[0].cell.to_string(), "e l d 8");
        assert_eq!(blocks[0].pairs, [[2.0, 1.0], [4.0, 2.5]]);
        for damaged in [
            "PAIRS e l d 8 2.0 1.0\n",
            "PAIRS e l d 8 2.0\nVERIFIED 1 cells\n",
            "PAIRS e l d 8\nVERIFIED 1 cells\n",
            "PAIRS e l d eight 2.0 1.0\nVERIFIED 1 cells\n",
            "PAIRS e l d 8 2.0 1.0\nVERIFIED 2 cells\n",
        ] {
            assert!(parse_pairs(damaged).is_err(), "{damaged}");
        }
    }

    #[test]
    fn output_without_verification_is_refused() {
        assert_eq!(parse(LINE), Err(Error::NotVerified(1)));
        assert_eq!(parse(""), Err(Error::NotVerified(0)));
        assert_eq!(parse(&output(&[LINE, "VERIFIED one cells"])), Err(Error::NotVerified(1)));
    }

    #[test]
    fn lost_lines_are_noticed() {
        let lost = parse(&output(&[LINE, "VERIFIED 2 cells"]));
        assert_eq!(lost, Err(Error::Count { verified: 2, printed: 1 }));
    }

    #[test]
    fn a_damaged_cell_names_its_line_and_reason() {
        for (line, expected) in [
            ("CELL pingpong vector 3200 1.2 1.1 00ff00ff00ff00ff", "wrong number of fields"),
            ("CELL x", "wrong number of fields"),
            ("CELL p l d 32x 1.2 1.1 00ff00ff00ff00ff", "bytes are no number"),
            ("CELL p l d 32 nan 1.1 00ff00ff00ff00ff", "a time is no number"),
            ("CELL p l d 32 1.2 -1.1 00ff00ff00ff00ff", "a time is no number"),
            ("CELL p l d 32 1.2 1.1 00ff", "the checksum has not 16 hexadecimal digits"),
        ] {
            match parse(&output(&["first line", line, "VERIFIED 1 cells"])) {
                Err(Error::BadCell { line: 2, reason, .. }) => assert_eq!(reason, expected),
                other => panic!("{line}: {other:?}"),
            }
        }
    }

    #[test]
    fn missing_superfluous_and_repeated_cells_are_told_apart() {
        let samples = parse(&output(&[LINE, "VERIFIED 1 cells"])).unwrap();
        let cell = samples[0].cell.clone();
        let other = Cell { bytes: 1, ..cell.clone() };
        let only = std::slice::from_ref(&cell);
        assert_eq!(check_cells(&[&cell], only), Ok(()));
        assert_eq!(
            check_cells(&[&cell], &[cell.clone(), other.clone()]),
            Err(Error::Missing(other))
        );
        assert_eq!(check_cells(&[&cell], &[]), Err(Error::Unexpected(cell.clone())));
        assert_eq!(check_cells(&[&cell, &cell], only), Err(Error::Unexpected(cell.clone())));
    }

    #[test]
    fn a_list_keeps_the_order_and_passes_over_other_lines() {
        let list = "warning: something\npingpong b vector 8\npingpong a unit 4\n";
        let names: Vec<_> = parse_list(list, "pingpong").iter().map(|c| c.layout.clone()).collect();
        assert_eq!(names, ["b", "a"]);
    }
}
