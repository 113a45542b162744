//! `commloom report`: a report that a run has written as JSON, for people.

use std::io::Write;
use std::path::PathBuf;

use commloom_report::{Format, Report};

use crate::failure::Failure;
use crate::input::{self, Source};
use crate::{files, terminal};

/// Print a JSON report of `exec`, or make a web page of it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A file of `commloom exec --report FILE.json`
    #[arg(value_name = "FILE.json")]
    report: PathBuf,
    /// Write to FILE: a web page if its name ends in .html, otherwise text
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  mpirun -n 4 commloom exec --report halo.json -- ./halo 100
  commloom report halo.json
  commloom report halo.json -o halo.html";

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let Source { name, text: json } = input::file(&args.report)?;
    let report = Report::read(&json)
        .map_err(|error| Failure::message(format!("{name} is no report in JSON: {error}")))?;
    let Some(output) = &args.output else {
        return Ok(terminal::text(false).write_all(report.write(Format::Text).as_bytes())?);
    };
    files::write(output, report.write(Format::of(output)))
}
