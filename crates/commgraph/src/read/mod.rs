//! Readers of graphs that others wrote. Each takes texts and gives a [`Program`], or says what is
//! wrong and where.

pub mod allprof;
pub mod goal;
pub mod msccl;
mod places;

use commloom_layout::text::ParseError;

use crate::graph::Graph;

pub use places::{Place, Places};

/// The most processes that a file may have.
pub const MAX_RANKS: u32 = 1 << 24;

/// A graph, and where its operations stand in the text that it was read from.
#[derive(Debug, Clone)]
pub struct Program {
    /// The graph.
    pub graph: Graph,
    /// Whether the operations have addresses. Where they have none, all are 0, and the dataflow
    /// means nothing.
    pub addressed: bool,
    /// Where each operation stands.
    pub places: Places,
}

/// The notation of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// [`goal`].
    Goal,
    /// [`msccl`].
    Msccl,
    /// [`allprof`].
    Allprof,
}

impl Format {
    /// The format that the text seems to have, by its first characters. O(1) where it starts with
    /// neither blanks nor comments.
    ///
    /// # Errors
    /// A text that is none of them.
    pub fn of(text: &str) -> Result<Format, ParseError> {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        let starts = |words: &[&str]| words.iter().any(|word| start.starts_with(word));
        if starts(&["<"]) {
            return Ok(Format::Msccl);
        }
        if starts(&["#", "MPI_"]) {
            return Ok(Format::Allprof);
        }
        if starts(&["num_ranks", "//", "/*"]) {
            return Ok(Format::Goal);
        }
        let at = text.len() - start.len();
        let word = start.split_whitespace().next().unwrap_or_default();
        let message = "this is no communication graph: GOAL starts with `num_ranks`, MSCCL XML \
                       with `<algo`, a trace of liballprof with `# htor's PMPI Tracer` or \
                       `MPI_Init`";
        Err(ParseError::other(text, at..at + word.len(), message))
    }
}
