//! Counters of each layout while the program runs.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use commloom_choice::{Candidate, Choice, Interval, Way};
use commloom_report::{Exchange, Row, Site, Timing};

use crate::accelerate::rounds::{ALL_PACKED, ALL_SUBSTITUTED, AS_EXPECTED, SharedContest};
use crate::runtime::callers::Place;
use crate::runtime::sync::lock;

/// The report's name of what goes through the engine.
pub(crate) const PACKED: &str = "packed";
/// The report's name of what goes with another handle.
pub(crate) const SUBSTITUTED: &str = "equivalent datatype";
/// Kinds of exchange of a layout that are reported.
const CONTESTS: usize = 256;
/// Reasons that are told apart.
const REASONS: usize = 64;

/// Counters of one type. They cost nothing but a branch where no report is wanted.
#[derive(Debug)]
pub(crate) struct Tally {
    enabled: bool,
    /// Handles that were found to have the layout.
    handles: AtomicU64,
    calls: AtomicU64,
    bytes: AtomicU64,
    engine: AtomicU64,
    substituted: AtomicU64,
    pub pack_ns: AtomicU64,
    pub unpack_ns: AtomicU64,
    expected_native_ns: AtomicU64,
    expected_ns: AtomicU64,
    native: Mutex<BTreeMap<String, u64>>,
    /// The exchanges that begin with messages of the layout.
    contests: Mutex<Vec<Observed>>,
    /// Where handles were committed, and how many.
    places: Mutex<BTreeMap<Place, u64>>,
}

impl Tally {
    /// Zero everywhere, and staying there unless `enabled`.
    pub fn new(enabled: bool) -> Tally {
        Tally {
            enabled,
            handles: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            engine: AtomicU64::new(0),
            substituted: AtomicU64::new(0),
            pack_ns: AtomicU64::new(0),
            unpack_ns: AtomicU64::new(0),
            expected_native_ns: AtomicU64::new(0),
            expected_ns: AtomicU64::new(0),
            native: Mutex::new(BTreeMap::new()),
            contests: Mutex::new(Vec::new()),
            places: Mutex::new(BTreeMap::new()),
        }
    }

    /// Whether anything is counted.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// A handle was found to have the layout.
    pub fn described(&self) {
        self.handles.fetch_add(1, Ordering::Relaxed);
    }

    /// Bytes that went through the engine.
    pub fn engine(&self, bytes: u64) {
        self.count(&self.engine, bytes);
    }

    /// A message of this many bytes that went with a substituted handle.
    pub fn substituted(&self, bytes: u64) {
        self.count(&self.substituted, bytes);
    }

    fn count(&self, way: &AtomicU64, bytes: u64) {
        if self.enabled {
            way.fetch_add(1, Ordering::Relaxed);
            self.call(bytes);
        }
    }

    /// A message that was left alone; its length is zero where it is not known.
    pub fn native(&self, reason: &str, bytes: u64) {
        if !self.enabled {
            return;
        }
        self.call(bytes);
        let mut native = lock(&self.native);
        let is_new = !native.contains_key(reason);
        // Errors of the library have texts of their own.
        let reason = if is_new && native.len() >= REASONS { "other reasons" } else { reason };
        match native.get_mut(reason) {
            Some(n) => *n += 1,
            None => {
                native.insert(reason.to_owned(), 1);
            }
        }
    }

    fn call(&self, bytes: u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A handle that was committed there.
    pub fn handle(&self, place: Option<&Place>) {
        if let Some(place) = place {
            *lock(&self.places).entry(place.clone()).or_default() += 1;
        }
    }

    /// Exchanges that begin with messages of the layout: what is measured of them is reported.
    pub fn watch(&self, observed: Observed) {
        let mut contests = lock(&self.contests);
        if self.enabled && contests.len() < CONTESTS {
            contests.push(observed);
        }
    }

    /// Adds what was counted to a row.
    pub fn fill(&self, row: Row) -> Row {
        let get = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let site = |(place, &handles): (&Place, &u64)| Site {
            handles,
            ..Site::new(place.module.to_string(), place.offset)
        };
        Row {
            handles: get(&self.handles),
            calls: get(&self.calls),
            bytes: get(&self.bytes),
            engine: get(&self.engine),
            substituted: get(&self.substituted),
            pack_ns: get(&self.pack_ns),
            unpack_ns: get(&self.unpack_ns),
            expected_native_ns: get(&self.expected_native_ns),
            expected_ns: get(&self.expected_ns),
            native: lock(&self.native).clone(),
            exchanges: lock(&self.contests).iter().map(Observed::exchange).collect(),
            sites: lock(&self.places).iter().map(site).collect(),
            ..row
        }
    }
}

/// Exchanges that begin with one kind of message.
#[derive(Debug)]
pub(crate) struct Observed {
    /// Which of its ways is fastest.
    pub contest: SharedContest,
    /// The part of the message that begins them.
    pub begins_with: &'static str,
    /// Packed bytes of that.
    pub bytes: u64,
    /// The name of the strategy that is expected to be fastest for that message.
    pub expected: &'static str,
}

impl Observed {
    fn exchange(&self) -> Exchange {
        let (verdict, is_mixed) = {
            let contest = self.contest.lock();
            let is_offered = |way| contest.is_offered(way);
            (contest.verdict(), is_offered(ALL_PACKED) && is_offered(ALL_SUBSTITUTED))
        };
        let strategy = match verdict.way {
            0 => "native",
            AS_EXPECTED if is_mixed => "packed or equivalent datatype",
            AS_EXPECTED => self.expected,
            ALL_PACKED => PACKED,
            _ => SUBSTITUTED,
        };
        let timing = |interval: Interval| Timing {
            low: interval.low,
            median: interval.median,
            high: interval.high,
        };
        let [native, measured] = verdict.times.map(|interval| interval.map(timing));
        let [exchanges, chosen] = verdict.exchanges;
        Exchange {
            begins_with: self.begins_with.to_owned(),
            bytes: self.bytes,
            strategy: strategy.to_owned(),
            exchanges,
            chosen,
            tries: verdict.tries,
            tries_ns: whole(verdict.spent),
            native,
            measured,
        }
    }
}

/// Expected time of one end of a message, in nanoseconds, by strategy: half of the time of the
/// message. Zero where nothing is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Expected {
    native: u64,
    substituted: u64,
    engine: u64,
}

