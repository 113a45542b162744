//! Files of others, results, and a folder for what is built and run.

use std::path::Path;

use commloom_guard::{Folder, Ownership};

use crate::failure::Failure;
use crate::signals;

/// Longest text that is read, in bytes.
pub const TEXT: u64 = 1 << 30;
/// Longest file with data of programs.
pub const DATA: u64 = 1 << 36;

/// Writes a result, whole or not at all.
///
/// # Errors
/// It cannot be written; what was there is as it was.
pub fn write(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    signals::watch();
    commloom_guard::write(file, bytes.as_ref(), Ownership::Mine).map_err(|error| Failure::File {
        doing: "write",
        name: file.display().to_string(),
        error,
    })
}

/// A folder that only this user can enter, and that is gone afterwards: programs are built and
/// run there.
///
/// # Errors
/// The folder for temporary files is not there, or others could replace what lies in it.
pub fn private_folder() -> Result<Folder, Failure> {
    signals::watch();
    let parent = std::env::temp_dir();
    Folder::new(&parent).map_err(|error| {
        Failure::message(format!(
            "cannot use {} for temporary files: {error}; set TMPDIR to a folder of your own",
            parent.display()
        ))
    })
}

/// The user to whom `file` belongs, where that is neither this one nor root, nor whoever `beside`
/// belongs to: who may put a file above a folder says nothing about what is in the folder.
#[cfg(feature = "refactor")]
pub fn foreign(file: &Path, beside: Option<&Path>) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;

    let owner = |path: &Path| path.metadata().ok().map(|data| data.uid());
    let found = owner(file)?;
    let known = [Some(0), Some(nix::unistd::geteuid().as_raw()), beside.and_then(owner)];
    (!known.contains(&Some(found))).then_some(found)
}
