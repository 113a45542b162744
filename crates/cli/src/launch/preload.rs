//! Where the preloads are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::Abi;
use crate::failure::Failure;

/// The preload for `abi`: in `libdir` (the value of COMMLOOM_LIBDIR) if that is set, else beside
/// the executable or in `../lib/commloom/` from there.
///
/// # Errors
/// It is in none of these places.
pub fn find(abi: Abi, executable: &Path, libdir: Option<&OsStr>) -> Result<PathBuf, Failure> {
    let places: Vec<PathBuf> = match (libdir, executable.parent()) {
        (Some(dir), _) => vec![PathBuf::from(dir)],
        (None, Some(beside)) => {
            vec![beside.to_owned(), beside.join("../lib/commloom")]
        }
        (None, None) => Vec::new(),
    };
    let files: Vec<PathBuf> = places.iter().map(|dir| dir.join(abi.preload())).collect();
    if let Some(file) = files.iter().find(|file| file.is_file()) {
        return file.canonicalize().map_err(|error| Failure::File {
            doing: "read",
            name: file.display().to_string(),
            error,
        });
    }
    let looked: String = files.iter().map(|f| format!("\n  {}", f.display())).collect();
    Err(Failure::message(format!(
        "the preload for {abi} is missing; looked for{looked}\nset COMMLOOM_LIBDIR to the folder \
         that holds {}",
        abi.preload()
    )))
}
