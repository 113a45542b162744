//! Traces of liballprof, the tracer of LogGOPSim (Hoefler, Schneider, Lumsdaine: "LogGOPSim",
//! HPDC'10): one file for each process, one line for each call.
//!
//! ```text
//! # htor's PMPI Tracer 1 Output File
//! MPI_Send:1237666053149864:11251872:4500:11,8,8:1:7000:0,0,4:1237666053150082
//! ```
//! The name, the time at which it started, the arguments, the time at which it ended. Of a
//! datatype there are number, size and extent, of a communicator handle, rank and size, of a
//! request its address.
//!
//! Sends, receives and their completions make the graph. Collectives on all processes cut it into
//! phases, wherever no message is under way: each phase is a graph of its own. What programs do
//! between the calls is not recorded: a send is taken to send on what was received at its address,
//! and a datatype with gaps is taken for one without.

mod calls;
mod line;
mod phases;
mod wildcards;

use std::collections::HashMap;
use std::ops::Range;

use commloom_layout::text::ParseError;

use super::Program;
use super::places::Noted;
use crate::builder::{Builder, Dependencies, Handle};
use crate::error::BuildError;
use crate::ids::{Address, Bytes, Communicator, Process, Tag};
use crate::number::{at, id};

pub use calls::TraceError;
use calls::{Call, Event, Message, Reader};

/// A program that ran, as its trace tells.
#[derive(Debug, Clone)]
pub struct Trace {
    /// Those with messages, one after the other.
    pub phases: Vec<Phase>,
    /// How many messages have a datatype with gaps.
    pub gaps: u64,
    /// How many receives were from anybody, or with any tag.
    pub wildcards: u64,
    /// How many calls complete one of several requests, or perhaps none: the trace does not say
    /// which.
    pub unclear: u64,
}

/// The events between two collectives.
#[derive(Debug, Clone)]
pub struct Phase {
    /// The collective before it; none for the first.
    pub after: Option<String>,
    /// The line of that collective in the trace of process 0, from 1; 1 for the first.
    pub line: usize,
    /// Its messages.
    pub program: Program,
}

/// The process whose trace a file is, by its name: the last number in it.
#[must_use]
pub fn process_of(name: &str) -> Option<u32> {
    let end = name.rfind(|c: char| c.is_ascii_digit())? + 1;
    let digits = name[..end].bytes().rev().take_while(u8::is_ascii_digit).count();
    name[end - digits..end].parse().ok()
}

/// Reads the traces of all processes, by process. O(n log n).
///
/// # Errors
/// A [`ParseError`] with its place: lines that are no calls, communicators of some processes only,
/// and receives from anybody for which several messages come into question.
pub fn read(texts: &[&str]) -> Result<Trace, TraceError> {
    let processes = id(texts.len());
    let mut reader = Reader::default();
    let mut calls = Vec::with_capacity(texts.len());
    for (process, text) in (0..processes).zip(texts) {
        calls.push(reader.read(text, process, processes).map_err(|e| (at(process), e))?);
    }
    let mut trace =
        Trace { phases: Vec::new(), gaps: reader.gaps, wildcards: 0, unclear: reader.unclear };
    for mut phase in phases::cut(calls) {
        trace.wildcards += wildcards::resolve(texts, &mut phase.calls)?;
        let program = graph(texts, &phase.calls)?;
        if program.graph.operations() > 0 {
            let line =
                texts.first().map_or(0, |text| text[..phase.start].matches('\n').count()) + 1;
            trace.phases.push(Phase { after: phase.after, line, program });
        }
    }
    Ok(trace)
}

/// The graph of one phase: by process, its calls.
fn graph(texts: &[&str], calls: &[Vec<Call>]) -> Result<Program, TraceError> {
    let processes = id(calls.len());
    let mut building = Building {
        builder: Builder::new(processes, Dependencies::Automatic),
        places: Noted::default(),
    };
    for (process, calls) in (0..processes).zip(calls) {
        let mut requests = HashMap::new();
        let mut last = None;
        for call in calls {
            let added = building.call(Process(process), call, &mut requests, &mut last);
            let text = texts[at(process)];
            added.map_err(|e| {
                (at(process), ParseError::other(text, call.span.clone(), e.to_string()))
            })?;
        }
    }
    let finished = building.builder.finish();
    let graph = finished.map_err(|e| (0, ParseError::other(texts[0], 0..0, e.to_string())))?;
    Ok(Program { graph, addressed: true, places: building.places.finish(true) })
}

struct Building {
    builder: Builder,
    places: Noted,
}

impl Building {
    /// Adds the operations of a call. `last` is what all later calls of the process have waited
    /// for, `requests` holds what was started and not yet completed, by the address of its
    /// request.
    fn call(
        &mut self,
        process: Process,
        call: &Call,
        requests: &mut HashMap<u64, Handle>,
        last: &mut Option<Handle>,
    ) -> Result<(), BuildError> {
        match &call.event {
            Event::Messages(messages) => {
                let mut waited = Vec::new();
                for message in messages {
                    let handle = self.message(process, message, &call.span, *last)?;
                    match message.request {
                        Some(request) => drop(requests.insert(request, handle)),
                        None => waited.push(handle),
                    }
                }
                self.wait_for(process, &waited, &call.span, last)
            }
            Event::Wait(addresses) => {
                let waited: Vec<Handle> =
                    addresses.iter().filter_map(|request| requests.remove(request)).collect();
                self.wait_for(process, &waited, &call.span, last)
            }
            Event::Collective(_) => Ok(()),
        }
    }

    fn message(
        &mut self,
        process: Process,
        message: &Message,
        span: &Range<usize>,
        last: Option<Handle>,
    ) -> Result<Handle, BuildError> {
        let buffer = (Address(message.address), Bytes(message.bytes));
        let (peer, tag) = (Process(message.peer.unwrap_or(0)), Tag(message.tag.unwrap_or(0)));
        let comm = Communicator(message.communicator);
        let handle = match message.is_send {
            true => self.builder.send(process, buffer, peer, tag, comm),
            false => self.builder.receive(process, buffer, peer, tag, comm),
        }?;
        self.places.push(process, span);
        if let Some(last) = last {
            self.builder.depend(handle, last)?;
        }
        Ok(handle)
    }

    /// Everything after waits for these.
    fn wait_for(
        &mut self,
        process: Process,
        waited: &[Handle],
        span: &Range<usize>,
        last: &mut Option<Handle>,
    ) -> Result<(), BuildError> {
        match waited {
            [] => {}
            [only] if last.is_none() => *last = Some(*only),
            several => {
                let joint = self.builder.nothing(process)?;
                self.places.push(process, span);
                for on in several.iter().chain(last.as_ref()) {
                    self.builder.depend(joint, *on)?;
                }
                *last = Some(joint);
            }
        }
        Ok(())
    }
}
