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

#[cfg(test)]
mod tests {
    use super::*;

    const OUT: Channel = Channel { comm: 0, way: Way::Out, peer: 1, tag: 5 };
    const IN: Channel = Channel { way: Way::In, ..OUT };

    fn given(channel: Channel, at: usize) -> Given {
        Given { channel, waits: Waits::InCall, at, count: 8, datatype: 7, epoch: 1 }
    }

    fn call(channel: Channel, at: usize, blocks: (u64, u64, i64)) -> Call {
        Call::new(given(channel, at), Message::of_blocks(channel, at, blocks))
    }

    #[test]
    fn a_call_is_the_same_where_its_arguments_and_its_layout_are() {
        let mut call = call(OUT, 4096, (8, 1, 1));
        let same = || Some(Message::of_blocks(OUT, 4096, (8, 1, 1)));
        assert!(call.is(&given(OUT, 4096), || panic!("nothing has changed")));
        assert!(!call.is(&given(OUT, 4097), same) && !call.is(&given(IN, 4096), same));
        assert!(!call.is(&Given { waits: Waits::Posted, ..given(OUT, 4096) }, same));
        assert!(!call.is(&Given { count: 7, ..given(OUT, 4096) }, same));
        let later = Given { epoch: 2, datatype: 8, ..given(OUT, 4096) };
        assert!(!call.is(&later, || None), "the handle may mean something else");
        assert!(!call.is(&later, || Some(Message::of_blocks(OUT, 4096, (4, 2, 3)))));
        assert!(call.is(&later, same) && call.is(&later, || panic!("it is known by now")));
    }

    #[test]
    fn what_is_received_is_received_once_and_was_not_sent_before() {
        let refused = |calls: &[Call]| doubles(calls).is_err();
        let block = (8, 1, 1);
        assert!(!refused(&[call(OUT, 4096, block), call(OUT, 4096, block)]), "sent twice");
        assert!(!refused(&[call(IN, 4096, block), call(OUT, 4100, (4, 1, 1))]), "passed on");
        assert!(refused(&[call(OUT, 4096, block), call(IN, 4103, block)]));
        assert!(refused(&[call(IN, 4096, block), call(IN, 4103, block)]));
        // Columns of one matrix: no byte twice.
        assert!(!refused(&[call(IN, 4096, (9, 2, 8)), call(IN, 4098, (9, 6, 8))]));
        assert!(refused(&[call(IN, 4096, (9, 3, 8)), call(IN, 4098, (9, 6, 8))]));
        assert!(refused(&[call(IN, 4096, (1 << 20, 1, 2))]), "a long list");
    }

    #[test]
    fn doubles_are_where_the_messages_are_together() {
        let calls =
            [call(IN, 5000, (9, 2, 8)), call(OUT, 5000, (72, 1, 1)), call(OUT, 9000, (0, 1, 1))];
        let Ok(Doubles { shadow, ranges, steps }) = doubles(&calls) else {
            panic!("it is allowed")
        };
        assert_eq!((ranges[0].len(), ranges[1].len(), ranges[2].len(), steps.len()), (9, 1, 0, 3));
        let of = |range| shadow.double(range).expect("it is there").addr();
        let ranges = [ranges[0][3], ranges[1][0]];
        assert_eq!(of(ranges[0]) - of(ranges[1]), 24);
    }
}
