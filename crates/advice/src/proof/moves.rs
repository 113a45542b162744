//! The bytes that a call moves, from its arguments as they are printed.

use std::collections::BTreeMap;

use commloom_commgraph::{Blocks, Collective};

use crate::finding::block_bytes;
use crate::printed::{BlockPlaces, Many, One, Printed, Toward};

/// Counts are C integers.
pub(super) const MOST: u64 = i32::MAX.unsigned_abs() as u64;

/// Bytes behind a name.
type Run = (i64, u64);

/// A name in the call at a process. Where blocks have places of their own each is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name {
    pub process: u32,
    pub is_received: bool,
    pub block: Option<usize>,
}

/// Bytes that a call moves, from so far behind one name to so far behind another.
pub(super) struct Move {
    pub from: (Name, i64),
    pub to: (Name, i64),
    pub length: u64,
}

/// The bytes that a call moves from process to process, in the order of its types.
pub(super) type Moves = BTreeMap<(u32, u32), Vec<Move>>;

/// The bytes that the call moves at this time, also between a process and itself.
pub(super) fn moves(printed: &Printed, c: &Collective) -> Result<Moves, String> {
    let mut call = Replay { c, bytes: block_bytes(c), moves: Moves::new() };
    let n = c.group.size();
    let pairs = || (0..n).flat_map(|j| (0..n).map(move |i| (i, j)));
    let root = || c.root.and_then(|root| c.group.rank(root)).ok_or("it has no root".to_owned());
    match (printed, &c.blocks) {
        (Printed::Bcast(block), Blocks::Rooted { .. }) => {
            let root = root()?;
            for p in (0..n).filter(|p| *p != root) {
                let side = |rank| (call.name(rank, false), block.place(0, call.bytes));
                let (from, to) = (side(root), side(p));
                call.add((root, p), from, to)?;
            }
        }
        (Printed::Rooted { gathers, one, many }, Blocks::Rooted { lengths, .. }) => {
            let root = root()?;
            // MPI_IN_PLACE.
            for p in (0..n).filter(|p| c.own || *p != root) {
                let single = (call.name(p, !gathers), call.given(one, lengths.get(at(p))));
                let there = call.block(many, root, p, *gathers);
                match gathers {
                    true => call.add((p, root), single, there)?,
                    false => call.add((root, p), there, single)?,
                }
            }
        }
        (Printed::Gathered { one, many }, Blocks::Gathered { lengths, .. }) => {
            let in_place = *one == One::InPlace;
            for (i, j) in pairs().filter(|(i, j)| i != j || !in_place) {
                let from = match one {
                    One::InPlace => call.block(many, i, i, true),
                    one => (call.name(i, false), call.given(one, lengths.get(at(i)))),
                };
                let to = call.block(many, j, i, true);
                call.add((i, j), from, to)?;
            }
        }
        (
            Printed::Exchanged { send, receive },
            Blocks::Exchanged { .. } | Blocks::Gathered { .. },
        ) => {
            for (i, j) in pairs() {
                let from = call.block(send, i, j, false);
                let to = call.block(receive, j, i, true);
                call.add((i, j), from, to)?;
            }
        }
        (Printed::Neighbors { sends, receives }, Blocks::Neighbors { grid, neighbors }) => {
            for (j, neighbor) in (0..n).flat_map(|j| neighbors.iter().map(move |n| (j, n))) {
                let Some(i) = grid.neighbor(j, &neighbor.offset) else { continue };
                let opposite: Vec<i32> = neighbor.offset.iter().map(|o| -o).collect();
                let from = (call.name(i, false), toward(sends, &opposite)?);
                let to = (call.name(j, false), toward(receives, &neighbor.offset)?);
                call.add((i, j), from, to)?;
            }
        }
        _ => return Err("the times are not all of one form".to_owned()),
    }
    Ok(call.moves)
}

/// A call that is made with its arguments as they are printed.
struct Replay<'a> {
    c: &'a Collective,
    bytes: u64,
    moves: Moves,
}

impl Replay<'_> {
    fn process(&self, rank: u32) -> u32 {
        self.c.group.process(rank).map_or(u32::MAX, |p| p.0)
    }

    fn name(&self, rank: u32, is_received: bool) -> Name {
        Name { process: self.process(rank), is_received, block: None }
    }

    /// The block for or of another rank.
    fn block(&self, many: &Many, rank: u32, other: u32, is_received: bool) -> (Name, Vec<Run>) {
        let block = many.own_places.then_some(at(other));
        let there = || many.place(at(rank), at(other), self.bytes);
        // A block in a place of its own is where that is.
        let runs = match &many.blocks {
            _ if !many.own_places || (many.without_own && rank == other) => there(),
            BlockPlaces::Each(block) => block.place(0, self.bytes),
            _ => vec![(0, there().iter().map(|(_, n)| n).sum())],
        };
        (Name { block, ..self.name(rank, is_received) }, runs)
    }

    /// The single block of a process, where each of its pieces has this length.
    fn given(&self, one: &One, length: u64) -> Vec<Run> {
        match one {
            One::Block(block) => block.place(0, self.bytes),
            One::OfProcess => {
                vec![(0, length.saturating_mul(u64::from(self.c.pieces.count)))]
            }
            One::InPlace => Vec::new(),
        }
    }

    fn add(
        &mut self,
        (i, j): (u32, u32),
        from: (Name, Vec<Run>),
        to: (Name, Vec<Run>),
    ) -> Result<(), String> {
        let pair = (self.process(i), self.process(j));
        zip(from, to, self.moves.entry(pair).or_default())
    }
}

/// The block toward a neighbour.
fn toward(all: &[Toward], offset: &[i32]) -> Result<Vec<Run>, String> {
    let found = all.iter().find(|(there, ..)| there == offset);
    let (_, start, block) = found.ok_or("a neighbour is not named")?;
    Ok(block.runs.iter().map(|(at, n)| (at.saturating_add(*start), *n)).collect())
}

/// Each byte that is sent goes where it is received.
fn zip(
    (from, sent): (Name, Vec<Run>),
    (to, received): (Name, Vec<Run>),
    moves: &mut Vec<Move>,
) -> Result<(), String> {
    let bytes = |runs: &[Run]| runs.iter().map(|(_, n)| *n).sum::<u64>();
    if bytes(&sent) != bytes(&received) {
        return Err(format!(
            "process {} would send {} bytes, and process {} receive {}",
            from.process,
            bytes(&sent),
            to.process,
            bytes(&received)
        ));
    }
    if bytes(&sent) > MOST {
        return Err("a count is no C integer".to_owned());
    }
    let mut received = received.into_iter();
    let mut open = received.next();
    for (mut start, mut length) in sent {
        while length > 0 {
            let Some((there, room)) = open else { break };
            let n = length.min(room);
            if n > 0 {
                moves.push(Move { from: (from, start), to: (to, there), length: n });
            }
            start = start.saturating_add_unsigned(n);
            length -= n;
            open = match room - n {
                0 => received.next(),
                rest => Some((there.saturating_add_unsigned(n), rest)),
            };
        }
    }
    Ok(())
}

pub(super) fn at(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
