//! The output of a campaign beside its samples: reports, pictures, the comparison with a baseline.

use std::io::{self, Write};
use std::path::Path;

use commloom_guideline::check::check as compare;
use commloom_guideline::report::{Rasterizer, Report};
use commloom_guideline::results::Results;

use super::{Args, options};
use crate::failure::Failure;
use crate::{files, terminal};

/// Whether reports can be written: better known before a campaign than after it.
///
/// # Errors
/// The first one that cannot.
pub fn check(args: &Args) -> Result<(), Failure> {
    for file in [&args.json, &args.html].into_iter().flatten() {
        let folder = match file.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        std::fs::metadata(folder).map_err(|error| unwritable(file, error))?;
        if file.is_dir() {
            return Err(unwritable(file, io::ErrorKind::IsADirectory.into()));
        }
    }
    for folder in [&args.svg, &args.png].into_iter().flatten() {
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
    }
    if args.png.is_some() {
        rasterizer()?;
    }
    Ok(())
}

/// Writes all that was asked for.
///
/// # Errors
/// A file that cannot be written; [`Failure::No`] where a library is slower than in the baseline.
pub fn report(args: &Args, files: &[&Results], baseline: Option<&Results>) -> Result<(), Failure> {
    let report = match args.threshold {
        Some(threshold) => Report::with_threshold(files, threshold),
        None => Report::of(files),
    };
    let colours = crate::cmd::takes_colours(&io::stdout());
    io::stdout().lock().write_all(report.terminal(colours).as_bytes())?;
    if let Some(file) = &args.html {
        write(file, report.html().as_bytes())?;
    }
    if args.svg.is_some() || args.png.is_some() {
        pictures(args, &report)?;
    }
    let (Some(baseline), Some(now)) = (baseline, files.first()) else { return Ok(()) };
    let threshold = args.threshold.unwrap_or(options::THRESHOLD);
    let compared = compare(baseline, now, threshold);
    write!(terminal::text(false), "\n{}", compared.text())?;
    if compared.is_worse() { Err(Failure::No) } else { Ok(()) }
}

fn pictures(args: &Args, report: &Report<'_>) -> Result<(), Failure> {
    let rasterizer = args.png.as_ref().map(|_| rasterizer()).transpose()?;
    for plot in report.plots() {
        if let Some(folder) = &args.svg {
            write(&folder.join(format!("{}.svg", plot.name)), plot.svg.as_bytes())?;
        }
        if let (Some(folder), Some(rasterizer)) = (&args.png, &rasterizer) {
            let picture = rasterizer.png(&plot).map_err(|e| Failure::message(e.to_string()))?;
            write(&folder.join(format!("{}.png", plot.name)), &picture)?;
        }
    }
    Ok(())
}

fn rasterizer() -> Result<Rasterizer, Failure> {
    Rasterizer::new().map_err(|error| Failure::message(format!("--png: {error}")))
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    files::write(file, bytes)
}

fn unwritable(file: &Path, error: io::Error) -> Failure {
    Failure::File { doing: "write", name: file.display().to_string(), error }
}
