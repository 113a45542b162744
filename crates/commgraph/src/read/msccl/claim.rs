//! The collective operation that an algorithm claims to be, and whether it is.

use std::fmt;
use std::ops::Range;

use super::coll::Coll;
use super::memory::Memory;
use super::syntax::{Algo, Buffer, Kind as StepKind};
use crate::dataflow::{Dataflow, Reduced};
use crate::error::GraphError;
use crate::graph::Graph;
use crate::ids::{Address, Process};
use crate::matching::Matching;
use crate::number::at;
use crate::operation::Action;
use crate::order::Order;
use crate::read::Program;
use crate::transfers::Transfer;

/// The claim of an algorithm: which collective, on which chunks.
#[derive(Debug, Clone)]
pub struct Claim {
    coll: Coll,
    root: u32,
    gpus: u32,
    chunks: u64,
    in_place: bool,
    memory: Memory,
    /// Chunks of input and output that the file says, and where, by GPU.
    given: Vec<(u64, u64, Range<usize>)>,
    coll_span: Range<usize>,
}

/// The first chunk that is not what the claimed collective makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The step that wrote it last, or the GPU.
    pub span: Range<usize>,
    /// The error, in words.
    pub message: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The content that a chunk of the output must have.
enum Expected {
    /// A chunk of somebody's input.
    Chunk(u32, u64),
    /// The sum of that chunk of the input of all.
    Sum(u64),
    /// The content from before.
    Same,
}

impl Claim {
    pub(super) fn of(algo: &Algo) -> Claim {
        Claim {
            coll: algo.coll,
            root: algo.root.unwrap_or_else(|| root(algo)),
            gpus: algo.gpus,
            chunks: algo.chunks,
            in_place: algo.in_place,
            memory: Memory::of(algo, algo.coll),
            given: algo.list.iter().map(|g| (g.input, g.output, g.span.clone())).collect(),
            coll_span: algo.coll_span.clone(),
        }
    }

    /// Which collective.
    #[must_use]
    pub fn coll(&self) -> Coll {
        self.coll
    }

    /// Its root, if it has one. MSCCL's files name none: it is the only GPU that receives nothing
    /// (broadcast, scatter) or sends nothing (reduce, gather), and GPU 0 where that is none or
    /// several.
    #[must_use]
    pub fn root(&self) -> Option<Process> {
        self.coll.has_root().then_some(Process(self.root))
    }

    /// Where the chunks lie.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The chunks that somebody reads afterwards, as addresses.
    pub(super) fn live(&self, gpu: u32) -> Range<u64> {
        let here = |buffer| {
            let start = self.memory.address(gpu, buffer, 0).0;
            start..start + self.memory.size(gpu, buffer)
        };
        let rooted = matches!(self.coll, Coll::Reduce | Coll::Gather);
        if self.in_place && rooted && gpu != self.root {
            return 0..0;
        }
        let (input, output) = (here(Buffer::Input), here(Buffer::Output));
        match self.coll {
            Coll::ReduceScatter | Coll::Scatter => output,
            _ if self.in_place => input.start.min(output.start)..input.end.max(output.end),
            _ => output,
        }
    }

    fn expected(&self, gpu: u32, chunk: u64) -> Expected {
        let block = (self.chunks / u64::from(self.gpus)).max(1);
        let of = |chunk: u64| u32::try_from(chunk / block).unwrap_or(u32::MAX);
        let mine = u64::from(gpu) * block;
        match self.coll {
            Coll::Allreduce => Expected::Sum(chunk),
            Coll::Reduce if gpu == self.root => Expected::Sum(chunk),
            Coll::ReduceScatter => Expected::Sum(mine + chunk),
            Coll::Broadcast => Expected::Chunk(self.root, chunk),
            Coll::Allgather => Expected::Chunk(of(chunk), chunk % block),
            Coll::Gather if gpu == self.root => Expected::Chunk(of(chunk), chunk % block),
            Coll::Scatter => Expected::Chunk(self.root, mine + chunk),
            Coll::Alltoall => Expected::Chunk(of(chunk), mine + chunk % block),
            Coll::Reduce | Coll::Gather | Coll::Custom => Expected::Same,
        }
    }

