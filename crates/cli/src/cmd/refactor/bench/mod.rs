//! `--bench`: what packing a site's bytes takes on this machine, at the sizes of its sample.
//!
//! ```text
//! samples ─┬─► program (C, compiled once: the loops) ─► a process
//!          ├─► engine (commloom, in this process)
//!          └─► worker (this command again, one process for each library: MPI_Pack, MPI_Unpack)
//! ```
//!
//! All of them first do it once, and what they have done is compared byte for byte with what
//! [`pattern`] expects. Then they take turns.

mod engine;
mod loops;
mod pattern;
mod process;
mod program;
mod words;
mod worker;

use std::io::IsTerminal;
use std::path::Path;

use commloom_refactor::copies::Direction;
use commloom_refactor::verify::Sample;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::Failure;
use crate::files::private_folder;

pub use words::{json, table};
pub use worker::run as work;

/// Samples of each.
const ROUNDS: usize = 15;
/// Nanoseconds that one of them should take.
const LENGTH: f64 = 1e6;
/// Most calls of one sample.
const MOST: f64 = 1e6;

/// Packs or unpacks the bytes of samples, as often as asked.
trait Way {
    /// Its name in tables.
    fn name(&self) -> &str;

    /// Gets ready for the sample of this number, does it once, and compares all bytes.
    ///
    /// # Errors
    /// Why it cannot, or what was wrong.
    fn prepare(&mut self, number: usize, sample: &Sample) -> Result<(), String>;

    /// Nanoseconds of all of so many times.
    ///
    /// # Errors
    /// It failed.
    fn time(&mut self, times: u64) -> Result<f64, String>;
}

/// The measured times of one site.
pub struct Measured {
    /// By name; nanoseconds of each sample, or why there are none.
    pub ways: Vec<(String, Result<Vec<f64>, String>)>,
}

/// Measures all samples with these MPI libraries, or with all that are found.
///
/// # Errors
/// There is no room for files; a library that was named cannot be used.
pub fn measure(samples: &[&Sample], libraries: &[String]) -> Result<Vec<Measured>, Failure> {
    let folder = private_folder()?;
    let mut ways = ways(samples, libraries, folder.path())?;
    let bar = bar();
    bar.set_length(u64::try_from(samples.len()).unwrap_or(0));
    let mut measured = Vec::new();
    for (number, sample) in samples.iter().enumerate() {
        measured.push(one(number, sample, &mut ways));
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(measured)
}

fn ways(
    samples: &[&Sample],
    libraries: &[String],
    folder: &Path,
) -> Result<Vec<Box<dyn Way>>, Failure> {
    let mut ways: Vec<Box<dyn Way>> =
        vec![Box::new(loops::Loops::new(samples, folder)), Box::new(engine::Engine::default())];
    let named = !libraries.is_empty();
    let found: Vec<&str> = if named {
        libraries.iter().map(String::as_str).collect()
    } else {
        vec!["mpich", "openmpi", "abi"]
    };
    for library in found {
        match worker::Native::start(library) {
            Ok(native) => ways.push(Box::new(native)),
            Err(reason) if named => {
                return Err(Failure::message(format!("cannot measure with {library}: {reason}")));
            }
            // Not every machine has all of them.
            Err(_) => {}
        }
    }
    Ok(ways)
}

/// All ways by turns: a machine that is slow for a while is slow for all of them.
fn one(number: usize, sample: &Sample, ways: &mut [Box<dyn Way>]) -> Measured {
    if sample.direction == Direction::Unpack && pattern::overlaps(&sample.ty) {
        let reason = "at these sizes it would be received over itself";
        let ways = ways.iter().map(|way| (way.name().to_owned(), Err(reason.to_owned())));
        return Measured { ways: ways.collect() };
    }
    let mut all = Vec::new();
    for way in ways.iter_mut() {
        let times = way.prepare(number, sample).and_then(|()| {
            // Caches are cold the first time.
            way.time(1)?;
            let once = way.time(1)?.max(1.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "at least 1"
            )]
            let times = (LENGTH / once).clamp(1.0, MOST) as u64;
            Ok(times)
        });
        all.push((times, Vec::new()));
    }
    for _ in 0..ROUNDS {
        for (way, (times, samples)) in ways.iter_mut().zip(&mut all) {
            let Ok(count) = times else { continue };
            #[expect(clippy::cast_precision_loss, reason = "at most a million")]
            let per = *count as f64;
            match way.time(*count) {
                Ok(time) => samples.push(time / per),
                Err(reason) => *times = Err(reason),
            }
        }
    }
    let ways = ways.iter().zip(all);
    Measured {
        ways: ways
            .map(|(way, (times, samples))| (way.name().to_owned(), times.map(|_| samples)))
            .collect(),
    }
}

/// On a terminal only, and never on standard output.
fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("measuring {bar:40} call {pos} of {len}, {eta} left");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
