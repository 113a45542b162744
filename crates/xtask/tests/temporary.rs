//! Names of files that another user of the machine could know before: whoever makes such a file
//! first decides what is read, run or written over. Folders that everybody may write in, and
//! numbers of processes, stand in Rust sources and scripts only where a reason is given here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Parts of names that can be known: folders of everybody, and numbers of processes.
const WORDS: [&str; 13] = [
    "temp_dir()",
    "gettempdir",
    "mktemp(",
    "tmpnam",
    "tempnam",
    "$TMPDIR",
    "${TMPDIR",
    "/tmp",
    "/dev/shm",
    "process::id()",
    "getpid",
    "$$",
    "BASHPID",
];

/// A file, one of the words, how many lines have it, and why no name is known before.
const EXPLAINED: &[(&str, &str, usize, &str)] = &[
    (
        "crates/interpose/src/node/room.rs",
        "/dev/shm",
        1,
        "guard opens or makes it only as a file of this user; see SECURITY.md",
    ),
    (
        "crates/read/src/fortran/tests/conditional.rs",
        "$$",
        1,
        "a comment of fixed form that begins with c$$$",
    ),
    ("crates/interpose/src/node/room.rs", "process::id()", 2, "tells others who is there"),
    ("crates/interpose/src/node/memory.rs", "process::id()", 1, "a test opens its own memory"),
    ("crates/cli/src/files.rs", "temp_dir()", 1, "guard makes a folder of random name in it"),
    (
        "crates/cli/src/cmd/refactor/trial.rs",
        "temp_dir()",
        1,
        "guard makes a folder of random name in it",
    ),
    (
        "crates/interpose/src/replace/open.rs",
        "/dev/shm",
        1,
        "guard makes a file of random name in it, and takes the name away at once",
    ),
    ("crates/interpose/src/replace/shared.rs", "/dev/shm", 1, "a comment"),
    (
        "crates/interpose/src/preload/report.rs",
        "process::id()",
        1,
        "beside the report that the user names; guard follows no link of others",
    ),
    ("crates/interpose/src/accelerate/rounds.rs", "process::id()", 1, "a seed"),
    ("crates/interpose/src/record/foreign.rs", "getpid", 1, "memory of this process, no file"),
    ("crates/interpose/src/runtime/pool.rs", "getpid", 1, "memory of this process, no file"),
    ("crates/pack/src/threads.rs", "process::id()", 3, "tells a child by fork, no file"),
    ("crates/cli/src/cmd/trace.rs", "/tmp", 1, "a path that a test reads as text"),
    ("crates/commgraph/tests/allprof.rs", "/tmp", 1, "a path that a test reads as text"),
    ("crates/environment/src/setting.rs", "/tmp", 1, "a path that a test reads as text"),
    ("crates/interpose/src/runtime/config.rs", "/tmp", 4, "paths that tests read as text"),
    ("crates/cli/tests/exec.rs", "$$", 1, "a process that ends itself"),
    ("crates/cli/tests/planted.rs", "$$", 2, "names that an attacker plants"),
    ("crates/cli/tests/planted.rs", "$TMPDIR", 5, "names that an attacker plants"),
    ("crates/interpose/tests/harness/mod.rs", "$$", 1, "in a folder of random name"),
    ("scripts/attacks", "BASHPID", 1, "names that an attacker plants"),
    ("scripts/attacks", "$TMPDIR", 1, "names that an attacker plants"),
    ("scripts/bench-files", "/dev/shm", 2, "`tempfile` makes a folder of random name in it"),
    ("scripts/dist", "${TMPDIR", 1, "`mktemp -d` makes a folder of random name in it"),
    ("scripts/dist", "/tmp", 1, "`mktemp -d` makes a folder of random name in it"),
    ("scripts/test-mpich", "getpid", 1, "finds children of the script, no file"),
    ("scripts/two-nodes", "/dev/shm", 2, "one of the node's own"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Rust sources, the scripts, and what is packaged: by their names from the root on.
fn files() -> Vec<(String, String)> {
    fn walk(place: &Path, found: &mut Vec<PathBuf>) {
        if place.is_file() {
            return found.push(place.to_owned());
        }
        for entry in std::fs::read_dir(place).expect("a folder") {
            let path = entry.expect("an entry").path();
            let built = ["target", "corpus", "artifacts", "__pycache__"];
            if !built.iter().any(|name| path.ends_with(name)) {
                walk(&path, found);
            }
        }
    }
    let root = root();
    let mut found = Vec::new();
    for place in [".ci", "Makefile", "crates", "fuzz", "packaging", "python", "scripts"] {
        walk(&root.join(place), &mut found);
    }
    found.sort();
    let own = Path::new(file!()).file_name().expect("a file");
    let is_read = |path: &PathBuf| {
        let is_source = path.extension().is_some_and(|e| e == "rs" || e == "py");
        let is_code =
            !path.starts_with(root.join("crates")) && !path.starts_with(root.join("fuzz"));
        (is_source || is_code) && path.file_name() != Some(own)
    };
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
        // What is no text is no script.
        Some((name, std::fs::read_to_string(path).ok()?))
    };
    found.into_iter().filter(is_read).filter_map(read).collect()
}

/// The words in a line of a file. In a Makefile, `$$` is how `$` is written.
fn words<'w>(name: &str, line: &str) -> Vec<&'w str> {
    let dollars = if name == "Makefile" { "$$$$" } else { "$$" };
    let has = |word: &&str| line.contains(if *word == "$$" { dollars } else { *word });
    WORDS.into_iter().filter(has).collect()
}

/// How many lines of each file have each of the words.
fn counted(files: &[(String, String)]) -> BTreeMap<(&str, &str), Vec<usize>> {
    let mut found: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (name, text) in files {
        for (at, line) in text.lines().enumerate() {
            for word in words(name, line) {
                found.entry((name, word)).or_default().push(at + 1);
            }
        }
    }
    found
}

#[test]
fn no_file_has_a_name_that_others_know_before() {
    let files = files();
    assert!(files.iter().any(|(name, _)| name == "scripts/attacks"), "scripts are read");
    let mut found = counted(&files);
    let mut offences = String::new();
    for (name, word, lines, reason) in EXPLAINED {
        let here = found.remove(&(*name, *word)).unwrap_or_default();
        if here.len() != *lines {
            offences +=
                &format!("{name}: {word} in lines {here:?}, not {lines} of them ({reason})\n");
        }
    }
    for ((name, word), lines) in found {
        offences += &format!("{name}: {word} in lines {lines:?}\n");
    }
    assert!(
        offences.is_empty(),
        "`commloom_guard::Folder`, `tempfile` and `mktemp` make names that nobody knows before; \
         where these words do no harm, say why in this test:\n{offences}"
    );
}

#[test]
fn what_could_be_known_before_is_found() {
    let planted = [
        ("crates/x/src/a.rs", "let file = std::env::temp_dir().join(\"x\");", "temp_dir()"),
        ("crates/x/src/a.rs", "let name = format!(\"x-{}\", std::process::id());", "process::id()"),
        ("crates/x/src/a.rs", "fs::write(\"/tmp/x\", text)", "/tmp"),
        ("scripts/x", "work=/tmp/x.$$", "$$"),
        ("scripts/x", "path = f'{tempfile.gettempdir()}/x'", "gettempdir"),
        ("scripts/x", "path = f'{folder}/{os.getpid()}'", "getpid"),
        ("Makefile", "\techo x > out.$$$$", "$$"),
    ];
    for (name, line, word) in planted {
        assert!(words(name, line).contains(&word), "{name}: {line}");
    }
    assert_eq!(words("Makefile", "\tstatus=$$?"), [""; 0]);
    assert_eq!(words("scripts/x", "folder=$(mktemp -d)"), [""; 0]);
}
