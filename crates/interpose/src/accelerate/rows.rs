//! Rows of the report for layouts that are gone: their numbers stay, in bounded memory.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

use commloom_layout::Type;
use commloom_mpi::Abi;
use commloom_report::{Format, Row};

use crate::accelerate::normalized::NormalizedLayout;
use crate::accelerate::tally::Tally;

/// Layouts with a row of their own.
pub(crate) const ROWS: usize = 1024;
/// The name of the row of all others.
const OTHERS: &str = "(layouts past the first 1,024)";

/// Counts of layouts that are gone. A layout that comes again goes on with the same ones.
#[derive(Default)]
pub(crate) struct PastRows {
    /// By hashes of the layout: the layout itself may be long.
    rows: HashMap<[u64; 2], PastRow>,
    hashers: [RandomState; 2],
    format: Option<Format>,
    /// Counts of the layouts that have no row of their own.
    others: Option<Arc<Tally>>,
}

struct PastRow {
    /// Without numbers.
    head: Row,
    tally: Arc<Tally>,
}

impl PastRows {
    /// The counters of a layout that is met: its own, or those of all further ones where so many
    /// `live` ones and those that are gone have all rows. Without a report nothing is counted.
    pub fn tally(&mut self, before: &Type, report: Option<Format>, live: usize) -> Arc<Tally> {
        self.format = report;
        if report.is_none() {
            return Arc::new(Tally::new(false));
        }
        if let Some(row) = self.rows.remove(&self.key(before)) {
            return row.tally;
        }
        if live + self.rows.len() < ROWS {
            return Arc::new(Tally::new(true));
        }
        self.others.get_or_insert_with(|| Arc::new(Tally::new(true))).clone()
    }

    /// Keeps the counts of layouts that go.
    pub fn keep<'k, A: Abi>(&mut self, gone: impl Iterator<Item = &'k NormalizedLayout<A>>) {
        let Some(format) = self.format else { return };
        for layout in gone {
            if self.is_other(&layout.tally) {
                continue;
            }
            let row = PastRow { head: layout.row(format), tally: layout.tally.clone() };
            self.rows.insert(self.key(&layout.before), row);
        }
    }

    /// The rows of these layouts and of those that are gone.
    pub fn all<'k, A: Abi>(
        &self,
        live: impl Iterator<Item = &'k NormalizedLayout<A>>,
        format: Format,
    ) -> Vec<Row> {
        let live = live
            .filter(|layout| !self.is_other(&layout.tally))
            .map(|layout| layout.tally.fill(layout.row(format)));
        let past = self.rows.values().map(|row| row.tally.fill(row.head.clone()));
        let others = self
            .others
            .iter()
            .map(|tally| tally.fill(Row { before: OTHERS.to_owned(), ..Row::default() }));
        live.chain(past).chain(others).collect()
    }

    fn is_other(&self, tally: &Arc<Tally>) -> bool {
        self.others.as_ref().is_some_and(|others| Arc::ptr_eq(others, tally))
    }

    fn key(&self, layout: &Type) -> [u64; 2] {
        self.hashers.each_ref().map(|hasher| hasher.hash_one(layout))
    }
}
