//! Errors in settings and launcher that show before the program starts.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use commloom_choice::Table;
use commloom_environment as environment;
use commloom_environment::{Started, Unknown};
use commloom_guard::{Origin, can_write};

use crate::failure::Failure;
use crate::files::TEXT;
use crate::terminal::say;

/// Checks the environment that a command will have, and names variables that nobody reads: once,
/// and the preload is told that it is done.
///
/// # Errors
/// A setting that cannot be meant or followed.
pub fn checked(command: &mut Command) -> Result<(), Failure> {
    let variables = environment_of(command);
    let get = |name: &str| variables.get(OsStr::new(name)).cloned();
    let problems: Vec<String> =
        environment::problems(get).iter().map(ToString::to_string).collect();
    if !problems.is_empty() {
        return Err(Failure::message(problems.join("\n       ")));
    }
    if let Some(file) = environment::MODEL.path(get) {
        check_model(&file)?;
    }
    if let Some(folder) = environment::TRACE.path(get) {
        let file = folder.join("rank-000000.trace");
        can_write(&file).map_err(|error| cannot("write the trace to", &folder, error))?;
    }
    let started = started();
    let first = started.is_none_or(|started| started.rank == 0);
    // Rank 0 writes it. Those of its machine find what it finds; a folder may be missing on
    // others.
    let finds = first || started.is_some_and(|started| started.is_on_one_machine());
    if let Some(file) = environment::REPORT.path(get).filter(|file| finds && *file != *"-") {
        can_write(&file).map_err(|error| cannot("write the report to", &file, error))?;
    }
    let unknown = environment::unknown(variables.keys().cloned());
    if first {
        for variable in &unknown {
            say!("warning: {variable}");
        }
    }
    let names: Vec<&str> = unknown.iter().map(|Unknown { name, .. }| name.as_str()).collect();
    command.env(environment::TOLD, names.join(","));
    Ok(())
}

/// Who started this process.
pub fn started() -> Option<Started> {
    Started::by_launcher(|name| std::env::var_os(name))
}

/// All variables of the program.
fn environment_of(command: &Command) -> BTreeMap<OsString, OsString> {
    let mut variables: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => variables.insert(name.to_owned(), value.to_owned()),
            None => variables.remove(name),
        };
    }
    variables
}

fn check_model(file: &Path) -> Result<(), Failure> {
    let name = format!("{} (COMMLOOM_MODEL)", file.display());
    let text = commloom_guard::text(file, Origin::Named, TEXT).map_err(|error| Failure::File {
        doing: "read",
        name: name.clone(),
        error,
    })?;
    let table = text.parse::<Table>().map_err(|error| {
        let allowed = &environment::MODEL.allowed;
        Failure::message(format!("{name}: {error}; allowed: {allowed}"))
    })?;
    drop(table);
    Ok(())
}

fn cannot(doing: &'static str, path: &Path, error: std::io::Error) -> Failure {
    Failure::File { doing, name: path.display().to_string(), error }
}
