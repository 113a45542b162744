//! Ways that one run of a program has found to be faster are tried first in the next one.

mod harness;

use std::path::{Path, PathBuf};

use harness::{Library, libraries};
use serde_json::Value;

/// Exchanges that are fewer than a way is tried after of which nothing is known.
const FEW: &str = "20";
/// Enough to find out. A busy machine may need more than one run.
const MANY: &str = "300";
/// Nothing is tried in few exchanges, and no file is named.
const UNKNOWN: (bool, bool) = (false, false);

struct Runs<'r> {
    library: &'r Library,
    program: PathBuf,
    cache: tempfile::TempDir,
}

impl Runs<'_> {
    /// Whether another way than native is tried in a run of so many exchanges, and whether the
    /// report names the file of an earlier run.
    fn tries(&self, exchanges: &str, off: &str) -> (bool, bool) {
        let path = self.cache.path().join("report.json");
        let (report, cache) = (path.to_string_lossy(), self.cache.path().to_string_lossy());
        let environment = [
            ("XDG_CACHE_HOME", &*cache),
            ("COMMLOOM_REPORT", &*report),
            ("COMMLOOM_WARMUP", "0"),
            ("COMMLOOM_OFF", off),
        ];
        let output = self.library.run_with(1, &self.program, &[exchanges], &environment);
        assert!(output.status.success(), "{}: {output:?}", self.library.name);
        let text = std::fs::read_to_string(path).expect("the report is there");
        let report: Value = serde_json::from_str(&text).expect("it is JSON");
        let first = report["choice"].as_str().expect("text");
        let types = report["types"].as_array().expect("a list").iter();
        let exchanges = types.flat_map(|t| t["exchanges"].as_array().expect("a list"));
        let tries = exchanges.map(|exchange| exchange["tries"].as_u64().expect("a number"));
        (tries.sum::<u64>() > 0, first.contains("decisions-"))
    }

    /// The file of decisions, if there is one.
    fn file(&self) -> Option<PathBuf> {
        let folder = std::fs::read_dir(self.cache.path().join("commloom")).ok()?;
        let mut files = folder.map(|entry| entry.expect("an entry").path());
        files.find(|path| path.to_string_lossy().contains("decisions-"))
    }

    /// Runs the program until it leaves a decision, if it does.
    fn found(&self) -> Option<PathBuf> {
        (0..4).find_map(|_| {
            assert_eq!(self.tries(MANY, ""), (true, false), "{}", self.library.name);
            self.file()
        })
    }
}

fn runs(library: &Library) -> Runs<'_> {
    let cache = tempfile::tempdir().expect("a folder");
    Runs { library, program: library.compile("again"), cache }
}

#[test]
fn the_next_run_tries_first_what_an_earlier_one_has_found() {
    let mut known = 0;
    for library in libraries() {
        let runs = runs(&library);
        assert_eq!(runs.tries(FEW, ""), UNKNOWN, "{}: nothing is known yet", library.name);
        assert_eq!(runs.file(), None, "{}: nothing was found", library.name);
        // Open MPI is as fast natively.
        let Some(file) = runs.found() else { continue };
        known += 1;
        assert_eq!(runs.tries(FEW, ""), (true, true), "{}: something is known", library.name);
        assert_eq!(runs.tries(FEW, "history"), UNKNOWN, "{}: switched off", library.name);
        let mode = std::os::unix::fs::PermissionsExt::mode;
        let folder = runs.cache.path().join("commloom").metadata().expect("a folder");
        assert_eq!(mode(&folder.permissions()) & 0o777, 0o700);
        assert!(file.is_file());
    }
    assert!(known > 0, "MPICH takes twenty times as long natively");
}

#[test]
fn files_of_decisions_that_cannot_be_read_are_as_good_as_none() {
    let library = libraries().into_iter().find(|library| library.name.contains("mpich"));
    let library = library.expect("MPICH is installed");
    let runs = runs(&library);
    let file = runs.found().expect("MPICH takes twenty times as long natively");
    let text = std::fs::read_to_string(&file).expect("text");
    let spoil: [fn(&Path, &str); 4] = [
        // Another program's, whose name is the same.
        |file, text| {
            let (head, rest) = text.split_once('\n').expect("two lines");
            let head = head.replace(|digit: char| digit.is_ascii_digit(), "a");
            std::fs::write(file, format!("{head}\n{rest}")).expect("a file");
        },
        |file, text| std::fs::write(file, format!("{text}x 0 1\n")).expect("a file"),
        |file, _| std::fs::write(file, b"\xff").expect("a file"),
        |file, text| {
            std::fs::write(file, text).expect("a file");
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
            std::fs::set_permissions(file, mode).expect("mine");
        },
    ];
    for spoil in spoil {
        spoil(&file, &text);
        assert_eq!(runs.tries(FEW, ""), UNKNOWN, "{:?}", std::fs::read(&file));
    }
    std::fs::remove_file(&file).expect("mine");
    std::fs::write(&file, text).expect("a file");
    assert_eq!(runs.tries(FEW, ""), (true, true));
}
