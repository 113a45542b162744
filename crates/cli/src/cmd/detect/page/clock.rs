//! When events were, on one clock: that of each process since the program began.

use commloom_commgraph::recorded::Place;
use commloom_trace::Trace;

/// The clocks of all processes.
pub struct Clock<'a> {
    /// By rank.
    traces: Vec<&'a Trace>,
    /// The first event of all, in nanoseconds since 1970.
    start: u64,
}

impl<'a> Clock<'a> {
    pub fn of(traces: &'a [Trace]) -> Clock<'a> {
        let mut traces: Vec<&Trace> = traces.iter().collect();
        traces.sort_by_key(|trace| trace.header.rank);
        let first = |trace: &&Trace| {
            let (_, event) = trace.events.first()?;
            Some(trace.header.started.saturating_add(event.time))
        };
        let start = traces.iter().filter_map(first).min().unwrap_or(0);
        Clock { traces, start }
    }

    /// Nanoseconds since the first event of all. None for an event that was lost. O(log n).
    pub fn at(&self, place: Place) -> Option<u64> {
        let trace = self.traces.get(usize::try_from(place.process).ok()?)?;
        Some(self.since_start(trace, trace.events.get(place.event)?.time))
    }

    /// The time of an event of this trace.
    pub fn since_start(&self, trace: &Trace, time: u64) -> u64 {
        trace.header.started.saturating_add(time).saturating_sub(self.start)
    }

    /// From the first event of all to the last one.
    pub fn duration(&self) -> u64 {
        let last = |trace: &&Trace| {
            let (_, event) = trace.events.last()?;
            Some(self.since_start(trace, event.time))
        };
        self.traces.iter().filter_map(last).max().unwrap_or(0)
    }

    /// By rank.
    pub fn traces(&self) -> &[&'a Trace] {
        &self.traces
    }
}
