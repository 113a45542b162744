//! ARCHITECTURE.md is true: every crate is in it, depends only on what its entry allows, and keeps
//! the invariants that a program can check.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Crates that may contain unsafe code, by the start of their names.
const UNSAFE: &[&str] = &["pack", "mpi", "interpose", "capi", "python", "fuzz-mpi"];
/// Files outside programs and `testkit` that may print or read the environment.
const SPEAKING: &[&str] = &["interpose/src/runtime/config.rs", "interpose/src/runtime/say.rs"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

struct Member {
    folder: String,
    /// Normal dependencies: folders of workspace members, and names of others.
    inside: BTreeSet<String>,
    outside: BTreeSet<String>,
}

fn members() -> Vec<Member> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let folder = |p: &serde_json::Value| {
        let manifest = Path::new(p["manifest_path"].as_str().expect("a path"));
        let folder = manifest.parent().and_then(Path::file_name).expect("a folder");
        folder.to_string_lossy().into_owned()
    };
    let folders: BTreeMap<&str, String> =
        packages.iter().map(|p| (p["name"].as_str().expect("a name"), folder(p))).collect();
    packages
        .iter()
        .map(|p| {
            let (mut inside, mut outside) = (BTreeSet::new(), BTreeSet::new());
            for d in p["dependencies"].as_array().expect("dependencies") {
                if !d["kind"].is_null() {
                    continue;
                }
                let name = d["name"].as_str().expect("a name");
                match folders.get(name) {
                    Some(folder) => inside.insert(folder.clone()),
                    None => outside.insert(name.to_owned()),
                };
            }
            Member { folder: folder(p), inside, outside }
        })
        .collect()
}

/// The entries of ARCHITECTURE.md: crate and text.
fn entries() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let crates = text.split("\n## Crates").nth(1).expect("a section about crates");
    let crates = crates.split("\n## ").next().expect("its text");
    crates
        .split("\n### ")
        .skip(1)
        .map(|entry| {
            let (title, body) = entry.split_once('\n').expect("a title and a body");
            (title.trim().trim_matches('`').to_owned(), body.to_owned())
        })
        .collect()
}

/// The source files of a crate, without its tests.
fn sources(folder: &str) -> Vec<(String, String)> {
    files(&format!("{folder}/src"))
}

/// The files below a folder of `crates/`, without tests inside them and without comments.
fn files(folder: &str) -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    let base = root().join("crates");
    let mut found = Vec::new();
    walk(&base.join(folder), &mut found);
    found
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&base).expect("below").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a file");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let code: Vec<&str> =
                code.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
            (name, code.join("\n"))
        })
        .collect()
}

#[test]
fn every_crate_has_an_entry_and_every_entry_a_crate() {
    let crates: BTreeSet<String> = members().into_iter().map(|m| m.folder).collect();
    let entries: BTreeSet<String> = entries().into_keys().collect();
    assert_eq!(crates, entries, "left: crates/, right: ARCHITECTURE.md");
}

#[test]
fn whoever_changes_something_finds_where_to_begin() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let table = text.split("\n## Where to begin").nth(1).expect("a section for newcomers");
    let table = table.split("\n## ").next().expect("its text");
    let rows: Vec<&str> = table.lines().filter(|line| line.contains("/src/")).collect();
    assert!(rows.len() >= 10, "{rows:?}");
    for path in rows.iter().flat_map(|row| row.split('`').skip(1).step_by(2)) {
        let is_path = path.contains('/') && !path.contains(' ');
        assert!(!is_path || root().join(path).exists(), "there is no {path}");
    }
}

#[test]
fn crates_depend_only_on_what_their_entry_allows() {
    let entries = entries();
    for member in members() {
        let entry = &entries[&member.folder];
        let rest = entry
            .split("\n- Allowed dependencies:")
            .nth(1)
            .unwrap_or_else(|| panic!("`{}` has no line `- Allowed dependencies:`", member.folder));
        let line = rest.split("\n- ").next().expect("the first part").replace('\n', " ");
        let allowed: BTreeSet<String> =
            line.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        let extra: Vec<_> = member.inside.difference(&allowed).collect();
        assert!(extra.is_empty(), "`{}` depends on {extra:?}; its entry: {line}", member.folder);
        if line.contains("not even outside the workspace") {
            assert!(member.outside.is_empty(), "`{}`: {:?}", member.folder, member.outside);
        }
    }
}

#[test]
fn unsafe_code_is_forbidden_outside_its_crates() {
    for member in members() {
        let is_unsafe = |name: &&str| member.folder.starts_with(*name);
        if member.folder != "mpi-api" && UNSAFE.iter().any(is_unsafe) {
            continue;
        }
        let sources = sources(&member.folder);
        let roots: Vec<_> = sources
            .iter()
            .filter(|(name, _)| name.ends_with("src/lib.rs") || name.ends_with("src/main.rs"))
            .collect();
        assert!(!roots.is_empty(), "{}", member.folder);
        for (name, text) in roots {
            assert!(text.contains("#![forbid(unsafe_code)]"), "{name} does not forbid unsafe code");
        }
    }
}

#[test]
fn libraries_print_nothing_and_read_no_environment() {
    let words = ["println!", "print!(", "dbg!", "env::var", "env::vars"];
    for member in members() {
        if ["cli", "fuzz-mpi", "testkit", "xtask"].contains(&member.folder.as_str()) {
            continue;
        }
        for (name, text) in sources(&member.folder) {
            if SPEAKING.contains(&name.as_str()) {
                continue;
            }
            for word in words {
                assert!(!text.contains(word), "{name} contains `{word}`");
            }
        }
    }
}

#[test]
fn nothing_links_an_mpi_library() {
    for member in members() {
        // A build script may name what is built, as that of `capi` does.
        let script = root().join("crates").join(&member.folder).join("build.rs");
        let script = std::fs::read_to_string(script).unwrap_or_default();
        for word in ["link-lib", "link-search", "link-arg=-l"] {
            assert!(!script.contains(word), "the build script of `{}` links", member.folder);
        }
        for (name, text) in sources(&member.folder) {
            assert!(!text.contains("#[link("), "{name} links a library");
        }
    }
}

#[test]
fn machines_and_medians_are_those_of_measure() {
    let words =
        ["/proc/cpuinfo", "/proc/sys/kernel/osrelease", "fn median(", "fn quartile", "fn quantile"];
    let words =
        words.iter().chain(&["fn percentile", "fn geometric_mean(", "Command::new(\"date\")"]);
    for member in members() {
        if ["measure", "testkit"].contains(&member.folder.as_str()) {
            continue;
        }
        for (name, text) in files(&member.folder) {
            if name == "xtask/tests/architecture.rs" {
                continue;
            }
            for word in words.clone() {
                assert!(!text.contains(word), "{name} contains `{word}`: `measure` has that");
            }
        }
    }
}
