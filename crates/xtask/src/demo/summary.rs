//! From launches to rows: medians, spread, ratio, and whether all launches received the same
//! bytes.

use super::protocol::{Cell, Sample};
use super::record::Launch;
use super::schedule::Mode;
use commloom_measure::statistics::{Quartiles, median};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// From this ratio on a cell counts as faster (its inverse side is [`SLOWER`]): the noise of a
/// quiet machine.
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
    /// Medians of the native runs of the same message packed by hand, where there is one.
    pub by_hand_us: Option<Spread>,
    /// Packed by hand, natively / this with commloom, of the same run, median over the runs.
    pub by_hand_ratio: Option<f64>,
    /// Every launch succeeded, measured this cell, and received the same bytes.
    pub bytes_equal: bool,
}

/// One row for each expected cell, in that order.
#[must_use]
pub fn rows(expected: &[(String, Cell)], launches: &[Launch], modes: &[Mode]) -> Vec<Row> {
    expected.iter().map(|(library, cell)| row(library, cell, launches, modes)).collect()
}

fn row(library: &str, cell: &Cell, launches: &[Launch], modes: &[Mode]) -> Row {
    let mine: Vec<&Launch> = launches
        .iter()
        .filter(|launch| launch.example == cell.example && launch.library == library)
        .collect();
    let of_mode = |mode: Mode| -> Vec<Option<&Sample>> {
        mine.iter().filter(|l| l.mode == mode).map(|launch| sample(launch, cell)).collect()
    };
    let times = |cell: &Cell, mode| {
        Spread::of(&medians(&mine, cell, mode).into_values().collect::<Vec<_>>())
    };
    let samples: Vec<_> = modes.iter().map(|&mode| of_mode(mode)).collect();
    let by_hand = cell.by_hand();
    let ratio_to = |cell_of_natives: &Cell| {
        let natives = medians(&mine, cell_of_natives, Mode::Native);
        paired_ratio(&natives, &medians(&mine, cell, Mode::Commloom))
    };
    Row {
        cell: cell.clone(),
        library: library.to_owned(),
        native_us: times(cell, Mode::Native),
        commloom_us: times(cell, Mode::Commloom),
        ratio: ratio_to(cell),
        by_hand_us: by_hand.as_ref().and_then(|by_hand| times(by_hand, Mode::Native)),
        by_hand_ratio: by_hand.as_ref().and_then(ratio_to),
        bytes_equal: samples.iter().all(|of_mode| !of_mode.is_empty()) && agree(&samples.concat()),
    }
}

fn sample<'l>(launch: &'l Launch, cell: &Cell) -> Option<&'l Sample> {
    launch.samples.iter().find(|sample| sample.cell == *cell)
}

/// Medians of the launches in a mode, by run.
fn medians(launches: &[&Launch], cell: &Cell, mode: Mode) -> BTreeMap<u32, f64> {
    let of_mode = launches.iter().filter(|launch| launch.mode == mode);
    of_mode.filter_map(|launch| Some((launch.run, sample(launch, cell)?.median_us))).collect()
}

/// Median over the runs of native / commloom. The launches of a run follow each other: on a
/// machine that changes its speed from minute to minute, as virtual ones do, the ratio of two
/// medians compares different minutes.
fn paired_ratio(native: &BTreeMap<u32, f64>, commloom: &BTreeMap<u32, f64>) -> Option<f64> {
    let ratio =
        |(run, us): (&u32, &f64)| Some(native.get(run)? / Some(us).filter(|&&us| us > 0.0)?);
    median(commloom.iter().filter_map(ratio))
}

/// Is every sample there, with one and the same checksum?
fn agree(samples: &[Option<&Sample>]) -> bool {
    let first = samples.first().copied().flatten().map(|s| &s.checksum);
    first.is_some() && samples.iter().all(|s| s.map(|s| &s.checksum) == first)
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
    fn what_is_packed_by_hand_natively_stands_beside_the_other_descriptions() {
        let by_hand = cell().by_hand().unwrap();
        let mut launches = [
            launch(Mode::Native, 30.0, "a"),
            launch(Mode::Commloom, 10.0, "a"),
            launch(Mode::Native, 40.0, "a"),
            launch(Mode::Commloom, 80.0, "a"),
        ];
        for (launch, (run, us)) in
            launches.iter_mut().zip([(0, 20.0), (0, 1.0), (1, 240.0), (1, 1.0)])
        {
            launch.run = run;
            let packed =
                Sample { cell: by_hand.clone(), median_us: us, ..launch.samples[0].clone() };
            launch.samples.push(packed);
        }
        let expected = [("mpich".to_owned(), cell()), ("mpich".to_owned(), by_hand)];
        let [typed, packed] = rows(&expected, &launches, BOTH).try_into().unwrap();
        assert_eq!(typed.by_hand_us.unwrap().median, 130.0);
        assert_eq!(typed.by_hand_ratio, Some(2.5));
        assert_eq!((packed.by_hand_us, packed.by_hand_ratio), (None, None));
        assert_eq!(only_row(&launches[..1], &[Mode::Native]).by_hand_ratio, None);
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
