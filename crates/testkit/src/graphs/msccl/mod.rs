//! Writes MSCCL XML: steps on chunks in, thread blocks with the dependencies that they need out.
//!
//! Steps are added in an order in which they can run. A step waits for the last writer of what it
//! reads, and for the readers of what it writes, as MSCCLang's compiler has it.

pub mod algorithms;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// `i`, `o` or `s`.
pub type Buffer = char;
/// A place: GPU, buffer, first chunk.
pub type Chunk = (u32, Buffer, u32);
/// A thread block of a GPU: peers that it sends to and receives from (-1: none), channel.
type Block = (i64, i64, u32);

#[derive(Debug, Clone)]
struct Step {
    kind: &'static str,
    from: (Buffer, u32),
    to: (Buffer, u32),
    count: u32,
    on: Option<(Block, usize)>,
}

/// An algorithm under construction.
#[derive(Debug)]
pub struct Writer {
    /// GPUs.
    pub gpus: u32,
    name: String,
    coll: &'static str,
    in_place: bool,
    /// Chunks of input and output.
    sizes: (u32, u32),
    blocks: Vec<BTreeMap<Block, Vec<Step>>>,
    writer: HashMap<Chunk, (Block, usize)>,
    readers: HashMap<Chunk, Vec<(Block, usize)>>,
    scratch: u32,
}

impl Writer {
    /// An algorithm without steps, for buffers of so many chunks.
    pub fn new(
        name: &str,
        coll: &'static str,
        gpus: u32,
        sizes: (u32, u32),
        in_place: bool,
    ) -> Writer {
        Writer {
            gpus,
            name: name.to_owned(),
            coll,
            in_place,
            sizes,
            blocks: vec![BTreeMap::new(); gpus as usize],
            writer: HashMap::new(),
            readers: HashMap::new(),
            scratch: 0,
        }
    }

    /// `from` sends to `to`, which stores.
    pub fn send(&mut self, from: Chunk, to: Chunk, count: u32) {
        self.send_as("r", from, to, count);
    }

    /// `from` sends to `to`, which adds.
    pub fn send_and_add(&mut self, from: Chunk, to: Chunk, count: u32) {
        self.send_as("rrc", from, to, count);
    }

    fn send_as(&mut self, receive: &'static str, from: Chunk, to: Chunk, count: u32) {
        self.step(from.0, (i64::from(to.0), -1, 0), "s", from, to, count);
        self.step(to.0, (-1, i64::from(from.0), 0), receive, to, to, count);
    }

    /// Copies on one GPU.
    pub fn copy(&mut self, from: Chunk, to: Chunk, count: u32) {
        self.step(from.0, (-1, -1, 0), "cpy", from, to, count);
    }

    /// Adds on one GPU.
    pub fn add(&mut self, from: Chunk, to: Chunk, count: u32) {
        self.step(from.0, (-1, -1, 0), "re", from, to, count);
    }

    /// Any step.
    pub fn step(
        &mut self,
        gpu: u32,
        block: Block,
        kind: &'static str,
        from: Chunk,
        to: Chunk,
        count: u32,
    ) {
        let reads: &[Chunk] = match kind {
            "s" | "cpy" | "rrs" => &[from],
            "re" | "rrc" | "rrcs" => &[from, to],
            _ => &[],
        };
        let writes: &[Chunk] = if matches!(kind, "s" | "rrs") { &[] } else { &[to] };
        for (_, buffer, first) in reads.iter().chain(writes) {
            if *buffer == 's' {
                self.scratch = self.scratch.max(first + count);
            }
        }
        let every = |chunks: &[Chunk]| -> Vec<Chunk> {
            chunks
                .iter()
                .flat_map(|(_, b, first)| (0..count).map(move |k| (gpu, *b, first + k)))
                .collect()
        };
        let (reads, writes) = (every(reads), every(writes));
        let mut on: BTreeMap<Block, usize> = BTreeMap::new();
        let mut wait = |(b, step): (Block, usize)| {
            if b != block {
                let last = on.entry(b).or_insert(step);
                *last = step.max(*last);
            }
        };
        for chunk in reads.iter().chain(&writes) {
            self.writer.get(chunk).copied().into_iter().for_each(&mut wait);
        }
        for chunk in &writes {
            self.readers.remove(chunk).unwrap_or_default().into_iter().for_each(&mut wait);
        }
        let steps = self.blocks[gpu as usize].entry(block).or_default();
        let mut on: Vec<_> = on.into_iter().collect();
        let last = on.pop();
        for on in on {
            let nothing = ('i', 0);
            steps.push(Step { kind: "nop", from: nothing, to: nothing, count: 0, on: Some(on) });
        }
        let this = (block, steps.len());
        steps.push(Step { kind, from: (from.1, from.2), to: (to.1, to.2), count, on: last });
        for chunk in reads {
            self.readers.entry(chunk).or_default().push(this);
        }
        for chunk in writes {
            self.writer.insert(chunk, this);
        }
    }

    /// The file.
    pub fn xml(&self) -> String {
        let (input, output) = self.sizes;
        let channels =
            self.blocks.iter().flat_map(|b| b.keys()).map(|b| b.2 + 1).max().unwrap_or(1);
        let mut out = format!(
            "<algo name=\"{}\" proto=\"Simple\" nchannels=\"{channels}\" nchunksperloop=\"{}\" \
             ngpus=\"{}\" coll=\"{}\" inplace=\"{}\">\n",
            self.name,
            input.max(output),
            self.gpus,
            self.coll,
            u32::from(self.in_place)
        );
        for (gpu, blocks) in self.blocks.iter().enumerate() {
            let ids: BTreeMap<Block, usize> = blocks.keys().copied().zip(0..).collect();
            let awaited: BTreeSet<(Block, usize)> =
                blocks.values().flatten().filter_map(|step| step.on).collect();
            let _ = writeln!(
                out,
                "  <gpu id=\"{gpu}\" i_chunks=\"{input}\" o_chunks=\"{output}\" s_chunks=\"{}\">",
                self.scratch
            );
            for (block, steps) in blocks {
                let (send, receive, channel) = block;
                let _ = writeln!(
                    out,
                    "    <tb id=\"{}\" send=\"{send}\" recv=\"{receive}\" chan=\"{channel}\">",
                    ids[block]
                );
                for (number, step) in steps.iter().enumerate() {
                    let Step { kind, from, to, count, on } = step;
                    let none = || ("-1".to_owned(), "-1".to_owned());
                    let (id, on) =
                        on.map_or_else(none, |(b, step)| (ids[&b].to_string(), step.to_string()));
                    let signals = u8::from(awaited.contains(&(*block, number)));
                    let _ = writeln!(
                        out,
                        "      <step s=\"{number}\" type=\"{kind}\" srcbuf=\"{}\" srcoff=\"{}\" \
                         dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{count}\" depid=\"{id}\" deps=\"{on}\" \
                         hasdep=\"{signals}\"/>",
                        from.0, from.1, to.0, to.1
                    );
                }
                out.push_str("    </tb>\n");
            }
            out.push_str("  </gpu>\n");
        }
        out.push_str("</algo>\n");
        out
    }
}
