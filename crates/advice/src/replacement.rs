//! The call that stands for an operation, written out: counts, types, root and communicator as
//! they were found, and names in capitals for the buffers, whose variables a trace does not know.

use std::collections::BTreeSet;

use commloom_commgraph::{Addresses, Blocks, Collective, Kind};

use crate::blocks::{Rows, Shape, rows, shape};
use crate::communicator::{Comm, communicator};
use crate::elements::Elements;
use crate::finding::{Finding, block_bytes};
use crate::halo;
use crate::kinds::mpi;
use crate::printed::{BlockPlaces, Many, One, Printed};
use commloom_emit::Language;
use commloom_emit::{Code, Listed};

/// Lines, and what the names in them are.
pub struct Replacement {
    pub code: Vec<String>,
    pub legend: Vec<String>,
    /// The arguments of the call.
    pub printed: Printed,
    pub comm: Comm,
}

/// The replacement for one finding, which stands for all `same` ones.
pub fn replacement(
    finding: &Finding,
    same: &[&Finding],
    groups: &BTreeSet<Vec<u32>>,
    elements: &Elements,
    language: Language,
) -> Replacement {
    let mut code = Code::new(language);
    let comm = communicator(finding, groups, &mut code);
    let mut writer =
        Writer { c: finding.collective, finding, same, elements, comm, code, legend: Vec::new() };
    let printed = writer.write();
    let Writer { comm, code, mut legend, .. } = writer;
    legend.extend(comm.legend.clone());
    Replacement { code: code.lines, legend, printed, comm }
}

struct Writer<'w, 'a> {
    c: &'a Collective,
    finding: &'w Finding<'a>,
    same: &'w [&'w Finding<'a>],
    elements: &'w Elements,
    comm: Comm,
    code: Code,
    legend: Vec<String>,
}

/// Blocks at one process: where each starts, and how long its pieces are.
type Ends = Vec<(u64, u64)>;

