//! The code that `commloom detect` prints, compiled and run in place of the messages: the program
//! has to read the same bytes. And of the messages of the lines it names, all are counted.
//!
//! `by_hand/patterns.c` and `by_hand/patterns.f90` say of each pattern what is expected on 4
//! processes; on others only that nothing false is printed. Many patterns are one run: those that
//! have no lines in common. `make check-advice` runs them on 2 to 8 processes, and prints a table.

#[path = "common/apply.rs"]
mod apply;
mod common;
#[path = "common/drawn.rs"]
mod drawn;
#[path = "common/mpi.rs"]
mod mpi;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::thread;

use apply::applied;
use common::{commloom, done};
use mpi::Mpi;
use serde_json::Value;

/// Patterns in one language.
struct Source {
    file: String,
    text: String,
    compiler: &'static str,
    options: &'static [&'static str],
}

const PATTERNS: &str = include_str!("by_hand/patterns.c");

/// Patterns that share the beginning of `patterns.c`, as a program.
fn program(functions: &str) -> String {
    let all = patterns(functions);
    let names: Vec<&str> = all.iter().map(|pattern| pattern.name.as_str()).collect();
    drawn::around(PATTERNS, functions, &names)
}

impl Source {
    fn c(file: &str, text: &str) -> Source {
        Source {
            file: file.to_owned(),
            text: text.to_owned(),
            compiler: "mpicc",
            // GCC takes MPICH's MPI_STATUSES_IGNORE for an array of one byte.
            options: &["-Wno-stringop-overflow", "-Wno-unused-variable", "-Wno-unused-function"],
        }
    }

    fn fortran(file: &str, text: &str) -> Source {
        Source {
            file: file.to_owned(),
            text: text.to_owned(),
            compiler: "mpif90",
            // Without interfaces one name is called with buffers of several types.
            options: &["-w", "-fallow-argument-mismatch"],
        }
    }
}

/// A function of a source.
struct Pattern {
    name: String,
    /// The names of the calls that are printed, or `withheld`, `silent`, `any`.
    expected: String,
    /// Whether it runs on so many processes.
    fits: fn(u32) -> bool,
    /// A function with messages that it has in common with others.
    shared: Option<String>,
}

/// The name of a function that begins in this line.
fn begins(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let rest = line.strip_prefix("static void ").or_else(|| line.strip_prefix("subroutine "))?;
    rest.split('(').next()
}

/// The patterns of a text.
fn patterns(text: &str) -> Vec<Pattern> {
    let mut all: Vec<Pattern> = Vec::new();
    let (mut expected, mut helper) = (None, None);
    let mut helpers: Vec<&str> = Vec::new();
    for line in text.lines() {
        if let Some((conditions, words)) = line.split_once("expect: ") {
            let conditions = conditions.trim_matches(['/', '*', '!', ' ']);
            let fits: fn(u32) -> bool = match conditions {
                "powers of two;" => |ranks| ranks.is_power_of_two(),
                "three or more;" => |ranks| ranks >= 3,
                "four or more;" => |ranks| ranks >= 4,
                "" => |_| true,
                other => panic!("nobody knows what {other:?} means"),
            };
            expected = Some((words.trim_end_matches("*/").trim().to_owned(), fits));
        } else if let Some(name) = begins(line) {
            helper = Some(name);
            if let Some((expected, fits)) = expected.take() {
                helper = None;
                let name = name.to_owned();
                all.push(Pattern { name, expected, fits, shared: None });
            }
        } else if line.contains("one call: ") {
            helpers.extend(helper);
        }
        let call = |name: &&&str| line.contains(&format!(" {name}("));
        if let (Some(pattern), None) = (all.last_mut(), helper) {
            let shared = helpers.iter().find(call).map(|name| (*name).to_owned());
            pattern.shared = shared.or_else(|| pattern.shared.take());
        }
    }
    all
}

impl Source {
    fn patterns(&self) -> Vec<Pattern> {
        let all = patterns(&self.text);
        for Pattern { name, .. } in &all {
            let calls = [format!("PATTERN({name})"), format!("case ('{name}')")];
            assert!(calls.iter().any(|call| self.text.contains(call)), "{name} is not called");
        }
        all
    }

    fn compile(&self, mpi: Mpi, source: &Path, program: &Path) {
        let paths = [source, program].map(|path| path.to_str().expect("UTF-8"));
        let options = [self.options, &["-g", "-O1", paths[0], "-o", paths[1]]].concat();
        mpi.compile(self.compiler, &options, program.parent().expect("a folder"));
    }
}

