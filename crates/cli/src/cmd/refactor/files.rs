//! The texts of a program.

use std::fs;
use std::path::{Path, PathBuf};

use commloom_guard::Origin;
use commloom_refactor::source::{Language, Source};

use super::encoding::decoded;
use crate::failure::Failure;
use crate::files::TEXT;
use crate::terminal::say;

/// More files than these are not read: a wrong folder was given.
const MOST: usize = 100_000;

/// All sources among files and in folders, by name. In folders, what begins with a dot is passed
/// over, and so is what is not text in UTF-8.
pub fn sources(paths: &[PathBuf]) -> Result<Vec<Source>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            below(path, &mut found)?;
        } else {
            found.push(path.clone());
        }
    }
    found.sort();
    found.dedup();
    let mut sources = Vec::new();
    for path in found {
        let given = paths.contains(&path);
        if let Some(source) = source(&path, given)? {
            sources.push(source);
        }
    }
    if sources.is_empty() {
        return Err(Failure::message("no files of C, C++ or Fortran were found"));
    }
    Ok(sources)
}

/// The files with names of sources in a folder and those below it.
pub fn below(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let failure =
            |error| Failure::File { doing: "read", name: folder.display().to_string(), error };
        for entry in fs::read_dir(&folder).map_err(failure)? {
            let entry = entry.map_err(failure)?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            // Links are not followed: they may lead around.
            let kind = entry.file_type().map_err(failure)?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file()
                && Language::of_name(&entry.file_name().to_string_lossy()).is_some()
            {
                found.push(entry.path());
            }
            if found.len() > MOST {
                return Err(Failure::message(format!(
                    "more than {MOST} files are below {}",
                    path.display()
                )));
            }
        }
    }
    Ok(())
}

/// A file's text. Of files that were found in a folder, those that are not text are passed over.
fn source(path: &Path, given: bool) -> Result<Option<Source>, Failure> {
    let name = path.display().to_string();
    let Some(language) = Language::of_name(&name) else {
        return Err(Failure::message(format!(
            "the name of {name} does not say whether it is C, C++ or Fortran"
        )));
    };
    let origin = if given { Origin::Argument } else { Origin::Found };
    let bytes = commloom_guard::read(path, origin, TEXT).map_err(|error| Failure::File {
        doing: "read",
        name: name.clone(),
        error,
    })?;
    let valid = std::str::from_utf8(&bytes).map_or_else(|error| error.valid_up_to(), str::len);
    match decoded(bytes) {
        Some(text) => Ok(Some(Source { name, language, text })),
        None if given => Err(Failure::NotText { name, at: valid }),
        None => {
            say!("{name} is passed over: it is not text");
            Ok(None)
        }
    }
}
