//! Measurements, held against the performance guidelines of Carpen-Amarie, Hunold and Traeff:
//! whatever the description, a message should cost no more than with the best one (GL1, GL4), and
//! no more than packing, sending contiguous bytes and unpacking (GL2, GL3).

use super::record::Record;
use super::schedule::Mode;
use commloom_measure::statistics::geometric_mean;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// From this factor on a guideline counts as violated.
pub const THRESHOLD: f64 = 1.1;
/// From this factor on commloom counts as slower than the library alone.
pub const SLOWER: f64 = 1.03;
/// So many of the worst cells of a library are named.
const NAMED: usize = 25;
/// The layout that packed bytes are sent as.
const CONTIGUOUS: &str = "contiguous";
/// The program that measures packing and unpacking.
const PACKING: &str = "packing";

/// A cell in one mode, by what the guidelines compare: operation, layout and bytes, then
/// description and mode.
type Key<'r> = (&'r str, &'r str, u64);
/// Medians in microseconds by run.
type Times = BTreeMap<u32, f64>;

/// One description of a layout, as one library sends it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The program, which is the operation.
    pub operation: String,
    /// The layout in memory.
    pub layout: String,
    /// How it is described.
    pub description: String,
    /// Payload.
    pub bytes: u64,
    /// Over the best native description of the same layout: native, and with commloom.
    pub best: [f64; 2],
    /// Over packing, sending contiguous bytes and unpacking, each the best way known: native, and
    /// with commloom.
    pub explicit: Option<[f64; 2]>,
    /// Native over commloom: above 1 commloom is faster.
    pub gain: f64,
}

/// Judges all cells of a library in which something but contiguous bytes is communicated.
#[must_use]
pub fn judge(record: &Record, library: &str) -> Vec<Judged> {
    let mut times: BTreeMap<Key<'_>, BTreeMap<(&str, bool), Times>> = BTreeMap::new();
    for launch in record.launches.iter().filter(|l| l.library == library) {
        for sample in &launch.samples {
            let cell = &sample.cell;
            let key = (cell.example.as_str(), cell.layout.as_str(), cell.bytes);
            let mode = launch.mode == Mode::Commloom;
            let of_cell = times.entry(key).or_default().entry((&cell.description, mode));
            of_cell.or_default().insert(launch.run, sample.median_us);
        }
    }
    let mut judged = Vec::new();
    for (&(operation, layout, bytes), ways) in &times {
        if operation == PACKING || layout == CONTIGUOUS {
            continue;
        }
        let Some(best) = fastest(ways.iter().filter(|((_, mode), _)| !mode)) else { continue };
        let explicit = explicit(&times, (operation, layout, bytes));
        let descriptions: BTreeSet<&str> =
            ways.keys().map(|(description, _)| *description).collect();
        for description in descriptions {
            let [native, own] = [false, true].map(|mode| ways.get(&(description, mode)));
            let (Some(native), Some(own)) = (native, own) else { continue };
            let both = |other: &Times| Some([factor(native, other)?, factor(own, other)?]);
            let (Some(best), Some(gain)) = (both(best), factor(native, own)) else { continue };
            judged.push(Judged {
                operation: operation.to_owned(),
                layout: layout.to_owned(),
                description: description.to_owned(),
                bytes,
                best,
                explicit: explicit.as_ref().and_then(both),
                gain,
            });
        }
    }
    judged
}

/// The shortest times.
fn fastest<'t, K: 't>(ways: impl Iterator<Item = (K, &'t Times)>) -> Option<&'t Times> {
    let all = ways.filter_map(|(_, times)| Some((shortest(times)?, times)));
    all.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, times)| times)
}

/// Of all launches: a machine that others use is slow for seconds, so that a launch is slow as a
/// whole, or is not.
fn shortest(times: &Times) -> Option<f64> {
    times.values().copied().min_by(f64::total_cmp)
}

