//! The code that `commloom detect` prints, compiled and run in place of the messages: the program
//! has to read the same bytes. And of the messages of the lines it names, all are counted.
//!
//! `by_hand/patterns.c` says of each pattern what is expected on 4 processes; on others only that
//! nothing false is printed. By default a third of them is run; `make check-advice` runs all
//! patterns on 2 to 8 processes with every MPI library, and prints a table.

#[path = "common/apply.rs"]
mod apply;
mod common;
#[path = "common/mpi.rs"]
mod mpi;

use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use apply::applied;
use common::{commloom, done};
use mpi::Mpi;
use serde_json::Value;

/// Of so many patterns one is looked at by default: which ones, `COMMLOOM_SEED` says.
const THIRDS: usize = 3;

const SOURCE: &str = include_str!("by_hand/patterns.c");

/// A function of the source.
struct Pattern {
    name: String,
    /// The names of the calls that are printed, or `withheld`, `silent`, `any`.
    expected: String,
    /// Whether it runs on so many processes.
    fits: fn(u32) -> bool,
}

fn patterns() -> Vec<Pattern> {
    let mut all = Vec::new();
    let mut expected = None;
    for line in SOURCE.lines() {
        if let Some((conditions, words)) = line.split_once("expect: ") {
            let fits: fn(u32) -> bool = match conditions.trim_start_matches("/* ").trim() {
                "powers of two;" => |ranks| ranks.is_power_of_two(),
                "three or more;" => |ranks| ranks >= 3,
                "four or more;" => |ranks| ranks >= 4,
                "" => |_| true,
                other => panic!("nobody knows what {other:?} means"),
            };
            expected = Some((words.trim_end_matches("*/").trim().to_owned(), fits));
        } else if let Some(name) = line.strip_prefix("static void ")
            && let Some((expected, fits)) = expected.take()
        {
            let name = name.split('(').next().expect("a name").to_owned();
            assert!(SOURCE.contains(&format!("PATTERN({name})")), "{name} is not called");
            all.push(Pattern { name, expected, fits });
        }
    }
    assert_eq!(all.len(), SOURCE.matches("PATTERN(").count() - 1, "all have an expectation");
    all
}

/// `libcommloom_*.so`, built in the profile of the tests.
fn preloads() -> &'static Path {
    let preloads = ["commloom-interpose-mpich", "commloom-interpose-openmpi"];
    commloom_testkit::built(env!("CARGO"), &preloads)
}

/// One pattern, on so many processes of one library.
struct Case<'a> {
    mpi: Mpi,
    pattern: &'a Pattern,
    ranks: u32,
    folder: PathBuf,
}

/// Its row in the table.
struct Row {
    found: String,
    messages: u64,
    all: u64,
    applied: &'static str,
}

impl Case<'_> {
    fn context(&self) -> String {
        format!("{} on {} processes of {}", self.pattern.name, self.ranks, self.mpi.name)
    }

    /// The output of the processes, with or without a recorder.
    fn run(&self, program: &Path, trace: Option<&Path>) -> Vec<String> {
        let mut run = Command::new(self.mpi.command("mpiexec").expect("looked for before"));
        if self.mpi.name == "openmpi" {
            run.args(["--oversubscribe", "--mca", "btl", "^tcp"]);
            run.args(["--mca", "mpi_yield_when_idle", "1"]);
        }
        run.args(["-n", &self.ranks.to_string()]);
        if let Some(trace) = trace {
            run.args([env!("CARGO_BIN_EXE_commloom"), "trace", "--force", "-o"]).arg(trace);
            run.arg("--").env("COMMLOOM_LIBDIR", preloads());
        }
        run.arg(program)
            .arg(&self.pattern.name)
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .env_remove("LD_PRELOAD");
        let ran = done(&run.output().expect("mpiexec starts"));
        assert_eq!(ran.status, Some(0), "{}: {}", self.context(), ran.err);
        let mut lines: Vec<String> =
            ran.out.lines().filter(|l| l.starts_with("process ")).map(str::to_owned).collect();
        lines.sort();
        assert_eq!(u32::try_from(lines.len()), Ok(self.ranks), "{}", self.context());
        lines
    }

    fn check(&self, program: &Path) -> Row {
        let name = format!("{}-{}", self.pattern.name, self.ranks);
        let trace = self.folder.join(format!("{name}.trace"));
        let before = self.run(program, Some(&trace));
        let found = commloom(&["detect", "--json", trace.to_str().expect("UTF-8")]).output();
        let found = done(&found.expect("the binary was built"));
        let _ = std::fs::remove_dir_all(&trace);
        if found.status == Some(2) && found.err.contains("no message was recorded") {
            return Row { found: "silent".to_owned(), messages: 0, all: 0, applied: "" };
        }
        assert_eq!(found.status, Some(0), "{}: {}", self.context(), found.err);
        let objects: Vec<Value> =
            found.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let (last, phases) = objects.split_last().expect("a last line");
        let times = |o: &Value| o["ran"]["times"].as_u64().unwrap_or(1);
        let all = phases.iter().map(|o| times(o) * o["matches"].as_u64().unwrap_or(0)).sum();
        let advice = last["advice"].as_array().expect("a list");
        let printed: Vec<&Value> = advice.iter().filter(|one| one["withheld"].is_null()).collect();
        let messages = printed.iter().filter_map(|one| one["messages"].as_u64()).sum();
        let mut row = Row { found: calls(&printed), messages, all, applied: "" };
        if printed.is_empty() {
            row.found = if advice.is_empty() { "silent" } else { "withheld" }.to_owned();
            return row;
        }
        self.counted(&printed, last);
        let text = match applied(SOURCE, advice) {
            Ok(text) => text,
            Err(why) if self.pattern.expected == "any" => {
                assert!(why.starts_with("no place"), "{}: {why}", self.context());
                row.applied = "by hand only";
                return row;
            }
            Err(why) => panic!("{}: {why}", self.context()),
        };
        let source = self.folder.join(format!("{name}.c"));
        std::fs::write(&source, text.expect("code that is printed")).expect("a file");
        let new = self.folder.join(&name);
        self.compile(&source, &new);
        let after = self.run(&new, None);
        assert_eq!(before, after, "{}: {printed:#?}", self.context());
        row.applied = "same bytes";
        let _ = std::fs::remove_file(new);
        row
    }

    /// Every message that the lines of printed advice send is replaced by it.
    fn counted(&self, printed: &[&Value], last: &Value) {
        for one in printed {
            let sum = |side: &str| -> u64 {
                let places = one[side].as_array().expect("a list");
                places.iter().filter_map(|place| place["messages"].as_u64()).sum()
            };
            let context = format!("{}: {last:#}", self.context());
            assert_eq!(one["messages"].as_u64(), Some(sum("sent")), "{context}");
            assert_eq!(one["messages"].as_u64(), Some(sum("received")), "{context}");
            assert!(one["messages"].as_u64() > Some(0) || one["kind"] == "barrier", "{context}");
        }
    }

    fn compile(&self, source: &Path, program: &Path) {
        let (source, program) = (source.to_str().expect("UTF-8"), program.to_str().expect("UTF-8"));
        // GCC takes MPICH's MPI_STATUSES_IGNORE for an array of one byte.
        let options = ["-g", "-O1", "-Wno-stringop-overflow", "-Wno-unused-variable"];
        let options = [&options[..], &["-Wno-unused-function", source, "-o", program]].concat();
        self.mpi.compile("mpicc", &options, &self.folder);
    }
}

