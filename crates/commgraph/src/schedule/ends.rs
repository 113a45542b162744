//! The memory that one process reads and writes in a collective operation.

use crate::detect::{Blocks, Collective, Kind, Pieces};
use crate::number::at;

/// Where a block starts, and how long its pieces are; 0: there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub at: u64,
    pub length: u64,
}

/// The blocks of one process: one, or one for each rank. What a process has for itself is left out
/// where the operation does not copy it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Ends {
    pub send: Vec<Block>,
    pub receive: Vec<Block>,
}

impl Ends {
    /// The blocks of a rank. O(ranks).
    pub(crate) fn of(c: &Collective, rank: u32) -> Ends {
        let me = at(rank);
        let size = at(c.group.size());
        let root = c.root.and_then(|root| c.group.rank(root));
        let is_root = root == Some(rank);
        // What stays at a rank has no length where it is not copied.
        let block = |peer: usize, at: u64, length: u64| {
            let stays = peer == me && !c.own;
            Block { at, length: if stays { 0 } else { length } }
        };
        match &c.blocks {
            Blocks::None | Blocks::Neighbors { .. } => Ends::default(),
            Blocks::Rooted { from, to, lengths } => {
                let one = |a: u64| vec![block(at(root.unwrap_or(rank)), a, lengths.get(me))];
                let all = |a: &dyn Fn(usize) -> u64| {
                    (0..size).map(|k| block(k, a(k), lengths.get(k))).collect()
                };
                let (from_all, to_all) = (|k| from.get(k), |k| to.get(k));
                match (c.kind, is_root) {
                    (Kind::Bcast, true) => {
                        let whole = Block { at: from.get(me), length: c.length.0 };
                        Ends { send: vec![whole], receive: Vec::new() }
                    }
                    (Kind::Bcast, false) => Ends { send: Vec::new(), receive: one(to.get(me)) },
                    (Kind::Gather | Kind::Gatherv, true) => {
                        Ends { send: one(from.get(me)), receive: all(&to_all) }
                    }
                    (Kind::Gather | Kind::Gatherv, false) => {
                        Ends { send: one(from.get(me)), receive: Vec::new() }
                    }
                    (_, true) => Ends { send: all(&from_all), receive: one(to.get(me)) },
                    (_, false) => Ends { send: Vec::new(), receive: one(to.get(me)) },
                }
            }
            Blocks::Gathered { from, to, lengths } => Ends {
                send: vec![Block { at: from.get(me), length: lengths.get(me) }],
                receive: (0..size).map(|k| block(k, to[me].get(k), lengths.get(k))).collect(),
            },
            Blocks::Exchanged { from, to, lengths } => Ends {
                send: (0..size).map(|k| block(k, from[me].get(k), lengths[me].get(k))).collect(),
                receive: (0..size).map(|k| block(k, to[me].get(k), lengths[k].get(me))).collect(),
            },
            Blocks::Reduced { from, to, lengths, offsets, .. } => {
                let result = |length| vec![Block { at: to.get(me), length }];
                let whole = vec![Block { at: from.get(me), length: c.length.0 }];
                match c.kind {
                    Kind::ReduceScatter | Kind::ReduceScatterBlock => {
                        let part = |k| Block {
                            at: from.get(me).wrapping_add(offsets.get(k)),
                            length: lengths.get(k),
                        };
                        Ends {
                            send: (0..size).map(part).collect(),
                            receive: result(lengths.get(me)),
                        }
                    }
                    Kind::Reduce if !is_root => Ends { send: whole, receive: Vec::new() },
                    // In place, the first process has what it gets; somebody else may write there
                    // later.
                    Kind::Scan if me == 0 && from.get(0) == to.get(0) => {
                        Ends { send: whole, receive: Vec::new() }
                    }
                    // The last contribution goes nowhere, and the first process gets nothing.
                    Kind::Exscan => Ends {
                        send: if me + 1 < size { whole } else { Vec::new() },
                        receive: if me > 0 { result(c.length.0) } else { Vec::new() },
                    },
                    _ => Ends { send: whole, receive: result(c.length.0) },
                }
            }
        }
    }
}

/// The ranges of memory, start and end, that blocks are; neighbouring ones are one.
pub(crate) fn ranges(blocks: &[Block], pieces: &Pieces, receives: bool) -> Vec<(u64, u64)> {
    let offsets = if receives { &pieces.to } else { &pieces.from };
    let mut all: Vec<(u64, u64)> = Vec::new();
    for block in blocks.iter().filter(|block| block.length > 0) {
        for k in 0..at(pieces.count) {
            let start = block.at.wrapping_add(offsets.get(k));
            let end = start.saturating_add(block.length);
            match all.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => all.push((start, end)),
            }
        }
    }
    all
}
