//! By which messages a byte came to where it is, for those who look for a mistake.

use std::collections::BTreeSet;

use crate::buffer::Footprint;
use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::{at, id};
use crate::operation::Kind;
use crate::order::Order;

/// Follows single bytes back through a graph whose conflicting accesses are ordered.
pub(crate) struct Trace<'a> {
    graph: &'a Graph,
    matching: &'a Matching,
    places: Vec<u32>,
}

impl<'a> Trace<'a> {
    pub(crate) fn new(graph: &'a Graph, matching: &'a Matching, order: &Order) -> Self {
        Trace { graph, matching, places: order.places() }
    }

    /// When an operation can complete, compared with others.
    pub(crate) fn place(&self, operation: u32) -> u32 {
        self.places[at(operation)]
    }

    /// The receives by which the byte at an address came there in the end, the last first. Linear
    /// in the operations of the processes on the way.
    pub(crate) fn receives(&self, process: u32, address: u64) -> Vec<u32> {
        let mut path = Vec::new();
        let mut here = Some((process, address, u32::MAX));
        while let Some((process, address, before)) = here {
            here = self.writer(process, address, before).and_then(|(writer, offset)| {
                let source = match self.graph.operations[at(writer)].kind() {
                    Kind::Receive => {
                        path.push(writer);
                        self.matching.partner(at(writer))
                    }
                    Kind::Copy => writer,
                    // What was added came by some message; the path ends where values meet.
                    Kind::Reduce | Kind::Send | Kind::Nothing => return None,
                };
                let from = address_of(self.graph.reads(at(source))[0], offset)?;
                Some((self.graph.owner(source), from, self.place(source)))
            });
        }
        path
    }

    /// The memory from which the byte came that a receive writes at an address; `None` where it
    /// is the result of a reduction. Linear in the operations of the processes on the way.
    pub(crate) fn origin(&self, receive: u32, address: u64) -> Option<(u32, u64)> {
        let offset = offset_of(self.graph.writes(at(receive)), address)?;
        let mut source = self.matching.partner(at(receive));
        let mut offset = offset;
        loop {
            let process = self.graph.owner(source);
            let from = address_of(self.graph.reads(at(source))[0], offset)?;
            let Some((writer, there)) = self.writer(process, from, self.place(source)) else {
                return Some((process, from));
            };
            source = match self.graph.operations[at(writer)].kind() {
                Kind::Receive => self.matching.partner(at(writer)),
                Kind::Copy => writer,
                Kind::Reduce | Kind::Send | Kind::Nothing => return None,
            };
            offset = there;
        }
    }

    /// Adds all receives by which the byte at an address came there in the end; through a
    /// reduction those of both values. An operation that is known already is not followed again.
    pub(crate) fn all_receives(&self, process: u32, address: u64, known: &mut BTreeSet<u32>) {
        let mut reduced = BTreeSet::new();
        let mut open = vec![(process, address, u32::MAX)];
        while let Some((process, address, before)) = open.pop() {
            let Some((writer, offset)) = self.writer(process, address, before) else { continue };
            let sources: &[(u32, usize)] = match self.graph.operations[at(writer)].kind() {
                Kind::Receive if known.insert(writer) => &[(self.matching.partner(at(writer)), 0)],
                Kind::Copy => &[(writer, 0)],
                Kind::Reduce if reduced.insert(writer) => &[(writer, 0), (writer, 1)],
                _ => &[],
            };
            for (source, side) in sources {
                let place = self.graph.reads(at(*source))[*side];
                if let Some(from) = address_of(place, offset) {
                    open.push((self.graph.owner(*source), from, self.place(*source)));
                }
            }
        }
    }

    /// The first receive with room for a byte that its message did not bring. Linear in the
    /// operations of the process.
    pub(crate) fn too_short(&self, process: u32, address: u64) -> Option<u32> {
        let has_room = |operation: &usize| {
            let place = self.graph.writes(*operation);
            self.graph.operations[*operation].kind() == Kind::Receive
                && offset_of(place, address).is_some_and(|offset| offset >= self.sent(*operation))
        };
        let first = self.graph.range(process).filter(has_room).min_by_key(|o| self.places[*o]);
        first.map(id)
    }

    /// The length of the message that a receive gets.
    fn sent(&self, receive: usize) -> u64 {
        self.graph.operations[at(self.matching.partner(receive))].length
    }

    /// The last operation before `before` that writes a byte, and the number of that byte among
    /// those it writes.
    fn writer(&self, process: u32, address: u64, before: u32) -> Option<(u32, u64)> {
        let writes = |operation: usize| {
            let mut place = self.graph.writes(operation);
            if self.graph.operations[operation].kind() == Kind::Receive {
                // A buffer may be larger than what arrives.
                place = place.shortened(self.sent(operation));
            }
            let offset = offset_of(place, address)?;
            (self.places[operation] < before).then_some((id(operation), offset))
        };
        self.graph.range(process).filter_map(writes).max_by_key(|(o, _)| self.places[at(*o)])
    }
}

/// Which byte of a message has this address.
fn offset_of(place: Footprint, address: u64) -> Option<u64> {
    let mut found = None;
    place.packed(|s| {
        if (s.start..s.end).contains(&address) {
            found = Some(s.offset + (address - s.start));
        }
    });
    found
}

/// Where a byte of a message is.
fn address_of(place: Footprint, offset: u64) -> Option<u64> {
    let mut found = None;
    place.packed(|s| {
        if (s.offset..s.offset + (s.end - s.start)).contains(&offset) {
            found = Some(s.start + (offset - s.offset));
        }
    });
    found
}
