//! From launches to rows: times and their ratio from those in which native and commloom go by
//! turns, and whether all others received the same bytes.

use super::protocol::{BlockTimes, Cell, Sample};
use super::record::Launch;
use super::schedule::Mode;
use commloom_measure::statistics::{MAX_ERROR, Medians, Quartiles, Ratio, median};
use serde::{Deserialize, Serialize};

/// Further from native than this is told of: the promise is that nothing is slower by more.
pub const NOTABLE: f64 = 0.03;

/// All blocks of one cell with one library, of all launches, in microseconds.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct BlockPairs {
    /// BlockTimes that were left alone.
    pub native: Medians,
    /// Those beside them.
    pub commloom: Medians,
}

impl BlockPairs {
    /// Adds the blocks of a launch.
    pub fn add(&mut self, blocks: &BlockTimes) {
        for [native, commloom] in &blocks.pairs {
            let number = u32::try_from(self.native.len()).unwrap_or(u32::MAX);
            self.native.insert(number, *native);
            self.commloom.insert(number, *commloom);
        }
    }

    /// Native / commloom: above 1 commloom is faster. `None` without pairs.
    #[must_use]
    pub fn ratio(&self) -> Option<Ratio> {
        Ratio::paired(&self.native, &self.commloom)
    }
}

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

fn spread(samples: impl Iterator<Item = f64>) -> Option<Spread> {
    let found = Quartiles::of(&samples.collect::<Vec<_>>())?;
    let interquartile_range = found.range();
    Some(Spread { samples: found.samples, median: found.median, interquartile_range })
}

/// One row of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The cell: example, layout, description and bytes.
    pub cell: Cell,
    /// With which MPI library.
    pub library: String,
    /// Native blocks, or native launches where nothing goes by turns, in microseconds.
    pub native_us: Option<Spread>,
    /// BlockTimes with commloom, in microseconds.
    pub commloom_us: Option<Spread>,
    /// Native / commloom of blocks beside each other: above 1 commloom is faster.
    pub ratio: Option<f64>,
    /// Where the true ratio is, if there are enough blocks to say so.
    #[serde(default)]
    pub interval: Option<[f64; 2]>,
    /// The same message packed by hand, natively, where there is one.
    pub by_hand_us: Option<Spread>,
    /// Packed by hand, natively / this with commloom, of the same launch, median over launches.
    pub by_hand_ratio: Option<f64>,
    /// Every launch succeeded, measured this cell, and received the same bytes.
    pub bytes_equal: bool,
}

impl Row {
    /// Commloom is faster, by more than [`NOTABLE`].
    #[must_use]
    pub fn is_faster(&self) -> bool {
        self.interval.is_some_and(|[low, _]| low > 1.0 + NOTABLE)
    }

    /// Commloom is slower, by more than [`NOTABLE`].
    #[must_use]
    pub fn is_slower(&self) -> bool {
        self.interval.is_some_and(|[_, high]| high < 1.0 - NOTABLE)
    }
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
    let mut pairs = BlockPairs::default();
    mine.iter().filter_map(|launch| blocks(launch, cell)).for_each(|blocks| pairs.add(blocks));
    let of_mode = |mode: Mode| -> Vec<Option<&Sample>> {
        mine.iter().filter(|l| l.mode == mode).map(|launch| sample(launch, cell)).collect()
    };
    let bytes = [Mode::Native, Mode::Commloom].into_iter().filter(|mode| modes.contains(mode));
    let samples: Vec<_> = bytes.map(of_mode).collect();
    let ratio = pairs.ratio();
    let by_hand = cell.by_hand();
    let by_hand_ratios = |by_hand: &Cell| {
        let ratio = |launch: &&Launch| {
            Some(middle(blocks(launch, by_hand)?, 0)? / middle(blocks(launch, cell)?, 1)?)
        };
        median(mine.iter().filter_map(ratio))
    };
    Row {
        cell: cell.clone(),
        library: library.to_owned(),
        native_us: native_times(&mine, cell, modes),
        commloom_us: spread(pairs.commloom.values().copied()),
        ratio: ratio.map(|ratio| ratio.estimate),
        interval: ratio.filter(|r| r.error <= MAX_ERROR).map(|r| [r.low, r.high]),
        by_hand_us: by_hand.as_ref().and_then(|by_hand| native_times(&mine, by_hand, modes)),
        by_hand_ratio: by_hand.as_ref().and_then(by_hand_ratios),
        bytes_equal: samples.iter().all(|of_mode| !of_mode.is_empty()) && agree(&samples.concat()),
    }
}

