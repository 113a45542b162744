//! The commands that start MPI processes, and the libraries that belong to them.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use commloom_measure::machine::cores;
use signal_hook::consts::SIGPIPE;

use crate::failure::Failure;
use crate::launch::{Abi, find_program};

/// Whose options a command takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// MPICH, Intel MPI, MVAPICH.
    Hydra,
    OpenMpi,
}

/// Names of libraries, commands that are surely of the kind, and how it is called.
struct Known {
    kind: Kind,
    name: &'static str,
    commands: &'static [&'static str],
    libraries: &'static [&'static str],
    abi: Abi,
}

const KNOWN: [Known; 2] = [
    Known {
        kind: Kind::Hydra,
        name: "mpich",
        commands: &["mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra"],
        libraries: &["libmpich.so.12", "libmpi.so.12"],
        abi: Abi::Mpich,
    },
    Known {
        kind: Kind::OpenMpi,
        name: "openmpi",
        commands: &["mpiexec.openmpi", "mpirun.openmpi"],
        libraries: &["libmpi.so.40"],
        abi: Abi::Openmpi,
    },
];
/// A launcher of MPICH (4.0.2) writes to processes that have ended already, and is ended by
/// SIGPIPE itself: 5 times of 150 that it started `true` on a busy machine.
const TRIES: u32 = 6;
/// Commands of whichever library was installed last.
const COMMON: [&str; 2] = ["mpiexec", "mpirun"];

/// A command that starts processes of a library.
#[derive(Debug, Clone)]
pub struct Mpirun {
    /// As the user says.
    pub name: String,
    /// The file.
    pub command: PathBuf,
    /// Files or sonames: one of them is the library.
    pub libraries: Vec<String>,
    /// Of the library.
    pub abi: Abi,
    options: Vec<&'static str>,
    /// Further options that bind each process to a core.
    binding: Option<[&'static str; 2]>,
    environment: Vec<(&'static str, &'static str)>,
}

/// Names of the libraries whose commands are there.
pub fn installed() -> Vec<String> {
    let found = KNOWN.iter().filter(|known| of_kind(known).is_some());
    found.map(|known| known.name.to_owned()).collect()
}

impl Mpirun {
    /// Finds what the user says: `mpich`, `openmpi`, a command, or `COMMAND=LIBRARY`; tries
    /// whether it starts so many processes, and whether it binds them to cores.
    ///
    /// # Errors
    /// It is not there, is something else, or starts no processes.
    pub fn find(given: &str, processes: u32) -> Result<Mpirun, Failure> {
        let (name, library) = match given.split_once('=') {
            Some((name, library)) => (name, Some(library)),
            None => (given, None),
        };
        let (command, known) = match KNOWN.iter().find(|known| known.name == name) {
            Some(known) => (of_kind(known).ok_or_else(|| missing(known))?, known),
            None => {
                let path = env::var_os("PATH").unwrap_or_default();
                let command = find_program(OsStr::new(name), &path)
                    .map_err(|error| Failure::message(format!("--mpi {given}: {error}")))?;
                let known = KNOWN.iter().find(|known| kind(&command) == Some(known.kind));
                (command, known.ok_or_else(|| no_mpirun(given))?)
            }
        };
        let libraries = match library {
            Some(library) => vec![library.to_owned()],
            None => beside(&command, known.libraries),
        };
        let soname = Path::new(&libraries[0]).file_name().and_then(OsStr::to_str);
        let (mut options, mut environment) = (Vec::new(), Vec::new());
        if known.kind == Kind::OpenMpi {
            // More processes than the slots that it has counted are the user's business.
            options.push("--oversubscribe");
            if std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0) {
                environment.push(("OMPI_ALLOW_RUN_AS_ROOT", "1"));
                environment.push(("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"));
            }
            if processes > cores() {
                environment.push(("OMPI_MCA_mpi_yield_when_idle", "1"));
            }
        }
        let mut found = Mpirun {
            name: given.to_owned(),
            command,
            abi: soname.and_then(Abi::of_library).unwrap_or(known.abi),
            libraries,
            options,
            binding: None,
            environment,
        };
        if processes <= cores() {
            let flag = if known.kind == Kind::OpenMpi { "--bind-to" } else { "-bind-to" };
            found.binding = Some([flag, "core"]);
            if found.try_out(processes).is_ok() {
                return Ok(found);
            }
            found.binding = None;
        }
        found.try_out(processes).map_err(|reason| {
            let command = found.command.display();
            Failure::message(format!("--mpi {given}: {command} -n {processes} true: {reason}"))
        })?;
        Ok(found)
    }

    /// Whether each process is bound to a core of its own.
    pub fn binds(&self) -> bool {
        self.binding.is_some()
    }

