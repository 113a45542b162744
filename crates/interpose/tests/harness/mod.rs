//! Compiles C programs with every MPI library that is installed and runs them under `mpiexec`,
//! with or without the preload.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// An installed MPI library.
#[derive(Debug, Clone, Copy)]
pub struct Library {
    /// Suffix of its commands on Debian, and of the preload.
    pub name: &'static str,
    extra: &'static [&'static str],
}

const LIBRARIES: &[Library] = &[
    Library { name: "mpich", extra: &[] },
    Library { name: "openmpi", extra: &["--oversubscribe"] },
];

/// The libraries that are installed. None is a failure where they are required, as in CI.
pub fn libraries() -> Vec<Library> {
    let found: Vec<Library> = LIBRARIES
        .iter()
        .copied()
        .filter(|l| Command::new(format!("mpicc.{}", l.name)).arg("--version").output().is_ok())
        .collect();
    let required = ["CI", "COMMLOOM_REQUIRE_MPI"].iter().any(|v| std::env::var_os(v).is_some());
    for missing in LIBRARIES.iter().filter(|l| found.iter().all(|f| f.name != l.name)) {
        assert!(!required, "mpicc.{} is not installed, but MPI is required here", missing.name);
        eprintln!("skipped for {}: mpicc.{} is not installed", missing.name, missing.name);
    }
    found
}

impl Library {
    /// Compiles a program of `tests/c`.
    pub fn compile(&self, program: &str) -> PathBuf {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/c/{program}.c"));
        let binary =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{program}-{}", self.name));
        let output = Command::new(format!("mpicc.{}", self.name))
            .args(["-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread"])
            // GCC takes MPICH's MPI_STATUSES_IGNORE for an array of one byte.
            .arg("-Wno-stringop-overflow")
            .arg(&source)
            .arg("-o")
            .arg(&binary)
            .output()
            .expect("mpicc runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        binary
    }

    /// Runs a program on two ranks; `preloaded` says which of them run under commloom.
    pub fn run(&self, binary: &Path, preloaded: [bool; 2], environment: &[(&str, &str)]) -> Output {
        let mut command = Command::new(format!("mpiexec.{}", self.name));
        command
            .args(self.extra)
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            // Two ranks on one machine: no network, and no waiting for one.
            .env("OMPI_MCA_btl", "self,vader");
        for (rank, preloaded) in preloaded.into_iter().enumerate() {
            if rank > 0 {
                command.arg(":");
            }
            command.args(["-n", "1", "env"]);
            if preloaded {
                command.arg(format!("LD_PRELOAD={}", self.preload().display()));
                command.args(environment.iter().map(|(name, value)| format!("{name}={value}")));
            }
            command.arg(binary);
        }
        command.output().expect("mpiexec runs")
    }

    /// The preload for this library, built once per test run in the profile of the tests.
    pub fn preload(&self) -> PathBuf {
        static BUILT: OnceLock<PathBuf> = OnceLock::new();
        let folder = BUILT.get_or_init(|| {
            // target/<profile>/deps/<test>
            let test = std::env::current_exe().expect("the test has a path");
            let folder = test.ancestors().nth(2).expect("target/profile/deps/test").to_owned();
            let mut build = Command::new(env!("CARGO"));
            build.arg("build").arg("--target-dir").arg(folder.parent().expect("target"));
            for name in ["mpich", "openmpi", "abi"] {
                build.args(["-p", &format!("commloom-interpose-{name}")]);
            }
            if folder.ends_with("release") {
                build.arg("--release");
            }
            let output =
                build.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            folder
        });
        folder.join(format!("libcommloom_{}.so", self.name))
    }
}

/// What a run printed, each rank's lines in order.
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
