//! Which MPI call a collective operation becomes, and with which arguments.
//!
//! All ranks must make the same call, so it is chosen once: the regular one where the blocks of
//! all ranks lie in rows, else the vector form. Where a process has something for itself that is
//! not copied, and that does not lie where `MPI_IN_PLACE` would have it, the call is an
//! `MPI_Alltoallv` in which that block is empty: no address is touched that the graph does not
//! name.

use super::ends::{Block, Ends};
use super::{Call, Place, Shape, Side};
use crate::detect::{Addresses, Blocks, Collective, Kind, Pieces};
use crate::number::at;
use crate::operation::Reduction;

/// Counts and displacements of MPI's calls are C integers.
const LARGEST: u64 = i32::MAX.unsigned_abs() as u64;

/// The call that a collective becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    pub kind: Kind,
    /// All ranks use `MPI_IN_PLACE`.
    pub in_place: bool,
}

impl Form {
    /// The form of a call; `None` where none can do it: neighbours (messages do as well), numbers
    /// past C integers.
    pub(crate) fn of(c: &Collective) -> Option<Form> {
        let size = c.group.size();
        let plain = Form { kind: c.kind, in_place: false };
        let fits = |ends: &Ends| {
            let (send, receive) = (span(&ends.send), span(&ends.receive));
            send.max(receive).saturating_add(extent(c)) <= LARGEST
        };
        if !(0..size).all(|rank| fits(&Ends::of(c, rank))) {
            return None;
        }
        let senders_in_rows = || {
            (0..size).all(|rank| {
                let send = Ends::of(c, rank).send;
                send.len() < at(size) || step(c, &send).is_some()
            })
        };
        let receivers_in_rows = || {
            (0..size).all(|rank| {
                let receive = completed(c, rank);
                receive.len() < at(size) || step(c, &receive).is_some()
            })
        };
        match &c.blocks {
            Blocks::None => Some(plain),
            Blocks::Neighbors { .. } => None,
            Blocks::Reduced { from, to, .. } => {
                let everywhere = matches!(c.kind, Kind::Allreduce | Kind::Scan | Kind::Exscan);
                let stays = |k: usize| c.kind == Kind::Exscan && (k == 0 || k + 1 == at(size));
                let same = (0..at(size)).all(|k| stays(k) || from.get(k) == to.get(k));
                let in_place = everywhere && c.kind != Kind::Exscan && same;
                (c.pieces.count == 1).then_some(Form { in_place, ..plain })
            }
            Blocks::Rooted { .. } => Some(match c.kind {
                Kind::Scatter if !senders_in_rows() => Form { kind: Kind::Scatterv, ..plain },
                Kind::Gather if !receivers_in_rows() => Form { kind: Kind::Gatherv, ..plain },
                _ => plain,
            }),
            Blocks::Gathered { from, to, .. } => {
                let lies = |k: usize| to[k].get(k) == from.get(k);
                let same_pieces = c.pieces.count == 1 || c.pieces.from == c.pieces.to;
                let in_place = !c.own && same_pieces && (0..at(size)).all(lies);
                Some(match c.kind {
                    _ if !c.own && !in_place => Form { kind: Kind::Alltoallv, ..plain },
                    Kind::Allgather if receivers_in_rows() => Form { in_place, ..plain },
                    _ => Form { kind: Kind::Allgatherv, in_place },
                })
            }
            Blocks::Exchanged { .. } => Some(match c.kind {
                Kind::Alltoall if c.own && senders_in_rows() && receivers_in_rows() => plain,
                _ => Form { kind: Kind::Alltoallv, ..plain },
            }),
        }
    }

    /// The same without `MPI_IN_PLACE`, for where a process has to give a copy.
    pub(crate) fn out_of_place(self) -> Form {
        let gathers = matches!(self.kind, Kind::Allgather | Kind::Allgatherv) && self.in_place;
        Form { kind: if gathers { Kind::Alltoallv } else { self.kind }, in_place: false }
    }

