//! [`Table`]: what messages of the references took with one library, and what messages like them
//! take.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use thiserror::Error;

use crate::family::Family;

/// How the bytes are communicated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// From one process to another.
    Message,
    /// `MPI_Bcast`. Libraries cut it otherwise than messages.
    Broadcast,
}

/// The time of one message from the sender's buffer to the receiver's, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// With the datatype.
    pub native: f64,
    /// Packed, sent as contiguous bytes and unpacked.
    pub engine: f64,
}

/// One measured reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The operation that was timed.
    pub operation: Operation,
    /// How it was described.
    pub family: Family,
    /// Average length of its runs, in bytes.
    pub run: u64,
    /// Packed bytes.
    pub bytes: u64,
    /// The measured times.
    pub times: Times,
}

/// All that is known of one library on one machine.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The first line of what the library says of itself.
    pub library: String,
    /// Where and when it was measured.
    pub measured: String,
    /// By operation, family and size, then by length of run.
    sizes: BTreeMap<(Operation, Family), Sizes>,
}

/// By length of message, then by length of run, both in bytes.
type Sizes = BTreeMap<u64, Vec<(u64, Times)>>;

/// A text that is no table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {found:?} in place of {expected}")]
pub struct TableError {
    /// Line, from 1 on.
    pub line: usize,
    /// The text found.
    pub found: String,
    /// The text expected.
    pub expected: &'static str,
}

/// Longest file that can be a table, in bytes: twenty times what is measured.
pub const LONGEST: u64 = 1 << 20;
/// Nanoseconds that a message can take: three hours. What takes no time was not measured.
const TIMES: RangeInclusive<f64> = 1.0..=1e13;
/// Bytes that a message can have.
const BYTES: RangeInclusive<u64> = 1..=1 << 40;

/// The first line of a table.
const HEAD: &str = "# commloom message times, version 1";
const LIBRARY: &str = "# library: ";
const MEASURED: &str = "# measured: ";
const ROW: &str =
    "a row: [broadcast] form one|many, run bytes, message bytes, native ns, packed ns";
/// How rows of broadcasts begin.
const BROADCAST: &str = "broadcast ";

impl Table {
    /// From what was measured.
    #[must_use]
    pub fn new(library: &str, measured: &str, rows: impl IntoIterator<Item = Row>) -> Table {
        let (library, measured) = (library.to_owned(), measured.to_owned());
        let mut table = Table { library, measured, sizes: BTreeMap::new() };
        for row in rows {
            let sizes = table.sizes.entry((row.operation, row.family)).or_default();
            let runs = sizes.entry(row.bytes).or_default();
            runs.push((row.run, row.times));
            runs.sort_by_key(|(run, _)| *run);
        }
        table.join_sizes();
        table
    }

    /// Lengths of messages differ a little between lengths of runs: those of one size come
    /// together.
    fn join_sizes(&mut self) {
        for sizes in self.sizes.values_mut() {
            let mut joined = Sizes::new();
            for (bytes, mut runs) in std::mem::take(sizes) {
                match joined.last_entry() {
                    Some(mut last) if bytes <= last.key().saturating_add(last.key() / 2) => {
                        last.get_mut().append(&mut runs);
                        last.get_mut().sort_by_key(|(run, _)| *run);
                    }
                    _ => {
                        joined.insert(bytes, runs);
                    }
                }
            }
            *sizes = joined;
        }
    }

    /// The time of a message of this family, with runs of so many bytes on average: between the
    /// references next to it, on logarithmic scales. `None` where the family was not measured.
    #[must_use]
    pub fn times(
        &self,
        operation: Operation,
        family: Family,
        run: f64,
        bytes: f64,
    ) -> Option<Times> {
        let sizes = self.sizes.get(&(operation, family))?;
        let (below, above) = around(sizes.keys().copied(), bytes)?;
        let of = |size: u64| Some(between_runs(sizes.get(&size)?, run));
        Some(interpolated(of(below)?, of(above)?, position(below, above, bytes)))
    }

    /// Where tables lie that users have measured: in the cache directory of the XDG specification.
    #[must_use]
    pub fn cache_folder(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
        // The specification has absolute paths only: others would lie in whatever folder a job
        // runs.
        let set = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let cache = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
        Some(cache.join("commloom"))
    }
}

/// Between the measured lengths of runs of one size; there is at least one.
fn between_runs(runs: &[(u64, Times)], run: f64) -> Times {
    let of = |length: u64| {
        let found = runs.iter().find(|(r, _)| *r == length);
        found.or(runs.first()).map_or(Times { native: 0.0, engine: 0.0 }, |(_, times)| *times)
    };
    match around(runs.iter().map(|(r, _)| *r), run) {
        Some((below, above)) => interpolated(of(below), of(above), position(below, above, run)),
        None => of(0),
    }
}