/// Times of native blocks; of native launches, where nothing goes by turns.
fn native_times(launches: &[&Launch], cell: &Cell, modes: &[Mode]) -> Option<Spread> {
    if modes.contains(&Mode::ByTurns) {
        let all = launches.iter().filter_map(|launch| blocks(launch, cell));
        return spread(all.flat_map(|blocks| blocks.pairs.iter().map(|[native, _]| *native)));
    }
    let native = launches.iter().filter(|launch| launch.mode == Mode::Native);
    spread(native.filter_map(|launch| Some(sample(launch, cell)?.median_us)))
}

/// The middle of the blocks of one side.
fn middle(blocks: &BlockTimes, side: usize) -> Option<f64> {
    median(blocks.pairs.iter().map(|pair| pair[side])).filter(|us| *us > 0.0)
}

fn blocks<'l>(launch: &'l Launch, cell: &Cell) -> Option<&'l BlockTimes> {
    launch.blocks.iter().find(|blocks| blocks.cell == *cell)
}

fn sample<'l>(launch: &'l Launch, cell: &Cell) -> Option<&'l Sample> {
    launch.samples.iter().find(|sample| sample.cell == *cell)
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
    const ALL: &[Mode] = &[Mode::Native, Mode::Commloom, Mode::ByTurns];

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
            blocks: Vec::new(),
        }
    }

    fn by_turns(cells: &[(Cell, &[[f64; 2]])]) -> Launch {
        let blocks = |(cell, pairs): &(Cell, &[[f64; 2]])| BlockTimes {
            cell: cell.clone(),
            pairs: pairs.to_vec(),
        };
        Launch {
            samples: Vec::new(),
            blocks: cells.iter().map(blocks).collect(),
            ..launch(Mode::ByTurns, 0.0, "")
        }
    }

    fn only_row(launches: &[Launch], modes: &[Mode]) -> Row {
        rows(&[("mpich".into(), cell())], launches, modes).remove(0)
    }

    /// One launch is three times as slow as the other, as happens where nothing else differs.
    #[test]
    fn the_ratio_is_that_of_blocks_beside_each_other() {
        let pair = [10.0, 5.0];
        let slow = pair.map(|us| 3.0 * us);
        let launches = [
            launch(Mode::Native, 1.0, "a"),
            launch(Mode::Commloom, 99.0, "a"),
            by_turns(&[(cell(), &[pair; 5])]),
            by_turns(&[(cell(), &[slow; 6])]),
        ];
        let row = only_row(&launches, ALL);
        assert!((row.ratio.unwrap() - 2.0).abs() < 1e-9);
        assert!(row.is_faster() && !row.is_slower(), "{row:?}");
        assert_eq!((row.native_us.unwrap().median, row.commloom_us.unwrap().median), (30.0, 15.0));
        assert!(row.bytes_equal && success(&[row], &launches));
    }

    #[test]
    fn two_pairs_say_nothing_of_an_interval() {
        let row = only_row(&[by_turns(&[(cell(), &[[4.0, 1.0]; 2])])], ALL);
        assert_eq!((row.ratio.map(f64::round), row.interval), (Some(4.0), None));
        assert!(!row.is_faster());
    }

    #[test]
    fn what_is_packed_by_hand_natively_stands_beside_the_other_descriptions() {
        let by_hand = cell().by_hand().unwrap();
        let launches = [
            by_turns(&[(cell(), &[[30.0, 10.0]]), (by_hand.clone(), &[[20.0, 1.0]])]),
            by_turns(&[(cell(), &[[40.0, 80.0]]), (by_hand.clone(), &[[240.0, 1.0]])]),
        ];
        let expected = [("mpich".to_owned(), cell()), ("mpich".to_owned(), by_hand)];
        let [typed, packed] = rows(&expected, &launches, ALL).try_into().unwrap();
        assert_eq!(typed.by_hand_us.unwrap().median, 130.0);
        assert_eq!(typed.by_hand_ratio, Some(2.5));
        assert_eq!((packed.by_hand_us, packed.by_hand_ratio), (None, None));
        let native = [launch(Mode::Native, 30.0, "a")];
        assert_eq!(only_row(&native, &[Mode::Native]).by_hand_ratio, None);
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