    /// The arguments of one rank. `copied`: where a copy of what it gives lies, its blocks without
    /// gaps as [`copies`] lists them.
    pub(crate) fn call(
        &self,
        c: &Collective,
        rank: u32,
        team: Option<u32>,
        copied: Option<Place>,
        (nowhere, reduction): (Place, Option<Reduction>),
    ) -> Call {
        let ends = Ends::of(c, rank);
        let root = c.root.and_then(|root| c.group.rank(root));
        let is_root = root == Some(rank);
        let size = at(c.group.size());
        let give = Give { c, blocks: &ends.send, copied };
        let get =
            Shape { pieces: c.pieces.count, offsets: c.pieces.to.clone(), length: c.length.0 };
        let place = |block: &Block| Place::Memory(block.at);
        let one = |block: &Block| {
            let shape = Shape { length: block.length, ..get.clone() };
            Side::Block { at: place(block), shape }
        };
        let first = || ends.receive.first().map_or(Side::Nothing, one);
        let own_in_place = is_root && !c.own;
        let whole = || Side::Block { at: nowhere, shape: Shape::bytes(c.length.0) };
        let (send, receive) = match self.kind {
            Kind::Bcast if is_root => (give.one(), Side::Nothing),
            Kind::Bcast => (Side::Nothing, first()),
            Kind::Scatter | Kind::Scatterv => {
                let send = match (is_root, self.kind) {
                    (false, _) => Side::Nothing,
                    (true, Kind::Scatter) => give.row(),
                    (true, _) => give.blocks(),
                };
                (send, if own_in_place { Side::InPlace } else { first() })
            }
            Kind::Gather | Kind::Gatherv => {
                let receive = match (is_root, self.kind) {
                    (false, _) => Side::Nothing,
                    (true, Kind::Gather) => row_side(c, &ends.receive, get),
                    (true, _) => blocks_side(&ends.receive, get, Place::Memory),
                };
                (if own_in_place { Side::InPlace } else { give.one() }, receive)
            }
            Kind::Allgather | Kind::Allgatherv => {
                let receive = completed(c, rank);
                let receive = match self.kind {
                    Kind::Allgather => row_side(c, &receive, get),
                    _ => blocks_side(&receive, get, Place::Memory),
                };
                (if self.in_place { Side::InPlace } else { give.one() }, receive)
            }
            Kind::Alltoall => (give.row(), row_side(c, &ends.receive, get)),
            Kind::Alltoallv => {
                let to_each = match &c.blocks {
                    Blocks::Gathered { .. } => give.to_each(size, rank),
                    _ => give.blocks(),
                };
                (to_each, blocks_side(&ends.receive, get, Place::Memory))
            }
            Kind::ReduceScatter | Kind::ReduceScatterBlock => (give.joined(), first()),
            Kind::Reduce if is_root && ends.send == ends.receive && copied.is_none() => {
                (Side::InPlace, first())
            }
            Kind::Reduce | Kind::Allreduce | Kind::Scan | Kind::Exscan => {
                let send = match ends.send.is_empty() {
                    _ if self.in_place => Side::InPlace,
                    true => whole(),
                    false => give.one(),
                };
                let receive = match ends.receive.is_empty() && self.kind != Kind::Reduce {
                    true if self.in_place => ends.send.first().map_or(Side::Nothing, one),
                    true => whole(),
                    false => first(),
                };
                (send, receive)
            }
            _ => (Side::Nothing, Side::Nothing),
        };
        Call { kind: self.kind, team, root, send, receive, reduction }
    }
}

/// The block that a process gives.
struct Give<'a> {
    c: &'a Collective,
    blocks: &'a [Block],
    copied: Option<Place>,
}

impl Give<'_> {
    fn shape(&self, length: u64) -> Shape {
        match self.copied {
            Some(_) => Shape::bytes(length * u64::from(self.c.pieces.count)),
            None => {
                Shape { pieces: self.c.pieces.count, offsets: self.c.pieces.from.clone(), length }
            }
        }
    }

    fn one(&self) -> Side {
        let Some(block) = self.blocks.first() else { return Side::Nothing };
        let at = self.copied.unwrap_or(Place::Memory(block.at));
        Side::Block { at, shape: self.shape(block.length) }
    }

    fn row(&self) -> Side {
        match self.copied {
            None => row_side(self.c, self.blocks, self.shape(self.c.length.0)),
            Some(at) => {
                let shape = self.shape(self.c.length.0);
                Side::Row { at, step: shape.size(), shape }
            }
        }
    }

    fn blocks(&self) -> Side {
        match self.copied {
            None => blocks_side(self.blocks, self.shape(self.c.length.0), Place::Memory),
            Some(copy) => {
                let pieces = u64::from(self.c.pieces.count);
                let packed: Vec<Block> = copies(self.c, self.blocks)
                    .zip(self.blocks)
                    .map(|(at, block)| Block { at, length: block.length * pieces })
                    .collect();
                blocks_side(&packed, self.shape(self.c.length.0), |at| copy.plus(at))
            }
        }
    }

    /// One block for everybody but this rank itself.
    fn to_each(&self, size: usize, rank: u32) -> Side {
        let Some(block) = self.blocks.first() else { return Side::Nothing };
        let shape = self.shape(block.length);
        let length = shape.length;
        let to = |k| if k == at(rank) { 0 } else { length };
        Side::Blocks {
            at: self.copied.unwrap_or(Place::Memory(block.at)),
            offsets: Addresses::Affine { start: 0, step: 0 },
            lengths: Addresses::collect((0..size).map(|k| Some(to(k))), 0),
            shape,
        }
    }

    /// Blocks that follow each other: those of a reduce_scatter.
    fn joined(&self) -> Side {
        let Some(block) = self.blocks.first() else { return Side::Nothing };
        let at = self.copied.unwrap_or(Place::Memory(block.at));
        let lengths = Addresses::collect(self.blocks.iter().map(|b| Some(b.length)), 0);
        let offsets = copies(self.c, self.blocks).map(Some);
        let offsets = Addresses::collect(offsets, self.c.length.0);
        Side::Blocks { at, offsets, lengths, shape: self.shape(self.c.length.0) }
    }
}

