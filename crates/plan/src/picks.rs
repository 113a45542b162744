//! [`Picks`]: a short message as vector permutations.
//!
//! Both directions are the same problem: vectors of the side that is written, each picked from
//! some windows of 64 bytes of the side that is read. When packing, the vectors are the packed
//! bytes, or as many of them as lie in one window; when unpacking, the vectors are windows of
//! memory of which only the bytes of the layout are stored. Windows that are read whole end with
//! the last byte of their side at the latest; a side of less than 64 bytes is read and written
//! masked.

use crate::number::{count, index};
use crate::{Index, PeriodBlock};

/// Bytes in a vector.
const WIDTH: i64 = 64;

/// A vector is picked from at most so many windows.
pub const MOST_WINDOWS: usize = 8;

/// More vectors are no short message.
const MOST_VECTORS: usize = 16;

/// The side that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Packed,
    Memory,
}

/// Vectors that are picked and stored one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picks {
    picks: Box<[Pick]>,
    unit: u64,
    windows: usize,
    form: Picked,
}

/// How vectors are read and stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Picked {
    /// From [`Picks::windows`] many windows of their own, stored whole.
    Whole,
    /// From one or two windows of their own; some units are stored.
    Masked,
    /// The same from the one window that is less than 64 bytes long.
    Narrow,
    /// From two windows that are the same for all; some units are stored.
    Held,
}

/// One vector. Displacements in bytes: in memory from the origin of the buffer, in the packed
/// stream from its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    /// The order of the units: those of the second window of a pair follow those of the first. One
    /// entry is as wide as a unit, little-endian.
    pub index: Index,
    /// The windows that it is picked from. All of [`Picks::windows`] may be read.
    pub from: [i64; MOST_WINDOWS],
    /// Which units come from each pair of windows, the last of which may lack its second. Of a
    /// side that is one short window: which of its units may be read.
    pub keep: [u64; MOST_WINDOWS / 2],
    /// Where it is stored.
    pub to: i64,
    /// Which units are stored.
    pub store: u64,
}

impl Picks {
    /// Numbers of windows that there are functions for.
    const WINDOWS: [usize; 7] = [1, 2, 3, 4, 5, 6, 8];

    /// Number of forms per unit.
    pub const FORMS: usize = Self::WINDOWS.len() + 4;
    /// Numbers of vectors with functions of their own: any, 1 to 8.
    pub const COUNTS: usize = 9;
    /// Number of functions per unit.
    pub const FUNCTIONS: usize = Self::FORMS * Self::COUNTS;

    /// Bytes on the heap at most.
    pub(crate) const MOST_HEAP: usize = MOST_VECTORS * size_of::<Pick>();

    /// The vectors.
    #[must_use]
    #[inline]
    pub fn picks(&self) -> &[Pick] {
        &self.picks
    }

    /// Bytes that are permuted as one: 4 or 1.
    #[must_use]
    #[inline]
    pub fn unit(&self) -> u64 {
        self.unit
    }

    /// Windows that every vector is picked from: at most 8.
    #[must_use]
    #[inline]
    pub fn windows(&self) -> usize {
        self.windows
    }

    /// A number for tables of functions, below [`Picks::FUNCTIONS`]: by form (stored whole from 1,
    /// 2, 3, 4, 5, 6 and 8 windows; masked from 1 and 2 windows, from a narrow one, from two that
    /// are the same for all), then by number of vectors (any, 1 to 8).
    #[must_use]
    pub fn number(&self) -> usize {
        let whole = Self::WINDOWS.len();
        let form = match self.form {
            Picked::Whole => Self::WINDOWS.iter().position(|&w| w == self.windows).unwrap_or(whole),
            Picked::Masked => whole + self.windows - 1,
            Picked::Narrow => whole + 2,
            Picked::Held => whole + 3,
        };
        let count = self.picks.len();
        form * Self::COUNTS + if count < Self::COUNTS { count } else { 0 }
    }

