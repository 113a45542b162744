//! The memory that a call names, against what the messages have moved.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use commloom_commgraph::recorded::program_address;
use commloom_commgraph::{Blocks, Collective, Transfer};
use commloom_layout::{mpi as layouts, text};
use commloom_trace::Buffer;

use super::moves::{Moves, Name};
use crate::finding::{Finding, block_bytes};
use crate::printed::Printed;

/// Bytes that a call names.
pub(super) struct Used {
    range: Range<u64>,
    /// Which of the contents that were there.
    version: u64,
    is_written: bool,
}

/// Where each name is: the bytes of it that are used.
pub(super) type Named = BTreeMap<Name, Vec<Used>>;

/// Compares what the call moves with what the messages have moved. A name may be anywhere at each
/// process, but it is at one place.
pub(super) fn replayed(c: &Collective, moves: &Moves) -> Result<Named, String> {
    let mut recorded: BTreeMap<(u32, u32), Vec<Transfer>> = BTreeMap::new();
    c.replay(|t| recorded.entry((t.source, t.destination)).or_default().push(t));
    let mut bases: HashMap<Name, u64> = HashMap::new();
    let mut named = Named::new();
    let mut wanted = moves.iter().filter(|(_, moves)| !moves.is_empty()).map(|(pair, _)| *pair);
    if let Some((from, to)) = wanted.find(|pair| !recorded.contains_key(pair)) {
        if from == to {
            return Err(format!(
                "the call also writes the block that process {to} has for itself: where that \
                 should be, and whether the program copies it, no message says"
            ));
        }
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

/// Each byte that the call is given is there once while it runs: none is written and used, under
/// whatever names, and no name has memory that held one block after the other. Blocks that get
/// places of their own may have come to one place. A scatter reads none twice (MPI 4.1, section
/// 6.6).
pub(super) fn at_one_time(
    finding: &Finding,
    named: &Named,
    printed: &Printed,
) -> Result<(), String> {
    let reads_once = matches!(printed, Printed::Rooted { gathers: false, .. });
    let mut all: BTreeMap<u32, Vec<(&Used, Name)>> = BTreeMap::new();
    for (name, used) in named {
        all.entry(name.process).or_default().extend(used.iter().map(|used| (used, *name)));
    }
    for (process, mut used) in all {
        let mut is_kept = None;
        used.sort_unstable_by_key(|(used, name)| (used.range.start, used.range.end, *name));
        let mut kept = || *is_kept.get_or_insert_with(|| finding.sends_together(process));
        // Of those so far, in each name and of both kinds, the one that reaches farthest.
        let mut open: Vec<(&Used, Name)> = Vec::new();
        for (next, name) in used {
            open.retain(|(other, _)| other.range.end > next.range.start);
            for (other, its) in &open {
                let is_one = *its == name;
                let have_places = its.block.is_some() && name.block.is_some();
                let is_both = next.is_written && other.is_written;
                if (next.is_written || other.is_written) && (is_one || !(is_both && have_places)) {
                    return Err(format!("at process {process} it would overwrite what it uses"));
                }
                if reads_once && is_one && !next.is_written {
                    return Err(format!(
                        "process {process} sends a block to several, and no scatter may read a \
                         place twice (MPI 4.1, section 6.6)"
                    ));
                }
                if is_one && other.version != next.version && !kept() {
                    return Err(format!(
                        "the memory of process {process} held these blocks one after the other"
                    ));
                }
            }
            match open
                .iter_mut()
                .find(|(other, its)| *its == name && other.is_written == next.is_written)
            {
                Some(last) if last.0.range.end >= next.range.end => {}
                Some(last) => last.0 = next,
                None => open.push((next, name)),
            }
        }
    }
    Ok(())
}

/// Where a buffer begins and ends, and its widest gap: bytes from its address.
type Extent = (i64, i64, u64);

/// The memory of messages, with the widest gap in each, by process; sorted.
type Buffers = BTreeMap<u32, Vec<(Range<u64>, u64)>>;

/// The buffers of the messages at both ends.
pub(super) fn buffers(finding: &Finding) -> Buffers {
    let mut all = Buffers::new();
    // By count and layout.
    let mut known = HashMap::<(u64, Arc<str>), Option<Extent>>::new();
    for message in finding.messages() {
        let sent = finding.send(message).map(|(buffer, _)| buffer);
        let received = finding.receive(message).map(|(buffer, ..)| buffer);
        let ends = [(message.send.process, sent), (message.receive.process, received)];
        for (process, buffer) in ends {
            let Some(buffer) = buffer else { continue };
            let key = (buffer.count, buffer.layout.clone());
            let bounds = *known.entry(key).or_insert_with(|| bounds(&buffer));
            let (low, high, gap) = bounds.unwrap_or((0, signed(buffer.bytes), 0));
            let end = |by: i64| buffer.address.saturating_add_signed(by);
            all.entry(process).or_default().push((end(low)..end(high), gap));
        }
    }
    for own in all.values_mut() {
        own.sort_unstable_by_key(|(range, _)| (range.start, range.end));
    }
    all
}

/// The name of a single block is of the buffers of messages, by its description: no block begins
/// inside of them.
pub(super) fn from_the_start(
    named: &Named,
    buffers: &Buffers,
    printed: &Printed,
) -> Result<(), String> {
    let is_single = |name: &Name| match printed {
        Printed::Bcast(_) => true,
        Printed::Rooted { gathers, .. } => name.is_received != *gathers,
        Printed::Gathered { .. } => !name.is_received,
        _ => false,
    };
    for (name, used) in named.iter().filter(|(name, _)| is_single(name)) {
        let start = used.iter().map(|used| used.range.start).min();
        let own = buffers.get(&name.process).into_iter().flatten();
        if !own.into_iter().any(|(range, _)| Some(range.start) == start) {
            return Err(format!(
                "what process {} gives or gets is only a part of its messages",
                name.process
            ));
        }
    }
    Ok(())
}

/// Memory of messages, by process; sorted, and nothing in it overlaps or touches.
pub(super) type Arrays = BTreeMap<u32, Vec<Range<u64>>>;

/// The memory of messages of several times, and of what a process would send to itself. Steps that
/// fill an array side by side name all of it only together; a call for each of them is right
/// where all have their blocks as far apart.
pub(super) fn arrays<'n, 'f: 'n>(
    all: impl Iterator<Item = (&'n Finding<'f>, &'n Named)>,
) -> Arrays {
    let mut arrays = Arrays::new();
    for (finding, named) in all {
        for (process, own) in buffers(finding) {
            arrays.entry(process).or_default().extend(own.into_iter().map(|(range, _)| range));
        }
        for (name, places) in named {
            arrays.entry(name.process).or_default().extend(own_block(finding, *name, places));
        }
    }
    for own in arrays.values_mut() {
        own.sort_unstable_by_key(|range| range.start);
        own.dedup_by(|next, last| {
            let touches = next.start <= last.end;
            last.end = if touches { last.end.max(next.end) } else { last.end };
            touches
        });
    }
    arrays
}

/// Whether all that a call names at a process is in one of these.
pub(super) fn in_one(named: &Named, arrays: &Arrays) -> bool {
    named.iter().all(|(name, places)| {
        let low = places.iter().map(|used| used.range.start).min().unwrap_or(0);
        let high = places.iter().map(|used| used.range.end).max().unwrap_or(0);
        let own = arrays.get(&name.process).into_iter().flatten();
        own.into_iter().any(|range| range.start <= low && high <= range.end)
    })
}

/// Displacements are right in every run only within one array. A trace does not know arrays, but a
/// message does not reach beyond one: memory is one array where the buffers of messages overlap or
/// touch.
pub(super) fn one_array(
    finding: &Finding,
    named: &Named,
    arrays: &Buffers,
    printed: &Printed,
) -> Result<(), String> {
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
                "between its blocks at process {} lies memory that no message names: whether \
                 they are of one array is not recorded",
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
    if let Some(hole) = places.windows(2).find(is_hole) {
        return Some(hole[0].range.end..hole[1].range.start);
    }
    // Farther apart than they are long, in equal steps: two steps where it is left out.
    let step = |pair: &[Used]| pair[1].range.start.saturating_sub(pair[0].range.start);
    let one = places.windows(2).map(step).min().filter(|one| *one > bytes)?;
    let hole = places.windows(2).find(|pair| step(pair) == one.saturating_mul(2))?;
    let start = hole[0].range.start.saturating_add(one);
    Some(start..start.saturating_add(bytes))
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