/// Where each block lies in a copy of all: regular ones in equal steps, others one after the
/// other.
pub(crate) fn copies<'a>(c: &'a Collective, blocks: &'a [Block]) -> impl Iterator<Item = u64> + 'a {
    let regular = matches!(c.kind, Kind::Scatter | Kind::Alltoall);
    let pieces = u64::from(c.pieces.count);
    let mut next = 0_u64;
    blocks.iter().map(move |block| {
        let here = next;
        next += pieces * if regular { c.length.0 } else { block.length };
        here
    })
}

/// Bytes of a copy of all blocks.
pub(crate) fn copy_size(c: &Collective, blocks: &[Block]) -> u64 {
    let Some(last) = blocks.last() else { return 0 };
    let start = copies(c, blocks).last().unwrap_or(0);
    start + u64::from(c.pieces.count) * last.length.max(c.length.0)
}

/// The blocks of a rank in an allgather, with the block that it has itself: it lies where
/// `MPI_IN_PLACE` has it.
fn completed(c: &Collective, rank: u32) -> Vec<Block> {
    let mut receive = Ends::of(c, rank).receive;
    if let Blocks::Gathered { to, lengths, .. } = &c.blocks {
        let me = at(rank);
        receive[me] = Block { at: to[me].get(me), length: lengths.get(me) };
    }
    receive
}

/// A block for each rank in equal steps.
fn row_side(c: &Collective, blocks: &[Block], shape: Shape) -> Side {
    let (Some(step), Some((k, block))) = (step(c, blocks), present(blocks).next()) else {
        return Side::Nothing;
    };
    Side::Row { at: Place::Memory(block.at.wrapping_sub(k.wrapping_mul(step))), step, shape }
}

/// How far it is from a block to the next where they lie in equal steps, those that are there.
/// Blocks of one piece follow each other; others may lie anyhow, as the elements of a datatype do.
fn step(c: &Collective, blocks: &[Block]) -> Option<u64> {
    let mut known = present(blocks);
    let (k, first) = known.next()?;
    let step = match known.next() {
        None => c.length.0,
        Some(_) if c.pieces.count == 1 => c.length.0,
        Some((next, second)) => {
            let apart = second.at.checked_sub(first.at)?;
            apart.is_multiple_of(next - k).then(|| apart / (next - k))?
        }
    };
    let lies = |(j, block): (u64, &Block)| {
        Some(block.at) == (j - k).checked_mul(step).and_then(|far| first.at.checked_add(far))
    };
    let starts_in_memory = k.checked_mul(step).is_some_and(|before| before <= first.at);
    (starts_in_memory && step <= LARGEST && present(blocks).all(lies)).then_some(step)
}

/// The blocks that are there, with their ranks.
fn present(blocks: &[Block]) -> impl Iterator<Item = (u64, &Block)> {
    (0..).zip(blocks).filter(|(_, block)| block.length > 0)
}

/// A block for each rank, anywhere; `place` says what an address is.
fn blocks_side(blocks: &[Block], shape: Shape, place: impl Fn(u64) -> Place) -> Side {
    let base = base(blocks);
    let offset = |block: &Block| (block.length > 0).then(|| block.at - base);
    Side::Blocks {
        at: place(base),
        // Where there is no block, any offset that was named will do.
        offsets: Addresses::collect(blocks.iter().map(|b| Some(offset(b).unwrap_or(0))), 0),
        lengths: Addresses::collect(blocks.iter().map(|block| Some(block.length)), 0),
        shape,
    }
}

/// The lowest address of a block.
fn base(blocks: &[Block]) -> u64 {
    let some = blocks.iter().filter(|block| block.length > 0);
    some.map(|block| block.at).min().unwrap_or(0)
}

/// How far the blocks lie apart.
fn span(blocks: &[Block]) -> u64 {
    let some = blocks.iter().filter(|block| block.length > 0);
    some.map(|block| block.at - base(blocks)).max().unwrap_or(0)
}

/// How far the pieces of a block reach, at most.
fn extent(c: &Collective) -> u64 {
    let far = |offsets: &Addresses, pieces: &Pieces| {
        (0..at(pieces.count)).map(|k| offsets.get(k)).max().unwrap_or(0)
    };
    let pieces = &c.pieces;
    far(&pieces.from, pieces).max(far(&pieces.to, pieces)).saturating_add(c.length.0)
}

/// Whether the blocks that a process gives to a reduce_scatter follow each other.
pub(crate) fn follow(c: &Collective, blocks: &[Block]) -> bool {
    let Some(first) = blocks.first() else { return true };
    let mut places = copies(c, blocks).zip(blocks);
    places.all(|(offset, block)| block.length == 0 || block.at == first.at.wrapping_add(offset))
}
