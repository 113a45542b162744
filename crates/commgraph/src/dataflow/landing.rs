//! The transfers that come to each process, in the end.

use crate::dataflow::pattern::CONTENT;
use crate::dataflow::reach::{Reach, Rows};
use crate::dataflow::run::{self, Contents, Origin, Run};
use crate::number::at;
use crate::transfers::Transfer;

/// Pieces of one length that come to one process, at regular addresses there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Landing {
    pub destination: u32,
    /// Where the first piece comes to.
    pub address: u64,
    /// From each piece to the next; at least their length.
    pub stride: u64,
    pub run: Run,
}

impl Landing {
    /// Its transfers, by address.
    pub(crate) fn transfers(&self) -> impl Iterator<Item = Transfer> + '_ {
        let Landing { destination, address, stride, run } = *self;
        (0..run.pieces()).filter_map(move |n| match run.origin_of(n) {
            Origin::Memory { process, address: from } => {
                moved(process, from, run.length, destination, address + n * stride)
            }
            Origin::Sum { .. } => None,
        })
    }
}

/// A transfer, unless the bytes are there already.
pub(crate) fn moved(
    source: u32,
    from: u64,
    length: u64,
    destination: u32,
    to: u64,
) -> Option<Transfer> {
    let moves = (source, from) != (destination, to);
    moves.then_some(Transfer {
        destination,
        destination_address: to,
        source,
        source_address: from,
        length,
    })
}

/// Replaces the operations that wrote last by the places that the bytes come from: single pieces,
/// and regular ones. What is one piece stays in place, so that a broadcast takes no more memory.
pub(crate) fn landed(reach: Reach, contents: &Contents) -> (Vec<Transfer>, Vec<Landing>) {
    let Reach { slots, mut finals, rows, .. } = reach;
    let mut more = Landed::default();
    finals.retain_mut(|last| {
        let message = slots[at(last.source)] & !CONTENT;
        let (start, length) = (last.source_address, last.length);
        let (destination, base) = (last.destination, last.destination_address);
        if let [only] = contents.runs(message)
            && only.pieces() == 1
            && let Origin::Memory { process, address } = only.origin.plus(start)
        {
            (last.source, last.source_address) = (process, address);
            return (process, address) != (destination, base);
        }
        more.add(contents.runs(message), (start, length), (destination, base));
        false
    });
    rows.iter()
        .for_each(|rows| more.add_rows(contents.runs(slots[at(rows.writer)] & !CONTENT), rows));
    let Landed { mut transfers, mut landings } = more;
    if !transfers.is_empty() {
        finals.append(&mut transfers);
    }
    if !finals.is_sorted() {
        finals.sort_unstable();
    }
    let place = |l: &Landing| (l.destination, l.address);
    if !landings.is_sorted_by_key(place) {
        landings.sort_unstable_by_key(place);
    }
    (finals, landings)
}

#[derive(Default)]
struct Landed {
    transfers: Vec<Transfer>,
    landings: Vec<Landing>,
}

impl Landed {
    /// Adds `length` bytes of a message from `start` on, which come to one range.
    fn add(&mut self, message: &[Run], (start, length): (u64, u64), to: (u32, u64)) {
        let (destination, mut address) = to;
        run::slice(message, start, start + length, |run| {
            self.add_run(destination, address, run.length, run);
            address += run.length * run.pieces();
        });
    }

    fn add_run(&mut self, destination: u32, address: u64, stride: u64, run: Run) {
        match run.origin {
            Origin::Memory { process, address: from } if run.pieces() == 1 => {
                self.transfers.extend(moved(process, from, run.length, destination, address));
            }
            _ => self.landings.push(Landing { destination, address, stride, run }),
        }
    }

    /// Adds rows. Those of one piece each are kept together as far as they are regular.
    fn add_rows(&mut self, message: &[Run], rows: &Rows) {
        let Rows { destination, stride, length, .. } = *rows;
        let mut open: Option<(u64, Run)> = None;
        for k in 0..rows.count {
            let start = rows.from.wrapping_add(rows.from_step.wrapping_mul(k));
            let address = rows.address + k * stride;
            let mut only = None;
            run::slice(message, start, start + length, |run| {
                only = (run.length == length).then_some(run);
            });
            let Some(piece) = only else {
                self.add(message, (start, length), (destination, address));
                continue;
            };
            // A gap in the rows ends what is regular, as does a piece that is not.
            let follows = open.as_mut().is_some_and(|(first, run)| {
                *first + stride * run.pieces() == address && run.repeat(&piece)
            });
            if !follows && let Some((first, run)) = open.replace((address, piece)) {
                self.add_run(destination, first, stride, run);
            }
        }
        if let Some((first, run)) = open {
            self.add_run(destination, first, stride, run);
        }
    }
}
