//! The results that are kept of a run: tables, a plot, and every sample.

mod markdown;
mod plot;
mod samples;
mod summary;
mod tables;
pub mod terminal;

use std::path::Path;

use crate::cell::{Cell, Outcome};
use crate::contender::Who;
use crate::layouts::{Layout, Skip};

pub use summary::summary;

/// A finished run.
pub struct Campaign<'a> {
    pub layouts: &'a [Layout],
    pub cells: &'a [Cell],
    /// Names of the MPI libraries, by number.
    pub libraries: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// Layouts and sizes that were not measured for a reason that is worth telling.
    pub skipped: Vec<(usize, i64, Skip)>,
    /// The answers in short, a line of Markdown each.
    pub summary: Vec<String>,
}

impl Campaign<'_> {
    /// Writes the report.
    pub fn write_markdown(&self, file: &Path) -> Result<(), String> {
        write(file, markdown::markdown(self).as_bytes())
    }

    /// Draws the plot.
    pub fn write_svg(&self, file: &Path) -> Result<(), String> {
        write(file, plot::plot(self).as_bytes())
    }

    /// Writes every sample.
    pub fn write_json(&self, file: &Path) -> Result<(), String> {
        let text = samples::json(self);
        if file.extension().is_some_and(|e| e == "zst") {
            let packed = zstd::encode_all(text.as_bytes(), 19).map_err(|e| e.to_string())?;
            return write(file, &packed);
        }
        write(file, text.as_bytes())
    }

    fn layout(&self, cell: &Cell) -> &Layout {
        &self.layouts[cell.layout]
    }

    /// Who it was, with the description where that matters.
    fn who(&self, outcome: &Outcome) -> String {
        match (&outcome.who, outcome.description) {
            (Who::Mpi(number), Some(description)) => {
                format!("{}, {description}", self.libraries[*number])
            }
            (who, _) => self.name(who),
        }
    }

    fn name(&self, who: &Who) -> String {
        match who {
            Who::Memcpy => "memcpy".into(),
            Who::Limit => "limit".into(),
            Who::Hand { compiler, sizes } => format!("{compiler}, {}", sizes.name()),
            Who::Commloom => "commloom".into(),
            Who::Mpi(number) => self.libraries[*number].clone(),
        }
    }
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(file, bytes).map_err(|e| format!("{}: {e}", file.display()))
}

/// A time with its unit, three digits.
fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        t if t < 999.5 => (t, "ns"),
        t if t < 999_500.0 => (t / 1e3, "us"),
        t => (t / 1e6, "ms"),
    };
    let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    format!("{value:.digits$} {unit}")
}

/// A size with its unit.
fn bytes(size: i64) -> String {
    match size {
        s if s < 1_000 => format!("{s} B"),
        s if s < 1_000_000 => format!("{} kB", s as f64 / 1e3),
        s => format!("{} MB", s as f64 / 1e6),
    }
}
