//! Compiles C and Fortran programs with every MPI library that is installed and runs them under
//! `mpiexec`, with or without the preload.

// Each test program uses its part.
#![allow(dead_code, reason = "shared by test programs that need different parts of it")]

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

use commloom_testkit::ranks::{crowded, in_front, on_one_machine};

/// An installed MPI library.
#[derive(Debug, Clone)]
pub struct Library {
    /// Its name in messages and files.
    pub name: String,
    mpicc: PathBuf,
    /// Its Fortran compiler, which it need not have.
    mpif90: PathBuf,
    mpiexec: PathBuf,
    /// `libcommloom_<preload>.so`.
    preload: &'static str,
}

impl Library {
    fn debian(name: &'static str) -> Library {
        Library {
            name: name.into(),
            mpicc: format!("mpicc.{name}").into(),
            mpif90: format!("mpif90.{name}").into(),
            mpiexec: format!("mpiexec.{name}").into(),
            preload: name,
        }
    }

    /// From a compiler somewhere else, with its `mpiexec` beside it.
    fn of_compiler(mpicc: &Path) -> Library {
        let beside = |name| mpicc.with_file_name(name);
        let preload = match () {
            () if mpicc.to_string_lossy().ends_with("_abi") => "abi",
            () if beside("ompi_info").exists() => "openmpi",
            () => "mpich",
        };
        let name = mpicc.to_string_lossy().trim_matches('/').replace('/', "-");
        let (mpif90, mpiexec) = (beside("mpif90"), beside("mpiexec"));
        Library { name, mpicc: mpicc.into(), mpif90, mpiexec, preload }
    }

    fn is_there(&self) -> bool {
        Command::new(&self.mpicc).arg("--version").output().is_ok()
    }
}

/// Whether the libraries of Debian have to be there.
fn is_required() -> bool {
    ["CI", "COMMLOOM_REQUIRE_MPI"].iter().any(|v| std::env::var_os(v).is_some())
}

/// The libraries that are installed: those of Debian, and those whose compilers `COMMLOOM_MPICC`
/// names (with colons between them). None is a failure where they are required, as in CI.
pub fn libraries() -> Vec<Library> {
    let mut found = Vec::new();
    for library in ["mpich", "openmpi"].map(Library::debian) {
        if library.is_there() {
            found.push(library);
        } else {
            assert!(
                !is_required(),
                "mpicc.{} is not installed, but MPI is required here",
                library.name
            );
            commloom_testkit::skipped(&format!(
                "for {0}: mpicc.{0} is not installed",
                library.name
            ));
        }
    }
    let others = std::env::var_os("COMMLOOM_MPICC").unwrap_or_default();
    // An empty variable is one empty path.
    for mpicc in std::env::split_paths(&others).filter(|path| !path.as_os_str().is_empty()) {
        let library = Library::of_compiler(&mpicc);
        assert!(library.is_there(), "COMMLOOM_MPICC names {}, which fails", mpicc.display());
        found.push(library);
    }
    found
}

/// Those and MPICH 5, for what only it can do, or gets wrong: Debian has none.
pub fn libraries_and_mpich5() -> Vec<Library> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("the sources are there");
    let mpicc = root.join(".venv-mpich5/bin/mpicc");
    let mpich5 = Library::of_compiler(&mpicc);
    if !mpich5.is_there() {
        commloom_testkit::skipped("for MPICH 5: scripts/setup --mpich5 has not installed it");
        return libraries();
    }
    libraries().into_iter().chain([mpich5]).collect()
}

impl Library {
    /// A folder of this library's, and nothing in it: traces are not written over others.
    pub fn empty_folder(&self, name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", self.name));
        // It is not there the first time.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the target folder is writable");
        folder
    }

    /// Compiles a program of `tests/c`.
    pub fn compile(&self, program: &str) -> PathBuf {
        self.compile_together(&[program])
    }

    /// Compiles files of `tests/c` to one program.
    pub fn compile_together(&self, files: &[&str]) -> PathBuf {
        let sources: Vec<_> = files.iter().map(|file| source(&format!("c/{file}.c"))).collect();
        self.compile_sources(&files.join("-"), &sources)
    }

    /// Compiles a program of `examples/`.
    pub fn compile_example(&self, example: &str) -> PathBuf {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        self.compile_sources(example, &[examples.join(example).with_extension("c")])
    }

