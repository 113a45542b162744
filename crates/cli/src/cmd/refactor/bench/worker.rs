//! The process that opens an MPI library, and what asks it.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::Command;

use commloom_mpi::{SingleSession, Work, first_that_opens, single};
use commloom_refactor::copies::Direction;
use commloom_refactor::verify::Sample;

use super::process::{MARK, Process};
use super::{Way, pattern};
use crate::cmd::calibrate::candidates;
use crate::failure::Failure;

/// An MPI library, in a process of its own: it may end it.
pub struct Native {
    process: Process,
    name: String,
}

impl Native {
    /// Starts it: `mpich`, `openmpi`, `abi`, or the path of a library.
    ///
    /// # Errors
    /// There is no such library, or it cannot be used.
    pub fn start(library: &str) -> Result<Native, String> {
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(this);
        command.arg("refactor");
        for library in candidates(library) {
            command.arg("--bench-here").arg(library);
        }
        command
            // A preload would be measured in place of the library.
            .env_remove("LD_PRELOAD")
            // Open MPI starts as root only if told so; the process packs its own memory, no more.
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            // It talks to nobody: no network is looked for.
            .env("OMPI_MCA_btl", "self");
        let mut process = Process::start(&mut command)?;
        let name = process.answer()?;
        Ok(Native { process, name })
    }
}

impl Way for Native {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare(&mut self, _: usize, sample: &Sample) -> Result<(), String> {
        let direction = match sample.direction {
            Direction::Pack => "pack",
            Direction::Unpack => "unpack",
        };
        self.process.ask(&format!("{direction} {}", sample.ty)).map(|_| ())
    }

    fn time(&mut self, times: u64) -> Result<f64, String> {
        let answer = self.process.ask(&format!("time {times}"))?;
        answer.parse().map_err(|_| format!("{answer} is no time"))
    }
}

/// Opens the first of `libraries` that is there, and does what is asked on standard input.
///
/// # Errors
/// Nobody listens.
pub fn run(libraries: &[PathBuf]) -> Result<(), Failure> {
    let served = first_that_opens(libraries, |library| single(library, |packer| Ok(serve(packer))));
    Ok(served.unwrap_or_else(|error| say(Err(error.to_string())))?)
}

fn say(answer: Result<String, String>) -> io::Result<()> {
    let (what, text) = match answer {
        Ok(text) => ("ok", text),
        Err(text) => ("error", text),
    };
    let mut out = io::stdout().lock();
    writeln!(out, "{MARK}{what} {}", text.replace('\n', " "))?;
    out.flush()
}

/// First says which library it is.
fn serve(packer: &mut dyn SingleSession) -> io::Result<()> {
    let version = packer.version().map_err(|error| error.to_string());
    say(version.map(|version| {
        let first = version.lines().next().unwrap_or_default();
        // `Open MPI v4.1.4, package: ...` goes on for long.
        let first = first.split(", package").next().unwrap_or_default();
        first.replace("Version:", " ").split_whitespace().collect::<Vec<_>>().join(" ")
    }))?;
    let mut work = Work::Pack;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (what, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let answer = match what {
            "time" => time(packer, work, rest),
            _ => {
                work = if what == "unpack" { Work::Unpack } else { Work::Pack };
                prepare(packer, work, rest)
            }
        };
        say(answer)?;
    }
    Ok(())
}

/// Makes the datatype, uses it once, and compares all bytes.
fn prepare(packer: &mut dyn SingleSession, work: Work, text: &str) -> Result<String, String> {
    packer.clear();
    let ty = commloom_layout::text::parse(text).map_err(|error| error.to_string())?;
    let direction = match work {
        Work::Pack => Direction::Pack,
        Work::Unpack => Direction::Unpack,
    };
    let number = packer.add(&ty).map_err(|error| error.to_string())?;
    let [memory, packed] = packer.buffers(number);
    pattern::fill(direction, memory, packed);
    packer.time(number, work, 1).map_err(|error| error.to_string())?;
    let [memory, packed] = packer.buffers(number);
    let written = if direction == Direction::Pack { packed } else { memory };
    let sample = Sample { ty, direction, size: None, names: Vec::new() };
    match pattern::wrong(&sample, written) {
        Some(wrong) => Err(wrong),
        None => Ok(String::new()),
    }
}

fn time(packer: &mut dyn SingleSession, work: Work, times: &str) -> Result<String, String> {
    let times = times.parse().map_err(|_| format!("{times} is no number"))?;
    let time = packer.time(0, work, times).map_err(|error| error.to_string())?;
    Ok((time.as_secs_f64() * 1e9).to_string())
}