    /// Compares with the definition of the collective, chunk by chunk: the first chunk that
    /// differs, or none. Nothing differs from `custom`. O(n log n) in operations and chunks.
    ///
    /// # Errors
    /// See [`GraphError`]; also for more than 2^26 chunks.
    pub fn check(&self, program: &Program) -> Result<Option<Difference>, GraphError> {
        if self.coll == Coll::Custom {
            return Ok(None);
        }
        if let Some(wrong) = self.wrong_size() {
            return Ok(Some(wrong));
        }
        let (_, output) = self.coll.sizes(self.chunks, self.gpus);
        let (given, limit) = (output.saturating_mul(u64::from(self.gpus)), 1 << 26);
        if given > limit {
            return Err(GraphError::TooLarge { what: "chunks of all GPUs", given, limit });
        }
        // What others than the root hold must be seen here.
        let graph = Graph { dead: Vec::new(), ..program.graph.clone() };
        let matching = Matching::of(&graph)?;
        let order = Order::of(&graph, &matching)?;
        let flow = Dataflow::of(&graph, &matching, &order)?;
        let results = Results { transfers: flow.transfers(), reduced: flow.reduced().collect() };
        if let Some((gpu, here, message)) = self.first_difference(&results, output) {
            let span = last_write(program, &order, gpu, here);
            let span = span.unwrap_or_else(|| self.given[at(gpu)].2.clone());
            return Ok(Some(Difference { span, message }));
        }
        Ok(self.is_more(&results, output))
    }

    /// The first chunk that differs: whose, where, and how.
    fn first_difference(&self, results: &Results, output: u64) -> Option<(u32, Address, String)> {
        let mut all = (0..self.gpus).flat_map(|gpu| (0..output).map(move |chunk| (gpu, chunk)));
        all.find_map(|(gpu, chunk)| {
            let here = self.memory.address(gpu, Buffer::Output, chunk);
            let message = self.compare(gpu, chunk, here, &results.at(gpu, here.0))?;
            Some((gpu, here, message))
        })
    }

    /// Whether all get what only the root should have. In place nothing else tells the two apart.
    fn is_more(&self, results: &Results, output: u64) -> Option<Difference> {
        let coll = match self.coll {
            Coll::Reduce => Coll::Allreduce,
            Coll::Gather => Coll::Allgather,
            _ => return None,
        };
        let more = Claim { coll, ..self.clone() };
        let all_have_it = self.gpus > 1 && more.first_difference(results, output).is_none();
        all_have_it.then(|| Difference {
            span: self.coll_span.clone(),
            message: format!(
                "{}: not only the root, GPU {}, but every GPU has the result: this is an {}",
                self.coll.name(),
                self.root,
                coll.name()
            ),
        })
    }

    /// Sizes of buffers that this collective cannot have.
    fn wrong_size(&self) -> Option<Difference> {
        let (coll, gpus, chunks) = (self.coll.name(), self.gpus, self.chunks);
        if self.coll.is_in_blocks() && !chunks.is_multiple_of(u64::from(gpus)) {
            let message =
                format!("{coll}: nchunksperloop={chunks} is no multiple of the {gpus} GPUs");
            return Some(Difference { span: self.coll_span.clone(), message });
        }
        let (input, output) = self.coll.sizes(chunks, gpus);
        self.given.iter().zip(0..).find_map(|((i, o, span), gpu)| {
            // Where only the root has all, others may name any number.
            let everybody = !self.coll.has_root() || gpu == self.root;
            let wrong = |name: &str, given: u64, right: u64| {
                let message = format!(
                    "{coll} of {gpus} GPUs with nchunksperloop={chunks}: {name} of GPU {gpu} must \
                     be {right}, but is {given}"
                );
                let is_wrong = given > 0 && given != right && everybody;
                is_wrong.then(|| Difference { span: span.clone(), message })
            };
            wrong("i_chunks", *i, input).or_else(|| wrong("o_chunks", *o, output))
        })
    }

    /// The error of an output chunk, in words.
    fn compare(&self, gpu: u32, chunk: u64, here: Address, found: &Content) -> Option<String> {
        let input = |gpu: u32, chunk: u64| self.memory.address(gpu, Buffer::Input, chunk);
        let expected = self.expected(gpu, chunk);
        let same = match (&expected, found) {
            (Expected::Same, Content::Untouched) => true,
            // What is left at the others in place is nobody's.
            (Expected::Same, _) => self.in_place,
            (Expected::Chunk(p, c), Content::Untouched) => *p == gpu && input(*p, *c) == here,
            (Expected::Chunk(p, c), Content::Moved(from, a)) => from == p && *a == input(*p, *c),
            (Expected::Sum(c), Content::Sum(terms)) => {
                terms.iter().copied().eq((0..self.gpus).map(|p| (p, input(p, *c))))
            }
            (Expected::Sum(c), Content::Untouched) => self.gpus == 1 && input(gpu, *c) == here,
            (Expected::Sum(c), Content::Moved(p, a)) => self.gpus == 1 && *a == input(*p, *c),
            _ => false,
        };
        if same {
            return None;
        }
        let must = match expected {
            Expected::Same => format!("must stay as it was: the root is GPU {}", self.root),
            Expected::Chunk(p, c) => format!("must be input chunk {c} of GPU {p}"),
            Expected::Sum(c) => format!("must be the sum of input chunk {c} of all GPUs"),
        };
        let is = match found {
            Content::Untouched => "nothing is written there".to_owned(),
            Content::Moved(p, a) => format!("is {} of GPU {p}", self.memory.name(*p, *a)),
            Content::Mixed => "is a mixture of several reductions".to_owned(),
            Content::Sum(terms) => self.sum_in_words(terms, &expected),
        };
        Some(format!("{}: output chunk {chunk} of GPU {gpu} {must}, but {is}", self.coll.name()))
    }

