//! Launches as processes: started, listened to, ended.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use commloom_guideline::campaign::{Ending, Launcher, Start};
use commloom_guideline::protocol::{Event, Injected, Task};
use commloom_guideline::results::{Mode, Options};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::mpirun::Mpirun;
use crate::streams::{lines_of, rest_of};

/// How often it is looked whether the user wants to stop.
const GLANCE: Duration = Duration::from_millis(100);
/// For the end of processes that were asked to end.
const GRACE: Duration = Duration::from_secs(3);
/// Lines of an error output that are worth repeating.
const QUOTED: usize = 10;

/// Starts processes with `mpirun`.
pub struct Processes {
    /// This program.
    pub commloom: PathBuf,
    /// In the order of the options.
    pub mpiruns: Vec<Mpirun>,
    /// Of the campaign.
    pub options: Options,
    /// Of the campaign.
    pub seed: u64,
    /// Processes that tell nothing for so long hang.
    pub patience: Duration,
    /// Set when the user wants to stop.
    pub interrupted: Arc<AtomicBool>,
    /// For tests, in the first native launch.
    pub injected: Option<Injected>,
}

impl Launcher for Processes {
    fn launch(&mut self, start: Start, tell: &mut dyn FnMut(Event)) -> Ending {
        let mut command = self.command(start);
        // A group of its own: Ctrl-C on the terminal reaches this process, which then ends the
        // group.
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => {
                let command = command.get_program().display();
                return Ending::Died { why: format!("cannot start {command}: {error}") };
            }
        };
        let (lines, said) = (lines_of(child.stdout.take()), rest_of(child.stderr.take()));
        let listened = self.listen(&lines, tell);
        if !matches!(listened, Listened::Finished | Listened::Silence) {
            end(&mut child);
        }
        let status = child.wait();
        match listened {
            Listened::Finished => Ending::Finished,
            Listened::Interrupted => Ending::Interrupted,
            Listened::Hang => {
                let seconds = self.patience.as_secs();
                Ending::Died { why: format!("the processes did nothing for {seconds} s") }
            }
            Listened::Silence => {
                let status = status.map_or_else(|error| error.to_string(), |s| s.to_string());
                let said = said.recv_timeout(GRACE).unwrap_or_default();
                Ending::Died { why: format!("the processes ended ({status}){}", quoted(&said)) }
            }
        }
    }

    fn mpirun(&self, library: usize) -> String {
        self.mpiruns[library].command.display().to_string()
    }
}

/// How the lines of a launch ended.
enum Listened {
    /// The last event.
    Finished,
    /// The end of the output before it.
    Silence,
    /// Patience.
    Hang,
    /// The user.
    Interrupted,
}

impl Processes {
    fn command(&self, start: Start) -> Command {
        let mpirun = &self.mpiruns[start.library];
        let mut command = mpirun.start(self.options.processes);
        if start.mode == Mode::Commloom {
            command.arg(&self.commloom).args(["exec", "--off", "history"]);
            command.args(["--mpi", &mpirun.abi.to_string(), "--"]);
        }
        let first_native = start.launch == 0 && start.mode == Mode::Native;
        let task = Task {
            libraries: mpirun.libraries.clone(),
            options: self.options.clone(),
            seed: self.seed,
            launch: start.launch,
            mode: start.mode,
            first: start.first,
            injected: self.injected.filter(|_| first_native),
        };
        // Plain numbers, texts and lists: it cannot fail.
        let task = serde_json::to_string(&task).unwrap_or_default();
        command.arg(&self.commloom).args(["guidelines", "--worker", &task]);
        command
    }

    fn listen(&self, lines: &Receiver<String>, tell: &mut dyn FnMut(Event)) -> Listened {
        // In glances, not by the clock: a machine that was stopped for a while, this process with
        // it, does not hang.
        let (mut silent, mut ended) = (Duration::ZERO, false);
        loop {
            if self.interrupted.load(Ordering::Relaxed) {
                return Listened::Interrupted;
            }
            match lines.recv_timeout(GLANCE) {
                Ok(line) => {
                    silent = Duration::ZERO;
                    if let Some(event) = Event::parse(&line) {
                        ended |= event == Event::Ended;
                        tell(event);
                    }
                }
                Err(RecvTimeoutError::Timeout) if silent < self.patience => silent += GLANCE,
                Err(RecvTimeoutError::Timeout) => return Listened::Hang,
                Err(RecvTimeoutError::Disconnected) if ended => return Listened::Finished,
                Err(RecvTimeoutError::Disconnected) => return Listened::Silence,
            }
        }
    }
}

/// Asks the group of a child to end, so that `mpirun` ends its processes; kills it where it does
/// not.
pub fn end(child: &mut Child) {
    let Ok(group) = i32::try_from(child.id()).map(Pid::from_raw) else { return };
    // What has ended in the meantime needs no signal.
    let _ = killpg(group, Signal::SIGTERM);
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    let _ = killpg(group, Signal::SIGKILL);
}

/// The first lines of what processes said when they ended: later ones are those of `mpirun`.
fn quoted(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    let mut text: String = lines.iter().take(QUOTED).map(|line| format!("\n  {line}")).collect();
    if lines.len() > QUOTED {
        text.push_str(&format!("\n  ... and {} lines more", lines.len() - QUOTED));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn long_outputs_are_cut() {
        let said: String = (0..12).map(|k| format!("line {k}\n\n")).collect();
        let text = quoted(&said);
        assert!(text.starts_with("\n  line 0\n  line 1\n"), "{text}");
        assert!(text.ends_with("\n  line 9\n  ... and 2 lines more"), "{text}");
        assert_eq!(quoted("\n"), "");
    }
}
