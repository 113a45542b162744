//! The rows of the groups, for the report.

use std::sync::atomic::Ordering;

use commloom_mpi::Abi;
use commloom_report::Replaced;

use super::replacement::{Replace, Replacement};

impl<A: Abi> Replacement<A> {
    /// The groups of this process.
    pub fn rows(&self) -> Vec<Replaced> {
        self.even_over().map(Replace::rows).unwrap_or_default()
    }

    /// `MPI_Finalize`, after the report.
    pub fn end(&self) {
        if let Some(replace) = self.even_over()
            && !replace.has_ended.swap(true, Ordering::AcqRel)
        {
            replace.free();
        }
    }
}

impl<A: Abi> Replace<A> {
    fn rows(&self) -> Vec<Replaced> {
        let inner = self.lock();
        let rows = inner.groups.iter().map(|exchange| {
            let messages = exchange.messages.iter().map(|serial| &inner.messages[*serial]);
            let sends = messages.filter(|message| message.is_sent());
            Replaced {
                group: u64::try_from(exchange.place).unwrap_or(u64::MAX),
                by: exchange.group.found.clone(),
                ranks: exchange.voters,
                messages: u64::try_from(sends.clone().count()).unwrap_or(u64::MAX),
                bytes: sends.map(|message| message.bytes).sum(),
                starts: exchange.group.starts(),
                replaced: exchange.group.replaced.into(),
                left: exchange.group.left().map(ToString::to_string).unwrap_or_default(),
            }
        });
        rows.collect()
    }
}
