//! `commloom exec` runs once for each rank. What all ranks would say, one says.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use commloom_environment::Started;

use super::settings::started;

/// How long the first process of this machine may take to find out what it does.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

/// Who reports an error that comes before the program starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// It is this process's to say.
    Speaks,
    /// The first process of the machine has said it.
    Silent,
    /// Others have started their programs, as in `mpirun -n 1 commloom exec -- ./a : -n 1
    /// commloom exec -- ./b`: it is this process's own, and the others must not wait for it.
    Alone,
}

/// Finds that out, by what the first process of this machine does.
pub fn voice() -> Voice {
    let Some(me) = started() else { return Voice::Speaks };
    if me.is_first_here() {
        return Voice::Speaks;
    }
    let until = Instant::now() + PATIENCE;
    while let Some(first) = first_sibling(&me) {
        let is_undecided = is_beginning(&first, &environment_of(&first)) || runs_this(&first);
        if !is_undecided || Instant::now() > until {
            return Voice::Alone;
        }
        std::thread::sleep(PAUSE);
    }
    // It has ended, and has said why.
    Voice::Silent
}

/// Ends this process where others may have started their programs, which wait for it: with status
/// 2, or by a signal where the launcher would let them wait for ever.
pub fn end_alone() -> ! {
    if started().is_some_and(|me| me.waits_for_all()) {
        // What comes after is for a process that does not take it.
        let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGTERM);
    }
    std::process::exit(2)
}

/// The first process of this machine among those that the parent of this one has started, while
/// it lives, or one that may become it: its folder in `/proc`.
fn first_sibling(me: &Started) -> Option<PathBuf> {
    let variable = format!("{}=0", me.first_variable);
    let entries = std::fs::read_dir("/proc").ok()?;
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    folders
        .filter(|folder| {
            folder.file_name().is_some_and(|n| n.as_bytes().iter().all(u8::is_ascii_digit))
        })
        .filter(|folder| is_sibling(folder))
        .find(|folder| {
            let environment = environment_of(folder);
            is_beginning(folder, &environment)
                || environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
        })
}

/// Whether a process has the same parent, and has not ended.
fn is_sibling(folder: &Path) -> bool {
    let Ok(stat) = std::fs::read(folder.join("stat")) else { return false };
    // The name of the program stands in parentheses and may have any bytes in it.
    let Some(end) = stat.iter().rposition(|&byte| byte == b')') else { return false };
    let mut fields = stat[end + 1..].split(|byte| *byte == b' ').filter(|field| !field.is_empty());
    let has_ended = fields.next().is_none_or(|state| matches!(state, b"Z" | b"X"));
    !has_ended && fields.next() == Some(parent_id().to_string().as_bytes())
}

/// Whether a process is still a copy of the launcher, or becomes a program just now and has no
/// environment.
fn is_beginning(folder: &Path, environment: &[u8]) -> bool {
    let launcher = exe(&Path::new("/proc").join(parent_id().to_string()));
    environment.is_empty() || launcher.is_some() && exe(folder) == launcher
}

fn environment_of(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("environ")).unwrap_or_default()
}

/// Whether a process runs this very command.
fn runs_this(folder: &Path) -> bool {
    // Where it cannot be read, the process is about to end.
    exe(folder).is_none_or(|other| Some(other) == exe(Path::new("/proc/self")))
}

/// The file that a process runs.
fn exe(folder: &Path) -> Option<PathBuf> {
    std::fs::read_link(folder.join("exe")).ok()
}