/// `libcommloom_*.so`, built in the profile of the tests.
fn preloads() -> &'static Path {
    let preloads = ["commloom-interpose-mpich", "commloom-interpose-openmpi"];
    commloom_testkit::built(env!("CARGO"), &preloads)
}

/// Patterns that run one after the other, on so many processes of one library.
struct Batch<'a> {
    mpi: Mpi,
    source: &'a Source,
    patterns: Vec<&'a Pattern>,
    ranks: u32,
    folder: PathBuf,
}

/// The data that the processes have read, by pattern.
type Read = BTreeMap<String, Vec<String>>;

impl Batch<'_> {
    fn context(&self) -> String {
        format!("{} on {} processes of {}", self.source.file, self.ranks, self.mpi.name)
    }

    /// The output of the processes, with or without a recorder.
    fn run(&self, program: &Path, trace: Option<&Path>) -> Result<Read, String> {
        let mut run = self.mpi.launch(self.ranks.into());
        if let Some(trace) = trace {
            run.arg(env!("CARGO_BIN_EXE_commloom")).args(["trace", "--force", "-o"]).arg(trace);
            run.arg("--").env("COMMLOOM_LIBDIR", preloads());
        }
        // In seconds, for both libraries.
        run.arg(program)
            .args(self.patterns.iter().map(|pattern| &pattern.name))
            .env("MPIEXEC_TIMEOUT", "300");
        let ran = done(&run.output().expect("mpiexec starts"));
        let mut all = Read::new();
        for line in ran.out.lines().filter(|line| line.starts_with("process ")) {
            let (who, what) = line.split_once(": ").unwrap_or((line, ""));
            let Some((process, name)) = who.trim_end().rsplit_once(' ') else { continue };
            all.entry(name.to_owned()).or_default().push(format!("{process}: {what}"));
        }
        for lines in all.values_mut() {
            lines.sort();
        }
        let is_whole = all.values().filter(|lines| Some(lines.len()) == len(self.ranks)).count();
        match ran.status == Some(0) && is_whole == self.patterns.len() {
            true => Ok(all),
            false => Err(format!("{}: {:?}, {}", program.display(), ran.status, ran.err)),
        }
    }

    /// Rows of the table, and what is wrong.
    fn check(&self, number: usize) -> (Vec<Row>, Vec<String>) {
        let stem = format!("{}-{number}-{}", self.source.file.replace('.', "_"), self.ranks);
        let trace = self.folder.join(format!("{stem}.trace"));
        let program = self.folder.join(self.source.file.replace('.', "_"));
        let before = self.run(&program, Some(&trace)).expect("the messages work");
        let found = commloom(&["detect", "--json", trace.to_str().expect("UTF-8")]).output();
        let found = done(&found.expect("the binary was built"));
        let _ = std::fs::remove_dir_all(&trace);
        assert_eq!(found.status, Some(0), "{}: {}", self.context(), found.err);
        let last = found.out.lines().last().expect("a last line");
        let last: Value = serde_json::from_str(last).expect("JSON");
        let advice = last["advice"].as_array().expect("a list");
        let of: Vec<Vec<Value>> = self.patterns.iter().map(|p| own(p, advice)).collect();
        assert_eq!(of.iter().map(Vec::len).sum::<usize>(), advice.len(), "{last:#}");
        let (mut wrong, mut placed, mut applies) = (Vec::new(), Vec::new(), Vec::new());
        for (pattern, own) in self.patterns.iter().zip(&of) {
            wrong.extend(counted(own).err());
            let new = applied(&self.source.text, own);
            applies.push(match &new {
                Ok(None) => "",
                Ok(Some(_)) => "not run",
                Err(_) => "by hand only",
            });
            match new {
                Ok(_) => placed.extend(own.iter().cloned()),
                Err(why) if pattern.expected == "any" && has_no_place(&why) => {}
                Err(why) => wrong.push(format!("{} of {}: {why}", pattern.name, self.context())),
            }
        }
        match self.after(&stem, &placed) {
            Ok(Some(after)) => {
                for ((pattern, own), applies) in self.patterns.iter().zip(&of).zip(&mut applies) {
                    let is_same = before[&pattern.name] == after[&pattern.name];
                    if *applies == "not run" {
                        *applies = if is_same { "same bytes" } else { "other bytes" };
                    }
                    if !is_same {
                        let (name, context) = (&pattern.name, self.context());
                        wrong.push(format!("{name} of {context} reads other bytes: {own:#?}"));
                    }
                }
            }
            Ok(None) => {}
            Err(why) => wrong.push(format!("{}: {why}", self.context())),
        }
        let mut rows = Vec::new();
        for ((pattern, own), applied) in self.patterns.iter().zip(&of).zip(applies) {
            let Pattern { name, expected, .. } = pattern;
            let found = found_in(own);
            if self.ranks == 4 && expected != "any" && *expected != found {
                let context = self.context();
                wrong.push(format!("{name} of {context}: {found} instead of {expected}: {own:#?}"));
            }
            let found = match printed(own).count() {
                0 => found,
                _ => format!("{}: {applied}", found.replace("MPI_", "")),
            };
            let place = (self.source.file.clone(), name.clone());
            rows.push(Row { place, ranks: self.ranks, library: self.mpi.name, found });
        }
        (rows, wrong)
    }

    /// The data that the program reads with all of this in the place of its messages.
    fn after(&self, stem: &str, advice: &[Value]) -> Result<Option<Read>, String> {
        let Some(text) = applied(&self.source.text, advice)? else { return Ok(None) };
        let extension = Path::new(&self.source.file).extension().expect("a language");
        let new = self.folder.join(stem);
        let source = new.with_extension(extension);
        std::fs::write(&source, text).expect("a file");
        self.source.compile(self.mpi, &source, &new);
        let after = self.run(&new, None)?;
        let _ = std::fs::remove_file(new);
        Ok(Some(after))
    }
}

