//! A schedule as rounds of moves between the memories of its processes, where all are in one
//! process: a message is a copy from the sender's memory to the receiver's, and a collective call
//! is one or a few rounds of such copies.
//!
//! The moves of a round touch different bytes, so that they can be made at the same time.

use super::arithmetic::{Combiner, combiner};
use super::error::ScheduleError;
use crate::detect::Kind;
use crate::number::{at, count};
use crate::operation::{NONE, Reduction};
use crate::schedule::{Call, Completion, Place, Program, Schedule, Side, Task};

/// A place in one of the spaces: the memory of process p is space 2 p, its scratch memory 2 p + 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Spot {
    pub space: usize,
    pub at: u64,
}

/// Something that writes one range.
#[derive(Clone)]
pub(super) struct Move {
    pub into: Spot,
    pub length: u64,
    pub work: Work,
}

#[derive(Clone)]
pub(super) enum Work {
    Copy(Spot),
    /// All of them together; `own`: and what is there.
    Reduce {
        from: Vec<Spot>,
        own: bool,
        with: Combiner,
    },
}

pub(super) type Round = Vec<Move>;

/// The rounds of a schedule, one after the other, and the scratch memory that each process needs
/// for them.
pub(super) fn rounds(schedule: &Schedule) -> Result<(Vec<Round>, Vec<u64>), ScheduleError> {
    let mut all = Vec::new();
    let mut scratch: Vec<u64> = schedule.programs.iter().map(|program| program.scratch).collect();
    for phase in 0..schedule.phases() {
        let mut here = jobs(schedule, phase, &mut scratch)?;
        for team in schedule.teams(phase) {
            // Teams of one phase have no process in common.
            for (k, round) in calls(&team)?.into_iter().enumerate() {
                match here.get_mut(k) {
                    Some(known) => known.extend(round),
                    None => here.push(round),
                }
            }
        }
        all.extend(here.into_iter().filter(|round| !round.is_empty()));
    }
    Ok((all, scratch))
}

fn spot(process: u32, place: Place) -> Spot {
    let (scratch, at) = match place {
        Place::Memory(at) => (0, at),
        Place::Scratch(at) => (1, at),
    };
    Spot { space: 2 * crate::number::at(process) + scratch, at }
}

/// The jobs of a phase, each in the round after the last of those that it waits for. Jobs of one
/// round wait for each other neither directly nor through others, and what conflicts is ordered:
/// so they touch different bytes.
fn jobs(
    schedule: &Schedule,
    phase: usize,
    scratch: &mut [u64],
) -> Result<Vec<Round>, ScheduleError> {
    let jobs = schedule.jobs(phase);
    let completion = Completion::of(&jobs);
    let mut level = vec![0_usize; completion.partner.len()];
    let mut rounds: Vec<Round> = Vec::new();
    for number in &completion.order {
        let (p, place) = completion.owner(*number);
        let job = &jobs[at(p)][place];
        let after = |level: &[usize], process: u32, after: &[u32]| {
            let first = completion.first[at(process)];
            after.iter().map(|on| level[at(first + on)] + 1).max().unwrap_or(0)
        };
        let mut here = after(&level, p, &job.after);
        let program = &schedule.programs[at(p)];
        let moves = match job.task {
            // It moves when its receive does.
            Task::Send { .. } => continue,
            Task::Nothing => Vec::new(),
            Task::Receive { into, length, .. } => {
                let partner = completion.partner[at(*number)];
                if partner == NONE {
                    return Err(ScheduleError::Unmatched { process: p });
                }
                let (q, send) = completion.owner(partner);
                let send = &jobs[at(q)][send];
                let Task::Send { from, .. } = send.task else {
                    return Err(ScheduleError::Unmatched { process: p });
                };
                here = here.max(after(&level, q, &send.after));
                level[at(partner)] = here;
                vec![copy(spot(q, from), spot(p, into), length)]
            }
            Task::Copy { from, into, length } => {
                let (from, into) = (spot(p, from), spot(p, into));
                if from.space == into.space && from.at.abs_diff(into.at) < length {
                    // By way of a third place, in the round before.
                    let between = spot(p, Place::Scratch(scratch[at(p)]));
                    scratch[at(p)] += length;
                    add(&mut rounds, here, [copy(from, between, length)]);
                    here += 1;
                    vec![copy(between, into, length)]
                } else {
                    vec![copy(from, into, length)]
                }
            }
            Task::Pack { from, layout, into } => strips(program, layout, from, into)
                .map(|(strip, packed, length)| copy(spot(p, strip), spot(p, packed), length))
                .collect(),
            Task::Unpack { from, into, layout } => strips(program, layout, into, from)
                .map(|(strip, packed, length)| copy(spot(p, packed), spot(p, strip), length))
                .collect(),
            Task::Reduce { from, into, length, reduction } => {
                let from = vec![spot(p, from)];
                vec![reduce(from, true, spot(p, into), length, reduction)?]
            }
        };
        level[at(*number)] = here;
        add(&mut rounds, here, moves);
    }
    Ok(rounds)
}

