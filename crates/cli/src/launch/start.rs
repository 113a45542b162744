//! Starting a program with the preload for its MPI.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::{
    Abi, abi_of, check_dynamic, checked, find_preload, find_program, loads_later, started,
};
use crate::failure::Failure;

/// The command that runs a program, given with its arguments, under the preload for the MPI that
/// it uses; `said` is what the user says of that.
///
/// # Errors
/// The program or the preload is not there, or they do not go together.
pub fn preloaded(program: &[OsString], said: Option<Abi>) -> Result<Command, Failure> {
    let (name, arguments) = program.split_first().expect("clap requires a program");
    let path = env::var_os("PATH").unwrap_or_default();
    let program = find_program(name, &path)?;
    let abi = match said {
        Some(abi) => {
            check_dynamic(&program)?;
            agreed(abi, &program)?
        }
        None => abi_of(&program).or_else(|failure| by_launcher(&program).ok_or(failure))?,
    };
    let executable = env::current_exe().map_err(|error| Failure::File {
        doing: "find",
        name: "the executable of commloom".to_owned(),
        error,
    })?;
    let preload = find_preload(abi, &executable, env::var_os("COMMLOOM_LIBDIR").as_deref())?;
    let mut command = Command::new(&program);
    command.arg0(name).args(arguments).env("LD_PRELOAD", prepended(&preload)?);
    Ok(command)
}

/// Becomes the program. Returns why not, where its settings cannot be meant or it cannot be
/// started.
pub fn replaced_by(mut command: Command) -> Failure {
    if let Err(failure) = checked(&mut command) {
        return failure;
    }
    let error = command.exec();
    let name = command.get_program().to_string_lossy().into_owned();
    Failure::File { doing: "start", name, error }
}

/// The ABI of a program that loads its MPI library later, as Python does: that of the launcher,
/// without which its processes would not find each other.
fn by_launcher(program: &Path) -> Option<Abi> {
    if loads_later(program) { Abi::of_launcher(&started()?) } else { None }
}

/// The ABI that the user says, unless the program is linked with a library of another one.
/// Programs that tell nothing (scripts, Python) are believed to be what the user says.
fn agreed(said: Abi, program: &Path) -> Result<Abi, Failure> {
    match abi_of(program) {
        Ok(found) if found != said => Err(Failure::message(format!(
            "{} is linked with an MPI library of the kind `{found}`, so the preload for `{said}` \
             cannot work in it; leave out --mpi, or say --mpi {found}",
            program.display()
        ))),
        Ok(_) | Err(_) => Ok(said),
    }
}

/// The preload, before what is preloaded already. The loader splits the list at spaces and colons
/// and knows no way to quote them.
fn prepended(preload: &Path) -> Result<OsString, Failure> {
    let separates = |b: &u8| matches!(b, b' ' | b':' | b'\t' | b'\n');
    if preload.as_os_str().as_encoded_bytes().iter().any(separates) {
        return Err(Failure::message(format!(
            "{} cannot be preloaded: the loader takes no path with a space or colon; set \
             COMMLOOM_LIBDIR to a folder without",
            preload.display()
        )));
    }
    let mut list = preload.as_os_str().to_owned();
    if let Some(before) = env::var_os("LD_PRELOAD").filter(|v| !v.is_empty()) {
        list.push(":");
        list.push(before);
    }
    Ok(list)
}