    /// Its cost, in tenths of a cycle, as measured on Zen 5 in the first-level cache. Windows that
    /// are not on lines take more.
    pub(crate) fn cost(&self) -> u64 {
        let windows = count(self.windows);
        let lines =
            self.picks.iter().all(|p| p.from[..self.windows].iter().all(|f| f % WIDTH == 0));
        let whole = match self.windows {
            1 => 14,
            2 => 24,
            more => 19 * count(more) - 18,
        };
        let vector = match self.form {
            Picked::Whole if lines => whole,
            Picked::Whole => whole * 4 / 3,
            Picked::Masked => 18 + 10 * windows,
            Picked::Narrow | Picked::Held => 22,
        };
        vector * count(self.picks.len())
    }

    /// The cheapest way to write a side; nothing where there is none.
    pub(crate) fn cheapest(
        blocks: &[PeriodBlock],
        (low, high): (i64, i64),
        side: Side,
        byte_permute: bool,
    ) -> Option<Picks> {
        let words = blocks.iter().all(|p| p.length % 4 == 0 && (p.a - low) % 4 == 0);
        let unit = match (words, byte_permute) {
            (true, _) => 4,
            (false, true) => 1,
            (false, false) => return None,
        };
        let mut units = Vec::new();
        for part in blocks {
            let steps = 0..(part.length / unit).cast_signed();
            let unit = unit.cast_signed();
            units.extend(steps.map(|i| (part.a + i * unit, part.b.cast_signed() + i * unit)));
        }
        let packed = (0, units.last()?.1 + unit.cast_signed());
        let memory = (low, high);
        match side {
            Side::Packed => {
                let full = Maker::new(unit, memory).full(&units);
                let pieces = Maker::new(unit, memory).pieces(&units);
                [full, pieces].into_iter().flatten().min_by_key(Picks::cost)
            }
            Side::Memory => {
                for at in &mut units {
                    *at = (at.1, at.0);
                }
                units.sort_unstable_by_key(|at| at.1);
                Maker::new(unit, packed).spread(&units)
            }
        }
    }
}

/// Vectors as they are made.
struct Maker {
    unit: i64,
    /// Bounds of the side that is read.
    source: (i64, i64),
    /// Whether all of it is two windows, to be held in registers.
    held: bool,
    /// The vectors, with how many windows each has.
    picks: Vec<(Pick, usize)>,
}

/// A unit: where it is read and where it is written.
type Unit = (i64, i64);

impl Maker {
    fn new(unit: u64, source: (i64, i64)) -> Maker {
        Maker { unit: unit.cast_signed(), source, held: false, picks: Vec::new() }
    }

    /// Full vectors of the packed stream; `units` in packed order.
    fn full(mut self, units: &[Unit]) -> Option<Picks> {
        let lanes = index((WIDTH / self.unit).unsigned_abs());
        for v in 0..units.len().div_ceil(lanes) {
            let first = (v * lanes).min(units.len().saturating_sub(lanes));
            let vector = &units[first..(first + lanes).min(units.len())];
            self.add(vector[0].1, vector)?;
        }
        self.finish(if units.len() < lanes { Picked::Masked } else { Picked::Whole })
    }

    /// Pieces of the packed stream that come from one window each; `units` in packed order.
    fn pieces(mut self, units: &[Unit]) -> Option<Picks> {
        let mut left = units;
        while let Some(&(place, to)) = left.first() {
            let low = self.line(place);
            let fits = |at: &&Unit| {
                at.0 >= low && at.0 + self.unit <= low + WIDTH && at.1 + self.unit <= to + WIDTH
            };
            let (piece, rest) = left.split_at(left.iter().take_while(fits).count());
            self.add(to, piece)?;
            left = rest;
        }
        self.finish(Picked::Masked)
    }

