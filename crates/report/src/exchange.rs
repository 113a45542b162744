//! [`Exchange`]: what was measured of one kind of exchange.

use serde::{Deserialize, Serialize};

use crate::numbers::{bytes, grouped, percent, time};

/// A median time in nanoseconds, with the interval that holds the true one in 15 of 16 cases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// The lower end of the interval.
    pub low: u64,
    /// The median.
    pub median: u64,
    /// The upper end of the interval.
    pub high: u64,
}

/// Exchanges that begin with one kind of message: everything that a thread starts until it
/// completes something. A blocking call is one. Which strategy is fastest is measured in the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The message that it begins with: `send`, `receive`, `collective` or `broadcast`.
    pub begins_with: String,
    /// Packed bytes of that message.
    pub bytes: u64,
    /// The strategy that stood at the end: `native`, `packed`, `equivalent datatype`, or
    /// `packed or equivalent datatype`, as was expected of each message.
    pub strategy: String,
    /// Exchanges.
    pub exchanges: u64,
    /// Exchanges in the strategy that stood at the end.
    pub chosen: u64,
    /// Exchanges in which another strategy was tried.
    pub tries: u64,
    /// The cost of the tries beyond that of the strategy that stood, in nanoseconds.
    pub tries_ns: u64,
    /// The time of an exchange natively; `None` where too few were timed.
    pub native: Option<Timing>,
    /// The time of an exchange in the strategy that stood at the end.
    pub measured: Option<Timing>,
}

/// The sum over the exchanges of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Total {
    /// Kinds in which another strategy than native stood, in which native stood after others were
    /// tried, in which too few were timed to tell, and in which nothing was tried.
    pub kinds: [u64; 4],
    /// The native time, by its median, of all exchanges of which one was measured.
    pub native_ns: u64,
    /// Time saved, by medians, less what tries took.
    pub saved_ns: i128,
}

impl Timing {
    /// The mean of two, by weights.
    fn mean(self, weight: u64, other: Timing, other_weight: u64) -> Timing {
        let all = u128::from(weight) + u128::from(other_weight);
        let mean = |a: u64, b: u64| {
            let sum = u128::from(a) * u128::from(weight) + u128::from(b) * u128::from(other_weight);
            u64::try_from(sum / all.max(1)).unwrap_or(u64::MAX)
        };
        Timing {
            low: mean(self.low, other.low),
            median: mean(self.median, other.median),
            high: mean(self.high, other.high),
        }
    }

    /// As people read it: `1.25 us (1.20 to 1.31)`.
    pub(crate) fn words(self) -> String {
        format!("{} ({} to {})", time(self.median), time(self.low), time(self.high))
    }
}

impl Exchange {
    /// Whether it is the same kind, with the same strategy at the end.
    fn is_same(&self, other: &Exchange) -> bool {
        let kind = |e: &Exchange| (e.bytes, e.begins_with.clone(), e.strategy.clone());
        kind(self) == kind(other)
    }

    /// Adds the exchanges of another process to a list of kinds.
    pub(crate) fn add_to(self, list: &mut Vec<Exchange>) {
        let Some(same) = list.iter_mut().find(|old| old.is_same(&self)) else {
            list.push(self);
            return;
        };
        let mean = |a: Option<Timing>, b: Option<Timing>| match (a, b) {
            (Some(a), Some(b)) => Some(a.mean(same.exchanges, b, self.exchanges)),
            (a, b) => a.or(b),
        };
        same.native = mean(same.native, self.native);
        same.measured = mean(same.measured, self.measured);
        for (mine, more) in [
            (&mut same.exchanges, self.exchanges),
            (&mut same.chosen, self.chosen),
            (&mut same.tries, self.tries),
            (&mut same.tries_ns, self.tries_ns),
        ] {
            *mine = mine.saturating_add(more);
        }
    }

    /// Whether another strategy than native stood at the end.
    pub(crate) fn is_changed(&self) -> bool {
        self.strategy != "native"
    }

    /// Saved by medians, less what tries took, in nanoseconds; negative where time was lost.
    pub(crate) fn saved(&self) -> i128 {
        let gain = match (self.native, self.measured) {
            (Some(native), Some(measured)) if self.is_changed() => {
                let each = i128::from(native.median) - i128::from(measured.median);
                each.saturating_mul(i128::from(self.chosen))
            }
            _ => 0,
        };
        gain.saturating_sub(i128::from(self.tries_ns))
    }

    /// In words.
    pub(crate) fn line(&self) -> String {
        let kind = format!(
            "{} exchanges that begin with a {} of {}",
            grouped(self.exchanges),
            self.begins_with,
            bytes(self.bytes)
        );
        let native = self.native.map_or("not timed".to_owned(), Timing::words);
        match (self.is_changed(), self.measured) {
            (true, Some(measured)) => format!(
                "{kind}: {} in {} of them, measured {}, native {native}",
                self.strategy,
                grouped(self.chosen),
                measured.words()
            ),
            _ if self.tries == 0 => format!("{kind}: native, nothing else was tried"),
            _ if self.native.is_none() => format!("{kind}: native, too few were timed to tell"),
            _ => format!("{kind}: native, measured {native}, no other strategy was faster"),
        }
    }
}