impl Writer<'_, '_> {
    fn write(&mut self) -> Printed {
        let n = at(self.c.group.size());
        let me = self.c.root.and_then(|root| self.c.group.rank(root)).map_or(0, at);
        match &self.c.blocks {
            Blocks::None => {
                self.all("barrier", vec![]);
                Printed::Barrier
            }
            Blocks::Neighbors { grid, neighbors } => {
                let (legend, printed) =
                    halo::exchange(grid, neighbors, self.elements, &self.comm, &mut self.code);
                self.legend.extend(legend);
                printed
            }
            Blocks::Rooted { .. } if self.c.kind == Kind::Bcast => {
                let block = self.block(true, None);
                let root = self.root();
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
            Blocks::Gathered { from, to, lengths } => {
                let ends: Ends = (0..n)
                    .map(|k| (to[0].get(k), if k == 0 && !self.c.own { 0 } else { lengths.get(k) }))
                    .collect();
                let in_place = !self.c.own && (0..n).all(|k| to[k].get(k) == from.get(k));
                self.gathered(&ends, lengths, in_place)
            }
            Blocks::Exchanged { from, to, lengths } => {
                let length =
                    |i: usize, j: usize| if i == j && !self.c.own { 0 } else { lengths[i].get(j) };
                // A process from the middle: the first may be special.
                let here = n / 2;
                let send: Ends = (0..n).map(|j| (from[here].get(j), length(here, j))).collect();
                let receive: Ends = (0..n).map(|i| (to[here].get(i), length(i, here))).collect();
                self.exchanged(here, &send, &receive)
            }
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
        let rows = rows(&ends);
        let is_vector = matches!(self.c.kind, Kind::Scatterv | Kind::Gatherv);
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
            many: Many { blocks, own_places: rows == Rows::Same },
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
        self.legend.push(format!(
            "BLOCKS: at the root, the block of rank 0 of those that {there} {other}{}",
            after(&rows)
        ));
        self.at_root(name, &root, at_root, others);
        printed
    }

    fn gathered(&mut self, ends: &[(u64, u64)], lengths: &Addresses, in_place: bool) -> Printed {
        let rows = rows(ends);
        let regular = self.c.kind == Kind::Allgather;
        let (mut receive, blocks) = match (&rows, regular) {
            (Rows::Step(step), true) => {
                let block = self.block(false, Some(*step));
                (vec![block.count, block.datatype], BlockPlaces::Each(block.block))
            }
            _ => {
                let ends: Ends =
                    ends.iter().enumerate().map(|(k, (at, _))| (*at, lengths.get(k))).collect();
                let (counts, displacements, listed) = self.vectors("", &ends, &rows);
                let basic = self.elements.basic.name().to_owned();
                (vec![counts, displacements, basic], BlockPlaces::Listed(listed))
            }
        };
        let many = Many { blocks, own_places: rows == Rows::Same };
        receive.insert(0, "BLOCKS".to_owned());
        let name = if receive.len() == 3 { "allgather" } else { "allgatherv" };
        let mut one = One::InPlace;
        let send = if in_place {
            vec!["MPI_IN_PLACE".to_owned(), "0".to_owned(), "MPI_DATATYPE_NULL".to_owned()]
        } else {
            let block = self.block(true, None);
            one = if regular { One::Block(block.block) } else { One::OfProcess };
            let count =
                if regular { block.count } else { self.name_count("count", "of the process") };
            self.legend.push(format!("BLOCK: what the process itself gives to {}", self.senders()));
            vec!["BLOCK".to_owned(), count, block.datatype]
        };
        self.legend.push(format!(
            "BLOCKS: the block of rank 0 of those that {} receives{}",
            self.receivers(),
            after(&rows)
        ));
        self.all(name, send.into_iter().chain(receive).collect());
        Printed::Gathered { one, many }
    }

    fn exchanged(&mut self, here: usize, send: &[(u64, u64)], receive: &[(u64, u64)]) -> Printed {
        let (out, into) = (rows(send), rows(receive));
        let regular = self.c.kind == Kind::Alltoall;
        let (arguments, sends, receives) = match (&out, &into, regular) {
            (Rows::Step(_) | Rows::Same, Rows::Step(_) | Rows::Same, true) => {
                let step =
                    |rows: &Rows| if let Rows::Step(step) = rows { Some(*step) } else { None };
                let (a, b) = (self.block(true, step(&out)), self.block(false, step(&into)));
                let arguments = vec![
                    "SEND".to_owned(),
                    a.count,
                    a.datatype,
                    "RECEIVE".to_owned(),
                    b.count,
                    b.datatype,
                ];
                (arguments, BlockPlaces::Each(a.block), BlockPlaces::Each(b.block))
            }
            _ => {
                self.code.comment(&format!("here for rank {here}; the others have their own"));
                let (sendcounts, senddispls, sends) = self.vectors("send", send, &out);
                let (recvcounts, recvdispls, receives) = self.vectors("recv", receive, &into);
                let basic = self.elements.basic.name().to_owned();
                let arguments = vec![
                    "SEND".to_owned(),
                    sendcounts,
                    senddispls,
                    basic.clone(),
                    "RECEIVE".to_owned(),
                    recvcounts,
                    recvdispls,
                    basic,
                ];
                (arguments, BlockPlaces::Listed(sends), BlockPlaces::Listed(receives))
            }
        };
        self.legend.push(format!(
            "SEND: the block for rank 0 of those that {} sends{}",
            self.senders(),
            after(&out)
        ));
        self.legend.push(format!(
            "RECEIVE: the block of rank 0 of those that {} receives{}",
            self.receivers(),
            after(&into)
        ));
        let name = if arguments.len() == 6 { "alltoall" } else { "alltoallv" };
        self.all(name, arguments);
        Printed::Exchanged {
            send: Many { blocks: sends, own_places: out == Rows::Same },
            receive: Many { blocks: receives, own_places: into == Rows::Same },
        }
    }

    fn reduced(&mut self, together: bool, at_root: bool) -> Printed {
        let combine = self
            .finding
            .share
            .reduction
            .and_then(|r| r.combine.mpi_name())
            .unwrap_or("OPERATION")
            .to_owned();
        let block = self.block(true, None);
        let printed = Printed::Reduced { block: block.block, in_place: together, at_root };
        let rest = vec![block.count, block.datatype, combine];
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
                self.legend.push(format!("BUFFER: {what}"));
                let add = |mut arguments: Vec<String>| {
                    arguments.push(root.clone());
                    arguments
                };
                let others = with("BUFFER", if at_root { "BUFFER" } else { "RESULT" });
                let there = if at_root { with("MPI_IN_PLACE", "BUFFER") } else { others.clone() };
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

    /// The type of a block: of those that are sent, or received.
    fn block(&mut self, sends: bool, step: Option<u64>) -> Shape {
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
    fn name_count(&mut self, name: &str, when: &str) -> String {
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
    fn vectors(
        &mut self,
        prefix: &str,
        ends: &[(u64, u64)],
        rows: &Rows,
    ) -> (String, String, Vec<(u64, u64)>) {
        let elements = |bytes: u64| self.elements.count(bytes).unwrap_or(bytes);
        let counts: Vec<u64> = ends.iter().map(|(_, length)| elements(*length)).collect();
        let mut next = 0;
        let places: Vec<u64> = ends
            .iter()
            .enumerate()
            .map(|(k, (_, length))| {
                let place = match rows {
                    Rows::Listed(all) => all.get(k).copied().unwrap_or(0),
                    Rows::Step(step) => step.saturating_mul(u64::try_from(k).unwrap_or(u64::MAX)),
                    Rows::Same => next,
                };
                next += length;
                elements(place)
            })
            .collect();
        let (a, b) = (format!("{prefix}counts"), format!("{prefix}displs"));
        let texts = |all: &[u64]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        self.code.list(Listed::Int, &a, &texts(&counts));
        self.code.list(Listed::Int, &b, &texts(&places));
        let size = self.elements.basic.size();
        let bytes = |(at, n): (&u64, &u64)| (at.saturating_mul(size), n.saturating_mul(size));
        (a, b, places.iter().zip(&counts).map(bytes).collect())
    }

    /// The rank of the root, where it is always the same.
    fn root(&mut self) -> String {
        let roots: BTreeSet<u32> = self
            .same
            .iter()
            .filter_map(|f| {
                let root = f.collective.root?;
                Some(match self.comm.is_new {
                    true => f.collective.group.rank(root)?,
                    false => self.comm.rank(root),
                })
            })
            .collect();
        match roots.iter().collect::<Vec<_>>()[..] {
            [only] => only.to_string(),
            _ => {
                let shown: Vec<String> = roots.iter().take(8).map(ToString::to_string).collect();
                let text = format!("root: all processes need it (here {})", shown.join(", "));
                if !self.legend.contains(&text) {
                    self.legend.push(text);
                }
                "root".to_owned()
            }
        }
    }

    fn all(&mut self, name: &str, mut arguments: Vec<String>) {
        arguments.push(self.comm.name.clone());
        self.code.call(&mpi(name), &arguments);
    }

    /// A call in which the root has other arguments.
    fn at_root(
        &mut self,
        name: &str,
        root: &str,
        mut at_root: Vec<String>,
        mut others: Vec<String>,
    ) {
        for arguments in [&mut at_root, &mut others] {
            arguments.push(self.comm.name.clone());
        }
        if at_root == others {
            self.code.call(&mpi(name), &others);
            return;
        }
        let rank = if self.comm.is_new { "group_rank" } else { "rank" };
        self.legend.push(format!("{rank}: of the process in {}", self.comm.name));
        if self.code.is_fortran() {
            self.code.lines.push(format!("if ({rank} == {root}) then"));
            self.code.indented(|code| code.call(&mpi(name), &at_root));
            self.code.lines.push("else".to_owned());
            self.code.indented(|code| code.call(&mpi(name), &others));
            self.code.lines.push("end if".to_owned());
        } else {
            let condition = format!("{rank} == {root}");
            let both = at_root.iter().zip(&others);
            let arguments: Vec<String> = both
                .map(|(a, b)| if a == b { a.clone() } else { self.code.choice(&condition, a, b) })
                .collect();
            self.code.call(&mpi(name), &arguments);
        }
    }

    fn senders(&self) -> String {
        named(self.finding.places(true).into_iter().map(ToString::to_string).collect())
    }

    fn receivers(&self) -> String {
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

/// How the blocks lie.
fn after(rows: &Rows) -> String {
    match rows {
        Rows::Step(step) => format!("; the others follow, {step} bytes from one to the next"),
        Rows::Listed(_) => "; the others lie as displs says".to_owned(),
        Rows::Same => ", each in a place of its own, one after the other".to_owned(),
    }
}

fn at(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
