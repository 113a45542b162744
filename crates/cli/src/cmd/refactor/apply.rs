//! `--apply`: files are written, and written back if a command fails.

use std::io;
use std::path::Path;
use std::process::Command;

use commloom_guard::{Origin, Ownership};

use super::encoding::{decoded, encoded};
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
    let mut written: Vec<(&str, Vec<u8>)> = Vec::new();
    for (name, before, after) in &changes {
        match put(name, before, after) {
            Ok(bytes) => written.push((name, bytes)),
            Err(error) => {
                restore(&written);
                return Err(Failure::File { doing: "write", name: (*name).to_owned(), error });
            }
        }
    }
    let Some(command) = check else { return Ok(()) };
    let status = signals::run(Command::new("sh").arg("-c").arg(command));
    let end = match status {
        Ok(status) if status.success() && !signals::was_stopped() => Ok(()),
        Ok(status) => {
            restore(&written);
            say!("'{command}' ended with {status}: the files are as they were");
            Err(Failure::No)
        }
        Err(error) => {
            restore(&written);
            Err(Failure::message(format!(
                "cannot run '{command}': {error}; the files are as they were"
            )))
        }
    };
    signals::go_on();
    end
}

/// Writes a text in place of the one that was read, and gives the bytes of that: a file that has
/// changed since is left alone.
fn put(name: &str, before: &str, after: &str) -> io::Result<Vec<u8>> {
    let now = commloom_guard::read(Path::new(name), Origin::Named, TEXT)?;
    if decoded(now.clone()).as_deref() != Some(before) {
        return Err(io::Error::other("it has changed since it was read"));
    }
    let new = encoded(after, &now)
        .ok_or_else(|| io::Error::other("its new text has characters that are not Latin-1"))?;
    signals::watch();
    commloom_guard::write(Path::new(name), &new, Ownership::Kept)?;
    Ok(now)
}

fn restore(written: &[(&str, Vec<u8>)]) {
    for (name, before) in written {
        let back = commloom_guard::write(Path::new(name), before, Ownership::Kept);
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
