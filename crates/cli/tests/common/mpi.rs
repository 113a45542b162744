//! The MPI libraries of this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use commloom_testkit::ranks::on_one_machine;

/// An installed MPI library, by the suffix that Debian gives its commands.
#[derive(Debug, Clone, Copy)]
pub struct Mpi {
    pub name: &'static str,
}

impl Mpi {
    /// Those with a C compiler wrapper. Where MPI is required (`CI`, `COMMLOOM_REQUIRE_MPI`) there
    /// must be one; elsewhere its absence is printed.
    pub fn installed() -> Vec<Mpi> {
        let all = ["mpich", "openmpi"].map(|name| Mpi { name });
        let found: Vec<Mpi> = all.into_iter().filter(|m| m.command("mpicc").is_some()).collect();
        let required = ["CI", "COMMLOOM_REQUIRE_MPI"].iter().any(|v| std::env::var_os(v).is_some());
        assert!(!found.is_empty() || !required, "MPI is required here, but there is no mpicc.*");
        if found.is_empty() {
            commloom_testkit::skipped("neither mpicc.mpich nor mpicc.openmpi is installed");
        }
        found
    }

    /// One of its commands, if it is installed.
    pub fn command(self, program: &str) -> Option<PathBuf> {
        in_path(&format!("{program}.{}", self.name))
    }

    /// Compiles with `mpicc` or `mpifort`; warnings are errors.
    #[allow(dead_code)] // not every test binary needs it
    pub fn compile(self, compiler: &str, args: &[&str], dir: &Path) {
        let output = Command::new(self.command(compiler).expect("looked for before"))
            .args(["-O0", "-Wall", "-Werror"])
            .args(args)
            .current_dir(dir)
            .output()
            .expect("the compiler starts");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{compiler}.{} {args:?}: {err}", self.name);
    }

    /// `mpiexec` with so many processes, more of them than cores; the program comes behind.
    #[allow(dead_code)] // not every test binary needs it
    pub fn launch(self, ranks: u64) -> Command {
        let mut run = Command::new(self.command("mpiexec").expect("looked for before"));
        on_one_machine(&mut run).args(["-n", &ranks.to_string()]);
        run
    }

    /// A command that runs a program as the only rank.
    #[allow(dead_code)] // not every test binary needs it
    pub fn single(self, program: &Path) -> Command {
        let mut command = Command::new(program);
        on_one_machine(&mut command);
        command
    }
}

/// The first file of this name on `PATH`.
pub fn in_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}
