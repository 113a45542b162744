//! How tests start the processes of an MPI program on this machine, most often more of them than
//! it has cores.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The environment of a launcher: also as root, with Open MPI on cores that other processes have,
/// without what an earlier run has left, and with processes that let others run while they wait.
pub fn crowded(launcher: &mut Command) -> &mut Command {
    launcher
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
        .env("OMPI_MCA_mpi_yield_when_idle", "1")
        .env("XDG_CACHE_HOME", "/proc/none")
        .env("LD_PRELOAD", in_front(""))
}

/// The same for processes that are all on this machine: Open MPI without networks. It waits a
/// second whenever it closes `ofi`.
pub fn on_one_machine(launcher: &mut Command) -> &mut Command {
    crowded(launcher).env("OMPI_MCA_btl", "^tcp,ofi")
}

/// The libraries that a process of such a launcher is preloaded with, with colons between them:
/// `preloads`, then the one that lets others run, then those that the test itself runs with (MPICH
/// needs one on two nodes).
pub fn in_front(preloads: impl AsRef<OsStr>) -> OsString {
    let inherited = std::env::var_os("LD_PRELOAD").unwrap_or_default();
    let ours = yielding().map(Path::as_os_str).unwrap_or_default();
    let all = [preloads.as_ref(), ours, &inherited];
    let all: Vec<&OsStr> = all.into_iter().filter(|libraries| !libraries.is_empty()).collect();
    all.join(":".as_ref())
}

/// `yielding.c` as a library, made once per test run; none where there is no C compiler, and so no
/// program of MPI.
fn yielding() -> Option<&'static Path> {
    static MADE: OnceLock<Option<PathBuf>> = OnceLock::new();
    MADE.get_or_init(|| {
        // target/<profile>/deps/<test>
        let test = std::env::current_exe().expect("the test has a path");
        let folder = test.ancestors().nth(2).expect("target/profile/deps/test");
        let library = folder.join("libcommloom-yielding.so");
        // Another test may be running with it: it is replaced as a whole.
        let new = tempfile::NamedTempFile::new_in(folder).expect("the target folder is writable");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/yielding.c");
        let compiled = Command::new("cc")
            .args(["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"])
            .args([new.path(), &source])
            .output()
            .ok()?;
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        new.persist(&library).expect("the target folder is writable");
        Some(library)
    })
    .as_deref()
}