fn len(ranks: u32) -> Option<usize> {
    usize::try_from(ranks).ok()
}

/// Whether the test has no place for what is printed, which says nothing of it.
fn has_no_place(why: &str) -> bool {
    let all = ["no place", "two calls for one place", "nothing says what"];
    all.iter().any(|beginning| why.starts_with(beginning))
}

/// The advice about the lines of a pattern, and of what it calls.
fn own(pattern: &Pattern, advice: &[Value]) -> Vec<Value> {
    let is_own = |one: &&Value| {
        let places = ["sent", "received"].into_iter().flat_map(|side| one[side].as_array());
        let frames = places.flatten().filter_map(|place| place["frames"].as_array()).flatten();
        frames.into_iter().any(|frame| {
            let name = frame["function"].as_str();
            name == Some(&pattern.name) || name.is_some() && name == pattern.shared.as_deref()
        })
    };
    advice.iter().filter(is_own).cloned().collect()
}

fn printed(own: &[Value]) -> impl Iterator<Item = &Value> {
    own.iter().filter(|one| one["withheld"].is_null())
}

fn found_in(own: &[Value]) -> String {
    if own.is_empty() {
        return "silent".to_owned();
    }
    let names = printed(own).map(calls).collect::<Vec<_>>().join(" ");
    if names.is_empty() { "withheld".to_owned() } else { names }
}

/// Every message that the lines of printed advice send is replaced by it.
fn counted(own: &[Value]) -> Result<(), String> {
    for one in printed(own) {
        let sum = |side: &str| -> Option<u64> {
            let places = one[side].as_array()?;
            Some(places.iter().filter_map(|place| place["messages"].as_u64()).sum())
        };
        let messages = one["messages"].as_u64();
        let is_some = messages > Some(0) || one["kind"] == "barrier";
        if messages != sum("sent") || messages != sum("received") || !is_some {
            return Err(format!("not all are counted: {one:#}"));
        }
    }
    Ok(())
}

/// The names of the calls.
fn calls(one: &Value) -> String {
    let lines = one["code"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let once = ["MPI_Type_", "MPI_Comm_", "MPI_Cart_", "MPI_Dist_"];
    let calls = lines.filter_map(|line| {
        let at = line.find("MPI_").filter(|_| line.contains('(') && !line.contains("if ("))?;
        let name = line[at..].split('(').next()?;
        (name.len() < 40 && !once.iter().any(|other| name.starts_with(other))).then_some(name)
    });
    calls.collect::<Vec<_>>().join("+")
}

fn folder(mpi: Mpi) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("applied").join(mpi.name);
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

/// So few runs that no two patterns in one have lines in common.
fn batches<'a>(patterns: &[&'a Pattern]) -> Vec<Vec<&'a Pattern>> {
    let mut all: Vec<Vec<&Pattern>> = Vec::new();
    for pattern in patterns {
        let is_apart = |batch: &&mut Vec<&Pattern>| {
            let is_common =
                |other: &&Pattern| other.shared.is_some() && other.shared == pattern.shared;
            !batch.iter().any(is_common)
        };
        match all.iter_mut().find(is_apart) {
            Some(batch) => batch.push(pattern),
            None => all.push(vec![pattern]),
        }
    }
    all
}

