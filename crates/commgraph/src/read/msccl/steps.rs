//! From steps to the operations of a graph.

use std::collections::HashMap;
use std::ops::Range;

use commloom_layout::Basic;
use commloom_layout::text::ParseError;

use super::claim::Claim;
use super::syntax::{Algo, Block, Buffer, Kind, Step};
use crate::builder::{Builder, Dependencies, Handle};
use crate::error::BuildError;
use crate::ids::{Address, Bytes, Communicator, Process, Tag};
use crate::operation::{Combine, Reduction};
use crate::read::Program;
use crate::read::places::Noted;

/// The combination does not matter: MSCCL's algorithms are for any operation. A chunk is a byte.
const ANY: Reduction = Reduction { combine: Combine::Sum, element: Basic::BYTE };

/// The graph of an algorithm.
pub(super) fn graph(text: &str, algo: &Algo, claim: &Claim) -> Result<Program, ParseError> {
    let mut building = Building {
        builder: Builder::new(algo.gpus, Dependencies::Explicit),
        places: Noted::default(),
        text,
        claim,
    };
    for gpu in &algo.list {
        let process = Process(gpu.id);
        // By thread block and step: the first and the last operation of a step.
        let mut ends: HashMap<(u64, u64), (Handle, Handle)> = HashMap::new();
        for (place, block) in (0..).zip(&gpu.blocks) {
            let mut last = None;
            for (number, step) in (0_u64..).zip(&block.steps) {
                let first = building.step(process, (place, block), step, &mut last)?;
                if let (Some(first), Some(last)) = (first, last) {
                    ends.insert((block.id, number), (first, last));
                }
            }
        }
        for block in &gpu.blocks {
            for (number, step) in (0_u64..).zip(&block.steps) {
                let Some(on) = step.on else { continue };
                if let (Some(of), Some(on)) = (ends.get(&(block.id, number)), ends.get(&on)) {
                    let depends = building.builder.depend(of.0, on.1);
                    depends.map_err(|e| building.error(&step.span, e))?;
                }
            }
        }
        building.dead(process, &gpu.span)?;
    }
    let end = text.len();
    let graph = building.builder.finish();
    let graph = graph.map_err(|e| ParseError::other(text, end..end, e.to_string()))?;
    Ok(Program { graph, addressed: true, places: building.places.finish(false) })
}

struct Building<'a> {
    builder: Builder,
    places: Noted,
    text: &'a str,
    claim: &'a Claim,
}

impl Building<'_> {
    /// Adds the operations of a step, each after the one before; `last` is the one before all, and
    /// then the last. Back comes the first.
    fn step(
        &mut self,
        gpu: Process,
        (place, block): (u32, &Block),
        step: &Step,
        last: &mut Option<Handle>,
    ) -> Result<Option<Handle>, ParseError> {
        let n = Bytes(step.count);
        let source = self.chunks(gpu, step, step.source, step.kind.reads_source())?;
        let destination = self.chunks(gpu, step, step.destination, step.kind.writes())?;
        let passing = self.claim.memory().passing(place);
        let tag = Tag(i32::try_from(block.channel).unwrap_or(i32::MAX));
        let (to, from) = (Process(block.send.unwrap_or(0)), Process(block.receive.unwrap_or(0)));
        let comm = Communicator(0);
        let mut first = None;
        let mut add = |me: &mut Self, handle: Result<Handle, BuildError>| {
            let handle = handle.map_err(|e| me.error(&step.span, e))?;
            me.places.push(gpu, &step.span);
            if let Some(before) = last.replace(handle) {
                me.builder.depend(handle, before).map_err(|e| me.error(&step.span, e))?;
            }
            first.get_or_insert(handle);
            Ok(())
        };
        match step.kind {
            Kind::Nothing => {
                let handle = self.builder.nothing(gpu);
                add(self, handle)?;
            }
            Kind::Copy if source == destination => {
                let handle = self.builder.nothing(gpu);
                add(self, handle)?;
            }
            Kind::Copy => {
                let handle = self.builder.copy(gpu, source, destination, n);
                add(self, handle)?;
            }
            Kind::Reduce => {
                let handle = self.builder.reduce(gpu, source, destination, n, ANY);
                add(self, handle)?;
            }
            Kind::Send => {
                let handle = self.builder.send(gpu, (source, n), to, tag, comm);
                add(self, handle)?;
            }
            Kind::Receive | Kind::ReceiveCopySend => {
                let handle = self.builder.receive(gpu, (destination, n), from, tag, comm);
                add(self, handle)?;
            }
            Kind::ReceiveReduceSend => {
                let handle = self.builder.receive(gpu, (passing, n), from, tag, comm);
                add(self, handle)?;
                let handle = self.builder.reduce(gpu, source, passing, n, ANY);
                add(self, handle)?;
                let handle = self.builder.send(gpu, (passing, n), to, tag, comm);
                add(self, handle)?;
            }
            Kind::ReceiveReduceCopy | Kind::ReceiveReduceCopySend => {
                let handle = self.builder.receive(gpu, (passing, n), from, tag, comm);
                add(self, handle)?;
                if source != destination {
                    let handle = self.builder.copy(gpu, source, destination, n);
                    add(self, handle)?;
                }
                let handle = self.builder.reduce(gpu, passing, destination, n, ANY);
                add(self, handle)?;
            }
        }
        if matches!(step.kind, Kind::ReceiveCopySend | Kind::ReceiveReduceCopySend) {
            let handle = self.builder.send(gpu, (destination, n), to, tag, comm);
            add(self, handle)?;
        }
        Ok(first)
    }

    /// Where the chunks that a step names start.
    fn chunks(
        &self,
        gpu: Process,
        step: &Step,
        (buffer, first): (Buffer, u64),
        used: bool,
    ) -> Result<Address, ParseError> {
        let memory = self.claim.memory();
        let (size, count) = (memory.size(gpu.0, buffer), step.count);
        let past = first.saturating_add(count);
        if used && past > size {
            let name = match buffer {
                Buffer::Input => "input",
                Buffer::Output => "output",
                Buffer::Scratch => "scratch",
            };
            let chunks = if count == 1 { "chunk" } else { "chunks" };
            let message = format!(
                "{count} {chunks} from {name} chunk {first} on: the {name} of GPU {gpu} has {size}"
            );
            return Err(ParseError::other(self.text, step.span.clone(), message));
        }
        Ok(memory.address(gpu.0, buffer, first))
    }

    /// Declares dead what the collective leaves undefined.
    fn dead(&mut self, gpu: Process, span: &Range<usize>) -> Result<(), ParseError> {
        let live = self.claim.live(gpu.0);
        for (start, end) in [(0, live.start), (live.end, u64::MAX)] {
            let dead = self.builder.dead(gpu, Address(start), Bytes(end - start));
            dead.map_err(|e| self.error(span, e))?;
        }
        Ok(())
    }

    fn error(&self, span: &Range<usize>, error: BuildError) -> ParseError {
        ParseError::other(self.text, span.clone(), error.to_string())
    }
}
