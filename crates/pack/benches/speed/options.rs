//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::layouts::{Layout, SIZES};

/// Compares commloom's pack engine with memcpy, hand-written C loops and the MPI libraries of this
/// machine, interleaved in one run, results verified byte for byte. Prints one line per layout and
/// direction: time of commloom, and how many times longer the others take.
#[derive(Parser, Debug, Clone)]
#[command(name = "speed", bin_name = "cargo bench -p commloom-pack --")]
pub struct Options {
    /// Only layouts whose family and name contain all words of one of these, e.g. "basic block
    /// A=2".
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
    /// About a minute: a few layouts, three sizes, fewer rounds.
    #[arg(long)]
    pub quick: bool,
    /// Packed sizes out of 100, 3200, 32000, 256000, 2560000, 64000000 bytes (k and M are
    /// understood).
    #[arg(long, value_delimiter = ',', value_parser = size)]
    pub sizes: Vec<i64>,
    /// As FILTER, several separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub layouts: Vec<String>,
    /// Only this direction.
    #[arg(long, value_parser = ["pack", "unpack"])]
    pub direction: Option<String>,
    /// Samples of each contender in a cell; long calls get fewer, at least three.
    #[arg(long, default_value_t = 15)]
    pub rounds: usize,
    /// An MPI library to compare with, besides those that are found.
    #[arg(long, value_name = "PATH")]
    pub mpi: Vec<PathBuf>,
    /// No MPI library.
    #[arg(long)]
    pub no_mpi: bool,
    /// Memory begins so many bytes past a multiple of 4096, and the packed stream three times as
    /// many.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..4096))]
    pub misalign: u16,
    /// commloom normalizes each description before it plans, as `commloom exec` does.
    #[arg(long)]
    pub normalize: bool,
    /// Run on this processor only.
    #[arg(long, value_name = "N")]
    pub cpu: Option<usize>,
    /// Hold a lock on this file while a layout and size is measured, so that several people can
    /// share a machine (`flock FILE COMMAND` waits for it too).
    #[arg(long, value_name = "FILE")]
    pub lock: Option<PathBuf>,
    /// Where lists get their places from.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Every size, also 64 MB for every layout: for the whole table this takes hours.
    #[arg(long)]
    pub all: bool,
    /// Write every sample here (compressed if it ends in .zst).
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a plot here.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write a report here.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Be the process of this MPI library, see `mpi::worker`.
    #[arg(long, hide = true, requires = "memory")]
    pub worker: Option<PathBuf>,
    /// The descriptor of the shared memory, for a worker.
    #[arg(long, hide = true)]
    pub memory: Option<i32>,
    /// Cargo says so.
    #[arg(long, hide = true)]
    bench: bool,
}

/// The cases of `--quick`.
const QUICK: [&str; 8] = [
    "basic A=2",
    "vector 8 stride 3",
    "face x 128",
    "transpose 512 8",
    "subarray 4-D 8^3",
    "list 1 x 8",
    "struct particle",
    "three doubles",
];

impl Options {
    /// Whether a layout was asked for.
    pub fn wants(&self, layout: &Layout) -> bool {
        let name = format!("{} {}", layout.family, layout.name);
        let matches = |filter: &str| filter.split_whitespace().all(|word| occurs(word, &name));
        let mut filters = self.filters.iter().chain(&self.layouts).peekable();
        if filters.peek().is_some() {
            filters.any(|filter| matches(filter))
        } else {
            !self.quick || QUICK.into_iter().any(matches)
        }
    }

    /// The sizes asked for.
    pub fn sizes(&self) -> Vec<i64> {
        match (self.sizes.is_empty(), self.quick) {
            (false, _) => SIZES.into_iter().filter(|size| self.sizes.contains(size)).collect(),
            (true, true) => vec![100, 3_200, 256_000],
            (true, false) => SIZES.to_vec(),
        }
    }

    /// Whether a layout is measured at a size, if it has it.
    pub fn measures(&self, layout: &Layout, size: i64) -> bool {
        let largest = size == SIZES[SIZES.len() - 1];
        layout.large || !largest || self.all || self.sizes.contains(&size)
    }

    /// Packing, unpacking or both.
    pub fn directions(&self) -> Vec<bool> {
        match self.direction.as_deref() {
            Some("pack") => vec![true],
            Some(_) => vec![false],
            None => vec![true, false],
        }
    }
}

/// Whether a word occurs in a name; a number only as a whole.
fn occurs(word: &str, name: &str) -> bool {
    name.match_indices(word).any(|(at, _)| {
        let digit = |c: char| c.is_ascii_digit();
        let (before, after) = (&name[..at], &name[at + word.len()..]);
        let cut = (word.starts_with(digit) && before.ends_with(digit))
            || (word.ends_with(digit) && after.starts_with(digit));
        !cut
    })
}

fn size(text: &str) -> Result<i64, String> {
    let (number, unit) = match text.char_indices().find(|(_, c)| c.is_ascii_alphabetic()) {
        Some((at, 'k')) => (&text[..at], 1e3),
        Some((at, 'M')) => (&text[..at], 1e6),
        _ => (text, 1.0),
    };
    let bytes = number.parse::<f64>().map_err(|e| e.to_string())? * unit;
    let found = SIZES.into_iter().find(|&size| (size as f64 - bytes).abs() < 1.0);
    found.ok_or_else(|| format!("sizes are {SIZES:?}"))
}
