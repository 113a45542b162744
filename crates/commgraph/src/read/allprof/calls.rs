//! From lines to what they mean for the graph.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use commloom_layout::text::ParseError;

use super::line::{Line, lines};

/// An error in one of the traces: which, and what.
pub type TraceError = (usize, ParseError);

/// One side of a message.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub is_send: bool,
    pub address: u64,
    pub bytes: u64,
    /// None: anybody.
    pub peer: Option<u32>,
    /// None: any.
    pub tag: Option<i32>,
    pub communicator: u32,
    /// The address of the request, if the call does not wait.
    pub request: Option<u64>,
}

/// The action of a call.
#[derive(Debug, Clone)]
pub(super) enum Event {
    /// It sends or receives, or both at once.
    Messages(Vec<Message>),
    /// It completes the requests at these addresses, if they are open.
    Wait(Vec<u64>),
    /// All processes make it together.
    Collective(String),
}

/// A call, and where its name stands.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub event: Event,
    pub span: Range<usize>,
}

const COLLECTIVES: [&str; 17] = [
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Reduce_scatter",
    "MPI_Reduce_scatter_block",
    "MPI_Scan",
    "MPI_Exscan",
];

/// The number of the communicator that messages of all processes are counted in; those of a
/// process with itself (`MPI_COMM_SELF`).
const WORLD: u32 = 0;
const SELF: u32 = 1;

/// Reads the traces one after the other, and counts what is unclear in them.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub gaps: u64,
    pub unclear: u64,
}

impl Reader {
    /// The calls of one process that matter.
    pub(super) fn read(
        &mut self,
        text: &str,
        process: u32,
        processes: u32,
    ) -> Result<Vec<Call>, ParseError> {
        let mut one = One {
            reader: self,
            process,
            processes,
            persistent: BTreeMap::new(),
            open: BTreeSet::new(),
        };
        let mut calls = Vec::new();
        for line in lines(text) {
            let line = line?;
            if let Some(event) = one.event(&line)? {
                calls.push(Call { event, span: line.span.clone() });
            }
        }
        Ok(calls)
    }
}

/// One process.
struct One<'a> {
    reader: &'a mut Reader,
    process: u32,
    processes: u32,
    /// Persistent requests, by address.
    persistent: BTreeMap<u64, Option<Message>>,
    /// Requests that were started and not completed.
    open: BTreeSet<u64>,
}

