//! The MPI libraries on this machine: their commands, how they launch ranks, and the examples
//! compiled with them.

use super::Error;
use std::env;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs in C under `examples/` that the demo runs, in the order of the table.
pub const EXAMPLES: [&str; 4] = ["pingpong", "transpose", "halo3d", "stencil"];
/// Those in Fortran, after them; left out where a library has no Fortran compiler.
pub const FORTRAN_EXAMPLES: [&str; 1] = ["ocean"];
/// The module that all of them use.
const FORTRAN_MODULE: &str = "cells";

/// Those that `bench-mpi` measures: the same layouts, sent, broadcast and packed.
pub const BENCHMARKS: [&str; 3] = ["pingpong", "bcast", "packing"];

const COMPILER_FLAGS: [&str; 5] = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"];
const FORTRAN_FLAGS: [&str; 5] = ["-std=f2018", "-O2", "-Wall", "-Wextra", "-Werror"];

/// An installed MPI library.
#[derive(Clone, Debug)]
pub struct Library {
    /// The suffix of its commands, as Debian's alternatives have it, or a name given to a
    /// directory.
    pub name: String,
    /// As told by its launcher.
    pub version: String,
    compiler: PathBuf,
    fortran_compiler: Option<PathBuf>,
    launcher: PathBuf,
    launcher_options: Vec<&'static str>,
    /// Further options that bind each rank to a core; none where the launcher refuses.
    binding: Vec<&'static str>,
    environment: Vec<(&'static str, String)>,
}

/// A program compiled with one library.
#[derive(Clone, Debug)]
pub struct Example {
    /// Without directory.
    pub name: String,
    /// Index among the libraries.
    pub library: usize,
    /// Name of that library.
    pub library_name: String,
    /// The executable.
    pub program: PathBuf,
}

impl Library {
    /// Looks for `mpicc.NAME` and `mpiexec.NAME` on the path, and tries out how ranks can be bound
    /// to cores. With `NAME=DIR`, for `mpicc` and `mpiexec` in `DIR/bin`; with `NAME=DIR:OTHER`,
    /// for `mpicc` in `OTHER/bin`: a library without a compiler command, that runs the programs of
    /// another one with the same ABI.
    ///
    /// # Errors
    /// When a command is missing or its launcher cannot start two processes.
    pub fn find(name: &str) -> Result<Library, Error> {
        let (name, directories) = name.split_once('=').unwrap_or((name, ""));
        let (own, other) = directories.split_once(':').unwrap_or((directories, directories));
        let command = |command: &str, directory: &str| {
            let (file, path) = if directory.is_empty() {
                let file = format!("{command}.{name}");
                (file.clone(), on_path(&file))
            } else {
                let path = Path::new(directory).join("bin").join(command);
                (path.display().to_string(), Some(path).filter(|path| path.is_file()))
            };
            path.ok_or(Error::NoMpi { library: name.to_owned(), command: file })
        };
        let (compiler, launcher) = (command("mpicc", other)?, command("mpiexec", own)?);
        let mut library = Library {
            name: name.to_owned(),
            version: version(&launcher)?,
            compiler,
            fortran_compiler: on_path(&format!("mpif90.{name}")).filter(|path| answers(path)),
            launcher,
            launcher_options: Vec::new(),
            binding: Vec::new(),
            environment: Vec::new(),
        };
        if library.is_open_mpi() {
            library.launcher_options.push("--oversubscribe");
            if is_root() {
                let yes = "1".to_owned();
                library.environment = vec![
                    ("OMPI_ALLOW_RUN_AS_ROOT", yes.clone()),
                    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", yes),
                ];
            }
        }
        if own != other {
            library.environment.push(("LD_LIBRARY_PATH", format!("{own}/lib")));
        }
        library.bind_if_possible()?;
        Ok(library)
    }

    /// A command that starts `ranks` processes of the program given as its further arguments, each
    /// one on a core of its own where possible.
    #[must_use]
    pub fn launch(&self, ranks: u32) -> Command {
        self.launch_with(&self.binding, ranks)
    }

    /// The same for more ranks than there are cores.
    #[must_use]
    pub fn launch_unbound(&self, ranks: u32) -> Command {
        self.launch_with(&[], ranks)
    }