    /// A command that starts so many processes of the program that is given as its further
    /// arguments.
    pub fn start(&self, processes: u32) -> Command {
        let mut command = Command::new(&self.command);
        command.args(&self.options).args(self.binding.iter().flatten());
        command.args(["-n", &processes.to_string()]);
        command.envs(self.environment.iter().copied()).stdin(Stdio::null());
        match without_commloom(env::var_os("LD_PRELOAD")) {
            Some(rest) => command.env("LD_PRELOAD", rest),
            None => command.env_remove("LD_PRELOAD"),
        };
        command
    }

    fn try_out(&self, processes: u32) -> Result<(), String> {
        let mut tries = TRIES;
        loop {
            let output = self.start(processes).arg("true").output().map_err(|e| e.to_string())?;
            tries -= 1;
            match output.status.signal() {
                _ if output.status.success() => return Ok(()),
                Some(SIGPIPE) if tries > 0 => {}
                _ => {
                    let told = String::from_utf8_lossy(&output.stderr);
                    return Err(format!("{}\n{}", output.status, told.trim()));
                }
            }
        }
    }
}

/// The preloaded libraries but for commloom, which would be measured in place of the library.
fn without_commloom(preloaded: Option<OsString>) -> Option<OsString> {
    let text = preloaded?.into_string().ok()?;
    let others: Vec<&str> = text
        .split([':', ' '])
        .filter(|file| !file.is_empty() && !file.contains("libcommloom_"))
        .collect();
    (!others.is_empty()).then(|| others.join(":").into())
}

/// The first command of a kind in PATH.
fn of_kind(known: &Known) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let find = |name: &&str| find_program(OsStr::new(name), &path).ok();
    let common = COMMON.iter().filter_map(find).find(|file| kind(file) == Some(known.kind));
    known.commands.iter().find_map(find).or(common)
}

/// The kind of a command, by what it says of itself.
fn kind(command: &Path) -> Option<Kind> {
    let output = Command::new(command).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let says = |marks: &[&str]| marks.iter().any(|mark| text.contains(mark));
    if says(&["HYDRA", "Intel(R) MPI", "MPICH", "MVAPICH"]) {
        Some(Kind::Hydra)
    } else if says(&["Open MPI", "OpenRTE", "PRRTE", "OpenPMIx"]) {
        Some(Kind::OpenMpi)
    } else {
        None
    }
}

/// The library in the folders beside that of the command, else its names for the loader.
fn beside(command: &Path, names: &[&str]) -> Vec<String> {
    let real = command.canonicalize().ok();
    let prefixes = [Some(command), real.as_deref()].into_iter().flatten();
    for prefix in prefixes.filter_map(|file| file.parent()?.parent()) {
        let folders = ["lib", "lib64", "lib/release"].map(|folder| prefix.join(folder));
        let files = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
        if let Some(file) = files.into_iter().find(|file| file.is_file()) {
            return vec![file.display().to_string()];
        }
    }
    names.iter().map(|&name| name.to_owned()).collect()
}

fn missing(known: &Known) -> Failure {
    Failure::message(format!(
        "--mpi {}: no {} in PATH, and {} is of another library; name the command that starts its \
         processes: --mpi /path/to/mpirun",
        known.name,
        known.commands.join(", "),
        COMMON.join(" or "),
    ))
}

fn no_mpirun(given: &str) -> Failure {
    Failure::message(format!(
        "--mpi {given}: it is no mpirun of MPICH, Intel MPI or Open MPI (it says nothing of them \
         when asked for its --version); expected mpich, openmpi, or such a command"
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_launcher_that_a_closed_pipe_ends_is_tried_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let launcher = |text: &str| {
            let command = folder.path().join("mpiexec");
            fs::write(&command, format!("#!/bin/sh\necho run >> \"$0.runs\"\n{text}\n")).unwrap();
            fs::set_permissions(&command, fs::Permissions::from_mode(0o755)).unwrap();
            let (name, abi) = ("fake".to_owned(), Abi::Openmpi);
            let (libraries, options, environment) = (Vec::new(), Vec::new(), Vec::new());
            let binding = None;
            Mpirun { name, command, libraries, abi, options, binding, environment }
        };
        // Not by the short name of the shell's number, of which names of files are made elsewhere.
        let ended = "sh -c 'kill -PIPE $PPID'";
        let twice = format!(r#"[ "$(wc -l < "$0.runs")" -gt 2 ] || {ended}"#);
        assert_eq!(launcher(&twice).try_out(2), Ok(()));
        assert!(launcher(ended).try_out(2).is_err());
        let runs = || fs::read_to_string(folder.path().join("mpiexec.runs")).unwrap();
        let before = runs().lines().count();
        assert!(launcher("exit 3").try_out(2).is_err());
        assert_eq!(runs().lines().count(), before + 1, "only this signal is nobody's fault");
    }

    #[test]
    fn other_preloads_stay() {
        let rest = |text: &str| without_commloom(Some(text.into()));
        assert_eq!(
            rest("/x/libcommloom_mpich.so:/y/libjemalloc.so"),
            Some("/y/libjemalloc.so".into())
        );
        assert_eq!(rest("/x/libcommloom_mpich.so"), None);
        assert_eq!(without_commloom(None), None);
    }
}
