//! Everything that was measured, as one JSON file: each sample of each launch, then what the table
//! shows of them.

use super::Error;
use super::environment::Environment;
use super::protocol::{BlockTimes, Sample};
use super::schedule::Mode;
use super::summary::Row;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// Version of the file format; changes when old readers would misread new files.
pub const FORMAT: &str = "commloom-demo-2";

/// The whole file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: String,
    /// False in a file that an interrupted demo left behind.
    pub complete: bool,
    /// Machine and libraries.
    pub environment: Environment,
    /// Launches of each example in each mode.
    pub runs: u32,
    /// Few repetitions: no statement about speed.
    pub quick: bool,
    /// Without commloom.
    pub baseline: bool,
    /// The selection of cells, if any.
    pub only: Option<String>,
    /// All launches, in the order of time.
    pub launches: Vec<Launch>,
    /// One per cell and library, computed from `launches`.
    pub rows: Vec<Row>,
}

impl Record {
    /// A record without launches.
    #[must_use]
    pub fn new(environment: Environment, options: &super::Options) -> Record {
        Record {
            format: FORMAT.to_owned(),
            complete: false,
            environment,
            runs: options.runs,
            quick: options.quick,
            baseline: options.baseline,
            only: options.only.clone(),
            launches: Vec::new(),
            rows: Vec::new(),
        }
    }
}

/// One launch of one example.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Launch {
    /// From 0.
    pub run: u32,
    /// Name of the program.
    pub example: String,
    /// Name of the MPI library.
    pub library: String,
    /// Native, with commloom, or both.
    pub mode: Mode,
    /// Of the whole launch.
    pub seconds: f64,
    /// Why its results do not count, if they do not.
    pub failure: Option<String>,
    /// All samples; empty after a failure, and where both modes go by turns.
    pub samples: Vec<Sample>,
    /// Measured by turns.
    #[serde(default)]
    pub blocks: Vec<BlockTimes>,
}

/// Writes the record so that a reader finds either the old file or the new one, whole.
///
/// # Errors
/// When the file cannot be written.
pub fn write(path: &Path, record: &Record) -> Result<(), Error> {
    let text = serde_json::to_string(record)
        .map_err(|e| Error::File { path: path.to_owned(), source: e.into() })?;
    let file = |source| Error::File { path: path.to_owned(), source };
    let directory = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory).map_err(file)?;
    let mut partial = tempfile::NamedTempFile::new_in(directory).map_err(file)?;
    partial.write_all(text.as_bytes()).map_err(file)?;
    partial.persist(path).map(|_| ()).map_err(|error| file(error.error))
}

/// Reads what [`write`] has written.
///
/// # Errors
/// When the file cannot be read or is no record.
pub fn read(path: &Path) -> Result<Record, Error> {
    let file = |source| Error::File { path: path.to_owned(), source };
    let text = std::fs::read(path).map_err(file)?;
    serde_json::from_slice(&text).map_err(|error| file(error.into()))
}

/// Writes a text file, and the directories above it.
///
/// # Errors
/// When one of them cannot be written.
pub fn write_text(path: &Path, text: &str) -> Result<(), Error> {
    let directory = path.parent().filter(|d| !d.as_os_str().is_empty());
    let written = directory.map_or(Ok(()), std::fs::create_dir_all);
    written
        .and_then(|()| std::fs::write(path, text))
        .map_err(|source| Error::File { path: path.to_owned(), source })
}
