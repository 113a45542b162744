//! Which MPI libraries there are.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Names that MPI libraries have. `libmpi_abi` is the same library behind the standard ABI.
const NAMES: [&str; 3] = ["libmpich.so.12", "libmpi.so.12", "libmpi.so.40"];

/// Where distributions and administrators put them; `*` stands for any folder.
const PLACES: [&str; 7] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64/mpich/lib",
    "/usr/lib64/openmpi/lib",
    "/usr/local/lib",
    "/opt/*/lib",
    "/opt/intel/oneapi/mpi/*/lib",
];

/// Roots of installations that the environment names.
const VARIABLES: [&str; 5] = ["MPI_HOME", "MPI_ROOT", "I_MPI_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX"];

/// The files of all MPI libraries that are found: those given, then those of the environment, then
/// those in known places. Each file once, however many names it has.
pub fn find(given: &[PathBuf]) -> Vec<PathBuf> {
    let roots =
        VARIABLES.iter().filter_map(std::env::var_os).map(|root| Path::new(&root).join("lib"));
    let listed = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folders = roots
        .chain(std::env::split_paths(&listed).collect::<Vec<_>>())
        .chain(PLACES.iter().flat_map(|place| expand(place)));
    let named = folders.flat_map(|folder| NAMES.map(|name| folder.join(name)));
    let mut seen = HashSet::new();
    let real = |path: PathBuf| path.canonicalize().ok();
    given.iter().cloned().chain(named).filter_map(real).filter(|p| seen.insert(p.clone())).collect()
}

/// The folders that a pattern with a `*` in some of its names stands for, sorted.
fn expand(pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::from("/")];
    for name in pattern.split('/').filter(|name| !name.is_empty()) {
        found = found.iter().flat_map(|folder| inside(folder, name)).collect();
    }
    found
}

fn inside(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    if !pattern.contains('*') {
        return vec![folder.join(pattern)];
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let fits = |path: &PathBuf| {
        path.file_name().is_some_and(|name| matches(&name.to_string_lossy(), pattern))
    };
    let mut found: Vec<PathBuf> = entries.map(|e| e.path()).filter(fits).collect();
    found.sort();
    found
}

/// Whether a name fits a pattern: the pieces between the stars occur in order, the first at the
/// beginning and the last at the end.
fn matches(name: &str, pattern: &str) -> bool {
    let pieces: Vec<&str> = pattern.split('*').collect();
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return false };
    let Some(mut rest) = name.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else {
        return false;
    };
    pieces[1..pieces.len() - 1].iter().all(|piece| {
        rest.find(piece).is_some_and(|at| {
            rest = &rest[at + piece.len()..];
            true
        })
    })
}
