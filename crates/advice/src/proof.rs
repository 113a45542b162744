//! Whether a written call does what was recorded: replayed at every rank with its arguments as
//! they are printed, for every time, it has to move the same bytes between the same places. What
//! cannot be shown is a reason not to print it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use commloom_commgraph::recorded::program_address;
use commloom_commgraph::{Blocks, Collective, Kind, Transfer};
use commloom_layout::{mpi as layouts, text};
use commloom_trace::Buffer;

use crate::elements::Elements;
use crate::finding::{Finding, block_bytes};
use crate::printed::{Block, Many, One, Printed, Toward};
use crate::replacement::Replacement;

/// Counts are C integers.
const MOST: u64 = i32::MAX.unsigned_abs() as u64;

/// What is not shown of the call that stands for all these findings.
///
/// # Errors
/// The reason, as the end of a sentence that begins with why.
pub fn prove(
    written: &Replacement,
    same: &[&Finding],
    groups: &BTreeSet<Vec<u32>>,
    elements: &Elements,
) -> Result<(), String> {
    disjoint(groups)?;
    for finding in same {
        ranks(written, finding)?;
        envelopes(finding)?;
        let c = finding.collective;
        let at = |reason: String| match same.len() {
            1 => reason,
            _ => format!("{reason}, in part {} of the program", finding.part + 1),
        };
        match &written.printed {
            Printed::Barrier => {}
            Printed::Reduced { block, in_place, at_root } => {
                reduced(finding, block, (*in_place, *at_root), elements).map_err(at)?;
            }
            printed => {
                let moved = moves(printed, c).map_err(at)?;
                let mut named = replayed(c, &moved).map_err(at)?;
                at_one_time(finding, &mut named).map_err(at)?;
                one_array(finding, &named, printed).map_err(at)?;
            }
        }
    }
    Ok(())
}

fn disjoint(groups: &BTreeSet<Vec<u32>>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    match groups.iter().flatten().find(|rank| !seen.insert(**rank)) {
        Some(rank) => Err(format!(
            "process {rank} is in several of its groups, and one communicator has it in one"
        )),
        None => Ok(()),
    }
}

/// Blocks are told by rank: those of the communicator must be those of the operation.
fn ranks(written: &Replacement, finding: &Finding) -> Result<(), String> {
    let is_ordered = !matches!(
        finding.collective.kind,
        Kind::Barrier | Kind::Bcast | Kind::Reduce | Kind::Allreduce
    );
    let mut ranks = (0..).zip(finding.collective.group.iter());
    match ranks.all(|(rank, process)| written.comm.rank(process) == rank) {
        false if is_ordered && !written.comm.is_new => {
            Err(format!("{} has its processes in another order", written.comm.name))
        }
        _ => Ok(()),
    }
}

/// What a program learns from the envelope of a message, no collective operation tells it.
fn envelopes(finding: &Finding) -> Result<(), String> {
    for (number, (_, place)) in &finding.ends {
        let Some(message) = finding.ran.messages.get(*number) else { continue };
        let Some((buffer, from, tag)) = finding.receive(message) else {
            return Err("the trace has lost some of its receives".to_owned());
        };
        let at = place.as_ref().map_or(String::new(), |place| format!(" in {place}"));
        if from.is_none() || tag.is_none() {
            return Err(format!(
                "the receive{at} takes messages of any source or tag: the program may learn from them who sends what"
            ));
        }
        if buffer.bytes > message.bytes {
            return Err(format!(
                "the receive{at} has room for {} bytes and gets {}: only the message tells how many come",
                buffer.bytes, message.bytes
            ));
        }
    }
    Ok(())
}

/// A name in the call at a process. Where blocks have places of their own each is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Name {
    process: u32,
    is_received: bool,
    block: Option<usize>,
}

/// Bytes that a call moves, from so far behind one name to so far behind another.
struct Move {
    from: (Name, i64),
    to: (Name, i64),
    length: u64,
}

/// What a call moves from process to process, in the order of its types.
type Moves = BTreeMap<(u32, u32), Vec<Move>>;