    fn compile_sources(&self, name: &str, sources: &[PathBuf]) -> PathBuf {
        let mut command = Command::new(&self.mpicc);
        command
            .args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"])
            // GCC takes MPICH's MPI_STATUSES_IGNORE for an array of one byte.
            .arg("-Wno-stringop-overflow")
            .args(sources)
            .arg("-lm");
        compiled(command, self.binary(name))
    }

    /// Compiles a program of `tests/cpp`.
    pub fn compile_cpp(&self, program: &str) -> PathBuf {
        let mut command = Command::new(&self.mpicc);
        command
            .args(["-O1", "-g", "-Wall", "-Wextra", "-Wno-cast-function-type"])
            .arg(source(&format!("cpp/{program}.cpp")))
            .arg("-lstdc++");
        compiled(command, self.binary(program))
    }

    /// Whether there is a Fortran compiler. If not, that is said, and is a failure where the
    /// library is required: the Debian packages bring one.
    pub fn has_fortran(&self) -> bool {
        let there =
            Command::new(&self.mpif90).arg("--version").output().is_ok_and(|o| o.status.success());
        if !there {
            let required = is_required() && self.mpif90.parent() == Some(Path::new(""));
            assert!(!required, "{} does not work, but is required here", self.mpif90.display());
            commloom_testkit::skipped(&format!(
                "Fortran with {}: it has no compiler for it",
                self.name
            ));
        }
        there
    }

    /// Compiles a program of `tests/fortran` with these macros.
    pub fn compile_fortran(&self, program: &str, macros: &[&str]) -> PathBuf {
        let binary = self.binary(&format!("{program}-{}", macros.join("-")));
        let modules = binary.with_extension("modules");
        std::fs::create_dir_all(&modules).expect("a folder for module files");
        let mut command = Command::new(&self.mpif90);
        command
            // Without interfaces one name is called with buffers of several types.
            .args(["-O1", "-g", "-w", "-fallow-argument-mismatch"])
            .args(macros.iter().map(|name| format!("-D{name}")))
            .arg("-J")
            .arg(modules)
            .arg(source(&format!("fortran/{program}.F90")));
        compiled(command, binary)
    }

    fn binary(&self, program: &str) -> PathBuf {
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{program}-{}", self.name))
    }

    /// Compiles a shared library of `tests/c`.
    pub fn compile_shared(&self, library: &str) -> PathBuf {
        let mut command = Command::new(&self.mpicc);
        command
            .args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"])
            .arg(source(&format!("c/{library}.c")));
        compiled(command, self.binary(&format!("lib{library}")).with_extension("so"))
    }

    /// Compiles a shared library of `tests/c` that other programs know by `soname`.
    pub fn compile_named(&self, library: &str, soname: &str) -> PathBuf {
        let mut command = Command::new("cc");
        command
            .args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"])
            .arg(format!("-Wl,-soname,{soname}"))
            .arg(source(&format!("c/{library}.c")));
        compiled(command, self.binary(&format!("lib{library}")).with_extension("so"))
    }

    /// Runs a program on two ranks with all of these libraries in front.
    pub fn run_beside(
        &self,
        binary: &Path,
        preloads: &str,
        environment: &[(&str, &str)],
    ) -> Output {
        let preloads = in_front(preloads).display().to_string();
        let mut all = vec![("LD_PRELOAD", preloads.as_str())];
        all.extend(environment);
        self.run(binary, [true, true], &all)
    }

    /// Runs a program on `N` ranks; `preloaded` says which of them run under commloom.
    pub fn run<const N: usize>(
        &self,
        binary: &Path,
        preloaded: [bool; N],
        environment: &[(&str, &str)],
    ) -> Output {
        let (mut command, printed) = (self.launch(), Printed::new());
        for (rank, preloaded) in preloaded.into_iter().enumerate() {
            if rank > 0 {
                command.arg(":");
            }
            command.args(["-n", "1"]).args(printed.apart()).arg("env");
            if preloaded {
                command.arg(self.preloaded());
                command.args(environment.iter().map(|(name, value)| format!("{name}={value}")));
            }
            command.arg(binary);
        }
        printed.output(command)
    }

    /// Runs a program on so many ranks, all of them preloaded and with this environment.
    pub fn run_on(&self, ranks: usize, binary: &Path, environment: &[(&str, &str)]) -> Output {
        self.run_with(ranks, binary, &[], environment)
    }