/// The names of the calls.
fn calls(printed: &[&Value]) -> String {
    let names = printed.iter().filter_map(|one| {
        let lines = one["code"].as_array()?.iter().filter_map(Value::as_str);
        let once = ["MPI_Type_", "MPI_Comm_", "MPI_Cart_", "MPI_Dist_"];
        let calls = lines.filter_map(|line| {
            let at = line.find("MPI_").filter(|_| line.contains('(') && !line.contains("if ("))?;
            let name = line[at..].split('(').next()?;
            (name.len() < 40 && !once.iter().any(|other| name.starts_with(other))).then_some(name)
        });
        Some(calls.collect::<Vec<_>>().join("+"))
    });
    names.collect::<Vec<_>>().join(" ")
}

/// Runs cases, several at once: their processes mostly wait for each other.
fn run_all(cases: &[Case<'_>], mut report: impl FnMut(&Case<'_>, Result<Row, String>) + Send) {
    let next = AtomicUsize::new(0);
    let report = Mutex::new(&mut report);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = catch_unwind(|| case.check(&case.folder.join("patterns")));
                    let row = row.map_err(|why| {
                        let text = why.downcast_ref::<String>().cloned();
                        text.unwrap_or_else(|| case.context())
                    });
                    report.lock().expect("no panic")(case, row);
                }
            });
        }
    });
}

fn folder(mpi: Mpi) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("applied").join(mpi.name);
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

#[test]
fn printed_code_does_what_the_messages_did() {
    let installed = Mpi::installed();
    let patterns = patterns();
    let wanted = std::env::var("COMMLOOM_RANKS").unwrap_or_else(|_| "4".to_owned());
    let wanted: Vec<u32> = wanted.split(',').filter_map(|n| n.parse().ok()).collect();
    let is_table = std::env::var_os("COMMLOOM_RANKS").is_some();
    let seed = std::env::var("COMMLOOM_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: usize = seed.unwrap_or(0);
    let mut cases: Vec<Case> = Vec::new();
    for (turn, mpi) in installed.iter().enumerate() {
        let folder = folder(*mpi);
        std::fs::write(folder.join("patterns.c"), SOURCE).expect("a file");
        let new = |(pattern, ranks)| Case { mpi: *mpi, pattern, ranks, folder: folder.clone() };
        // A third of the patterns (two minutes for all), each with one library or the other; all
        // of them with all libraries for the table.
        let some = patterns.iter().enumerate();
        let some = some.filter(|(k, _)| {
            is_table || (k + seed).is_multiple_of(THIRDS) && k / THIRDS % installed.len() == turn
        });
        let some = some.map(|(_, p)| p);
        let pairs = some.flat_map(|p| wanted.iter().map(move |ranks| (p, *ranks)));
        cases.extend(pairs.filter(|(p, ranks)| (p.fits)(*ranks)).map(new));
        if let Some(case) = cases.last() {
            case.compile(&folder.join("patterns.c"), &folder.join("patterns"));
        }
    }
    let only = std::env::var("COMMLOOM_PATTERN").unwrap_or_default();
    cases.retain(|case| case.pattern.name.contains(&only));
    let mut wrong = Vec::new();
    run_all(&cases, |case, row| {
        let expected = &case.pattern.expected;
        let row = match row {
            Ok(row) => row,
            Err(why) => return wrong.push(why),
        };
        if is_table {
            println!(
                "| {} | {} | {} | {} | {} of {} | {} |",
                case.pattern.name,
                case.ranks,
                case.mpi.name,
                row.found,
                row.messages,
                row.all,
                row.applied
            );
        }
        if case.ranks == 4 && expected != "any" && *expected != row.found {
            wrong.push(format!("{}: {} instead of {expected}", case.context(), row.found));
        }
    });
    assert_eq!(wrong, Vec::<String>::new());
}
