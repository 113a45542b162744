//! `--apply`: files are written, and written back if a command fails.

use std::io;
use std::path::Path;
use std::process::Command;

use commloom_guard::{Origin, Ownership};

use crate::failure::Failure;
use crate::files::TEXT;
use crate::signals;
use crate::terminal::say;

/// Writes the new texts. Each change has a name, the text before and the text after.
pub fn apply(
    changes: Vec<(&str, &str, String)>,
    allow_dirty: bool,
    check: Option<&str>,
) -> Result<(), Failure> {
    if changes.is_empty() {
        return Ok(());
    }
    if !allow_dirty {
        for (name, _, _) in &changes {
            if is_dirty(Path::new(name)) {
                return Err(Failure::message(format!(
                    "git has no copy of {name} as it is: commit or stash it first, or give \
                     --allow-dirty"
                )));
            }
        }
    }
    for (written, (name, before, after)) in changes.iter().enumerate() {
        if let Err(error) = put(name, before, after) {
            restore(&changes[..written]);
            return Err(Failure::File { doing: "write", name: (*name).to_owned(), error });
        }
    }
    let Some(command) = check else { return Ok(()) };
    let status = signals::run(Command::new("sh").arg("-c").arg(command));
    let end = match status {
        Ok(status) if status.success() && !signals::was_stopped() => Ok(()),
        Ok(status) => {
            restore(&changes);
            say!("'{command}' ended with {status}: the files are as they were");
            Err(Failure::No)
        }
        Err(error) => {
            restore(&changes);
            Err(Failure::message(format!(
                "cannot run '{command}': {error}; the files are as they were"
            )))
        }
    };
    signals::go_on();
    end
}

/// Writes a text in place of the one that was read: a file that has changed since is left alone.
fn put(name: &str, before: &str, after: &str) -> io::Result<()> {
    let now = commloom_guard::text(Path::new(name), Origin::Named, TEXT)?;
    if now != before {
        return Err(io::Error::other("it has changed since it was read"));
    }
    signals::watch();
    commloom_guard::write(Path::new(name), after.as_bytes(), Ownership::Kept)
}

fn restore(changes: &[(&str, &str, String)]) {
    for (name, before, _) in changes {
        let back = commloom_guard::write(Path::new(name), before.as_bytes(), Ownership::Kept);
        if let Err(error) = back {
            say!("cannot write {name} back: {error}");
        }
    }
}

/// Whether a file is in a git repository and differs from what is committed. Outside of one,
/// nobody asked for copies.
fn is_dirty(path: &Path) -> bool {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = path.file_name() else { return false };
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        // A repository may name a command that `git status` runs.
        .args(["-c", "core.fsmonitor=false", "status", "--porcelain", "--"])
        .arg(name)
        .output();
    output.is_ok_and(|output| output.status.success() && !output.stdout.is_empty())
}
