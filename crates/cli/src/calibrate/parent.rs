//! Starts the process that measures, and listens to it.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use super::Measured;
use super::child::MARK;
use crate::failure::Failure;
use crate::streams::{lines_of, rest_of};

/// A process that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lets another process time the family with the first of `libraries` that is there; `progress`
/// gets the number of rounds that are done.
///
/// # Errors
/// No such library, or what went wrong in it.
pub fn measure(
    libraries: &[PathBuf],
    rounds: u32,
    progress: impl Fn(u64),
) -> Result<Measured, Failure> {
    let mut child = start(libraries, rounds)?;
    let (lines, messages) = (lines_of(child.stdout.take()), rest_of(child.stderr.take()));
    let mut measured = Measured { version: String::new(), path: String::new(), times: Vec::new() };
    let end = loop {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                let Some(line) = line.strip_prefix(MARK) else { continue };
                let (what, value) = line.split_once(' ').unwrap_or((line, ""));
                match what {
                    "round" => progress(value.parse().unwrap_or(0)),
                    "library" => value.clone_into(&mut measured.path),
                    "version" => value.clone_into(&mut measured.version),
                    "time" => measured.times.extend(value.parse::<f64>()),
                    "error" => break Err(value.to_owned()),
                    "done" => break Ok(()),
                    _ => {}
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                let seconds = PATIENCE.as_secs();
                break Err(format!("the library did nothing for {seconds} seconds"));
            }
            Err(RecvTimeoutError::Disconnected) => {
                break Err("the library ended the process".to_owned());
            }
        }
    };
    if end.is_err() {
        // It may hang, or have ended already: nothing more is wanted of it.
        let _ = child.kill();
    }
    let status = child.wait();
    end.map(|()| measured).map_err(|reason| {
        let said = messages.recv().unwrap_or_default();
        let status = status.map_or(String::new(), |s| format!(" ({s})"));
        let said = match said.trim() {
            "" => String::new(),
            text => format!("\nit said:\n{}", last_lines(text)),
        };
        let status = if reason.contains("ended the process") { status } else { String::new() };
        Failure::message(format!("cannot measure MPI_Pack: {reason}{status}{said}"))
    })
}

/// `commloom calibrate --measure-here ...`, as the only MPI process.
fn start(libraries: &[PathBuf], rounds: u32) -> Result<Child, Failure> {
    let this = std::env::current_exe().map_err(|error| Failure::File {
        doing: "find",
        name: "the executable of commloom".to_owned(),
        error,
    })?;
    let mut command = Command::new(&this);
    command.args(["calibrate", "--rounds", &rounds.to_string()]);
    for library in libraries {
        command.arg("--measure-here").arg(library);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A preload would be measured in place of the library.
        .env_remove("LD_PRELOAD")
        // Open MPI starts as root only if told so; the process packs its own memory, no more.
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        // It talks to nobody: no network is looked for.
        .env("OMPI_MCA_btl", "self");
    command.spawn().map_err(|error| Failure::File {
        doing: "start",
        name: this.display().to_string(),
        error,
    })
}

/// The last lines of a text: MPI libraries say much when they end, and the reason near its end.
fn last_lines(text: &str) -> String {
    const SHOWN: usize = 20;
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(SHOWN)..].join("\n")
}
