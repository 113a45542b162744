//! From launches to rows: medians, spread, ratio, and whether all launches received the same bytes.

use super::protocol::{Cell, Sample};
use super::record::Launch;
use super::schedule::Mode;
use commloom_measure::statistics::{Quartiles, median};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// From this ratio on a cell counts as faster (its inverse side is [`SLOWER`]): the noise of a quiet machine.
pub const FASTER: f64 = 1.05;
/// Below this ratio a cell counts as slower.
pub const SLOWER: f64 = 0.95;

/// Middle and spread of samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// How many samples.
    pub samples: usize,
    /// Median.
    pub median: f64,
    /// Third quartile minus first quartile.
    pub interquartile_range: f64,
}

impl Spread {
    fn of(samples: &[f64]) -> Option<Spread> {
        let found = Quartiles::of(samples)?;
        let interquartile_range = found.range();
        Some(Spread { samples: found.samples, median: found.median, interquartile_range })
    }
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The cell: example, layout, description and bytes.
    pub cell: Cell,
    /// With which MPI library.
    pub library: String,
    /// Medians of the native runs, in microseconds.
    pub native_us: Option<Spread>,
    /// Medians of the runs with commloom, in microseconds.
    pub commloom_us: Option<Spread>,
    /// Native / commloom of the same run, median over the runs: above 1 commloom is faster.
    pub ratio: Option<f64>,
    /// Every launch succeeded, measured this cell, and received the same bytes.
    pub bytes_equal: bool,
}

/// One row for each expected cell, in that order.
#[must_use]
pub fn rows(expected: &[(String, Cell)], launches: &[Launch], modes: &[Mode]) -> Vec<Row> {
    expected.iter().map(|(library, cell)| row(library, cell, launches, modes)).collect()
}

fn row(library: &str, cell: &Cell, launches: &[Launch], modes: &[Mode]) -> Row {
    let mine = |launch: &&Launch| launch.example == cell.example && launch.library == library;
    let sample = |launch: &'_ Launch| launch.samples.iter().find(|s| s.cell == *cell).cloned();
    let of_mode = |mode: Mode| -> Vec<Option<Sample>> {
        launches.iter().filter(mine).filter(|l| l.mode == mode).map(sample).collect()
    };
    let times = |mode| {
        let medians: Vec<f64> = of_mode(mode).iter().flatten().map(|s| s.median_us).collect();
        Spread::of(&medians)
    };
    let (native_us, commloom_us) = (times(Mode::Native), times(Mode::Commloom));
    let samples: Vec<_> = modes.iter().map(|&mode| of_mode(mode)).collect();
    Row {
        cell: cell.clone(),
        library: library.to_owned(),
        native_us,
        commloom_us,
        ratio: paired_ratio(launches.iter().filter(mine), cell),
        bytes_equal: samples.iter().all(|of_mode| !of_mode.is_empty()) && agree(&samples.concat()),
    }
}

/// Median over the runs of native / commloom. The two launches of a run follow each other: on a machine
/// that changes its speed from minute to minute, as virtual ones do, the ratio of two medians compares
/// different minutes.
fn paired_ratio<'l>(launches: impl Iterator<Item = &'l Launch>, cell: &Cell) -> Option<f64> {
    let mut runs: BTreeMap<u32, [Option<f64>; 2]> = BTreeMap::new();
    for launch in launches {
        let sample = launch.samples.iter().find(|s| s.cell == *cell);
        let place = usize::from(launch.mode == Mode::Commloom);
        runs.entry(launch.run).or_default()[place] = sample.map(|s| s.median_us);
    }
    let ratio =
        |[native, commloom]: [Option<f64>; 2]| Some(native? / commloom.filter(|&us| us > 0.0)?);
    median(runs.into_values().filter_map(ratio))
}

/// Is every sample there, with one and the same checksum?
fn agree(samples: &[Option<Sample>]) -> bool {
    let first = samples.first().and_then(Option::as_ref).map(|s| &s.checksum);
    first.is_some() && samples.iter().all(|s| s.as_ref().map(|s| &s.checksum) == first)
}

/// Did every launch succeed, and do all results agree?
#[must_use]
pub fn success(rows: &[Row], launches: &[Launch]) -> bool {
    !rows.is_empty()
        && rows.iter().all(|row| row.bytes_equal)
        && launches.iter().all(|launch| launch.failure.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &[Mode] = &[Mode::Native, Mode::Commloom];

    fn cell() -> Cell {
        Cell { example: "e".into(), layout: "l".into(), description: "d".into(), bytes: 8 }
    }

    fn launch(mode: Mode, median_us: f64, checksum: &str) -> Launch {
        let sample = Sample { cell: cell(), median_us, min_us: 0.0, checksum: checksum.into() };
        Launch {
            run: 0,
            example: "e".into(),
            library: "mpich".into(),
            mode,
            seconds: 0.0,
            failure: None,
            samples: vec![sample],
        }
    }

    fn only_row(launches: &[Launch], modes: &[Mode]) -> Row {
        rows(&[("mpich".into(), cell())], launches, modes).remove(0)
    }

    #[test]
    fn the_ratio_is_native_over_commloom_of_the_same_run_median_over_runs() {
        let mut launches = [
            launch(Mode::Native, 30.0, "a"),
            launch(Mode::Commloom, 9.0, "a"),
            launch(Mode::Commloom, 10.0, "a"),
            launch(Mode::Native, 30.0, "a"),
            launch(Mode::Native, 1000.0, "a"),
            launch(Mode::Commloom, 500.0, "a"),
        ];
        for (launch, run) in launches.iter_mut().zip([0, 0, 1, 1, 2, 2]) {
            launch.run = run;
        }
        let row = only_row(&launches, BOTH);
        assert_eq!(row.ratio, Some(3.0));
        assert!(row.bytes_equal && success(&[row], &launches));
    }

    #[test]
    fn another_checksum_in_any_launch_is_a_difference() {
        let launches = [
            launch(Mode::Native, 1.0, "a"),
            launch(Mode::Commloom, 1.0, "a"),
            launch(Mode::Commloom, 1.0, "b"),
        ];
        let row = only_row(&launches, BOTH);
        assert!(!row.bytes_equal && !success(&[row], &launches));
    }

    #[test]
    fn a_missing_cell_or_mode_is_a_difference() {
        let mut empty = launch(Mode::Commloom, 1.0, "a");
        empty.samples.clear();
        let launches = [launch(Mode::Native, 1.0, "a"), empty];
        assert!(!only_row(&launches, BOTH).bytes_equal);
        assert!(!only_row(&launches[..1], BOTH).bytes_equal);
        assert!(only_row(&launches[..1], &[Mode::Native]).bytes_equal);
        assert!(!only_row(&[], &[Mode::Native]).bytes_equal);
    }

    #[test]
    fn a_failed_launch_is_no_success_even_where_all_rows_agree() {
        let mut launches = vec![launch(Mode::Native, 1.0, "a"), launch(Mode::Commloom, 1.0, "a")];
        let rows = [only_row(&launches, BOTH)];
        assert!(success(&rows, &launches));
        launches[1].failure = Some("exit status: 1".into());
        assert!(!success(&rows, &launches));
    }

    #[test]
    fn other_libraries_do_not_count() {
        let mut other = launch(Mode::Native, 5.0, "b");
        other.library = "openmpi".into();
        let launches = [launch(Mode::Native, 1.0, "a"), other];
        let row = only_row(&launches, &[Mode::Native]);
        assert_eq!(row.native_us.unwrap().median, 1.0);
        assert!(row.bytes_equal);
    }
}
