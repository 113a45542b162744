//! Combinations of messages that have come, as events. [`watch`](super::watch)
//! finds it.

use commloom_mpi::Abi;
use commloom_trace::{Action, Origin, Summed};
use twox_hash::XxHash3_64;

use super::contents::How;
use super::layout::Data;
use super::recorder::{Inner, Inside};
use super::watch::{Armed, Finding, Other};

impl<A: Abi> Inside<A> {
    /// Records what was combined since the last call.
    pub(super) fn looks(&self) {
        self.shield(|| {
            self.lock().look();
            Some(())
        });
    }
}

impl<A: Abi> Inner<A> {
    /// Watches a message that has come.
    pub(super) fn arm(&mut self, message: Armed) {
        let sent = self.contents.newest(How::Computed, message.bytes.len());
        self.watch.arm(message, &sent, self.ranks);
    }

    fn look(&mut self) {
        self.watch.look();
        while let Some(finding) = {
            let contents = &self.contents;
            self.watch.find(|length| contents.newest(How::Computed, length))
        } {
            self.combined(finding);
        }
        self.watch.looked();
    }

    /// The buffer that begins there: one that was sent from, or one like that of a message.
    fn buffer_at(&self, at: u64, message: &Data, length: usize) -> Option<Data> {
        let known = self.contents.newest(How::Computed, length);
        let own = known.iter().find(|kept| kept.data.only_run() == Some(at));
        let like = || known.iter().find_map(|kept| kept.data.moved(at));
        own.map(|kept| kept.data.clone()).or_else(|| message.moved(at)).or_else(like)
    }

    /// An event for each message; the results between them are what they would have been.
    fn combined(&mut self, finding: Finding) -> Option<()> {
        let Finding { operator, messages, other, at, result } = finding;
        self.attention.wake(result.len());
        let last = messages.last()?;
        let element = last.element;
        let data = self.buffer_at(at, &last.data, result.len())?;
        let (mut other, mut value, mut origins) = match other {
            Other::There(before) => {
                let origins = self.contents.origins(&data, &before);
                (None, before, origins)
            }
            Other::Known(event, own) => (Some(event), own, Vec::new()),
        };
        let count = messages.len();
        for (nth, message) in (1..).zip(&messages) {
            let before = XxHash3_64::oneshot(&value);
            if nth < count {
                element.combine(operator, &mut value, &message.bytes);
            } else {
                value.clone_from(&result);
            }
            let summed = Summed {
                operator,
                element: element.name.into(),
                receive: message.event,
                other,
                buffer: data.buffer(),
                before,
                origins,
                hash: XxHash3_64::oneshot(&value),
            };
            let event = self.push(message.site.clone(), Action::Summed(summed))?;
            other = None;
            let length = u64::try_from(value.len()).ok()?;
            origins = vec![Origin { at: 0, length, receive: event, from: 0 }];
        }
        let event = origins.first()?.receive;
        if let Some(kept) = self.contents.keep(&data, How::Computed, event, result.len()) {
            kept.copy_from_slice(&result);
        }
        Some(())
    }
}