/// The strips of a layout: where each is, where it is when packed, and how long.
fn strips(
    program: &Program,
    layout: u32,
    start: Place,
    packed: Place,
) -> impl Iterator<Item = (Place, Place, u64)> {
    let strips = program.layouts.get(at(layout)).into_iter().flatten();
    strips.scan(0, move |offset, strip| {
        let here = packed.plus(*offset);
        *offset += strip.length;
        Some((start.plus(strip.displacement.cast_unsigned()), here, strip.length))
    })
}

/// Adds moves to a round.
fn add(rounds: &mut Vec<Round>, round: usize, moves: impl IntoIterator<Item = Move>) {
    while rounds.len() <= round {
        rounds.push(Vec::new());
    }
    rounds[round].extend(moves.into_iter().filter(|m| m.length > 0));
}

fn copy(from: Spot, into: Spot, length: u64) -> Move {
    Move { into, length, work: Work::Copy(from) }
}

fn reduce(
    from: Vec<Spot>,
    own: bool,
    into: Spot,
    length: u64,
    reduction: Reduction,
) -> Result<Move, ScheduleError> {
    let with = combiner(reduction).ok_or(ScheduleError::Reduction { reduction })?;
    Ok(Move { into, length, work: Work::Reduce { from, own, with } })
}

/// A call of a team, by MPI's definitions (MPI 4.1, chapter 6).
fn calls(team: &[(u32, &Call)]) -> Result<Vec<Round>, ScheduleError> {
    let Some((_, first)) = team.first() else { return Ok(Vec::new()) };
    let ranks = 0..team.len();
    let both = || ranks.clone().flat_map(|j| ranks.clone().map(move |k| (j, k)));
    let root = first.root.map_or(0, at);
    let mut round = Vec::new();
    match first.kind {
        Kind::Barrier => {}
        Kind::Bcast => {
            let others = ranks.filter(|k| *k != root);
            others.for_each(|k| pairs(sent(team, root, 0), got(team, k, 0), &mut round));
        }
        Kind::Scatter | Kind::Scatterv => {
            let others = ranks.filter(|k| team[*k].1.receive != Side::InPlace);
            others.for_each(|k| pairs(sent(team, root, k), got(team, k, 0), &mut round));
        }
        Kind::Gather | Kind::Gatherv => {
            let others = ranks.filter(|k| !in_place(team, *k));
            others.for_each(|k| pairs(sent(team, k, 0), got(team, root, k), &mut round));
        }
        Kind::Allgather | Kind::Allgatherv => {
            for (j, k) in both() {
                match in_place(team, k) {
                    false => pairs(sent(team, k, 0), got(team, j, k), &mut round),
                    true if j != k => pairs(got(team, k, k), got(team, j, k), &mut round),
                    true => {}
                }
            }
        }
        Kind::Alltoall | Kind::Alltoallv => {
            both().for_each(|(j, k)| pairs(sent(team, k, j), got(team, j, k), &mut round));
        }
        Kind::Reduce => return reduced(team, root),
        Kind::Allreduce => return reduced(team, 0),
        Kind::ReduceScatter | Kind::ReduceScatterBlock => {
            for k in ranks.clone().filter(|k| got(team, *k, 0).iter().any(|(_, n)| *n > 0)) {
                let (into, length) = only(got(team, k, 0))?;
                let from = ranks.clone().map(|i| Ok(only(sent(team, i, k))?.0));
                let from = from.collect::<Result<Vec<_>, ScheduleError>>()?;
                round.push(reduce(from, false, into, length, reduction(first)?)?);
            }
        }
        Kind::Scan | Kind::Exscan => return scanned(team, first.kind == Kind::Exscan),
        kind @ (Kind::NeighborAlltoall | Kind::NeighborAlltoallv | Kind::NeighborAlltoallw) => {
            return Err(ScheduleError::Call { name: kind.name() });
        }
    }
    Ok(vec![round])
}

