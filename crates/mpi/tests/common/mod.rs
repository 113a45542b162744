//! The code that the tests share: which MPI compilers there are, and how to say that there is
//! none.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every MPI compiler that can be found: on `PATH`, in `.venv*/bin` of the workspace, and those
/// that `COMMLOOM_MPICC` names (separated by colons).
pub fn compilers() -> Vec<PathBuf> {
    const NAMES: [&str; 4] = ["mpicc", "mpicc.mpich", "mpicc.openmpi", "mpicc_abi"];
    let mut folders: Vec<PathBuf> =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(b".venv") {
            folders.push(entry.path().join("bin"));
        }
    }
    let mut found: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for folder in folders {
        for name in NAMES {
            let path = folder.join(name);
            if path.is_file() {
                // One entry per folder and name: /bin is often a link to /usr/bin, but the file
                // itself may be a link to a wrapper that looks at the name it is called by.
                let real = fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone()).join(name);
                found.entry(real).or_insert(path);
            }
        }
    }
    let mut all: Vec<PathBuf> = found.into_values().collect();
    let extra = env::var_os("COMMLOOM_MPICC").unwrap_or_default();
    all.extend(env::split_paths(&extra).filter(|p| !p.as_os_str().is_empty()));
    all
}

/// Says that a test could not run; fails where `CI=true` or `COMMLOOM_REQUIRE_MPI=1` forbids that.
pub fn skip(test: &str, why: &str) {
    let is = |name, value: &str| env::var_os(name).as_deref() == Some(OsStr::new(value));
    let required = is("CI", "true") || is("COMMLOOM_REQUIRE_MPI", "1");
    assert!(!required, "{test}: {why}, but CI or COMMLOOM_REQUIRE_MPI requires it");
    // Not eprintln: the test harness would hide it.
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {why}");
}

/// A folder for the files of one test, empty.
pub fn scratch(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

/// Compiles C source; `Err` is what the compiler said.
pub fn compile(
    compiler: &Path,
    source: &Path,
    program: &Path,
    flags: &[&str],
) -> Result<(), String> {
    let output = Command::new(compiler)
        .args(["-w", "-o"])
        .args([program, source])
        .args(flags)
        .output()
        .map_err(|e| format!("{}: {e}", compiler.display()))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Runs a program to its end; what it printed.
pub fn run(program: &Path) -> String {
    let output = Command::new(program).output().expect("a program just compiled can be run");
    assert!(output.status.success(), "{}: {output:?}", program.display());
    String::from_utf8_lossy(&output.stdout).into_owned()
}
