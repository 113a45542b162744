//! Allgather and alltoall of all processes, from runs instead of single transfers.
//!
//! Log p messages of a process make p transfers. Here those stay what they are in the dataflow,
//! lines of pieces that come from one process after the other, so that neither memory nor (but for
//! the dataflow itself) time is in the p^2 blocks. What is not regular enough is left for the
//! detectors that look at single transfers:
//!
//! - every process gets blocks of one length, in rounds of one from each process (its own may be
//!   missing);
//! - in a round, source and destination addresses of a process's blocks are affine in the number
//!   of the sender;
//! - the source addresses are the same for all receivers (allgather) or affine in the receiver
//!   (alltoall).
//!
//! The certificate is exact: the sources of the lines tile all processes, and the ends of every
//! line are where the operation puts them. Both are affine along the line, so they agree in
//! between. O(lines log lines).

use std::collections::BTreeMap;

use crate::dataflow::run::Line;
use crate::dataflow::{Dataflow, Landing};
use crate::detect::addresses::Addresses;
use crate::detect::broadcast::constant;
use crate::detect::collective::{Blocks, Collective, Kind, Pieces};
use crate::detect::group::Group;
use crate::ids::Bytes;
use crate::number::{count, id};
use crate::transfers::Transfer;

/// With fewer processes, few addresses look affine that are not meant so.
const MIN_PROCESSES: u32 = 4;

/// Takes the operations out of `flow` that all blocks of one length are.
pub(crate) fn detect(processes: u32, flow: &mut Dataflow) -> Vec<Collective> {
    let mut found = Vec::new();
    if processes < MIN_PROCESSES || flow.landings.is_empty() {
        return found;
    }
    let pairs = u64::from(processes) * u64::from(processes - 1);
    for (length, blocks) in lengths(flow) {
        if blocks >= pairs
            && let Some(collectives) = operations(processes, flow, length)
        {
            found.extend(collectives);
            flow.transfers.retain(|t| t.length != length);
            flow.landings.retain(|l| !l.run.in_memory() || l.run.length != length);
        }
    }
    found
}

/// How many blocks of each length there are.
fn lengths(flow: &Dataflow) -> BTreeMap<u64, u64> {
    let mut lengths = BTreeMap::new();
    for landing in flow.landings.iter().filter(|l| l.run.in_memory()) {
        *lengths.entry(landing.run.length).or_default() += landing.run.pieces();
    }
    // Only those that come in runs somewhere.
    for t in &flow.transfers {
        lengths.entry(t.length).and_modify(|n| *n += 1);
    }
    lengths
}

/// Blocks to one process: from one process after the other, ascending, at regular addresses on
/// both sides.
#[derive(Debug, Clone, Copy)]
struct Row {
    source: u32,
    count: u32,
    from: Affine,
    to: Affine,
}

/// Addresses `start + k * step`, modulo 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Affine {
    start: u64,
    step: u64,
}

impl Affine {
    fn get(self, k: u32) -> u64 {
        self.start.wrapping_add(self.step.wrapping_mul(k.into()))
    }

    /// The addresses that are `first` at `k` and go on from there in these steps.
    fn through(k: u32, first: u64, step: u64) -> Affine {
        Affine { start: first.wrapping_sub(step.wrapping_mul(k.into())), step }
    }
}

impl Row {
    /// A row of a line that comes to `to`; `None` where it leaves processes out.
    fn of(line: Line, to: u64, stride: u64) -> Option<Row> {
        let Line { process, process_step, address, address_step, count } = line;
        let (from, to) =
            (Affine { start: address, step: address_step }, Affine { start: to, step: stride });
        let backwards = |a: Affine| Affine { start: a.get(count - 1), step: a.step.wrapping_neg() };
        match process_step {
            1 => Some(Row { source: process, count, from, to }),
            u32::MAX => {
                let source = process.wrapping_sub(count - 1);
                Some(Row { source, count, from: backwards(from), to: backwards(to) })
            }
            _ => (count == 1).then_some(Row { source: process, count, from, to }),
        }
    }

    /// Whether its blocks are where these addresses say. Both are affine: two blocks prove it for
    /// all.
    fn agrees(&self, round: &Received) -> bool {
        (0..self.count.min(2)).all(|k| {
            let s = self.source + k;
            (self.from.get(k), self.to.get(k)) == (round.from.get(s), round.to.get(s))
        })
    }
}

/// The blocks that one process gets in one round, by the number of the sender.
#[derive(Debug, Clone, Copy)]
struct Received {
    from: Affine,
    to: Affine,
    /// Whether it copies its own block from one place to another.
    own: bool,
}

