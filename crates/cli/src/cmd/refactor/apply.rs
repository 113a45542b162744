//! `--apply`: files are written, and written back if a command fails.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::failure::Failure;

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
                    "git has no copy of {name} as it is: commit or stash it first, or give --allow-dirty"
                )));
            }
        }
    }
    for (written, (name, _, after)) in changes.iter().enumerate() {
        if let Err(error) = fs::write(name, after) {
            restore(&changes[..=written]);
            return Err(Failure::File { doing: "write", name: (*name).to_owned(), error });
        }
    }
    let Some(command) = check else { return Ok(()) };
    let status = Command::new("sh").arg("-c").arg(command).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => {
            restore(&changes);
            eprintln!("'{command}' ended with {status}: the files are as they were");
            Err(Failure::No)
        }
        Err(error) => {
            restore(&changes);
            Err(Failure::message(format!(
                "cannot run '{command}': {error}; the files are as they were"
            )))
        }
    }
}

fn restore(changes: &[(&str, &str, String)]) {
    for (name, before, _) in changes {
        if let Err(error) = fs::write(name, before) {
            eprintln!("cannot write {name} back: {error}");
        }
    }
}

/// Whether a file is in a git repository and differs from what is committed. Outside of one, nobody asked for copies.
fn is_dirty(path: &Path) -> bool {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(name) = path.file_name() else { return false };
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["status", "--porcelain", "--"])
        .arg(name)
        .output();
    output.is_ok_and(|output| output.status.success() && !output.stdout.is_empty())
}