/// What the call moves at this time. Between a process and itself only where the messages are said
/// to do so.
fn moves(printed: &Printed, c: &Collective) -> Result<Moves, String> {
    let mut all = Moves::new();
    let n = c.group.size();
    let process = |rank: u32| c.group.process(rank).map_or(u32::MAX, |p| p.0);
    let bytes = block_bytes(c);
    let name =
        |rank: u32, is_received: bool| Name { process: process(rank), is_received, block: None };
    let mut add = |(i, j): (u32, u32), from: (Name, Vec<Run>), to: (Name, Vec<Run>)| {
        if i == j && !c.own {
            return Ok(());
        }
        zip(from, to, all.entry((process(i), process(j))).or_default())
    };
    let of = |many: &Many, rank: u32, other: u32, is_received: bool, bytes: u64| {
        let block = many.own_places.then_some(at(other));
        // A block in a place of its own is where that is.
        let runs = many.place(if many.own_places { 0 } else { at(other) }, bytes);
        let listed = many.place(at(other), bytes).iter().map(|(_, length)| length).sum::<u64>();
        let runs = match (many.own_places, &many.blocks) {
            (true, crate::printed::Blocks::Listed(_)) => vec![(0, listed)],
            _ => runs,
        };
        (Name { block, ..name(rank, is_received) }, runs)
    };
    let root = || c.root.and_then(|root| c.group.rank(root)).ok_or("it has no root".to_owned());
    match (printed, &c.blocks) {
        (Printed::Bcast(block), Blocks::Rooted { .. }) => {
            let root = root()?;
            for p in 0..n {
                let side = |rank| (name(rank, false), block.place(0, bytes));
                add((root, p), side(root), side(p))?;
            }
        }
        (Printed::Rooted { gathers, one, many }, Blocks::Rooted { lengths, .. }) => {
            let root = root()?;
            for p in 0..n {
                let own = lengths.get(at(p)).saturating_mul(u64::from(c.pieces.count));
                let single = (name(p, !gathers), given(one, own));
                let there = of(many, root, p, *gathers, bytes);
                match gathers {
                    true => add((p, root), single, there)?,
                    false => add((root, p), there, single)?,
                }
            }
        }
        (Printed::Gathered { one, many }, Blocks::Gathered { lengths, .. }) => {
            for j in 0..n {
                for i in 0..n {
                    let own = lengths.get(at(i)).saturating_mul(u64::from(c.pieces.count));
                    let from = match one {
                        One::InPlace => of(many, i, i, true, bytes),
                        one => (name(i, false), given(one, own)),
                    };
                    add((i, j), from, of(many, j, i, true, bytes))?;
                }
            }
        }
        (Printed::Exchanged { send, receive }, Blocks::Exchanged { .. }) => {
            for j in 0..n {
                for i in 0..n {
                    let from = of(send, i, j, false, bytes);
                    add((i, j), from, of(receive, j, i, true, bytes))?;
                }
            }
        }
        (Printed::Neighbors { sends, receives }, Blocks::Neighbors { grid, neighbors }) => {
            let toward = |all: &[Toward], offset: &[i32]| {
                let found = all.iter().find(|(there, ..)| there == offset);
                let (_, start, block) = found.ok_or("a neighbour is not named")?;
                let runs = block.runs.iter().map(|(at, n)| (at.saturating_add(*start), *n));
                Ok::<Vec<Run>, String>(runs.collect())
            };
            for j in 0..n {
                for neighbor in neighbors {
                    let Some(i) = grid.neighbor(j, &neighbor.offset) else { continue };
                    let opposite: Vec<i32> = neighbor.offset.iter().map(|o| -o).collect();
                    let from = (name(i, false), toward(sends, &opposite)?);
                    add((i, j), from, (name(j, false), toward(receives, &neighbor.offset)?))?;
                }
            }
        }
        _ => return Err("the times are not all of one form".to_owned()),
    }
    Ok(all)
}

/// Bytes behind a name.
type Run = (i64, u64);

fn given(one: &One, bytes: u64) -> Vec<Run> {
    match one {
        One::Block(block) => block.place(0, bytes),
        One::OfProcess => vec![(0, bytes)],
        One::InPlace => Vec::new(),
    }
}

/// What is sent goes where it is received, byte by byte.
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

/// Bytes that a call names.
struct Used {
    range: Range<u64>,
    /// Which of the contents that were there.
    version: u64,
    is_written: bool,
}

/// Where each name is: the bytes of it that are used.
type Named = BTreeMap<Name, Vec<Used>>;