impl One<'_> {
    fn event(&mut self, line: &Line) -> Result<Option<Event>, ParseError> {
        // Of calls that have one message.
        const ARGUMENTS: [usize; 6] = [1, 2, 3, 4, 5, 6];
        let request = |argument: usize| line.number(argument, "the address of a request");
        Ok(match line.name {
            "MPI_Send" | "MPI_Bsend" | "MPI_Ssend" | "MPI_Rsend" => {
                line.has(6)?;
                messages([self.message(line, true, ARGUMENTS)?])
            }
            "MPI_Recv" => {
                line.has(7)?;
                messages([self.message(line, false, ARGUMENTS)?])
            }
            "MPI_Isend" | "MPI_Ibsend" | "MPI_Issend" | "MPI_Irsend" | "MPI_Irecv" => {
                line.has(7)?;
                let message = self.message(line, line.name != "MPI_Irecv", ARGUMENTS)?;
                messages([self.started(message, request(7)?)])
            }
            "MPI_Sendrecv" => {
                line.has(12)?;
                let sent = self.message(line, true, [1, 2, 3, 4, 5, 11])?;
                messages([sent, self.message(line, false, [6, 7, 8, 9, 10, 11])?])
            }
            "MPI_Sendrecv_replace" => {
                line.has(9)?;
                let sent = self.message(line, true, [1, 2, 3, 4, 5, 8])?;
                messages([sent, self.message(line, false, [1, 2, 3, 6, 7, 8])?])
            }
            "MPI_Send_init" | "MPI_Bsend_init" | "MPI_Ssend_init" | "MPI_Rsend_init"
            | "MPI_Recv_init" => {
                line.has(7)?;
                let message = self.message(line, line.name != "MPI_Recv_init", ARGUMENTS)?;
                self.persistent.insert(request(7)?, message);
                None
            }
            "MPI_Start" => {
                line.has(1)?;
                messages([self.restarted(request(1)?)])
            }
            "MPI_Startall" => {
                line.has(2)?;
                let requests = requests(line, |from, to| {
                    self.persistent.range(from..to).map(|(r, _)| *r).collect()
                })?;
                messages(requests.into_iter().map(|request| self.restarted(request)))
            }
            "MPI_Wait" => {
                line.has(2)?;
                let request = request(1)?;
                self.open.remove(&request);
                Some(Event::Wait(vec![request]))
            }
            "MPI_Waitall" => {
                line.has(3)?;
                let requests =
                    requests(line, |from, to| self.open.range(from..to).copied().collect())?;
                for request in &requests {
                    self.open.remove(request);
                }
                Some(Event::Wait(requests))
            }
            "MPI_Waitany" | "MPI_Waitsome" | "MPI_Test" | "MPI_Testall" | "MPI_Testany"
            | "MPI_Testsome" => {
                self.reader.unclear += 1;
                None
            }
            name if COLLECTIVES.contains(&name) => {
                // The communicator is the last argument.
                let last = line.arguments();
                let [_, _, size] = line.three(last, COMMUNICATOR)?;
                (size == u64::from(self.processes)).then(|| Event::Collective(name.to_owned()))
            }
            _ => None,
        })
    }

    /// A message, by the places of its arguments: buffer, count, datatype, peer, tag,
    /// communicator. None where the peer is nobody.
    fn message(
        &mut self,
        line: &Line,
        is_send: bool,
        [buffer, count, datatype, peer, tag, communicator]: [usize; 6],
    ) -> Result<Option<Message>, ParseError> {
        let address = line.number(buffer, "an address")?;
        let elements: u64 = line.number(count, "a count")?;
        let [_, size, extent] = line.three(datatype, "a datatype: its number, size and extent")?;
        let bytes = elements.checked_mul(size).ok_or_else(|| {
            line.error(
                line.field(count).1,
                format!("{elements} elements of {size} bytes are more than 2^64 bytes"),
            )
        })?;
        let [handle, rank, members] = line.three(communicator, COMMUNICATOR)?;
        let span = line.field(communicator).1;
        let number = if members == u64::from(self.processes) {
            if rank != u64::from(self.process) {
                let message = format!("rank {rank}, in the trace of process {}", self.process);
                return Err(line.error(span, message).with_hint(Some(
                    "are all traces there, in order? Communicators that number the processes \
                     otherwise cannot be read"
                        .to_owned(),
                )));
            }
            WORLD
        } else if members == 1 {
            SELF
        } else {
            let message = format!(
                "a communicator of {members} processes: there are traces of {}",
                self.processes
            );
            let hint = "a trace does not say who is in a communicator, so it must hold all \
                        processes, or only one";
            return Err(line.error(span, message).with_hint(Some(hint.to_owned())));
        };
        let given: i64 = line.number(peer, "a rank")?;
        let tag: i32 = line.number(tag, "a tag")?;
        // MPICH: nobody is -1, anybody -2; Open MPI: the other way round.
        let is_mpich = matches!(handle >> 24, 0x44 | 0x84);
        let (nobody, anybody) = if is_mpich { (-1, -2) } else { (-2, -1) };
        if given == nobody {
            return Ok(None);
        }
        let found = match u32::try_from(given) {
            Ok(rank) if number == SELF && rank == 0 => Some(self.process),
            Ok(rank) if number == WORLD && rank < self.processes => Some(rank),
            _ if given == anybody && !is_send && number == SELF => Some(self.process),
            _ if given == anybody && !is_send => None,
            _ => {
                let message =
                    format!("there is no process {given}: there are traces of {}", self.processes);
                return Err(line.error(line.field(peer).1, message));
            }
        };
        if size != extent && bytes > 0 {
            self.reader.gaps += 1;
        }
        let tag = (is_send || tag >= 0).then_some(tag);
        Ok(Some(Message {
            is_send,
            address,
            bytes,
            peer: found,
            tag,
            communicator: number,
            request: None,
        }))
    }

    /// The message of a persistent request.
    fn restarted(&mut self, request: u64) -> Option<Message> {
        let message = self.persistent.get(&request).cloned().flatten();
        self.started(message, request)
    }

    fn started(&mut self, message: Option<Message>, request: u64) -> Option<Message> {
        self.open.insert(request);
        message.map(|message| Message { request: Some(request), ..message })
    }
}

/// The addresses in an array of requests (how many, where) that are known. Requests are numbers of
/// 4 bytes (MPICH) or pointers of 8 (Open MPI): whichever meets more.
fn requests(line: &Line, known: impl Fn(u64, u64) -> Vec<u64>) -> Result<Vec<u64>, ParseError> {
    let count: u64 = line.number(1, "a count")?;
    let start: u64 = line.number(2, "the address of requests")?;
    let met = |size: u64| {
        let mut met = known(start, start.saturating_add(count.saturating_mul(size)));
        met.retain(|request| (request - start).is_multiple_of(size));
        met
    };
    let (short, long) = (met(4), met(8));
    Ok(if short.len() > long.len() { short } else { long })
}

const COMMUNICATOR: &str = "a communicator: its handle, the own rank, its size";

fn messages(all: impl IntoIterator<Item = Option<Message>>) -> Option<Event> {
    let all: Vec<Message> = all.into_iter().flatten().collect();
    (!all.is_empty()).then_some(Event::Messages(all))
}