/// Rows of the table, and what is wrong, of a source with every library found.
fn checked(source: &Source, ranks: &[u32]) -> (Vec<Row>, Vec<String>) {
    let only = std::env::var("COMMLOOM_PATTERN").unwrap_or_default();
    let patterns = source.patterns();
    let one = |mpi: Mpi| {
        let folder = folder(mpi);
        let text = folder.join(&source.file);
        std::fs::write(&text, &source.text).expect("a file");
        source.compile(mpi, &text, &folder.join(source.file.replace('.', "_")));
        let (mut rows, mut wrong) = (Vec::new(), Vec::new());
        for &ranks in ranks {
            let fits = |p: &&Pattern| (p.fits)(ranks) && p.name.contains(&only);
            let some: Vec<&Pattern> = patterns.iter().filter(fits).collect();
            for (number, patterns) in batches(&some).into_iter().enumerate() {
                let batch = Batch { mpi, source, patterns, ranks, folder: folder.clone() };
                let (more, faults) = batch.check(number);
                rows.extend(more);
                wrong.extend(faults);
            }
        }
        (rows, wrong)
    };
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        let one = &one;
        let all: Vec<_> =
            Mpi::installed().into_iter().map(|mpi| scope.spawn(move || one(mpi))).collect();
        for one in all {
            let (more, faults) = one.join().expect("no panic");
            rows.extend(more);
            wrong.extend(faults);
        }
    });
    (rows, wrong)
}

/// On how many processes.
fn ranks() -> Vec<u32> {
    let wanted = std::env::var("COMMLOOM_RANKS").unwrap_or_else(|_| "4".to_owned());
    wanted.split(',').filter_map(|n| n.parse().ok()).collect()
}

/// An entry of the table.
struct Row {
    /// File, and pattern in it.
    place: (String, String),
    ranks: u32,
    library: &'static str,
    /// The calls that are printed, and what they did in the place of the messages.
    found: String,
}

/// A line for each pattern, with a column for each number of processes. What is the same with all
/// libraries is said once.
fn table(rows: &[Row]) -> String {
    let all: BTreeSet<u32> = rows.iter().map(|row| row.ranks).collect();
    let columns = |text: &dyn Fn(&u32) -> String| -> String {
        all.iter().map(|ranks| format!(" {} |", text(ranks))).collect()
    };
    let head = columns(&|ranks| ranks.to_string());
    let mut out = format!("| pattern |{head}\n|---|{}\n", columns(&|_| "---".to_owned()));
    let places: BTreeSet<_> = rows.iter().map(|row| &row.place).collect();
    for place in places {
        let cell = |ranks: &u32| {
            let here = rows.iter().filter(|row| row.place == *place && row.ranks == *ranks);
            let mut by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            here.for_each(|row| by.entry(&row.found).or_default().push(row.library));
            let one = |(found, of): (&&str, &Vec<&str>)| match by.len() {
                1 => (*found).to_owned(),
                _ => format!("{found} ({})", of.join(", ")),
            };
            by.iter().map(one).collect::<Vec<_>>().join("; ")
        };
        out.push_str(&format!("| {}, {} |{}\n", place.1, place.0, columns(&cell)));
    }
    out
}

fn shown(rows: &[Row], wrong: &[String]) {
    if std::env::var_os("COMMLOOM_RANKS").is_some() {
        println!("\n{}", table(rows));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn printed_code_does_what_the_messages_did() {
    let fortran = Source::fortran("patterns.f90", include_str!("by_hand/patterns.f90"));
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    let others = Source::c("others.c", &program(include_str!("by_hand/others.c")));
    let later = Source::c("later.c", &program(include_str!("by_hand/later.c")));
    let steps = Source::c("steps.c", &program(include_str!("by_hand/steps.c")));
    let turns = Source::c("turns.c", &program(include_str!("by_hand/turns.c")));
    for source in [Source::c("patterns.c", PATTERNS), others, later, steps, turns, fortran] {
        let (more, faults) = checked(&source, &ranks());
        rows.extend(more);
        wrong.extend(faults);
    }
    shown(&rows, &wrong);
}

/// Patterns drawn by chance: `COMMLOOM_PROGRAMS` so many, from `COMMLOOM_SEED`.
#[test]
fn printed_code_does_what_drawn_messages_did() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"))
    };
    let (count, seed) = (number("COMMLOOM_PROGRAMS", 24), number("COMMLOOM_SEED", 1));
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    for ranks in ranks() {
        let count = usize::try_from(count).expect("small");
        let n = usize::try_from(ranks).expect("small");
        let text = drawn::program(PATTERNS, seed, n, count);
        let (more, faults) = checked(&Source::c(&format!("drawn_{ranks}.c"), &text), &[ranks]);
        rows.extend(more);
        wrong.extend(faults);
    }
    shown(&rows, &wrong);
}