/// Compares what the call moves with what the messages have moved. A name may be anywhere at each
/// process, but it is at one place.
fn replayed(c: &Collective, moves: &Moves) -> Result<Named, String> {
    let mut recorded: BTreeMap<(u32, u32), Vec<Transfer>> = BTreeMap::new();
    c.replay(|t| recorded.entry((t.source, t.destination)).or_default().push(t));
    let mut bases: HashMap<Name, u64> = HashMap::new();
    let mut named = Named::new();
    let wanted = moves.iter().filter(|(_, moves)| !moves.is_empty()).map(|(pair, _)| *pair);
    if let Some((from, to)) = wanted.clone().find(|pair| !recorded.contains_key(pair)) {
        return Err(format!("process {from} has sent nothing to process {to} that belongs to it"));
    }
    for (pair, transfers) in &recorded {
        let mut rest = moves.get(pair).into_iter().flatten();
        let mut open = rest.next().map(|m| (m.from, m.to, m.length));
        for transfer in transfers {
            let mut done = 0;
            while done < transfer.length {
                let Some((from, to, length)) = open else {
                    return Err(format!("process {} sends more to process {}", pair.0, pair.1));
                };
                let n = length.min(transfer.length - done);
                for ((name, offset), address, is_written) in [
                    (from, transfer.source_address.wrapping_add(done), false),
                    (to, transfer.destination_address.wrapping_add(done), true),
                ] {
                    let here = program_address(address);
                    let base = here.wrapping_sub(offset.cast_unsigned());
                    if *bases.entry(name).or_insert(base) != base {
                        let process = name.process;
                        return Err(format!("the blocks of process {process} lie in another way"));
                    }
                    let range = here..here.saturating_add(n);
                    let version = address - here;
                    named.entry(name).or_default().push(Used { range, version, is_written });
                }
                done += n;
                let next = |(name, offset): (Name, i64)| (name, offset.saturating_add_unsigned(n));
                open = match length - n {
                    0 => rest.next().map(|m| (m.from, m.to, m.length)),
                    left => Some((next(from), next(to), left)),
                };
            }
        }
        if open.is_some() {
            return Err(format!("process {} sends less to process {}", pair.0, pair.1));
        }
    }
    Ok(named)
}

/// Each byte that a name is of is there once while the call runs: it is not written and used, and
/// does not hold one block after the other.
fn at_one_time(finding: &Finding, named: &mut Named) -> Result<(), String> {
    for (Name { process, .. }, used) in named {
        let mut is_kept = None;
        used.sort_unstable_by_key(|used| (used.range.start, used.range.end));
        let mut last: Option<&Used> = None;
        for next in used.iter() {
            if let Some(last) = last.filter(|last| next.range.start < last.range.end) {
                if last.is_written || next.is_written {
                    return Err(format!("at process {process} it would overwrite what it uses"));
                }
                let mut kept = || *is_kept.get_or_insert_with(|| finding.sends_together(*process));
                if last.version != next.version && !kept() {
                    return Err(format!(
                        "the memory of process {process} held these blocks one after the other"
                    ));
                }
            }
            let is_further = last.is_none_or(|last| next.range.end > last.range.end);
            last = if is_further { Some(next) } else { last };
        }
    }
    Ok(())
}

/// Where a buffer begins and ends, and its widest gap: bytes from its address.
type Extent = (i64, i64, u64);

/// Displacements are right in every run only within one array. A trace does not know arrays, but a
/// message does not reach beyond one: memory is one array where the buffers of messages overlap or
/// touch.
fn one_array(finding: &Finding, named: &Named, printed: &Printed) -> Result<(), String> {
    let mut arrays: BTreeMap<u32, Vec<(Range<u64>, u64)>> = BTreeMap::new();
    // By count and layout.
    let mut known = HashMap::<(u64, &str), Option<Extent>>::new();
    for message in finding.messages() {
        let sent = finding.send(message).map(|(buffer, _)| buffer);
        let received = finding.receive(message).map(|(buffer, ..)| buffer);
        let ends = [(message.send.process, sent), (message.receive.process, received)];
        for (process, buffer) in ends {
            let Some(buffer) = buffer else { continue };
            let key = (buffer.count, &*buffer.layout);
            let bounds = *known.entry(key).or_insert_with(|| bounds(buffer));
            let (low, high, gap) = bounds.unwrap_or((0, signed(buffer.bytes), 0));
            let end = |by: i64| buffer.address.saturating_add_signed(by);
            arrays.entry(process).or_default().push((end(low)..end(high), gap));
        }
    }
    for all in arrays.values_mut() {
        all.sort_unstable_by_key(|(range, _)| (range.start, range.end));
    }
    let is_grid = matches!(printed, Printed::Neighbors { .. });
    for (name, places) in named {
        let low = places.iter().map(|used| used.range.start).min().unwrap_or(0);
        let high = places.iter().map(|used| used.range.end).max().unwrap_or(0);
        let own = own_block(finding, *name, places);
        let mut reached = low;
        let own_arrays = arrays.get(&name.process).into_iter().flatten();
        // Rows of an array are as far from its columns as a column's elements are from each other.
        let gap = match is_grid {
            true => own_arrays.clone().map(|(_, gap)| *gap).max().unwrap_or(0),
            false => 0,
        };
        let mut all: Vec<Range<u64>> = own_arrays.map(|(range, _)| range.clone()).collect();
        all.extend(own);
        all.sort_unstable_by_key(|range| range.start);
        for range in all {
            if range.start <= reached.saturating_add(gap) {
                reached = reached.max(range.end);
            }
        }
        if reached < high {
            return Err(format!(
                "between its blocks at process {} lies memory that no message names: whether they are of one array is \
                 not recorded",
                name.process
            ));
        }
    }
    Ok(())
}

