//! Which send belongs to which receive.
//!
//! The k-th send matches the k-th receive of the same source, destination, communicator and tag,
//! in the order of creation (MPI 4.1, section 3.5: messages do not overtake). So nothing has to be
//! simulated: it is a join. Sends are brought to their destinations by one counting sort; the rest
//! is local to each destination. O(n) where every process names its partners in order, O(n log n)
//! at most.
//!
//! Algorithm 1 of Hoefler and Schneider (PACT'12) matches in the order of an unordered queue,
//! which lets messages overtake each other.

use crate::error::{GraphError, Named};
use crate::graph::Graph;
use crate::number::{at, id};
use crate::operation::{Kind, NONE};

/// The other side of every message. 4 bytes an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matching {
    /// [`NONE`] where an operation is no message.
    partner: Vec<u32>,
    messages: usize,
}

impl Matching {
    /// Finds the partner of every message.
    ///
    /// # Errors
    /// [`GraphError::Unmatched`] and [`GraphError::Truncated`], for the first such message of the
    /// first process that should receive one.
    pub fn of(graph: &Graph) -> Result<Matching, GraphError> {
        let arriving = Arriving::of(graph);
        let mut partner = vec![NONE; graph.operations()];
        let mut messages = 0;
        let mut receives = Vec::new();
        for process in 0..graph.processes() {
            receives.clear();
            for operation in graph.range(process) {
                let packed = &graph.operations[operation];
                if packed.kind() == Kind::Receive {
                    receives.push((packed.peer(), id(operation)));
                }
            }
            if !receives.is_sorted() {
                receives.sort_unstable();
            }
            match_at(graph, arriving.at(process), &receives, &mut partner)?;
            messages += receives.len();
        }
        Ok(Matching { partner, messages })
    }

    /// The number of messages.
    #[must_use]
    pub fn messages(&self) -> usize {
        self.messages
    }

    /// Every message, as its send and its receive, in the order of the receives.
    pub fn pairs<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = (Named, Named)> + 'a {
        let receives =
            (0..graph.operations()).filter(|o| graph.operations[*o].kind() == Kind::Receive);
        receives.map(|o| (graph.named(self.partner[o]), graph.named(id(o))))
    }

    /// The partner of a message, [`NONE`] for other operations.
    #[inline]
    pub(crate) fn partner(&self, operation: usize) -> u32 {
        self.partner[operation]
    }
}

/// The sends to each process, by source and in order of creation.
struct Arriving {
    sends: Vec<u32>,
    /// Where those of each process end; they start where those of the process before end.
    ends: Vec<u32>,
}

impl Arriving {
    fn of(graph: &Graph) -> Arriving {
        let sends = || graph.operations.iter().enumerate().filter(|(_, o)| o.kind() == Kind::Send);
        let mut ends = vec![0_u32; at(graph.processes())];
        for (_, send) in sends() {
            ends[at(send.peer())] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            (*end, total) = (total, total + *end);
        }
        let mut sorted = vec![0; at(total)];
        for (operation, send) in sends() {
            let place = &mut ends[at(send.peer())];
            sorted[at(*place)] = id(operation);
            *place += 1;
        }
        Arriving { sends: sorted, ends }
    }

    fn at(&self, process: u32) -> &[u32] {
        let start = process.checked_sub(1).map_or(0, |before| self.ends[at(before)]);
        &self.sends[at(start)..at(self.ends[at(process)])]
    }
}

/// Matches the messages to one process. `sends` are sorted, `receives` (source, operation) too.
fn match_at(
    graph: &Graph,
    mut sends: &[u32],
    mut receives: &[(u32, u32)],
    partner: &mut [u32],
) -> Result<(), GraphError> {
    while let Some(&(source, _)) = receives.first() {
        let first = graph.first[at(source)];
        if let Some(&early) = sends.first().filter(|send| **send < first) {
            return Err(unmatched(graph, early, 1, 0));
        }
        let past = graph.first[at(source) + 1];
        let (from, later) = sends.split_at(leading(sends, |send| *send < past));
        let (to, other) = receives.split_at(leading(receives, |(peer, _)| *peer == source));
        match_pair(graph, from, to, partner)?;
        (sends, receives) = (later, other);
    }
    match sends.first() {
        None => Ok(()),
        Some(&extra) => Err(unmatched(graph, extra, 1, 0)),
    }
}

fn leading<T>(sorted: &[T], belongs: impl Fn(&T) -> bool) -> usize {
    sorted.iter().take_while(|x| belongs(x)).count()
}

/// Matches the messages from one process to one other.
fn match_pair(
    graph: &Graph,
    sends: &[u32],
    receives: &[(u32, u32)],
    partner: &mut [u32],
) -> Result<(), GraphError> {
    let envelope = |operation: u32| graph.operations[at(operation)].envelope();
    if let ([send], [(_, receive)]) = (sends, receives)
        && envelope(*send) == envelope(*receive)
    {
        return join(graph, *send, *receive, partner);
    }
    let mut sends: Vec<_> = sends.iter().map(|send| (envelope(*send), *send)).collect();
    let mut receives: Vec<_> = receives.iter().map(|(_, r)| (envelope(*r), *r)).collect();
    sends.sort_unstable();
    receives.sort_unstable();
    for (send, receive) in sends.iter().zip(&receives) {
        if send.0 != receive.0 {
            break;
        }
        join(graph, send.1, receive.1, partner)?;
    }
    let first = |list: &[(u64, u32)], other: &[(u64, u32)]| {
        let lonely = (0..list.len()).find(|i| other.get(*i).is_none_or(|o| o.0 != list[*i].0));
        lonely.map(|i| list[i])
    };
    let Some((envelope, operation)) =
        first(&sends, &receives).into_iter().chain(first(&receives, &sends)).min()
    else {
        return Ok(());
    };
    let with = |list: &[(u64, u32)]| id(list.iter().filter(|x| x.0 == envelope).count());
    Err(unmatched(graph, operation, with(&sends), with(&receives)))
}

fn join(graph: &Graph, send: u32, receive: u32, partner: &mut [u32]) -> Result<(), GraphError> {
    if graph.operations[at(send)].length > graph.operations[at(receive)].length {
        let (send, receive) = (graph.named(send).into(), graph.named(receive).into());
        return Err(GraphError::Truncated { send, receive });
    }
    partner[at(send)] = receive;
    partner[at(receive)] = send;
    Ok(())
}

fn unmatched(graph: &Graph, operation: u32, sends: u32, receives: u32) -> GraphError {
    GraphError::Unmatched { operation: graph.named(operation), sends, receives }
}
