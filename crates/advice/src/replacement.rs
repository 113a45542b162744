//! The call that stands for an operation, written out: counts, types, root and communicator as
//! they were found, and names in capitals for the buffers, whose variables a trace does not know.

use std::collections::BTreeSet;

use commloom_commgraph::{Blocks, Collective, Kind};

use crate::asked::Asked;
use crate::blocks::{Rows, Shape, rows, shape};
use crate::communicator::{Comm, communicator};
use crate::elements::Elements;
use crate::finding::{Finding, block_bytes};
use crate::halo;
use crate::printed::{BlockPlaces, Many, One, Printed};
use commloom_emit::Language;
use commloom_emit::{Code, Listed};

/// Lines, and what the names in them are.
pub struct Replacement {
    pub language: Language,
    pub code: Vec<String>,
    pub legend: Vec<String>,
    /// The arguments of the call.
    pub printed: Printed,
    pub comm: Comm,
    /// Another call tells the others the count first.
    pub tells_count: bool,
    /// The root is not always the same rank: a name stands for it.
    pub names_root: bool,
    /// Something that the call needs, and that only the messages tell.
    pub unknown: Option<String>,
}

/// Bytes up to which MPICH 4.0.2 reduces in place at every root.
const IN_PLACE_AT_MOST: u64 = 2048;

/// The replacement for one finding, which stands for all `same` ones.
pub fn replacement(
    finding: &Finding,
    same: &[&Finding],
    groups: &BTreeSet<Vec<u32>>,
    elements: &Elements,
    asked: Asked,
) -> Replacement {
    let language = language(finding);
    let mut code = Code::new(language);
    let comm = communicator(finding, same, groups, &mut code);
    let each_time = code.lines.len();
    let (c, legend) = (finding.collective, Vec::new());
    let mut writer = Writer {
        c,
        finding,
        same,
        elements,
        comm,
        code,
        legend,
        asked,
        asks_rank: false,
        tells_count: false,
        names_root: false,
    };
    let printed = writer.write();
    let unknown = writer.unknown();
    writer.polls();
    if finding.waits {
        writer.barrier();
    }
    let Writer { comm, mut code, mut legend, tells_count, names_root, .. } = writer;
    let inside: usize = groups.iter().map(Vec::len).sum();
    if comm.is_new && inside < usize::try_from(finding.graph.processes()).unwrap_or(usize::MAX) {
        code.guarded(each_time, &comm.name);
    }
    legend.extend(comm.legend.clone());
    let code = code.lines;
    Replacement { language, code, legend, printed, comm, tells_count, names_root, unknown }
}

fn language(finding: &Finding) -> Language {
    let frames = |are_sent| finding.places(are_sent).into_iter().flat_map(|c| &c.frames);
    let is_fortran = frames(true).chain(frames(false)).any(|frame| frame.is_fortran);
    if is_fortran { Language::Fortran } else { Language::C }
}

pub(crate) struct Writer<'w, 'a> {
    pub c: &'a Collective,
    pub finding: &'w Finding<'a>,
    same: &'w [&'w Finding<'a>],
    pub elements: &'w Elements,
    pub comm: Comm,
    pub code: Code,
    pub legend: Vec<String>,
    pub asked: Asked,
    /// Whether the lines ask for the rank in a new communicator.
    pub asks_rank: bool,
    pub tells_count: bool,
    names_root: bool,
}

/// Blocks at one process: where each starts, and how long its pieces are.
pub(crate) type Ends = Vec<(u64, u64)>;