    fn launch_with(&self, binding: &[&str], ranks: u32) -> Command {
        let mut command = Command::new(&self.launcher);
        command.args(&self.launcher_options).args(binding).args(["-n", &ranks.to_string()]);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Compiles one C file, with all warnings as errors; `flags` are added.
    ///
    /// # Errors
    /// The output of the compiler.
    pub fn compile(&self, source: &Path, program: &Path, flags: &[&str]) -> Result<(), Error> {
        let mut command = Command::new(&self.compiler);
        command.args(COMPILER_FLAGS).args(flags).arg("-o").arg(program).arg(source);
        compiled(command, source)
    }

    /// Compiles one of [`FORTRAN_EXAMPLES`] into a directory. `None` where there is no Fortran
    /// compiler.
    ///
    /// # Errors
    /// The output of the compiler.
    pub fn compile_fortran(&self, name: &str, directory: &Path) -> Result<Option<PathBuf>, Error> {
        let Some(compiler) = &self.fortran_compiler else { return Ok(None) };
        let source =
            |name: &str| workspace_root().join("examples").join(name).with_extension("f90");
        let (program, sources) = (directory.join(name), [source(FORTRAN_MODULE), source(name)]);
        let mut command = Command::new(compiler);
        command.args(FORTRAN_FLAGS).arg("-J").arg(directory).arg("-o").arg(&program).args(&sources);
        compiled(command, &sources[1])?;
        Ok(Some(program))
    }

    /// Is each rank bound to a core of its own?
    #[must_use]
    pub fn binds(&self) -> bool {
        !self.binding.is_empty()
    }

    fn is_open_mpi(&self) -> bool {
        self.name.starts_with("openmpi") || self.version.contains("Open")
    }

    /// Ranks that move between cores make times jump; but containers and small machines may refuse
    /// to bind.
    fn bind_if_possible(&mut self) -> Result<(), Error> {
        self.binding = vec![if self.is_open_mpi() { "--bind-to" } else { "-bind-to" }, "core"];
        if self.try_launch().is_err() {
            self.binding.clear();
            return self.try_launch();
        }
        Ok(())
    }

    fn try_launch(&self) -> Result<(), Error> {
        let error = |reason| Error::Command {
            command: format!("{} -n 2 true", self.launcher.display()),
            reason,
        };
        let output = self.launch(2).arg("true").output().map_err(|e| error(e.to_string()))?;
        if output.status.success() {
            return Ok(());
        }
        Err(error(format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim())))
    }
}

/// All libraries of these names.
///
/// # Errors
/// As [`Library::find`], for the first one that cannot be used.
pub fn find(names: &[String]) -> Result<Vec<Library>, Error> {
    names.iter().map(|name| Library::find(name)).collect()
}

/// Compiles these examples with every library into `examples-NAME` of the target directory.
///
/// # Errors
/// When one does not compile.
pub fn compile(
    names: &[&str],
    libraries: &[Library],
    target: &Path,
) -> Result<Vec<Example>, Error> {
    let sources = workspace_root().join("examples");
    let mut examples = Vec::new();
    for &name in names {
        let fortran = FORTRAN_EXAMPLES.contains(&name);
        for (index, library) in libraries.iter().enumerate() {
            let directory = target.join(format!("examples-{}", library.name));
            std::fs::create_dir_all(&directory)
                .map_err(|source| Error::File { path: directory.clone(), source })?;
            let program = if fortran {
                let Some(program) = library.compile_fortran(name, &directory)? else {
                    anstream::eprintln!(
                        "{name} is left out with {0}: mpif90.{0} is missing, or has no compiler",
                        library.name
                    );
                    continue;
                };
                program
            } else {
                let program = directory.join(name);
                library.compile(&sources.join(name).with_extension("c"), &program, &[])?;
                program
            };
            examples.push(Example {
                name: name.to_owned(),
                library: index,
                library_name: library.name.clone(),
                program,
            });
        }
    }
    Ok(examples)
}

/// Where the project lies.
#[must_use]
pub fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Runs a compiler on a source.
fn compiled(mut command: Command, source: &Path) -> Result<(), Error> {
    let compiler = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|e| Error::Command { command: compiler.clone(), reason: e.to_string() })?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::Compile {
        command: format!("{compiler} {}", source.display()),
        output: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Whether a compiler works: the wrappers are installed with MPI, the compiler behind them need
/// not be.
fn answers(compiler: &Path) -> bool {
    Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn on_path(file: &str) -> Option<PathBuf> {
    let directories = env::var_os("PATH")?;
    env::split_paths(&directories).map(|d| d.join(file)).find(|p| p.is_file())
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

fn version(launcher: &Path) -> Result<String, Error> {
    let error = |reason: String| Error::Command {
        command: format!("{} --version", launcher.display()),
        reason,
    };
    let output =
        Command::new(launcher).arg("--version").output().map_err(|e| error(e.to_string()))?;
    version_in(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| error("no version in its answer".to_owned()))
}

/// Name and number from the answer of a launcher to `--version`.
fn version_in(text: &str) -> Option<String> {
    let is_version =
        |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
    let number = text.split_whitespace().find(is_version)?;
    let product = if text.contains("HYDRA") {
        "MPICH "
    } else if text.contains("OpenRTE") || text.contains("Open MPI") {
        "Open MPI "
    } else if text.contains("Intel(R) MPI") {
        "Intel MPI "
    } else {
        ""
    };
    Some(format!("{product}{number}"))
}

#[cfg(test)]
mod tests {
    use super::version_in;

    #[test]
    fn launchers_tell_their_version_in_their_own_ways() {
        let hydra =
            "HYDRA build details:\n    Version:       4.0.2\n    Release Date:  Thu Apr  7\n";
        assert_eq!(version_in(hydra).unwrap(), "MPICH 4.0.2");
        let open = "mpiexec.openmpi (OpenRTE) 4.1.4\n\nReport bugs to http://www.open-mpi.org/\n";
        assert_eq!(version_in(open).unwrap(), "Open MPI 4.1.4");
        assert_eq!(version_in("mpiexec (Open MPI) 5.0.11\n").unwrap(), "Open MPI 5.0.11");
        let intel =
            "Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)\n";
        assert_eq!(version_in(intel).unwrap(), "Intel MPI 2021.18.1");
        assert_eq!(version_in("no idea"), None);
    }
}
