//! Finding a program as the shell does.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The file of `program`: itself where it has a slash, else the first executable on `path`.
///
/// # Errors
/// There is no such file, or it may not be executed.
pub fn find(program: &OsStr, path: &OsStr) -> Result<PathBuf, Failure> {
    let name = Path::new(program);
    let shown = name.display();
    if name.components().count() > 1 || program.as_encoded_bytes().contains(&b'/') {
        return match kind(name) {
            Kind::Program => Ok(name.to_owned()),
            Kind::NotExecutable => Err(not_executable(name)),
            Kind::Nothing => {
                Err(Failure::message(format!("program not found: there is no file {shown}")))
            }
        };
    }
    let candidates: Vec<PathBuf> = std::env::split_paths(path).map(|dir| dir.join(name)).collect();
    if let Some(found) = candidates.iter().find(|c| kind(c) == Kind::Program) {
        return Ok(found.clone());
    }
    if let Some(found) = candidates.iter().find(|c| kind(c) == Kind::NotExecutable) {
        return Err(not_executable(found));
    }
    let hint = match kind(name) {
        Kind::Nothing => String::new(),
        _ => format!("; for the file in this directory write ./{shown}"),
    };
    Err(Failure::message(format!("program not found: no `{shown}` in PATH{hint}")))
}

fn not_executable(file: &Path) -> Failure {
    let what = if file.is_dir() { "it is a directory" } else { "it has no execute permission" };
    Failure::message(format!("{} is not executable: {what}", file.display()))
}

#[derive(PartialEq, Eq)]
enum Kind {
    Program,
    NotExecutable,
    Nothing,
}

fn kind(file: &Path) -> Kind {
    match file.metadata() {
        Err(_) => Kind::Nothing,
        Ok(data) if data.is_file() && data.permissions().mode() & 0o111 != 0 => Kind::Program,
        Ok(_) => Kind::NotExecutable,
    }
}
