//! The programs of `examples/patterns`, traced and detected with every MPI library: what is found
//! in each is what the file beside it says, in C and in Fortran, and in the place of the messages
//! the printed code does the same. (The programs check what they receive.)

#[path = "common/apply.rs"]
mod apply;
mod common;
#[path = "common/mpi.rs"]
mod mpi;

use std::path::{Path, PathBuf};
use std::thread;

use apply::applied;
use commloom_trace::{Action, read};
use common::{commloom, done, output};
use mpi::Mpi;
use serde_json::Value;

/// `libcommloom_*.so`, built in the profile of the tests.
fn preloads() -> &'static Path {
    let preloads = ["commloom-interpose-mpich", "commloom-interpose-openmpi"];
    commloom_testkit::built(env!("CARGO"), &preloads)
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/patterns")
}

/// A program in one language, and what is to be found in it.
struct Pattern {
    source: PathBuf,
    name: String,
    expected: Value,
}

impl Pattern {
    fn ranks(&self) -> u64 {
        self.expected["ranks"].as_u64().expect("a number")
    }
}

fn patterns() -> Vec<Pattern> {
    let entries = std::fs::read_dir(examples()).expect("the examples");
    let sources = entries.map(|entry| entry.expect("an entry").path());
    let sources = sources.filter(|path| path.extension().is_some_and(|e| e == "c" || e == "f90"));
    let mut all: Vec<Pattern> = sources
        .map(|source| {
            let text = std::fs::read_to_string(source.with_extension("json"))
                .unwrap_or_else(|e| panic!("{} has no expectation: {e}", source.display()));
            let expected = serde_json::from_str(&text).expect("JSON");
            let name = source.file_name().expect("a name").to_string_lossy().replace('.', "_");
            Pattern { source, name, expected }
        })
        .collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// Compiles a program in C or Fortran.
fn compile(mpi: Mpi, source: &Path, program: &Path) {
    let [place, source] = [program, source].map(|path| path.to_str().expect("a name"));
    let folder = program.parent().expect("a folder");
    if source.ends_with(".c") {
        // GCC takes MPICH's MPI_STATUSES_IGNORE for an array of one byte, and without messages
        // nobody asks for neighbours.
        let no = ["stringop-overflow", "unused-variable", "unused-function", "unused-parameter"];
        let no = no.map(|warning| format!("-Wno-{warning}"));
        let options = ["-g", "-O1", "-Wextra", source, "-o", place].into_iter();
        let options: Vec<&str> = options.chain(no.iter().map(String::as_str)).collect();
        mpi.compile("mpicc", &options, folder);
    } else {
        // Without interfaces one name is called with buffers of several types.
        mpi.compile(
            "mpif90",
            &["-g", "-O1", "-w", "-fallow-argument-mismatch", source, "-o", place],
            folder,
        );
    }
}

/// Runs a program with arguments under `commloom trace`: the folder of its traces.
fn traced(mpi: Mpi, ranks: u64, program: &Path, arguments: &[&str], preloads: &Path) -> PathBuf {
    let trace = program.with_extension("trace");
    let mut run = mpi.launch(ranks);
    run.args([env!("CARGO_BIN_EXE_commloom"), "trace", "--force", "-o"])
        .arg(&trace)
        .arg("--")
        .arg(program)
        .args(arguments)
        .env("COMMLOOM_LIBDIR", preloads);
    let ran = done(&run.output().expect("mpiexec starts"));
    assert_eq!(ran.status, Some(0), "{}, {}: {}", mpi.name, program.display(), ran.err);
    trace
}

/// Compiles, traces and detects one program: the objects that are printed.
fn detected(mpi: Mpi, pattern: &Pattern, folder: &Path, preloads: &Path) -> Vec<Value> {
    let program = folder.join(&pattern.name);
    compile(mpi, &pattern.source, &program);
    let trace = traced(mpi, pattern.ranks(), &program, &[], preloads);
    let found = commloom(&["detect", "--json", trace.to_str().expect("a name")]).output();
    let found = done(&found.expect("the binary was built"));
    assert_eq!(found.status, Some(0), "{}, {}: {}", mpi.name, pattern.name, found.err);
    found.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Runs the program with the printed code in the place of its messages.
fn check_applied(mpi: Mpi, pattern: &Pattern, last: &Value, folder: &Path) {
    let text = std::fs::read_to_string(&pattern.source).expect("read before");
    let new = match applied(&text, last["advice"].as_array().expect("a list")) {
        Ok(Some(new)) => new,
        Ok(None) => return,
        // Messages that alternate with packing into one buffer: that is work by hand.
        Err(why) => {
            let is_known = pattern.name.starts_with("packed_") && why.starts_with("no place");
            assert!(is_known, "{}: {why}", pattern.name);
            return;
        }
    };
    let program = folder.join(format!("{}_applied", pattern.name));
    let source = program.with_extension(pattern.source.extension().expect("a language"));
    std::fs::write(&source, new).expect("a file");
    compile(mpi, &source, &program);
    let ran = done(&mpi.launch(pattern.ranks()).arg(program).output().expect("mpiexec starts"));
    let context = format!("{}, {}", mpi.name, source.display());
    assert_eq!(ran.status, Some(0), "{context}: {}", ran.err);
}

/// The operations of all phases, with how often they ran.
fn operations(objects: &[Value]) -> Vec<Value> {
    let of = |object: &Value| -> Vec<Value> {
        let times = object["ran"]["times"].clone();
        let all = object["collectives"].as_array().cloned().unwrap_or_default();
        let timed = all.into_iter().map(|mut operation| {
            operation["times"] = times.clone();
            operation
        });
        timed.collect()
    };
    let (last, phases) = objects.split_last().expect("advice in the last line");
    assert!(last["advice"].is_array(), "{last}");
    phases.iter().flat_map(of).collect()
}

/// Whether an operation has all that is expected of it.
fn fits(expected: &Value, found: &Value) -> bool {
    let expected = expected.as_object().expect("an object");
    expected.iter().all(|(key, value)| found.get(key) == Some(value))
}

fn check(mpi: Mpi, preloads: &Path, patterns: &[Pattern]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("patterns").join(mpi.name);
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    for pattern in patterns {
        let objects = detected(mpi, pattern, &folder, preloads);
        let found = operations(&objects);
        let expected = pattern.expected["found"].as_array().expect("a list");
        let same = expected.len() == found.len()
            && expected.iter().zip(&found).all(|(expected, found)| fits(expected, found));
        assert!(same, "{}, {}:\n{expected:?}\nfound {found:#?}", mpi.name, pattern.name);
        let last = objects.last().expect("a last line");
        check_advice(mpi, pattern, last);
        check_applied(mpi, pattern, last, &folder);
    }
}

/// Checks the code to write, in the language of the program, and where.
fn check_advice(mpi: Mpi, pattern: &Pattern, last: &Value) {
    let advice = last["advice"].as_array().expect("a list");
    assert_eq!(advice.len(), pattern.expected["found"].as_array().map_or(0, Vec::len));
    for advice in advice {
        let context = format!("{}, {}: {advice:#}", mpi.name, pattern.name);
        let extension = pattern.source.extension().expect("a language").to_string_lossy();
        let withheld = pattern.expected["withheld"].as_str();
        match withheld {
            Some(words) => {
                assert_eq!(advice["code"], Value::Array(vec![]), "{context}");
                assert!(advice["predicted"].is_null(), "{context}");
                let reason = advice["withheld"].as_str();
                assert!(reason.is_some_and(|reason| reason.contains(words)), "{context}");
            }
            None => {
                assert_eq!(advice["code"], pattern.expected["code"][&*extension], "{context}");
                assert!(advice["withheld"].is_null(), "{context}");
            }
        }
        for side in ["sent", "received"] {
            let frame = &advice[side][0]["frames"][0];
            assert_eq!(frame["file"].as_str(), pattern.source.to_str(), "{context}");
            assert!(frame["line"].as_u64() > Some(1), "{context}");
            assert!(
                advice[side][0]["line"].as_str().is_some_and(|l| l.contains("MPI_")),
                "{context}"
            );
        }
        if withheld.is_some() {
            continue;
        }
        let times = &advice["predicted"];
        assert!(
            times["messages"].as_f64() > Some(0.0) && times["call"].as_f64() > Some(0.0),
            "{context}"
        );
    }
}

#[test]
fn every_pattern_is_found_and_no_near_miss() {
    let installed = Mpi::installed();
    if installed.is_empty() {
        return;
    }
    let preloads = preloads();
    let patterns = patterns();
    let half = patterns.len().div_ceil(2);
    // Several programs at once: their processes mostly wait for each other.
    thread::scope(|scope| {
        for mpi in installed {
            for some in patterns.chunks(half) {
                scope.spawn(move || check(mpi, preloads, some));
            }
        }
    });
}

/// Messages that the traces of a program have.
fn sent(traces: &Path) -> u64 {
    let of_rank = |entry: std::io::Result<std::fs::DirEntry>| {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a trace");
        let events = read(&bytes).expect("a trace").events;
        events.iter().filter(|(_, event)| matches!(event.action, Action::Send { .. })).count()
    };
    let all: usize = std::fs::read_dir(traces).expect("a folder").map(of_rank).sum();
    u64::try_from(all).expect("few")
}

/// Rings of two in two directions, and of one: each face goes to a process that has another face
/// of the same process. Once a call counted more messages than there are, and had a displacement
/// from the memory of one repetition to that of another.
#[test]
fn a_halo_exchange_counts_no_message_twice_and_names_no_place_that_is_none() {
    for mpi in Mpi::installed() {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("halo").join(mpi.name);
        std::fs::create_dir_all(&folder).expect("the target folder is writable");
        let program = folder.join("halo3d");
        compile(mpi, &examples().join("../halo3d.c"), &program);
        let traces = traced(mpi, 4, &program, &["--n", "8", "--reps", "2"], preloads());
        // All faces and those along x, in four descriptions, warmed up twice.
        let sent = sent(&traces);
        assert_eq!(sent, 4 * (6 + 2) * 4 * (2 + 2), "{}", mpi.name);
        let traces = traces.to_str().expect("a name");
        let json = output(&["detect", "--json", traces], "");
        let last: Value = serde_json::from_str(json.lines().last().expect("lines")).expect("JSON");
        let advice = last["advice"].as_array().expect("a list");
        assert!(!advice.is_empty(), "{}: {last:#}", mpi.name);
        let counted: u64 = advice.iter().map(|one| one["messages"].as_u64().expect("few")).sum();
        assert!(counted <= sent, "{}: {counted} of {sent}: {last:#}", mpi.name);
        for one in advice {
            let is_given = one["code"].as_array().is_some_and(|code| !code.is_empty());
            assert_ne!(is_given, one["withheld"].is_string(), "{}: {one:#}", mpi.name);
        }
        let text = output(&["detect", traces], "");
        let digits = |c: char| !c.is_ascii_digit();
        let numbers = text.split(digits).filter_map(|number| number.parse::<u64>().ok());
        assert!(numbers.max() < Some(1 << 40), "{}: {text}", mpi.name);
    }
}

#[test]
fn every_expectation_has_a_program() {
    let entries = std::fs::read_dir(examples()).expect("the examples");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        let is_expectation = path.extension().is_some_and(|e| e == "json");
        assert!(!is_expectation || path.with_extension("c").exists(), "{}", path.display());
    }
}
