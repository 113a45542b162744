//! By which messages a byte came to where it is, for those who look for a mistake.

use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::at;
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

    /// The receives by which the byte at an address came there in the end, the last first. Linear in the
    /// operations of the processes on the way.
    pub(crate) fn receives(&self, process: u32, address: u64) -> Vec<u32> {
        let mut path = Vec::new();
        let mut here = Some((process, address, u32::MAX));
        while let Some((process, address, before)) = here {
            here = self.writer(process, address, before).and_then(|writer| {
                let o = &self.graph.operations[at(writer)];
                let offset = address - o.at;
                match o.kind() {
                    Kind::Receive => {
                        path.push(writer);
                        let send = self.matching.partner(at(writer));
                        let from = self.graph.operations[at(send)].at + offset;
                        Some((self.graph.owner(send), from, self.place(send)))
                    }
                    Kind::Copy => Some((process, o.source() + offset, self.place(writer))),
                    // What was added came by some message; the path ends where values meet.
                    Kind::Reduce | Kind::Send | Kind::Nothing => None,
                }
            });
        }
        path
    }

    /// The first receive with room for a byte that its message did not bring. Linear in the operations of the
    /// process.
    pub(crate) fn too_short(&self, process: u32, address: u64) -> Option<u32> {
        let has_room = |operation: &usize| {
            let o = &self.graph.operations[*operation];
            let (start, end) = self.graph.writes(*operation);
            o.kind() == Kind::Receive && {
                let send = self.matching.partner(*operation);
                let arrived = self.graph.operations[at(send)].length;
                (start + arrived..end).contains(&address)
            }
        };
        let first = self.graph.range(process).filter(has_room).min_by_key(|o| self.places[*o]);
        first.map(crate::number::id)
    }

    /// The last operation before `before` that writes a byte.
    fn writer(&self, process: u32, address: u64, before: u32) -> Option<u32> {
        let writes = |operation: &usize| {
            let (start, mut end) = self.graph.writes(*operation);
            if self.graph.operations[*operation].kind() == Kind::Receive {
                // A buffer may be larger than what arrives.
                let send = self.matching.partner(*operation);
                end = start + self.graph.operations[at(send)].length;
            }
            (start..end).contains(&address) && self.places[*operation] < before
        };
        let last = self.graph.range(process).filter(writes).max_by_key(|o| self.places[*o]);
        last.map(crate::number::id)
    }
}
