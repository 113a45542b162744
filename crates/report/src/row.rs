//! [`Row`]: one layout of the program.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Exchange, Pictures, Site};

/// One line of the report: a layout on one rank, or on all ranks together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The program's description.
    pub before: String,
    /// The normal form; empty where the type was not looked at.
    pub after: String,
    /// Cost of the program's description.
    pub cost_before: u64,
    /// Cost of the normal form.
    pub cost_after: u64,
    /// Handles with this description, on all ranks.
    pub handles: u64,
    /// Messages, counted at both ends.
    pub calls: u64,
    /// Packed bytes of all calls.
    pub bytes: u64,
    /// Messages that were packed, or are to be unpacked, by commloom.
    pub engine: u64,
    /// Messages that went with another handle.
    pub substituted: u64,
    /// Measured time in the engine, packing, in nanoseconds.
    pub pack_ns: u64,
    /// The same, unpacking.
    pub unpack_ns: u64,
    /// Messages that were left alone, by reason.
    pub native: BTreeMap<String, u64>,
    /// The time that the model of this library expects of the messages untouched, in nanoseconds.
    /// Each end counts half of a message. Messages of which the model knows nothing count nowhere.
    #[serde(default)]
    pub expected_native_ns: u64,
    /// The time that it expects of them the way they went.
    #[serde(default)]
    pub expected_ns: u64,
    /// Measurements of the exchanges that begin with these messages.
    #[serde(default)]
    pub exchanges: Vec<Exchange>,
    /// Where the handles were committed.
    #[serde(default)]
    pub sites: Vec<Site>,
    /// Where the bytes lie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pictures: Option<Pictures>,
}

impl Row {
    /// Messages that were left alone.
    #[must_use]
    pub fn left_alone(&self) -> u64 {
        self.native.values().fold(0, |all, &n| all.saturating_add(n))
    }

    /// Time saved by medians measured in the run, in nanoseconds, less what tries took; negative
    /// where time was lost.
    #[must_use]
    pub fn saved(&self) -> i128 {
        self.exchanges.iter().map(Exchange::saved).sum()
    }

    /// Adds the numbers of the same layout elsewhere.
    pub(crate) fn absorb(&mut self, other: Row) {
        let pairs = [
            (&mut self.handles, other.handles),
            (&mut self.calls, other.calls),
            (&mut self.bytes, other.bytes),
            (&mut self.engine, other.engine),
            (&mut self.substituted, other.substituted),
            (&mut self.pack_ns, other.pack_ns),
            (&mut self.unpack_ns, other.unpack_ns),
            (&mut self.expected_native_ns, other.expected_native_ns),
            (&mut self.expected_ns, other.expected_ns),
        ];
        for (mine, more) in pairs {
            *mine = mine.saturating_add(more);
        }
        for (reason, n) in other.native {
            *self.native.entry(reason).or_default() += n;
        }
        for exchange in other.exchanges {
            exchange.add_to(&mut self.exchanges);
        }
        for site in other.sites {
            match self.sites.iter_mut().find(|s| s.is_at(&site)) {
                Some(same) => same.handles = same.handles.saturating_add(site.handles),
                None => self.sites.push(site),
            }
        }
        self.pictures = self.pictures.take().or(other.pictures);
    }

    /// The place that made most handles first, and the exchanges that took most time.
    pub(crate) fn sort(&mut self) {
        let total = |e: &Exchange| e.native.map_or(0, |t| t.median.saturating_mul(e.exchanges));
        self.exchanges.sort_by_key(|e| (std::cmp::Reverse(total(e)), e.bytes));
        self.sites.sort_by(|a, b| {
            b.handles
                .cmp(&a.handles)
                .then_with(|| (&a.module, a.offset).cmp(&(&b.module, b.offset)))
        });
    }
}