impl Expected {
    /// The times of the model. Of another handle it knows nothing where it would not choose it.
    pub fn of(choice: &Choice) -> Expected {
        let is_other = |c: &&Candidate| matches!(c.way, Way::Unit | Way::Whole);
        let other = choice.others.iter().flatten().find(is_other);
        let other = other.map_or(choice.native, |other| other.times * choice.native);
        let [native, substituted, engine] = [choice.native, other, choice.engine].map(half);
        Expected { native, substituted, engine }
    }
}

fn half(nanoseconds: f64) -> u64 {
    whole(nanoseconds / 2.0)
}

/// A time in whole nanoseconds. What is no time (negative, not a number) counts as none.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from floating point, `as` saturates"
)]
fn whole(nanoseconds: f64) -> u64 {
    nanoseconds.round() as u64
}

/// The tally of a layout for messages of one count: it counts what they are expected to take, too.
#[derive(Debug)]
pub(crate) struct MessageTally {
    tally: Arc<Tally>,
    expected: Expected,
}

impl MessageTally {
    /// For messages that are expected to take so long.
    pub fn new(tally: Arc<Tally>, expected: Expected) -> Self {
        MessageTally { tally, expected }
    }

    /// A message that went through the engine.
    pub fn engine(&self, bytes: u64) {
        self.tally.engine(bytes);
        self.expect(self.expected.engine);
    }

    /// A message that went with a substituted handle.
    pub fn substituted(&self, bytes: u64) {
        self.tally.substituted(bytes);
        self.expect(self.expected.substituted);
    }

    /// A message that was left alone.
    pub fn native(&self, reason: &str, bytes: u64) {
        self.tally.native(reason, bytes);
        self.expect(self.expected.native);
    }

    /// Bytes that were packed or unpacked by the program's wish: no message, of which anything
    /// would be expected.
    pub fn packed(&self, bytes: u64) {
        self.tally.engine(bytes);
    }

    fn expect(&self, nanoseconds: u64) {
        if self.tally.enabled {
            self.tally.expected_native_ns.fetch_add(self.expected.native, Ordering::Relaxed);
            self.tally.expected_ns.fetch_add(nanoseconds, Ordering::Relaxed);
        }
    }
}

impl Deref for MessageTally {
    type Target = Tally;

    fn deref(&self) -> &Tally {
        &self.tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected() -> Expected {
        let unit = Candidate { way: Way::Unit, times: 0.4 };
        Expected::of(&Choice { native: 200.0, engine: 60.0, others: [Some(unit), None] })
    }

    #[test]
    fn messages_count_as_they_went_and_what_was_expected() {
        let tally = Arc::new(Tally::new(true));
        let message = MessageTally::new(tally.clone(), expected());
        message.engine(12);
        message.native("no buffer", 12);
        message.substituted(12);
        message.packed(12);
        let row = tally.fill(Row::default());
        assert_eq!((row.calls, row.bytes, row.engine, row.native["no buffer"]), (4, 48, 2, 1));
        assert_eq!((row.expected_native_ns, row.expected_ns), (300, 170));
    }

    #[test]
    fn nothing_is_counted_without_a_report() {
        let tally = Arc::new(Tally::new(false));
        let message = MessageTally::new(tally.clone(), expected());
        message.engine(12);
        message.native("no buffer", 12);
        assert_eq!(tally.fill(Row::default()), Row::default());
    }
}