impl Writer<'_, '_> {
    fn write(&mut self) -> Printed {
        let n = at(self.c.group.size());
        let me = self.c.root.and_then(|root| self.c.group.rank(root)).map_or(0, at);
        match &self.c.blocks {
            Blocks::None => {
                if let Some(bytes) =
                    self.finding.messages().map(|m| m.bytes).max().filter(|b| *b > 0)
                {
                    self.code.comment(&format!(
                        "the messages also bring {bytes} bytes, the same in all: nobody gets them"
                    ));
                }
                self.all("barrier", vec![]);
                Printed::Barrier
            }
            Blocks::Neighbors { grid, neighbors } => {
                let (legend, printed) =
                    halo::exchange(grid, neighbors, self.elements, &self.comm, &mut self.code);
                self.legend.extend(legend);
                printed
            }
            Blocks::Rooted { .. } if self.c.kind == Kind::Bcast && self.changes() => {
                let root = self.root();
                self.legend.push(format!(
                    "BUFFER, count, datatype: those with which {} sends and {} receives, each time \
                     others",
                    self.senders(),
                    self.receivers()
                ));
                let arguments = ["BUFFER", "count", "datatype", &root];
                self.all("bcast", arguments.map(str::to_owned).to_vec());
                Printed::BcastAsSent
            }
            Blocks::Rooted { .. } if self.c.kind == Kind::Bcast => {
                let mut block = self.block(true, None);
                let root = self.root();
                if self.asked.length.is_some() && block.elements.is_some() {
                    self.count_first(&mut block, &root);
                }
                self.legend.push(format!(
                    "BUFFER: what {} sends first and {} receives",
                    self.senders(),
                    self.receivers()
                ));
                self.all("bcast", vec!["BUFFER".into(), block.count, block.datatype, root]);
                Printed::Bcast(block.block)
            }
            Blocks::Rooted { from, to, lengths } => {
                let gathers = self.c.kind.gathers();
                let at_root = if gathers { to } else { from };
                let own = self.c.own;
                let length = |k: usize| if k == me && !own { 0 } else { lengths.get(k) };
                let ends = (0..n).map(|k| (at_root.get(k), length(k))).collect();
                self.rooted(gathers, ends)
            }
            Blocks::Gathered { from, to, lengths } => self.gathered(from, to, lengths),
            Blocks::Exchanged { from, to, lengths } => self.exchanged(from, to, lengths),
            Blocks::Reduced { from, to, .. } => {
                let together = (0..n).all(|k| from.get(k) == to.get(k));
                let at_root = from.get(me) == to.get(me);
                self.reduced(together, at_root)
            }
        }
    }

    /// A scatter or gather, whose blocks at the root are these.
    fn rooted(&mut self, gathers: bool, ends: Ends) -> Printed {
        let root = self.root();
        let one = self.block(gathers, None);
        let is_vector = matches!(self.c.kind, Kind::Scatterv | Kind::Gatherv);
        let rows = rows(&ends);
        let rows = if is_vector { rows.displaced(&ends) } else { rows };
        let (many, blocks) = match (&rows, is_vector) {
            (Rows::Step(step), false) => {
                let block = self.block(!gathers, Some(*step));
                (vec![block.count, block.datatype], BlockPlaces::Each(block.block))
            }
            (Rows::Same, false) => (
                vec![one.count.clone(), one.datatype.clone()],
                BlockPlaces::Each(one.block.clone()),
            ),
            _ => {
                let (counts, displacements, listed) = self.vectors("", &ends, &rows);
                let basic = self.elements.basic.name().to_owned();
                (vec![counts, displacements, basic], BlockPlaces::Listed(listed))
            }
        };
        let printed = Printed::Rooted {
            gathers,
            one: if is_vector { One::OfProcess } else { One::Block(one.block.clone()) },
            many: Many { blocks, own_places: rows == Rows::Same, without_own: false },
        };
        let name = match (gathers, many.len()) {
            (true, 2) => "gather",
            (true, _) => "gatherv",
            (false, 2) => "scatter",
            (false, _) => "scatterv",
        };
        let count = if is_vector { self.name_count("count", "of the process") } else { one.count };
        let one = vec!["BLOCK".to_owned(), count, one.datatype];
        let many: Vec<String> = std::iter::once("BLOCKS".to_owned()).chain(many).collect();
        let arguments = |one: Vec<String>| {
            let (first, second) = if gathers { (one, many.clone()) } else { (many.clone(), one) };
            first.into_iter().chain(second).chain([root.clone()]).collect::<Vec<_>>()
        };
        let others = arguments(one.clone());
        let at_root = match self.c.own {
            true => others.clone(),
            false => arguments(
                one.iter()
                    .enumerate()
                    .map(|(k, a)| if k == 0 { "MPI_IN_PLACE".to_owned() } else { a.clone() })
                    .collect(),
            ),
        };
        let (here, there) = if gathers {
            (self.senders(), self.receivers())
        } else {
            (self.receivers(), self.senders())
        };
        let (verb, other) = if gathers { ("sends", "receives") } else { ("receives", "sends") };
        self.legend.push(format!("BLOCK: what {here} {verb}"));
        self.legend.push(self.blocks_at_root(&ends, &rows, &format!("{there} {other}")));
        self.at_root(name, &root, at_root, others);
        printed
    }

