//! What a region does, message by message, as one process sees it.

use std::sync::Arc;

use commloom_commgraph::part::Step;

use super::super::channels::{Channel, Way};
use super::super::group::Reason;
use super::super::message::Message;
use super::flags::Waits;
use super::shadow::{Range, Shadow, Touched};

/// A call that sends or receives, by its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Given {
    pub channel: Channel,
    /// Whether the call waits for the message, or makes a request.
    pub waits: Waits,
    pub at: usize,
    pub count: i64,
    /// Bits of the handle.
    pub datatype: usize,
    /// Handles mean what they meant at this time.
    pub epoch: u64,
}

/// A call of a region.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    given: Given,
    pub message: Message,
}

impl Call {
    pub fn new(given: Given, message: Message) -> Call {
        Call { given, message }
    }

    /// Whether it is the same again. `message` is asked where the handle of the datatype may mean something else by now.
    pub fn is(&mut self, given: &Given, message: impl FnOnce() -> Option<Message>) -> bool {
        if self.given == *given {
            return true;
        }
        let (datatype, epoch) = (self.given.datatype, self.given.epoch);
        if self.given != (Given { datatype, epoch, ..*given }) {
            return false;
        }
        let same = message().is_some_and(|message| message == self.message);
        if same {
            self.given = *given;
        }
        same
    }

    pub fn is_sent(&self) -> bool {
        self.given.channel.way == Way::Out
    }

    pub fn waits(&self) -> Waits {
        self.given.waits
    }

    pub fn channel(&self) -> Channel {
        self.given.channel
    }
}

/// The messages of a region in memory of our own.
pub(super) struct Doubles {
    pub shadow: Shadow,
    /// By message, the bytes of the program, in any order.
    pub ranges: Vec<Arc<[Range]>>,
    /// The same messages there.
    pub steps: Vec<Step>,
}

/// The doubles of a region's messages.
///
/// Every byte is received at most once, and not after it was sent: then memory after a run of the schedule says of every message
/// what its bytes were, also of those that are passed on.
pub(super) fn doubles(calls: &[Call]) -> Result<Doubles, Reason> {
    let (mut touched, mut ranges) = (Touched::default(), Vec::new());
    let (mut all, mut sent) = (Vec::new(), Vec::new());
    for call in calls {
        let bytes = call.message.ranges().ok_or(Reason::Unfit("layouts with too many parts"))?;
        if !call.is_sent() && bytes.iter().any(|range| touched.has(*range)) {
            return Err(Reason::Unfit("it receives into memory that it has used before"));
        }
        bytes.iter().for_each(|range| touched.add(*range));
        all.extend(whole(&bytes));
        if call.is_sent() {
            sent.extend(whole(&bytes));
        }
        ranges.push(Arc::from(bytes));
    }
    let shadow = Shadow::new(all, sent).ok_or(Reason::Unfit("too much memory"))?;
    let steps = calls.iter().zip(&ranges).map(|(call, ranges): (_, &Arc<[Range]>)| {
        let at = match whole(ranges) {
            Some(whole) => shadow.double(whole)?.expose_provenance(),
            None => 0,
        };
        let first = whole(ranges).map_or(0, |whole| whole.start);
        call.message.step_elsewhere(usize::try_from(first).ok()?, at)
    });
    let steps = steps.collect::<Option<Vec<_>>>().ok_or(Reason::Unfit("layouts out of memory"))?;
    Ok(Doubles { shadow, ranges, steps })
}

/// From the first byte to the last.
fn whole(ranges: &[Range]) -> Option<Range> {
    let start = ranges.iter().map(|range| range.start).min()?;
    let end = ranges.iter().map(|range| range.end).max()?;
    Some(Range { start, end })
}