/// Where the bytes of a buffer begin and end, and the widest gap between its neighbouring runs.
fn bounds(buffer: &Buffer) -> Option<Extent> {
    let ty = text::parse(&buffer.layout).ok()?;
    let all = layouts::contiguous(buffer.count, &ty).ok()?;
    // Enough to know how the others lie.
    const RUNS: usize = 4096;
    let runs: Vec<_> = all.byte_runs().take(RUNS).collect();
    let gap = |pair: &[commloom_layout::Run]| {
        let end = pair[0].displacement.saturating_add_unsigned(pair[0].length);
        u64::try_from(pair[1].displacement.saturating_sub(end)).ok()
    };
    Some((all.true_lb(), all.true_ub(), runs.windows(2).filter_map(gap).max().unwrap_or(0)))
}

/// The place of what a process does not send to itself, where the others lie before and behind it.
fn own_block(finding: &Finding, name: Name, places: &[Used]) -> Option<Range<u64>> {
    let c = finding.collective;
    if matches!(c.blocks, Blocks::Neighbors { .. }) {
        return None;
    }
    if c.own {
        // It is among them, and no message brought it.
        let mut own = None;
        c.replay(|t| {
            if t.source == name.process && t.destination == name.process {
                let at = if name.is_received { t.destination_address } else { t.source_address };
                own = Some(program_address(at)..program_address(at).saturating_add(t.length));
            }
        });
        return own;
    }
    let bytes = block_bytes(c);
    let is_hole = |pair: &&[Used]| pair[1].range.start == pair[0].range.end.saturating_add(bytes);
    let hole = places.windows(2).find(is_hole)?;
    Some(hole[0].range.end..hole[1].range.start)
}

/// Whether a reduction leaves what the messages leave, in all memory that the call names.
fn reduced(
    finding: &Finding,
    block: &Block,
    (in_place, at_root): (bool, bool),
    elements: &Elements,
) -> Result<(), String> {
    let c = finding.collective;
    let Blocks::Reduced { from, to, lengths, offsets, .. } = &c.blocks else {
        return Err("the times are not all of one form".to_owned());
    };
    let scatters = matches!(c.kind, Kind::ReduceScatter | Kind::ReduceScatterBlock);
    let element = finding.share.reduction.map(|reduction| reduction.element);
    if element != Some(elements.basic) {
        return Err("the messages are not of the type that is combined".to_owned());
    }
    if finding.share.reduction.and_then(|r| r.combine.mpi_name()).is_none() {
        return Err("its operation is one of the program".to_owned());
    }
    let bytes = block_bytes(c);
    if block.place(0, bytes) != [(0, bytes)] || c.pieces.count != 1 || bytes > MOST {
        return Err("its elements are not all one after the other".to_owned());
    }
    let ranks = 0..at(c.group.size());
    if scatters {
        let is_regular = |k: usize| {
            let before = u64::try_from(k).unwrap_or(u64::MAX).saturating_mul(c.length.0);
            lengths.get(k) == c.length.0 && offsets.get(k) == before
        };
        if c.kind == Kind::ReduceScatter || !ranks.clone().all(is_regular) {
            return Err("the counts of its blocks are not written".to_owned());
        }
    }
    let holds = |k: usize| match c.root {
        None => true,
        Some(root) => c.group.rank(root).is_some_and(|rank| at(rank) == k),
    };
    let is_in_place = if c.root.is_some() { at_root } else { in_place };
    for (k, process) in ranks.zip(c.group.iter()) {
        let (own, result) = (from.get(k), to.get(k));
        let is_same = own == result;
        let whole = if scatters { bytes.saturating_mul(c.group.size().into()) } else { bytes };
        let apart = program_address(own).abs_diff(program_address(result));
        if holds(k) && (is_same != is_in_place || (!is_same && apart < whole)) {
            return Err(format!("process {process} has its result at another place"));
        }
        // Partial sums that the program does not miss, as far as a trace knows.
        let mut dead = finding.graph.dead(process);
        let is_lost = !(holds(k) && is_same)
            && dead.any(|(start, length)| {
                start.0 < own.saturating_add(whole) && own < start.0.saturating_add(length.0)
            });
        if is_lost {
            return Err(format!(
                "the messages leave a partial result in the buffer of process {process}, and the call would not: whether \
                 the program reads it is not recorded"
            ));
        }
    }
    Ok(())
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

fn at(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