    /// Where the blocks at the root are, of those that are sent or received `there`.
    fn blocks_at_root(&self, ends: &Ends, rows: &Rows, there: &str) -> String {
        let missing = ends.iter().position(|(_, length)| *length > 0).unwrap_or(0);
        if let (Rows::Step(step), 1..) = (rows, missing) {
            let before = step.saturating_mul(u64::try_from(missing).unwrap_or(u64::MAX));
            let before = match self.has_lengths() {
                true if missing == 1 => "one block".to_owned(),
                true => format!("{missing} blocks"),
                false => format!("{before} bytes"),
            };
            return format!(
                "BLOCKS: at the root, where the block of rank 0 would be, {before} before that of \
                 rank {missing} of those that {there} (no message has it, and the call does not \
                 touch it){}",
                self.after(rows)
            );
        }
        // Where displacements are listed they count from the first block that there is: the root's
        // own may not be among them.
        let first = match rows {
            Rows::Listed(_) => self.first_of(ends, rows),
            Rows::Step(_) | Rows::Same => 0,
        };
        format!(
            "BLOCKS: at the root, the block of rank {first} of those that {there}{}",
            self.after(rows)
        )
    }

    fn reduced(&mut self, together: bool, at_root: bool) -> Printed {
        let combine = self.finding.share.reduction.and_then(|r| r.combine.mpi_name());
        let Shape { count, datatype, block, .. } = self.block(true, None);
        let printed = Printed::Reduced { combine, block, in_place: together, at_root };
        let rest = vec![count, datatype, combine.unwrap_or("OPERATION").to_owned()];
        let with = |send: &str, receive: &str| {
            [send.to_owned(), receive.to_owned()]
                .into_iter()
                .chain(rest.clone())
                .collect::<Vec<_>>()
        };
        let what = format!("what {} sends before anything is added to it", self.senders());
        match self.c.kind {
            Kind::Reduce => {
                let root = self.root();
                let there = match at_root {
                    true => "the memory to which what comes is added, where the result is then",
                    false => "what it adds itself",
                };
                self.legend.push(format!("BUFFER: at the root {there}; elsewhere {what}"));
                let add = |mut arguments: Vec<String>| {
                    arguments.push(root.clone());
                    arguments
                };
                let others = with("BUFFER", if at_root { "BUFFER" } else { "RESULT" });
                let copies = at_root && root != "0" && block_bytes(self.c) > IN_PLACE_AT_MOST;
                if copies {
                    self.legend.push(format!(
                        "COPY: at the root a copy of BUFFER, since MPICH 4.0 crashes where \
                         MPI_IN_PLACE has more than {IN_PLACE_AT_MOST} bytes at another root than 0"
                    ));
                }
                let there = match at_root {
                    true => with(if copies { "COPY" } else { "MPI_IN_PLACE" }, "BUFFER"),
                    false => others.clone(),
                };
                if !at_root {
                    self.legend.push("RESULT: where the root has the result".to_owned());
                }
                self.at_root("reduce", &root, add(there), add(others));
            }
            kind => {
                let name = kind.name();
                if together {
                    self.legend.push(format!("BUFFER: {what}"));
                    self.all(name, with("MPI_IN_PLACE", "BUFFER"));
                } else {
                    self.legend.push(format!("BUFFER: {what}"));
                    self.legend.push("RESULT: where the result is in the end".to_owned());
                    self.all(name, with("BUFFER", "RESULT"));
                }
            }
        }
        printed
    }

    /// Whether the pieces of its blocks are not the same each time.
    fn changes(&self) -> bool {
        let of = |f: &Finding| (f.collective.pieces.clone(), f.collective.length);
        let is_typed = self.same.iter().any(|f| f.collective.pieces.count > 1);
        is_typed && self.same.iter().any(|f| of(f) != of(self.finding))
    }

    /// The type of a block: of those that are sent, or received.
    pub fn block(&mut self, sends: bool, step: Option<u64>) -> Shape {
        let pieces = &self.c.pieces;
        let offsets = if sends { &pieces.from } else { &pieces.to };
        let name = if sends { "sent_block" } else { "received_block" };
        let mut block =
            shape(pieces, offsets, self.c.length.0, step, self.elements, (&mut self.code, name));
        let lengths: BTreeSet<u64> = self.same.iter().map(|f| block_bytes(f.collective)).collect();
        if lengths.len() > 1 && block.elements.is_some() {
            block.count = self.name_count("count", "each time");
            block.block = block.block.named();
        }
        block
    }