    /// Windows of memory, on its lines where that does not take more of them; `units` in the order
    /// of their destination.
    fn spread(self, units: &[Unit]) -> Option<Picks> {
        let windows = |on_lines: bool| {
            let (mut to, mut firsts) = (i64::MIN, Vec::new());
            for (i, &(_, at)) in units.iter().enumerate() {
                if firsts.is_empty() || at + self.unit > to + WIDTH {
                    to = if on_lines { line(at, self.unit) } else { at };
                    firsts.push((i, to));
                }
            }
            firsts
        };
        let on_lines = units.iter().all(|at| at.1 % self.unit == 0);
        let (mut firsts, lines) = (windows(false), windows(on_lines));
        if lines.len() <= firsts.len() {
            firsts = lines;
        }
        let mut maker = self;
        maker.held = (WIDTH..=2 * WIDTH).contains(&(maker.source.1 - maker.source.0));
        for (i, &(first, to)) in firsts.iter().enumerate() {
            let end = firsts.get(i + 1).map_or(units.len(), |next| next.0);
            maker.add(to, &units[first..end])?;
        }
        let form = if maker.held { Picked::Held } else { Picked::Masked };
        maker.finish(form)
    }

    /// The window from a place on, or the last one.
    fn window(&self, place: i64) -> i64 {
        place.min(self.source.1 - WIDTH).max(self.source.0)
    }

    /// The window on the line of a place, if there is one.
    fn line(&self, place: i64) -> i64 {
        let line = if self.source.0 % self.unit == 0 { line(place, self.unit) } else { place };
        self.window(line)
    }

    /// Windows for places in ascending order.
    fn windows(&self, places: &[i64], from: impl Fn(i64) -> i64) -> Vec<i64> {
        let mut windows: Vec<i64> = Vec::new();
        for &place in places {
            if windows.last().is_none_or(|last| place + self.unit > last + WIDTH) {
                windows.push(from(place));
            }
        }
        windows
    }

    /// Adds the vector at `to` that holds these units.
    fn add(&mut self, to: i64, units: &[Unit]) -> Option<()> {
        let (low, high) = self.source;
        let mut places: Vec<i64> = units.iter().map(|at| at.0).collect();
        if !places.is_sorted() {
            places.sort_unstable();
        }
        let windows = if self.held {
            vec![low, high - WIDTH]
        } else {
            let (lines, least) = (
                self.windows(&places, |p| self.line(p)),
                self.windows(&places, |p| self.window(p)),
            );
            if lines.len() <= least.len() { lines } else { least }
        };
        if windows.len() > MOST_WINDOWS || self.picks.len() == MOST_VECTORS {
            return None;
        }
        let mut pick = Pick {
            index: Index([0; 64]),
            from: [windows[0]; MOST_WINDOWS],
            keep: [0; MOST_WINDOWS / 2],
            to,
            store: 0,
        };
        pick.from[..windows.len()].copy_from_slice(&windows);
        for &(from, at) in units {
            let window = windows.partition_point(|&window| window <= from) - 1;
            let place = from - windows[window] + if window % 2 == 1 { WIDTH } else { 0 };
            let place = u8::try_from(place / self.unit).expect("two windows have 128 bytes");
            let lane = (at - to) / self.unit;
            pick.index.0[index((at - to).unsigned_abs())] = place;
            pick.keep[window / 2] |= 1 << lane;
            pick.store |= 1 << lane;
        }
        self.picks.push((pick, windows.len()));
        Some(())
    }

    fn finish(self, form: Picked) -> Option<Picks> {
        let Maker { unit, source: (low, high), mut picks, .. } = self;
        let most = picks.iter().map(|pick| pick.1).max()?;
        let windows = *Picks::WINDOWS.iter().find(|&&w| w >= most)?;
        let form = if high - low < WIDTH { Picked::Narrow } else { form };
        match form {
            Picked::Masked if windows > 2 => return None,
            Picked::Narrow => {
                let all = u64::MAX >> (WIDTH - (high - low) / unit);
                picks.iter_mut().for_each(|pick| pick.0.keep[0] = all);
            }
            _ => {}
        }
        let picks = picks.into_iter().map(|pick| pick.0).collect();
        Some(Picks { picks, unit: unit.unsigned_abs(), windows, form })
    }
}

/// The line of a place, unless a unit there would reach out of it.
fn line(place: i64, unit: i64) -> i64 {
    let line = place - place.rem_euclid(WIDTH);
    if place + unit <= line + WIDTH { line } else { place }
}
