//! Programs and libraries that tests run, built when they need them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Builds the packages of this workspace that are no tests (`packages`, by name) in the profile of
/// the tests; the folder of what was built. `cargo` is the test's `env!("CARGO")`. Only the first
/// call of a process builds.
///
/// Where MPI is required, as in `make test`, all targets of the workspace were built before:
/// asking for all of them finds that. Fewer packages have other features of their dependencies,
/// and so has the workspace without its tests: they would be compiled once more (two minutes).
///
/// # Panics
/// If the build fails.
pub fn built(cargo: &str, packages: &[&str]) -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        // target/<profile>/deps/<test>
        let test = std::env::current_exe().expect("the test has a path");
        let folder = test.ancestors().nth(2).expect("target/profile/deps/test").to_owned();
        let mut build = Command::new(cargo);
        build.arg("build").arg("--target-dir").arg(folder.parent().expect("target"));
        match std::env::var_os("COMMLOOM_REQUIRE_MPI") {
            Some(_) => build.args(["--workspace", "--all-targets"]),
            None => build.args(packages.iter().flat_map(|package| ["-p", package])),
        };
        if folder.ends_with("release") {
            build.arg("--release");
        }
        let output = build.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder
    })
}
