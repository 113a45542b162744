//! Operations whose blocks lie near each other in each process, whatever lay between them.

use super::contained::Arena;
use super::ends::Ends;
use crate::detect::{Addresses, Blocks, Collective, Kind, Pieces};
use crate::number::at;

/// The operation with other addresses: what lay together still does. Those without blocks for each
/// rank stay as they are. O(n log n) in the blocks.
pub(crate) fn nearby(c: &Collective) -> Collective {
    let reach = |offsets: &Addresses, pieces: &Pieces| {
        (0..at(pieces.count)).map(|k| offsets.get(k)).max().unwrap_or(0)
    };
    let (read, written) = (reach(&c.pieces.from, &c.pieces), reach(&c.pieces.to, &c.pieces));
    let arenas: Vec<Arena> = (0..c.group.size())
        .map(|rank| {
            let ends = Ends::of(c, rank);
            let ranges = |blocks: &[super::ends::Block], reach: u64| {
                let there = blocks.iter().filter(|block| block.length > 0);
                let end = |at: u64, length: u64| at.saturating_add(length).saturating_add(reach);
                there.map(|block| (block.at, end(block.at, block.length))).collect::<Vec<_>>()
            };
            let mut all = ranges(&ends.send, read);
            all.extend(ranges(&ends.receive, written));
            // Address 0 is that of nothing.
            Arena::of(all, 64)
        })
        .collect();
    let n = arenas.len();
    // Every number of a row at the process that `of` says.
    let row = |row: &Addresses, of: &dyn Fn(usize) -> usize| {
        let places = (0..n).map(|k| Some(arenas[of(k)].place(row.get(k))));
        Addresses::collect(places, c.length.0)
    };
    let rows = |rows: &[Addresses]| {
        rows.iter().enumerate().map(|(own, all)| row(all, &|_| own)).collect::<Vec<_>>()
    };
    let root = c.root.and_then(|root| c.group.rank(root)).map_or(0, at);
    let blocks = match &c.blocks {
        Blocks::Rooted { from, to, lengths } => {
            let (one, many): (&dyn Fn(usize) -> usize, &dyn Fn(usize) -> usize) =
                (&|_| root, &|k| k);
            let gathers = matches!(c.kind, Kind::Gather | Kind::Gatherv);
            let (from_of, to_of) = if gathers { (many, one) } else { (one, many) };
            Blocks::Rooted {
                from: row(from, from_of),
                to: row(to, to_of),
                lengths: lengths.clone(),
            }
        }
        Blocks::Gathered { from, to, lengths } => {
            Blocks::Gathered { from: row(from, &|k| k), to: rows(to), lengths: lengths.clone() }
        }
        Blocks::Exchanged { from, to, lengths } => {
            Blocks::Exchanged { from: rows(from), to: rows(to), lengths: lengths.clone() }
        }
        other => other.clone(),
    };
    Collective { blocks, ..c.clone() }
}
