//! One graph to look at: what was read, and how to speak of it.

use std::rc::Rc;

use commloom_advice::Ran;
use commloom_commgraph::read::msccl::{Buffer, Claim};
use commloom_commgraph::read::{Place, Program};
use commloom_commgraph::recorded::program_address;
use commloom_commgraph::{Address, GraphError, Named, Process};
use commloom_layout::text::ParseError;

use crate::failure::Failure;
use crate::input::Source;

/// One graph.
pub struct Case {
    /// The file, or the phase of a program.
    pub name: String,
    /// The graph.
    pub program: Program,
    /// The operation that an MSCCL algorithm claims to be.
    pub claim: Option<Claim>,
    /// Of a program with several phases: which.
    pub phase: Option<usize>,
    /// Of a program that was recorded: how often and from where.
    pub ran: Option<Ran>,
    /// Notes of the reader on what it left open.
    pub notes: Vec<String>,
    /// The texts that it was read from.
    pub sources: Rc<Vec<Source>>,
}

impl Case {
    /// Whether its messages are those of a sweep.
    pub fn is_sweep(&self) -> bool {
        self.ran.as_ref().is_some_and(|ran| ran.sweep)
    }

    /// The name of an address.
    pub fn address(&self, process: u32, address: u64) -> String {
        let address = if self.ran.is_some() { program_address(address) } else { address };
        match self.chunk(process, address) {
            Some((buffer, chunk)) => format!("{buffer}[{chunk}]"),
            None => format!("{address:#x}"),
        }
    }

    /// The name of the addresses `start + step * rank`, on processes of which the first is
    /// `process`.
    pub fn addresses(&self, process: u32, start: u64, step: u64) -> String {
        let times = if step == 1 { String::new() } else { format!("{step}*") };
        let start = if self.ran.is_some() { program_address(start) } else { start };
        match self.chunk(process, start) {
            Some((buffer, 0)) => format!("{buffer}[{times}rank]"),
            Some((buffer, chunk)) => format!("{buffer}[{chunk} + {times}rank]"),
            None => format!("{start:#x} + {times}rank"),
        }
    }

    /// The chunk of an MSCCL algorithm at an address: its buffer and its number there.
    fn chunk(&self, process: u32, address: u64) -> Option<(&'static str, u64)> {
        let claim = self.claim.as_ref()?;
        let (buffer, chunk) = claim.memory().chunk(process, Address(address))?;
        let name = match buffer {
            Buffer::Input => "input",
            Buffer::Output => "output",
            Buffer::Scratch => "scratch",
        };
        Some((name, chunk))
    }

    /// A number of bytes with their unit: an MSCCL chunk is one.
    pub fn unit(&self, n: u64) -> String {
        let unit = if self.claim.is_some() { "chunk" } else { "byte" };
        format!("{n} {unit}{}", if n == 1 { "" } else { "s" })
    }

    /// The datatype of buffers.
    pub fn datatype(&self) -> &'static str {
        if self.claim.is_some() { "chunk" } else { "MPI_BYTE" }
    }

    /// An error of the graph, with the places of the operations that it names.
    pub fn failure(&self, error: &GraphError) -> Failure {
        // Enough to see what happens.
        const SHOWN: usize = 4;
        let mut message = format!("{}: {error}", self.name);
        for operation in error.operations().iter().take(SHOWN) {
            if let Some(place) = self.program.places.of(operation) {
                message.push('\n');
                message.push_str(&self.shown(&place, &in_words(operation)));
            }
        }
        Failure::Message(message)
    }

    /// A place in a text, with a message.
    pub fn shown(&self, place: &Place, message: &str) -> String {
        match self.sources.get(place.text) {
            Some(Source { name, text }) => {
                ParseError::other(text, place.span.clone(), message).render(name)
            }
            None => message.to_owned(),
        }
    }
}

fn in_words(operation: &Named) -> String {
    let Named { process: Process(process), index, .. } = operation;
    format!("operation {index} of process {process}:")
}
