//! One launch of an example: start it, wait for it, read what it says.

use super::Error;
use super::mpi::{Example, Library};
use super::protocol::{self, BlockTimes, Cell, Sample};
use super::record::Launch;
use super::schedule::Mode;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Every example runs on this many ranks.
pub const RANKS: u32 = 2;

/// How commloom runs a program that calls `MPI_Pcontrol` to be left alone for a while. Every run
/// is the first one: the others would be shorter.
pub(super) const BY_TURNS: [&str; 4] = ["exec", "--off", "regions,history", "--"];

/// Lines of an error output that are worth repeating.
const QUOTED_LINES: usize = 12;

/// The output and end of a finished launch.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
    /// How it ended, if not well.
    pub failure: Option<String>,
}

/// Starts an example and waits for its end: processes in earnest, something else in tests.
pub trait Launcher {
    /// Runs `example` with these arguments.
    fn launch(
        &self,
        library: &Library,
        example: &Example,
        mode: Mode,
        arguments: &[String],
    ) -> Outcome;
}

/// Launches with `mpiexec`.
pub struct Processes {
    /// The binary.
    pub commloom: PathBuf,
    /// After this time a launch is ended.
    pub timeout: Duration,
}

impl Launcher for Processes {
    fn launch(
        &self,
        library: &Library,
        example: &Example,
        mode: Mode,
        arguments: &[String],
    ) -> Outcome {
        let mut command = library.launch(RANKS);
        match mode {
            Mode::Native => {}
            Mode::Commloom => {
                command.arg(&self.commloom).args(["exec", "--off", "history", "--"]);
            }
            Mode::ByTurns => {
                command.arg(&self.commloom).args(BY_TURNS);
            }
        }
        command.arg(&example.program).args(arguments);
        if mode == Mode::ByTurns {
            command.arg("--paired");
        }
        finish(&mut command, self.timeout)
    }
}

/// Runs a command to its end, or to the end of `timeout`.
pub(super) fn finish(command: &mut Command, timeout: Duration) -> Outcome {
    let failed = |failure: String| Outcome {
        output: String::new(),
        errors: String::new(),
        failure: Some(failure),
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(e) => return failed(format!("cannot start {}: {e}", command.get_program().display())),
    };
    // Both pipes end when all ranks have; reading them in threads leaves this one free to watch
    // the clock.
    let (output, errors) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let deadline = Instant::now() + timeout;
    let output = receive(&output, deadline);
    let errors = receive(&errors, deadline);
    let failure = match (&output, &errors) {
        (Some(_), Some(_)) => match child.wait() {
            Ok(status) if status.success() => None,
            Ok(status) => Some(status.to_string()),
            Err(e) => Some(e.to_string()),
        },
        _ => {
            end(&mut child);
            Some(format!("still running after {} s, ended", timeout.as_secs()))
        }
    };
    Outcome { output: output.unwrap_or_default(), errors: errors.unwrap_or_default(), failure }
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

fn receive(from: &mpsc::Receiver<String>, deadline: Instant) -> Option<String> {
    from.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

/// Asks the launcher to end, so that it ends its ranks; kills it when it does not.
fn end(child: &mut Child) {
    let _ = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    for _ in 0..30 {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The cells that this example has under these arguments.
///
/// # Errors
/// When it does not answer.
pub fn list(
    launcher: &dyn Launcher,
    library: &Library,
    example: &Example,
    arguments: &[String],
) -> Result<Vec<Cell>, Error> {
    let mut arguments = arguments.to_vec();
    arguments.push("--list".to_owned());
    let outcome = launcher.launch(library, example, Mode::Native, &arguments);
    match outcome.failure {
        None => Ok(protocol::parse_list(&outcome.output, &example.name)),
        Some(failure) => Err(Error::Command {
            command: format!("{} --list ({})", example.program.display(), library.name),
            reason: with_errors(&failure, &outcome.errors),
        }),
    }
}

/// Launches an example to measure; whatever goes wrong becomes part of the answer.
pub fn measure(
    launcher: &dyn Launcher,
    library: &Library,
    example: &Example,
    mode: Mode,
    arguments: &[String],
    run: u32,
    expected: &[Cell],
) -> Launch {
    let begin = Instant::now();
    let outcome = launcher.launch(library, example, mode, arguments);
    let seconds = begin.elapsed().as_secs_f64();
    let measured = match outcome.failure {
        Some(failure) => Err(failure),
        None => measurements(mode, &outcome.output, expected).map_err(|e| e.to_string()),
    };
    let ((samples, blocks), failure) = match measured {
        Ok(measured) => (measured, None),
        Err(failure) => (Default::default(), Some(with_errors(&failure, &outcome.errors))),
    };
    Launch {
        run,
        example: example.name.clone(),
        library: library.name.clone(),
        mode,
        seconds,
        failure,
        samples,
        blocks,
    }
}

/// The measurements that a launch has printed of the cells that were expected.
fn measurements(
    mode: Mode,
    output: &str,
    expected: &[Cell],
) -> Result<(Vec<Sample>, Vec<BlockTimes>), protocol::Error> {
    let (samples, blocks) = match mode {
        Mode::ByTurns => (Vec::new(), protocol::parse_pairs(output)?),
        Mode::Native | Mode::Commloom => (protocol::parse(output)?, Vec::new()),
    };
    let cells = samples.iter().map(|sample| &sample.cell);
    let cells: Vec<&Cell> = cells.chain(blocks.iter().map(|blocks| &blocks.cell)).collect();
    protocol::check_cells(&cells, expected)?;
    Ok((samples, blocks))
}

/// The failure and the first lines of what the programs said about it.
fn with_errors(failure: &str, errors: &str) -> String {
    let lines: Vec<_> = errors.lines().filter(|l| !l.trim().is_empty()).collect();
    let mut text = failure.to_owned();
    for line in lines.iter().take(QUOTED_LINES) {
        text.push_str("\n  ");
        text.push_str(line);
    }
    if lines.len() > QUOTED_LINES {
        text.push_str(&format!("\n  ... and {} lines more", lines.len() - QUOTED_LINES));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, timeout: Duration) -> Outcome {
        finish(Command::new("sh").args(["-c", script]), timeout)
    }

    #[test]
    fn output_errors_and_exit_status_are_kept_apart() {
        let outcome = shell("echo out; echo err >&2; exit 3", Duration::from_secs(60));
        assert_eq!((outcome.output.as_str(), outcome.errors.as_str()), ("out\n", "err\n"));
        assert_eq!(outcome.failure.as_deref(), Some("exit status: 3"));
    }

    #[test]
    fn a_program_that_hangs_is_ended_and_named_so() {
        let outcome = shell("exec sleep 1000", Duration::from_millis(50));
        assert!(outcome.failure.unwrap().starts_with("still running after"));
    }

    #[test]
    fn long_error_outputs_are_cut() {
        let errors: String = (0..20).map(|i| format!("line {i}\n")).collect();
        let text = with_errors("exit status: 1", &errors);
        assert!(text.contains("line 11\n") && !text.contains("line 12"), "{text}");
        assert!(text.ends_with("... and 8 lines more"), "{text}");
    }
}