    /// The same, with arguments for the program.
    pub fn run_with(
        &self,
        ranks: usize,
        binary: &Path,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Output {
        self.started(self, ranks, binary, arguments, environment, true)
    }

    /// The same, with the `mpiexec` of another library.
    pub fn run_by(
        &self,
        launcher: &Library,
        ranks: usize,
        binary: &Path,
        environment: &[(&str, &str)],
    ) -> Output {
        self.started(launcher, ranks, binary, &[], environment, true)
    }

    fn started(
        &self,
        launcher: &Library,
        ranks: usize,
        binary: &Path,
        arguments: &[&str],
        environment: &[(&str, &str)],
        preloaded: bool,
    ) -> Output {
        let (mut command, printed) = (launcher.launch(), Printed::new());
        command.args(["-n", &ranks.to_string()]).args(printed.apart()).arg("env");
        if preloaded {
            command.arg(self.preloaded());
        }
        command
            .args(environment.iter().map(|(name, value)| format!("{name}={value}")))
            .arg(binary)
            .args(arguments);
        printed.output(command)
    }

    /// Runs a program with arguments, separated by spaces, on so many ranks.
    pub fn run_case(
        &self,
        ranks: usize,
        binary: &Path,
        arguments: &str,
        environment: &[(&str, &str)],
        preloaded: bool,
    ) -> Output {
        let words: Vec<&str> = arguments.split(' ').filter(|word| !word.is_empty()).collect();
        self.started(self, ranks, binary, &words, environment, preloaded)
    }

    /// How ranks on this machine are started, more of them than cores. None takes a minute; where
    /// they wait for each other for ever, the run fails and says which it was.
    fn launch(&self) -> Command {
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", "600"]).arg(&self.mpiexec);
        if on_two_nodes() {
            crowded(&mut command)
        } else {
            on_one_machine(&mut command)
        };
        command
    }

    /// The argument of `env` that preloads us.
    fn preloaded(&self) -> String {
        format!("LD_PRELOAD={}", in_front(self.preload()).display())
    }

    /// The preload for this library.
    pub fn preload(&self) -> PathBuf {
        preload(self.preload)
    }
}

/// Whether ranks are placed on two nodes (`scripts/two-nodes`), by turns.
pub fn on_two_nodes() -> bool {
    std::env::var_os("TWO_NODES").is_some()
}

/// The output of ranks, a file for each: launchers pass it on in pieces that end inside of lines,
/// with another rank's pieces between them.
struct Printed(tempfile::TempDir);

impl Printed {
    fn new() -> Printed {
        Printed(tempfile::tempdir().expect("the temporary folder is writable"))
    }

    /// The words before a rank's program.
    fn apart(&self) -> [&OsStr; 4] {
        let [shell, option, script] = ["sh", "-c", r#"exec "$@" >"$0/$$""#].map(OsStr::new);
        [shell, option, script, self.0.path().as_os_str()]
    }

    /// Runs the launcher: what it printed, then what each rank did.
    fn output(&self, mut launcher: Command) -> Output {
        let mut output = launcher.output().expect("timeout runs");
        let files = std::fs::read_dir(self.0.path()).expect("the folder is ours");
        let mut files: Vec<_> =
            files.map(|file| file.expect("the folder is ours").path()).collect();
        files.sort();
        for file in files {
            output.stdout.extend(std::fs::read(file).expect("the file is ours"));
        }
        output
    }
}

/// `libcommloom_<name>.so`, built once per test run in the profile of the tests.
pub fn preload(name: &str) -> PathBuf {
    let packages = ["mpich", "openmpi", "abi"].map(|name| format!("commloom-interpose-{name}"));
    let folder = commloom_testkit::built(env!("CARGO"), &packages.each_ref().map(String::as_str));
    folder.join(format!("libcommloom_{name}.so"))
}

/// A file of `tests/`.
fn source(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file)
}

/// Runs a compiler; the program is `binary`. Tests of one process share programs: none is made
/// anew while another test runs it.
fn compiled(mut command: Command, binary: PathBuf) -> PathBuf {
    static MADE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut made = MADE.lock().expect("no test fails in here but this one");
    if made.contains(&binary) {
        return binary;
    }
    let output = command.arg("-o").arg(&binary).output().expect("the compiler runs");
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    made.insert(binary.clone());
    binary
}

/// The output of a run, each rank's lines in order.
pub fn lines(output: &Output) -> Vec<String> {
    assert!(
        output.status.success(),
        "{:?}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let mut lines: Vec<String> =
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect();
    // Ranks interleave; the sort is stable and looks at the rank only.
    lines.sort_by_key(|line| line.starts_with("rank 1"));
    lines
}