    fn sum_in_words(&self, terms: &[(u32, Address)], expected: &Expected) -> String {
        const SHOWN: usize = 4;
        let list = |all: Vec<String>| match all.len().checked_sub(SHOWN) {
            Some(more) if more > 0 => format!("{} and {more} more", all[..SHOWN].join(", ")),
            _ => all.join(", "),
        };
        let name = |(p, a): &(u32, Address)| format!("{} of GPU {p}", self.memory.name(*p, *a));
        if let Expected::Sum(c) = expected {
            let wanted = |p: u32| (p, self.memory.address(p, Buffer::Input, *c));
            let others: Vec<_> = terms.iter().filter(|t| wanted(t.0) != **t).map(name).collect();
            let count = |p: u32| terms.iter().filter(|t| **t == wanted(p)).count();
            let lacks: Vec<_> =
                (0..self.gpus).filter(|p| count(*p) == 0).map(|p| format!("GPU {p}")).collect();
            let twice: Vec<_> =
                (0..self.gpus).filter(|p| count(*p) > 1).map(|p| format!("GPU {p}")).collect();
            let parts = [("lacks ", lacks), ("counts twice ", twice), ("has ", others)];
            let parts = parts.into_iter().filter(|(_, all)| !all.is_empty());
            return parts
                .map(|(what, all)| format!("{what}{}", list(all)))
                .collect::<Vec<_>>()
                .join(", ");
        }
        format!("is the sum of {}", list(terms.iter().map(name).collect()))
    }
}

/// The content of a chunk in the end.
enum Content {
    Untouched,
    Moved(u32, Address),
    Sum(Vec<(u32, Address)>),
    Mixed,
}

/// Everything that was written, sorted.
struct Results {
    transfers: Vec<Transfer>,
    reduced: Vec<Reduced>,
}

impl Results {
    fn at(&self, gpu: u32, address: u64) -> Content {
        let past = self
            .transfers
            .partition_point(|t| (t.destination, t.destination_address) <= (gpu, address));
        if let Some(t) = past.checked_sub(1).map(|k| &self.transfers[k])
            && t.destination == gpu
            && address - t.destination_address < t.length
        {
            let from = t.source_address + (address - t.destination_address);
            return Content::Moved(t.source, Address(from));
        }
        let past = self.reduced.partition_point(|r| (r.destination, r.address) <= (gpu, address));
        match past.checked_sub(1).map(|k| &self.reduced[k]) {
            Some(r) if r.destination == gpu && address - r.address < r.length => {
                match &r.contributions {
                    Some(all) => {
                        let inside = address - r.address;
                        Content::Sum(
                            all.memory.iter().map(|(p, a)| (*p, Address(a + inside))).collect(),
                        )
                    }
                    None => Content::Mixed,
                }
            }
            _ => Content::Untouched,
        }
    }
}

/// Where the step stands that wrote an address last.
fn last_write(program: &Program, order: &Order, gpu: u32, here: Address) -> Option<Range<usize>> {
    let graph: &Graph = &program.graph;
    let range = graph.range(gpu);
    let writes = |operation: u32| {
        let (start, length) = match graph.named(operation).action {
            Action::Receive { at, length, .. } => (at, length),
            Action::Copy { to, length, .. } => (to, length),
            Action::Reduce { into, length, .. } => (into, length),
            Action::Send { .. } | Action::Nothing => return false,
        };
        start <= here && here.0 - start.0 < length.0
    };
    let mine = order.iter().filter(|operation| range.contains(&at(*operation)));
    let last = mine.filter(|operation| writes(*operation)).last()?;
    program.places.of(&graph.named(last)).map(|place| place.span)
}

/// The root that an algorithm has by its form.
fn root(algo: &Algo) -> u32 {
    let down = matches!(algo.coll, Coll::Broadcast | Coll::Scatter);
    let moves = |kind: StepKind| if down { kind.receives() } else { kind.sends() };
    let mut ends = algo
        .list
        .iter()
        .filter(|gpu| gpu.blocks.iter().flat_map(|b| &b.steps).all(|step| !moves(step.kind)));
    match (ends.next(), ends.next()) {
        (Some(gpu), None) => gpu.id,
        _ => 0,
    }
}