/// One time over another.
fn factor(of: &Times, over: &Times) -> Option<f64> {
    Some(shortest(of)? / shortest(over).filter(|time| *time > 0.0)?)
}

/// Times of packing, contiguous messages and unpacking in each run. A ping-pong is two messages.
fn explicit(
    times: &BTreeMap<Key<'_>, BTreeMap<(&str, bool), Times>>,
    (operation, layout, bytes): Key<'_>,
) -> Option<Times> {
    let contiguous = fastest(times.get(&(operation, CONTIGUOUS, bytes))?.iter())?;
    let packing = fastest(times.get(&(PACKING, layout, bytes))?.iter())?;
    let messages = if operation == "pingpong" { 2.0 } else { 1.0 };
    let sum = |(run, us): (&u32, &f64)| Some((*run, us + messages * packing.get(run)?));
    Some(contiguous.iter().filter_map(sum).collect())
}

/// The report: one table for all libraries, then what is worst in each.
#[must_use]
pub fn markdown(record: &Record) -> String {
    let mut text = String::from(HEAD);
    let environment = &record.environment;
    let mut details = String::new();
    for library in &environment.libraries {
        let cells = judge(record, &library.name);
        let operations: BTreeSet<&str> = cells.iter().map(|c| c.operation.as_str()).collect();
        for operation in operations {
            let cells: Vec<&Judged> = cells.iter().filter(|c| c.operation == operation).collect();
            let _ = writeln!(text, "| {} | {operation} | {} |", library.version, counts(&cells));
            details.push_str(&worst(&library.version, operation, &cells));
        }
    }
    let _ = write!(
        text,
        "\n{}, {} cpus, {}, {}, {} launches of each program in each mode.\n{details}",
        environment.cpu, environment.cpus, environment.kernel, environment.date, record.runs
    );
    text
}

const HEAD: &str = "\
# Messages under commloom against the performance guidelines

Written by `make bench-mpi`. Every description of every layout of the expectation tests \
(`examples/layouts.h`), 2 ranks, each launch natively and
under `commloom exec` in turns; times are the least medians of all launches. *Best*: over the best \
native description of the
same layout (GL1, GL4), *explicit*: over the contiguous message + the best way known to pack and \
unpack (GL2, GL3), each native / with
commloom; counted from 1.1 on. *Slower*: more than 3 % slower than native. Every byte that arrived \
was compared.

| library | operation | descriptions | gain, geometric mean | > 1.1 best | > 1.1 explicit | slower |
|---|---|---|---|---|---|---|
";

fn counts(cells: &[&Judged]) -> String {
    let above = |factor: &dyn Fn(&Judged) -> Option<f64>, limit: f64| {
        cells.iter().filter(|cell| factor(cell).is_some_and(|f| f > limit)).count()
    };
    format!(
        "{} | {:.2} | {} / {} | {} / {} | {}",
        cells.len(),
        geometric_mean(cells.iter().map(|cell| cell.gain)).unwrap_or(1.0),
        above(&|c| Some(c.best[0]), THRESHOLD),
        above(&|c| Some(c.best[1]), THRESHOLD),
        above(&|c| Some(c.explicit?[0]), THRESHOLD),
        above(&|c| Some(c.explicit?[1]), THRESHOLD),
        above(&|c| Some(1.0 / c.gain), SLOWER),
    )
}