    /// A name for a count that is not always the same.
    pub fn name_count(&mut self, name: &str, when: &str) -> String {
        let count = |bytes: Option<u64>| bytes.and_then(|bytes| self.elements.count(bytes));
        let lengths = || self.same.iter().map(|f| block_bytes(f.collective));
        let (least, most) = (count(lengths().min()), count(lengths().max()));
        let range = match (least, most) {
            (Some(a), Some(b)) if a < b => format!(" (here from {a} to {b})"),
            (_, Some(b)) => format!(" (here up to {b})"),
            _ => String::new(),
        };
        let text = format!("{name}: the elements of a block {when}{range}");
        if !self.legend.contains(&text) {
            self.legend.push(text);
        }
        name.to_owned()
    }

    /// Lists of counts and displacements; their names, and what they say in bytes.
    pub fn vectors(
        &mut self,
        prefix: &str,
        ends: &Ends,
        rows: &Rows,
    ) -> (String, String, Vec<(u64, u64)>) {
        let all = self.in_elements(ends, rows);
        let (a, b) = (format!("{prefix}counts"), format!("{prefix}displs"));
        let texts = |pick: fn(&(u64, u64)) -> u64| -> Vec<String> {
            all.iter().map(|block| pick(block).to_string()).collect()
        };
        self.code.list(Listed::Int, &a, &texts(|block| block.1));
        self.code.list(Listed::Int, &b, &texts(|block| block.0));
        let size = self.elements.basic.size();
        let bytes = |(at, n): &(u64, u64)| (at.saturating_mul(size), n.saturating_mul(size));
        (a, b, all.iter().map(bytes).collect())
    }

    /// Displacement and count of each block, in elements.
    pub fn in_elements(&self, ends: &Ends, rows: &Rows) -> Vec<(u64, u64)> {
        let elements = |bytes: u64| self.elements.count(bytes).unwrap_or(bytes);
        let mut next = 0;
        let all = ends.iter().enumerate().map(|(k, (_, length))| {
            let place = match rows {
                Rows::Listed(all) => all.get(k).copied().unwrap_or(0),
                Rows::Step(step) => step.saturating_mul(u64::try_from(k).unwrap_or(u64::MAX)),
                Rows::Same => next,
            };
            next += length;
            (elements(place), elements(*length))
        });
        all.collect()
    }

    /// The rank of the root, where it is always the same.
    fn root(&mut self) -> String {
        let roots: BTreeSet<u32> =
            self.same.iter().filter_map(|f| self.comm.rank(f, f.collective.root?)).collect();
        match roots.iter().collect::<Vec<_>>()[..] {
            [only] => only.to_string(),
            _ => {
                let shown: Vec<String> = roots.iter().take(8).map(ToString::to_string).collect();
                let text = format!("root: all processes need it (here {})", shown.join(", "));
                if !self.legend.contains(&text) {
                    self.legend.push(text);
                }
                self.names_root = true;
                "root".to_owned()
            }
        }
    }

    /// Whether the blocks are longer at one time than at another.
    fn has_lengths(&self) -> bool {
        let first = block_bytes(self.c);
        self.same.iter().any(|finding| block_bytes(finding.collective) != first)
    }

    /// How the blocks lie. Those whose count has a name have no gaps.
    pub fn after(&self, rows: &Rows) -> String {
        match rows {
            Rows::Step(_) if self.has_lengths() => "; the others follow without gaps".to_owned(),
            Rows::Step(step) => format!("; the others follow, {step} bytes from one to the next"),
            Rows::Listed(_) => "; the others lie as displs says".to_owned(),
            Rows::Same => ", each in a place of its own, one after the other".to_owned(),
        }
    }

    pub fn senders(&self) -> String {
        named(self.finding.places(true).into_iter().map(ToString::to_string).collect())
    }

    pub fn receivers(&self) -> String {
        named(self.finding.places(false).into_iter().map(ToString::to_string).collect())
    }
}

/// At most two places.
fn named(places: Vec<String>) -> String {
    match &places[..] {
        [] => "the program".to_owned(),
        [one] => one.clone(),
        [one, other] => format!("{one} or {other}"),
        [one, rest @ ..] => format!("{one} or one of {} other lines", rest.len()),
    }
}

pub(crate) fn at(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