/// The largest value that is not above `x`, and the least that is not below; twice the same one at
/// the ends. Values ascend.
fn around(values: impl Iterator<Item = u64>, x: f64) -> Option<(u64, u64)> {
    let mut below = None;
    for value in values {
        if approximate(value) >= x {
            return Some((below.unwrap_or(value), value));
        }
        below = Some(value);
    }
    below.map(|last| (last, last))
}

/// Where `x` stands between two values, from 0 to 1.
fn position(below: u64, above: u64, x: f64) -> f64 {
    if below == above {
        return 0.0;
    }
    let [below, above] = [below, above].map(|v| approximate(v.max(1)).ln());
    ((x.max(1.0).ln() - below) / (above - below)).clamp(0.0, 1.0)
}

fn interpolated(a: Times, b: Times, position: f64) -> Times {
    let mean = |a: f64, b: f64| ((1.0 - position) * a.ln() + position * b.ln()).exp();
    Times { native: mean(a.native, b.native), engine: mean(a.engine, b.engine) }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate needs three digits")]
fn approximate(n: u64) -> f64 {
    n as f64
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}\n{LIBRARY}{}\n{MEASURED}{}", self.library, self.measured)?;
        writeln!(f, "# {}", ROW.strip_prefix("a row: ").unwrap_or(ROW))?;
        for ((operation, family), sizes) in &self.sizes {
            let operation = match operation {
                Operation::Message => "",
                Operation::Broadcast => BROADCAST,
            };
            for (bytes, runs) in sizes {
                for (run, Times { native, engine }) in runs {
                    writeln!(f, "{operation}{family} {run} {bytes} {native:.0} {engine:.0}")?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for Table {
    type Err = TableError;

    fn from_str(text: &str) -> Result<Table, TableError> {
        let wrong = |line: usize, found: &str, expected| {
            let found = found.chars().take(80).collect();
            Err(TableError { line, found, expected })
        };
        let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
        let (_, head) = lines.next().unwrap_or((1, ""));
        if head != HEAD {
            return wrong(1, head, HEAD);
        }
        let (mut library, mut measured, mut rows) = ("", "", Vec::new());
        for (at, line) in lines {
            if let Some(text) = line.strip_prefix(LIBRARY) {
                library = text;
            } else if let Some(text) = line.strip_prefix(MEASURED) {
                measured = text;
            } else if !line.starts_with('#') && !line.trim().is_empty() {
                let Some(row) = row(line) else { return wrong(at, line, ROW) };
                rows.push(row);
            }
        }
        if rows.is_empty() {
            return wrong(text.lines().count(), "the end", ROW);
        }
        Ok(Table::new(library, measured, rows))
    }
}

fn row(line: &str) -> Option<Row> {
    let (operation, line) = match line.strip_prefix(BROADCAST) {
        Some(rest) => (Operation::Broadcast, rest),
        None => (Operation::Message, line),
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    let [form, many, run, bytes, native, engine] = words[..] else { return None };
    let time = |text: &str| text.parse().ok().filter(|time| TIMES.contains(time));
    let length = |text: &str| text.parse().ok().filter(|length| BYTES.contains(length));
    let (run, bytes): (u64, u64) = (length(run)?, length(bytes)?);
    (run <= bytes).then_some(Row {
        operation,
        family: format!("{form} {many}").parse().ok()?,
        run,
        bytes,
        times: Times { native: time(native)?, engine: time(engine)? },
    })
}

/// The file that holds the table of a library, after what the library says of itself: what stands
/// before the first comma of the first line.
#[must_use]
pub fn file_name(version: &str) -> String {
    let line = version.trim().lines().next().unwrap_or_default();
    let name = line.split(',').next().unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { ' ' };
    let words: String = name.chars().map(plain).take(80).collect();
    let words: Vec<String> = words.split_whitespace().map(str::to_ascii_lowercase).collect();
    format!("messages-{}.txt", words.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Form;

    fn row(form: Form, run: u64, bytes: u64, native: f64, engine: f64) -> Row {
        let family = Family { form, many: false };
        let operation = Operation::Message;
        Row { operation, family, run, bytes, times: Times { native, engine } }
    }

    fn table() -> Table {
        Table::new(
            "MPICH Version: 4.0.2",
            "here",
            [
                row(Form::Vector, 4, 1000, 800.0, 400.0),
                row(Form::Vector, 64, 1000, 200.0, 400.0),
                row(Form::Vector, 4, 100_000, 80_000.0, 10_000.0),
                row(Form::Vector, 64, 110_000, 20_000.0, 10_000.0),
            ],
        )
    }

    #[test]
    fn measured_messages_take_what_was_measured() {
        let family = Family { form: Form::Vector, many: false };
        let times = table().times(Operation::Message, family, 4.0, 1000.0).unwrap();
        assert!((times.native - 800.0).abs() < 1e-6 && (times.engine - 400.0).abs() < 1e-6);
    }

    #[test]
    fn between_two_references_the_time_is_between_theirs() {
        let family = Family { form: Form::Vector, many: false };
        let times = table().times(Operation::Message, family, 16.0, 1000.0).unwrap();
        assert!((times.native - 400.0).abs() < 1.0, "{times:?}");
        let times = table().times(Operation::Message, family, 4.0, 10_000.0).unwrap();
        assert!((times.native - 8000.0).abs() < 10.0, "{times:?}");
    }

    #[test]
    fn beyond_the_references_the_nearest_one_counts() {
        let family = Family { form: Form::Vector, many: false };
        let times = table().times(Operation::Message, family, 1.0, 10.0).unwrap();
        assert!((times.native - 800.0).abs() < 1e-6);
        let times = table().times(Operation::Message, family, 1e6, 1e9).unwrap();
        assert!((times.native - 20_000.0).abs() < 1e-6);
        assert!(
            table()
                .times(Operation::Message, Family { form: Form::List, many: false }, 4.0, 1000.0)
                .is_none()
        );
    }

    #[test]
    fn a_table_is_read_as_it_is_written() {
        let mut rows = vec![row(Form::Vector, 4, 1000, 800.0, 400.0)];
        rows.push(Row { operation: Operation::Broadcast, ..row(Form::List, 4, 900, 80.0, 40.0) });
        let table = Table::new("L", "here", rows);
        let text = table.to_string();
        assert!(text.contains("\nbroadcast list one 4 900 80 40\n"), "{text}");
        assert_eq!(text.parse::<Table>(), Ok(table), "{text}");
    }

    #[test]
    fn what_is_no_table_is_refused_with_the_line() {
        let error = "nothing".parse::<Table>().unwrap_err();
        assert_eq!((error.line, error.found.as_str()), (1, "nothing"));
        let error = format!("{HEAD}\nvector one 4 x 1 1\n").parse::<Table>().unwrap_err();
        assert_eq!(error.line, 2);
        for bad in ["vector one 4 100 0 1", "vector one 4 100 nan 1", "vector one 4 100 1"] {
            assert!(format!("{HEAD}\n{bad}\n").parse::<Table>().is_err(), "{bad}");
        }
        assert!(format!("{HEAD}\n").parse::<Table>().is_err());
    }

    #[test]
    fn numbers_that_nothing_can_take_are_refused() {
        for bad in [
            "vector one 4 100 inf 1",
            "vector one 4 100 -1 1",
            "vector one 4 100 1e300 1",
            "vector one 4 100 1 1e-300",
            "vector one 0 100 1 1",
            "vector one 200 100 1 1",
            "vector one 4 18446744073709551615 1 1",
            "vector one 4 18446744073709551616 1 1",
        ] {
            assert!(format!("{HEAD}\n{bad}\n").parse::<Table>().is_err(), "{bad}");
        }
        // Neither do sizes that are given to it otherwise.
        let huge = [
            row(Form::Vector, 4, u64::MAX - 1, 1.0, 1.0),
            row(Form::Vector, 4, u64::MAX, 1.0, 1.0),
        ];
        let family = Family { form: Form::Vector, many: false };
        let times = Table::new("L", "here", huge).times(Operation::Message, family, 1e300, 1e300);
        assert!(times.is_some_and(|t| t.native.is_finite() && t.engine.is_finite()));
    }

    #[test]
    fn tables_lie_in_the_cache_directory() {
        let folder = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).into());
            Table::cache_folder(value)
        };
        assert_eq!(folder(&[("HOME", "/h")]), Some("/h/.cache/commloom".into()));
        assert_eq!(folder(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]), Some("/c/commloom".into()));
        assert_eq!(folder(&[("XDG_CACHE_HOME", "")]), None);
        assert_eq!(folder(&[("XDG_CACHE_HOME", "here"), ("HOME", ".")]), None);
        assert_eq!(
            folder(&[("XDG_CACHE_HOME", "here"), ("HOME", "/h")]),
            Some("/h/.cache/commloom".into())
        );
    }

    #[test]
    fn files_are_named_after_library_and_version() {
        assert_eq!(
            file_name("MPICH Version:      4.0.2\nMPICH Rel"),
            "messages-mpich-version-4.0.2.txt"
        );
        let open = "Open MPI v4.1.4, package: Debian OpenMPI";
        assert_eq!(file_name(open), "messages-open-mpi-v4.1.4.txt");
        assert_eq!(file_name("../../x"), "messages-..-..-x.txt");
    }
}
