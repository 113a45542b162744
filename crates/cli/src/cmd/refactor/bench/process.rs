//! Another process that answers lines with lines.

use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::streams::{lines_of, rest_of};

/// Begins every line that is an answer; whatever an MPI library prints does not.
pub const MARK: &str = "commloom-bench ";

/// A process that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    said: Receiver<String>,
}

impl Process {
    pub fn start(command: &mut Command) -> Result<Process, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let input = child.stdin.take();
        let (lines, said) = (lines_of(child.stdout.take()), rest_of(child.stderr.take()));
        Ok(Process { child, input, lines, said })
    }

    /// The answer to a line: what follows `ok`.
    ///
    /// # Errors
    /// What follows `error`, or that there was no answer.
    pub fn ask(&mut self, line: &str) -> Result<String, String> {
        if let Some(input) = &mut self.input {
            // If it has ended, there is no answer either.
            let _ = writeln!(input, "{line}").and_then(|()| input.flush());
        }
        self.answer()
    }

    /// The next answer.
    ///
    /// # Errors
    /// As [`Process::ask`].
    pub fn answer(&mut self) -> Result<String, String> {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    let Some(line) = line.strip_prefix(MARK) else { continue };
                    return match line.split_once(' ').unwrap_or((line, "")) {
                        ("ok", rest) => Ok(rest.to_owned()),
                        (_, rest) => Err(rest.to_owned()),
                    };
                }
                Err(RecvTimeoutError::Timeout) => {
                    let _ = self.child.kill();
                    return Err(format!("no answer for {} seconds", PATIENCE.as_secs()));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let said = self.said.recv_timeout(PATIENCE).unwrap_or_default();
                    let last = said.trim().lines().next_back().unwrap_or("it said nothing");
                    return Err(format!("the process ended: {last}"));
                }
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It ends when nothing can be asked any more; a library that hangs does not.
        drop(self.input.take());
        if self.lines.recv_timeout(Duration::from_secs(5)) == Err(RecvTimeoutError::Timeout) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}