fn in_place(team: &[(u32, &Call)], rank: usize) -> bool {
    team[rank].1.send == Side::InPlace
}

/// A block that a rank sends.
fn sent(team: &[(u32, &Call)], rank: usize, block: usize) -> Vec<(Spot, u64)> {
    pieces(team[rank].0, &team[rank].1.send, block)
}

/// A block that a rank receives.
fn got(team: &[(u32, &Call)], rank: usize, block: usize) -> Vec<(Spot, u64)> {
    pieces(team[rank].0, &team[rank].1.receive, block)
}

/// A reduction is made once, at one process; where all have the result, the others copy it.
fn reduced(team: &[(u32, &Call)], target: usize) -> Result<Vec<Round>, ScheduleError> {
    let first = team[0].1;
    let others = (0..team.len()).filter(|k| *k != target || !in_place(team, target));
    let given = |k: usize| if in_place(team, k) { got(team, k, 0) } else { sent(team, k, 0) };
    let from = others.map(|k| Ok(only(given(k))?.0)).collect::<Result<Vec<_>, ScheduleError>>()?;
    let (into, length) = only(got(team, target, 0))?;
    let sum = reduce(from, in_place(team, target), into, length, reduction(first)?)?;
    let mut round = Vec::new();
    if first.kind == Kind::Allreduce {
        let others = (0..team.len()).filter(|k| *k != target);
        others.for_each(|k| pairs(vec![(into, length)], got(team, k, 0), &mut round));
    }
    Ok(vec![vec![sum], round])
}

/// One after the other: each adds to what the one before has.
fn scanned(team: &[(u32, &Call)], is_exclusive: bool) -> Result<Vec<Round>, ScheduleError> {
    let mut rounds = Vec::new();
    let start = usize::from(is_exclusive);
    for k in start..team.len() {
        let (into, length) = only(got(team, k, 0))?;
        let own = !is_exclusive && in_place(team, k);
        let mut from = Vec::new();
        if k > start {
            from.push(only(got(team, k - 1, 0))?.0);
        }
        if !own {
            from.push(only(sent(team, k - start, 0))?.0);
        }
        if !from.is_empty() {
            rounds.push(vec![reduce(from, own, into, length, reduction(team[0].1)?)?]);
        }
    }
    Ok(rounds)
}

fn reduction(call: &Call) -> Result<Reduction, ScheduleError> {
    call.reduction.ok_or(ScheduleError::Call { name: call.kind.name() })
}

/// The single piece of a block of a reduction.
fn only(pieces: Vec<(Spot, u64)>) -> Result<(Spot, u64), ScheduleError> {
    match pieces[..] {
        [piece] => Ok(piece),
        _ => Err(ScheduleError::Call { name: "reduction of several pieces" }),
    }
}

/// Block `k` of a buffer: its pieces.
fn pieces(process: u32, side: &Side, k: usize) -> Vec<(Spot, u64)> {
    let (start, shape, length) = match side {
        Side::Nothing | Side::InPlace => return Vec::new(),
        Side::Block { at, shape } => (*at, shape, shape.length),
        Side::Row { at, step, shape } => {
            (at.plus(step.wrapping_mul(count(k))), shape, shape.length)
        }
        Side::Blocks { at, offsets, lengths, shape } => {
            (at.plus(offsets.get(k)), shape, lengths.get(k))
        }
    };
    let piece = |i: usize| (spot(process, start.plus(shape.offsets.get(i))), length);
    (0..at(shape.pieces)).map(piece).filter(|(_, length)| *length > 0).collect()
}

/// Copies the bytes of some pieces to others, in order.
fn pairs(from: Vec<(Spot, u64)>, into: Vec<(Spot, u64)>, round: &mut Round) {
    let (mut from, mut into) = (from.into_iter(), into.into_iter());
    let (mut a, mut b) = (from.next(), into.next());
    while let (Some((x, n)), Some((y, m))) = (a, b) {
        let both = n.min(m);
        round.push(copy(x, y, both));
        let rest = |spot: Spot, n: u64| {
            (n > both).then(|| (Spot { at: spot.at + both, ..spot }, n - both))
        };
        a = rest(x, n).or_else(|| from.next());
        b = rest(y, m).or_else(|| into.next());
    }
}