impl Total {
    /// Of all kinds.
    pub(crate) fn of<'e>(exchanges: impl Iterator<Item = &'e Exchange>) -> Total {
        let mut total = Total::default();
        for exchange in exchanges {
            let kind = match () {
                () if exchange.is_changed() => 0,
                () if exchange.tries > 0 && exchange.native.is_some() => 1,
                () if exchange.tries > 0 => 2,
                () => 3,
            };
            total.kinds[kind] += 1;
            let native = exchange.native.map_or(0, |native| native.median);
            total.native_ns =
                total.native_ns.saturating_add(native.saturating_mul(exchange.exchanges));
            total.saved_ns = total.saved_ns.saturating_add(exchange.saved());
        }
        total
    }

    /// One sentence on the run; `None` where there was no exchange to choose for.
    pub(crate) fn headline(&self) -> Option<String> {
        let [changed, native, untold, untried] = self.kinds;
        let kinds: u64 = self.kinds.iter().sum();
        if kinds == 0 {
            return None;
        }
        let now = i128::from(self.native_ns).saturating_sub(self.saved_ns);
        let times =
            format!("{} of {}", time(u64::try_from(now).unwrap_or(0)), time(self.native_ns));
        let share = percent(self.saved_ns, self.native_ns);
        let first = match self.saved_ns {
            _ if self.native_ns == 0 => "too few exchanges to measure".to_owned(),
            0 => "exchanges of derived datatypes take as long as natively".to_owned(),
            1.. => format!("exchanges of derived datatypes {share} shorter: {times}"),
            _ => {
                format!("exchanges of derived datatypes {share} longer, by measuring them: {times}")
            }
        };
        let untold = match untold {
            0 => String::new(),
            _ => format!(", {untold} not timed often enough to tell"),
        };
        Some(format!(
            "{first}; by medians measured in this run. Of {kinds} kinds of exchange {changed} \
             changed, {native} left alone because nothing measured was faster, {untried} not \
             tried{untold}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(median: u64) -> Option<Timing> {
        Some(Timing { low: median - 1, median, high: median + 1 })
    }

    fn packed() -> Exchange {
        Exchange {
            begins_with: "send".into(),
            bytes: 4096,
            strategy: "packed".into(),
            exchanges: 1000,
            chosen: 900,
            tries: 12,
            tries_ns: 1000,
            native: timing(5000),
            measured: timing(3000),
        }
    }

    #[test]
    fn what_was_saved_is_measured_and_less_what_tries_took() {
        assert_eq!(packed().saved(), 900 * 2000 - 1000);
        let native = Exchange { strategy: "native".into(), ..packed() };
        assert_eq!(native.saved(), -1000, "tries that found nothing are a loss");
        let total = Total::of([packed(), native].iter());
        assert_eq!(total.kinds, [1, 1, 0, 0]);
        assert_eq!(total.native_ns, 10_000_000);
        let words = total.headline().unwrap();
        assert!(words.contains("17.9 % shorter: 8.20 ms of 10.0 ms"), "{words}");
        let lost = Total::of([Exchange { strategy: "native".into(), ..packed() }].iter());
        assert!(lost.headline().unwrap().contains("longer, by measuring them"));
    }

    #[test]
    fn nothing_is_claimed_where_nothing_was_measured() {
        let unknown = Exchange { native: None, measured: None, tries: 0, tries_ns: 0, ..packed() };
        assert_eq!(unknown.saved(), 0);
        let words = Total::of([unknown].iter()).headline().unwrap();
        assert!(words.starts_with("too few exchanges to measure"), "{words}");
        let native = |native| Exchange { strategy: "native".into(), native, ..packed() };
        let words = Total::of([native(None)].iter()).headline().unwrap();
        assert!(words.contains("0 left alone"), "{words}");
        assert!(words.ends_with("0 not tried, 1 not timed often enough to tell"), "{words}");
        assert!(native(None).line().ends_with("too few were timed to tell"));
        assert_eq!(Total::of([].iter()).headline(), None);
    }

    #[test]
    fn processes_with_the_same_strategy_are_one_kind() {
        let mut list = Vec::new();
        packed().add_to(&mut list);
        let slower = Exchange { exchanges: 3000, native: timing(9000), ..packed() };
        slower.add_to(&mut list);
        Exchange { strategy: "native".into(), ..packed() }.add_to(&mut list);
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].exchanges, 4000);
        assert_eq!(list[0].native.unwrap().median, 8000);
        assert!(list[0].line().contains("packed in 1,800 of them"), "{}", list[0].line());
    }
}