/// The cells that commloom does not bring below the threshold, the worst first.
fn worst(library: &str, operation: &str, cells: &[&Judged]) -> String {
    let badness = |c: &Judged| {
        let explicit = c.explicit.map_or(0.0, |e| e[1]);
        (c.best[1].max(explicit) / THRESHOLD).max(1.0 / c.gain / SLOWER)
    };
    let mut bad: Vec<_> = cells.iter().filter(|c| badness(c) > 1.0).collect();
    bad.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
    let mut text = format!("\n## {library}, {operation}: {} cells left\n", bad.len());
    if bad.is_empty() {
        return text;
    }
    text.push_str(
        "\n| layout | description | bytes | best | explicit | gain |\n|---|---|---|---|---|---|\n",
    );
    for c in bad.iter().take(NAMED) {
        let explicit = c.explicit.map_or("-".to_owned(), |e| format!("{:.2} / {:.2}", e[0], e[1]));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.2} / {:.2} | {explicit} | {:.2} |",
            c.layout, c.description, c.bytes, c.best[0], c.best[1], c.gain
        );
    }
    if bad.len() > NAMED {
        let _ = writeln!(text, "\n... and {} more.", bad.len() - NAMED);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::environment::{Environment, Version};
    use super::super::protocol::{Cell, Sample};
    use super::super::record::{FORMAT, Launch};
    use super::*;

    /// Times of (program, layout, description), native and with commloom; the second run is twice
    /// as slow.
    fn record(cells: &[(&str, &str, &str, [f64; 2])]) -> Record {
        let mut launches = Vec::new();
        for run in 0..2 {
            for (mode, place) in [(Mode::Native, 0), (Mode::Commloom, 1)] {
                let sample =
                    |&(example, layout, description, us): &(&str, &str, &str, [f64; 2])| {
                        let us = us[place] * f64::from(run + 1);
                        let cell = Cell {
                            example: example.into(),
                            layout: layout.into(),
                            description: description.into(),
                            bytes: 100,
                        };
                        Sample { cell, median_us: us, min_us: us, checksum: String::new() }
                    };
                launches.push(Launch {
                    run,
                    example: "all".into(),
                    library: "mpich".into(),
                    mode,
                    seconds: 0.0,
                    failure: None,
                    samples: cells.iter().map(sample).collect(),
                    blocks: Vec::new(),
                });
            }
        }
        let version = Version { name: "mpich".into(), version: "MPICH 4".into(), bound: true };
        Record {
            format: FORMAT.into(),
            complete: true,
            environment: Environment {
                cpu: "a CPU".into(),
                cpus: 2,
                kernel: "Linux 6".into(),
                date: "2026-01-01T00:00:00Z".into(),
                load: "0.0".into(),
                libraries: vec![version],
            },
            runs: 2,
            quick: false,
            baseline: false,
            only: None,
            launches,
            rows: Vec::new(),
        }
    }

    #[test]
    fn descriptions_are_held_against_the_best_one_and_against_packing() {
        let record = record(&[
            ("pingpong", "contiguous", "unit", [10.0, 11.0]),
            ("packing", "tiled", "unit", [8.0, 5.0]),
            ("pingpong", "tiled", "unit", [40.0, 20.0]),
            ("pingpong", "tiled", "vector", [25.0, 25.0]),
        ]);
        let judged = judge(&record, "mpich");
        assert_eq!(judged.len(), 2, "{judged:?}");
        let unit = &judged[0];
        assert_eq!((unit.description.as_str(), unit.gain), ("unit", 2.0));
        assert_eq!(unit.best, [1.6, 0.8]);
        // 10 for two contiguous messages, and twice 5 for packing and unpacking.
        assert_eq!(unit.explicit, Some([2.0, 1.0]));
        assert_eq!(judged[1].best, [1.0, 1.0]);
    }

    #[test]
    fn the_report_counts_violations_before_and_after() {
        let record = record(&[
            ("bcast", "contiguous", "unit", [10.0, 10.0]),
            ("packing", "tiled", "unit", [5.0, 5.0]),
            ("bcast", "tiled", "unit", [40.0, 30.0]),
            ("bcast", "tiled", "vector", [15.0, 16.0]),
        ]);
        let text = markdown(&record);
        assert!(text.contains("| MPICH 4 | bcast | 2 | 1.12 | 1 / 1 | 1 / 1 | 1 |"), "{text}");
        assert!(
            text.contains("| tiled | unit | 100 | 2.67 / 2.00 | 2.67 / 2.00 | 1.33 |"),
            "{text}"
        );
        assert!(text.contains("## MPICH 4, bcast: 2 cells left"), "{text}");
    }
}
