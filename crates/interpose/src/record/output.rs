//! The file that a trace goes to: blocks at least every half second, a limit, and what happens
//! when the disk is full.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use commloom_guard::{longest_file, one_line};
use commloom_trace::{Action, Event, Header, Site, Writer};

use crate::runtime::say;
use crate::runtime::signals::without_signals;

/// Events older than this are written with the next one: a killed program loses no more.
const PATIENCE: Duration = Duration::from_millis(500);
/// Room for the last block and its last event, in bytes.
const ROOM: u64 = 1024;

/// The trace of this process.
pub(crate) struct Output {
    /// Nothing where the trace has ended.
    writer: Option<Writer<Quiet>>,
    path: PathBuf,
    started: Instant,
    flushed: Duration,
    limit: u64,
}

/// A file whose limit of length (`ulimit -f`) is an error, and no signal.
struct Quiet(File);

impl io::Write for Quiet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        without_signals(|| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The name of the file of a rank.
fn file_name(rank: u32) -> String {
    format!("rank-{rank:06}.trace")
}

impl Output {
    /// Makes the file, which must not be there: what is may be a link to another file. Where that
    /// fails, it is said, and nothing is recorded. What is wrong with the folder all processes of
    /// this machine find: the one that `speaks` says it.
    pub fn new(folder: &Path, header: &Header, limit: Option<u64>, speaks: bool) -> Output {
        let path = folder.join(file_name(header.rank));
        let mut output = Output {
            writer: None,
            path,
            started: Instant::now(),
            flushed: Duration::ZERO,
            // Whoever writes on past the process's own limit is ended.
            limit: limit.unwrap_or(u64::MAX).min(longest_file()),
        };
        let made = File::create_new(&output.path);
        let made = made.and_then(|file| Writer::new(Quiet(file), header));
        match made {
            Ok(writer) => output.writer = Some(writer),
            Err(error) if speaks || output.path.exists() => output.failed("make", &error),
            Err(_) => {}
        }
        output
    }

    /// Whether anything more will be written.
    pub fn is_open(&self) -> bool {
        self.writer.is_some()
    }

    /// The number of the next event.
    pub fn next(&self) -> u64 {
        self.writer.as_ref().map_or(u64::MAX, Writer::next)
    }

    /// Writes an event; its number, where it was written.
    pub fn push(&mut self, site: Option<Arc<Site>>, action: Action) -> Option<u64> {
        let time = self.started.elapsed();
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let limit = self.limit;
        let writer = self.writer.as_mut()?;
        let is_full = writer.bytes().saturating_add(ROOM + size(&action)) > limit;
        let action = if is_full { Action::Limit } else { action };
        let mut written = writer.push(&Event { time: nanoseconds, site, action });
        if is_full || time.saturating_sub(self.flushed) >= PATIENCE {
            written = written.and_then(|number| writer.flush().map(|()| number));
            self.flushed = time;
        }
        match written {
            Ok(number) if !is_full => Some(number),
            Ok(_) => {
                self.writer = None;
                None
            }
            Err(error) => {
                self.failed("write", &error);
                None
            }
        }
    }

    /// Writes what is not written yet.
    pub fn flush(&mut self) {
        if let Some(Err(error)) = self.writer.as_mut().map(Writer::flush) {
            self.failed("write", &error);
        }
    }

    /// Writes everything; nothing more is taken.
    pub fn end(&mut self) {
        self.flush();
        self.writer = None;
    }

    fn failed(&mut self, doing: &str, error: &io::Error) {
        self.writer = None;
        // In one piece: all processes may say it at once.
        let path = self.path.display().to_string();
        let path = one_line(&path);
        let text = format!(
            "commloom: cannot {doing} the trace {path}: {error}; the program goes on, and nothing \
             more is recorded of this process\n"
        );
        say::text(&text);
    }
}

/// Bytes of an event that depend on what the program does, about.
fn size(action: &Action) -> u64 {
    let list = match action {
        Action::Send { origins, buffer, .. } => 40 * origins.len() + buffer.layout.len(),
        Action::Receive { buffer, .. } => buffer.layout.len(),
        Action::Communicator(communicator) => {
            5 * (communicator.members.len() + communicator.remote.len())
        }
        _ => 0,
    };
    u64::try_from(list).unwrap_or(u64::MAX)
}
