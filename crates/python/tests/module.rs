//! The module that this build has made, under the system's Python without any package: strided
//! views of the standard library are packed, copied and refused, and what the command of this
//! build finds becomes rows (`python/tests`). `make test-python` runs everything else, with NumPy,
//! pandas and mpi4py.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder that holds what cargo has built beside this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("this test is a file");
    let folder = test.parent().and_then(Path::parent).expect("it lies in deps");
    folder.to_owned()
}

#[test]
fn the_module_passes_its_tests_with_the_standard_library_alone() {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let version = ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"];
    if !Command::new(&python).args(version).status().is_ok_and(|status| status.success()) {
        // Not with eprintln!, which the test harness keeps to itself when the test passes.
        let _ = writeln!(std::io::stderr(), "SKIPPED: there is no python3 of 3.9 or later");
        return;
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("module");
    let package = place.join("commloom");
    std::fs::create_dir_all(&package).expect("a folder below target");
    for file in ["__init__.py", "_datatypes.py", "_results.py"] {
        std::fs::copy(sources.join("commloom").join(file), package.join(file)).expect(file);
    }
    let library = built().join("libcommloom_native.so");
    std::fs::copy(&library, package.join("_native.abi3.so")).expect("cargo has built the module");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(built()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(path).expect("folders without colons");
    for tests in ["test_standard_library.py", "test_results.py"] {
        let output = Command::new(&python)
            .arg(sources.join("tests").join(tests))
            .env("PATH", &path)
            .env("PYTHONPATH", &place)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .expect("python3 runs");
        let said =
            [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
        assert!(output.status.success(), "{}{}", said[0], said[1]);
        assert!(said[0].contains(" tests passed"), "{said:?}");
    }
}
