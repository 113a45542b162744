//! What became of the groups, for the report.

use std::sync::atomic::Ordering;

use commloom_mpi::Abi;
use commloom_report::Replaced;

use super::Replace;
use crate::state::Preload;

impl<A: Abi> Preload<A> {
    /// The groups of this process.
    pub(crate) fn replaced(&self) -> Vec<Replaced> {
        self.replace.get().map(Replace::rows).unwrap_or_default()
    }

    /// `MPI_Finalize`, after the report.
    pub(crate) fn end_replacing(&self) {
        if let Some(replace) = self.replace.get()
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
                left_out: None,
                left: exchange.group.left().map(ToString::to_string).unwrap_or_default(),
            }
        });
        let regions = inner.regions.list.iter().filter(|region| region.voters > 0).map(|region| {
            let sends = region.calls.iter().filter(|call| call.is_sent());
            Replaced {
                group: u64::try_from(region.place).unwrap_or(u64::MAX),
                by: region.group.found.clone(),
                ranks: region.voters,
                messages: u64::try_from(sends.clone().count()).unwrap_or(u64::MAX),
                bytes: sends.map(|call| call.message.bytes).sum(),
                starts: region.group.starts(),
                replaced: region.group.replaced.into(),
                left_out: Some(region.left_out),
                left: region.group.left().map(ToString::to_string).unwrap_or_default(),
            }
        });
        rows.chain(regions).collect()
    }
}