/// The operations that all blocks of a length are; `None` where some are not part of any.
fn operations(processes: u32, flow: &Dataflow, length: u64) -> Option<Vec<Collective>> {
    let mut rounds: Vec<Vec<Received>> = Vec::new();
    let (mut transfers, mut landings) = (&flow.transfers[..], &flow.landings[..]);
    for destination in 0..processes {
        let mut rows = rows_of(destination, length, &mut transfers, &mut landings)?;
        // Where its own block does not move, it need not be there.
        let all: u64 = rows.iter().map(|row| u64::from(row.count)).sum();
        let p = u64::from(processes);
        let each = if all.is_multiple_of(p) { p } else { p - 1 };
        let here = usize::try_from(all / each).ok()?;
        if all == 0 || !all.is_multiple_of(each) || (destination > 0 && rounds.len() != here) {
            return None;
        }
        rounds.resize_with(here, Vec::new);
        rows.sort_unstable_by_key(|row| row.to.start.min(row.to.get(row.count - 1)));
        let mut rest = &mut rows[..];
        for round in &mut rounds {
            let mut blocks = 0;
            let past = rest.iter().take_while(|row| {
                let part = blocks < each;
                blocks += if part { u64::from(row.count) } else { 0 };
                part
            });
            let past = past.count();
            let (mine, others) = rest.split_at_mut(past);
            round.push(received(processes, destination, mine)?);
            rest = others;
        }
    }
    rounds.into_iter().map(|round| operation(length, &round)).collect()
}

/// The rows of one receiver; takes what belongs to it from the front of both lists.
fn rows_of(
    destination: u32,
    length: u64,
    transfers: &mut &[Transfer],
    landings: &mut &[Landing],
) -> Option<Vec<Row>> {
    let mut rows = Vec::new();
    let mine = transfers.iter().take_while(|t| t.destination == destination).count();
    let (here, later) = transfers.split_at(mine);
    *transfers = later;
    rows.extend(here.iter().filter(|t| t.length == length).map(|t| Row {
        source: t.source,
        count: 1,
        from: Affine { start: t.source_address, step: 0 },
        to: Affine { start: t.destination_address, step: 0 },
    }));
    let mine = landings.iter().take_while(|l| l.destination == destination).count();
    let (here, later) = landings.split_at(mine);
    *landings = later;
    for Landing { address, stride, run, .. } in here.iter().filter(|l| l.run.length == length) {
        let mut to = *address;
        for line in run.lines() {
            rows.push(Row::of(line, to, *stride)?);
            to += stride * u64::from(line.count);
        }
    }
    Some(rows)
}

/// One round: every process sends one block, at affine addresses. `rows` are sorted by sender
/// afterwards.
fn received(processes: u32, destination: u32, rows: &mut [Row]) -> Option<Received> {
    rows.sort_unstable_by_key(|row| row.source);
    let mut next = 0;
    let mut own_is_there = true;
    for row in &*rows {
        if next == destination && row.source == destination.checked_add(1)? {
            own_is_there = false;
            next += 1;
        }
        if row.source != next {
            return None;
        }
        next = next.checked_add(row.count)?;
    }
    if next == destination && next + 1 == processes {
        own_is_there = false;
        next += 1;
    }
    if next != processes {
        return None;
    }
    let mut round = fitted(rows)?;
    if !rows.iter().all(|row| row.agrees(&round)) {
        return None;
    }
    round.own = own_is_there && round.from.get(destination) != round.to.get(destination);
    Some(round)
}

/// Addresses that the first two blocks are at.
fn fitted(rows: &[Row]) -> Option<Received> {
    let (first, last) = (rows.first()?, rows.last()?);
    let fit = |a: Affine, b: Affine| {
        if first.count > 1 {
            return Some(Affine::through(first.source, a.start, a.step));
        }
        // The differences may be negative.
        let apart = i64::from(last.source - first.source);
        let difference = b.start.wrapping_sub(a.start).cast_signed();
        let step = (difference.checked_rem(apart)? == 0).then(|| difference / apart)?;
        Some(Affine::through(first.source, a.start, step.cast_unsigned()))
    };
    Some(Received { from: fit(first.from, last.from)?, to: fit(first.to, last.to)?, own: false })
}

/// The operation in which every process receives what it does in this round.
fn operation(length: u64, round: &[Received]) -> Option<Collective> {
    let own = round[0].own;
    if round.iter().any(|r| r.own != own) {
        return None;
    }
    let to = |a: Affine| Addresses::Affine { start: a.start, step: a.step };
    let to: Vec<Addresses> = round.iter().map(|r| to(r.to)).collect();
    let (first, second) = (round[0].from, round[1].from);
    let (start_step, step_step) =
        (second.start.wrapping_sub(first.start), second.step.wrapping_sub(first.step));
    let affine = (0..).zip(round).all(|(j, r)| {
        let start = Affine { start: first.start, step: start_step }.get(j);
        let step = Affine { start: first.step, step: step_step }.get(j);
        r.from == Affine { start, step }
    });
    if !affine {
        return None;
    }
    let (kind, blocks) = if (start_step, step_step) == (0, 0) {
        let from = Addresses::Affine { start: first.start, step: first.step };
        (Kind::Allgather, Blocks::Gathered { from, to, lengths: constant(length) })
    } else {
        // What process i sends to j lies at (first.start + j start_step) + i (first.step + j
        // step_step).
        let from = (0..id(round.len())).map(|i| Addresses::Affine {
            start: first.get(i),
            step: Affine { start: start_step, step: step_step }.get(i),
        });
        let lengths = vec![constant(length); round.len()];
        (Kind::Alltoall, Blocks::Exchanged { from: from.collect(), to, lengths })
    };
    let p = count(round.len());
    Some(Collective {
        kind,
        root: None,
        group: Group::All(id(round.len())),
        length: Bytes(length),
        own,
        transfers: if own { p * p } else { p * (p - 1) },
        blocks,
        pieces: Pieces::ONE,
    })
}
