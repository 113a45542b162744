//! Runs a schedule: one step of one process at a time, in a random order, with as much held back
//! as MPI may: a send is done only when its receive has been started, a collective call when all
//! have come.

use std::collections::{BTreeMap, BTreeSet};

use commloom_commgraph::Kind;
use commloom_commgraph::schedule::{
    Call, Phase, Place, Program, Schedule, Shape, Side, Strip, Task,
};

use super::execute::{Byte, Memory, initial};
use crate::Rng;

/// The observations on a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleRun {
    /// The bytes that were written.
    pub memory: Memory,
    /// By process: those of whom it has surely heard that they had begun.
    pub heard: Vec<BTreeSet<u32>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Started,
    Done,
}

/// A process somewhere in its program.
struct Process {
    phase: usize,
    jobs: Vec<State>,
    /// Of whom the process has heard when the phase began, and with each job.
    heard: BTreeSet<u32>,
    job_heard: Vec<BTreeSet<u32>>,
}

struct Run<'a> {
    programs: &'a [Program],
    processes: Vec<Process>,
    bytes: BTreeMap<(u32, Place), Byte>,
}

/// Runs it; `None` where it does not end, or a call is wrong: ranks disagree, or buffers overlap.
pub fn run(schedule: &Schedule, rng: &mut Rng) -> Option<ScheduleRun> {
    let start = |p: &Program| {
        let heard = BTreeSet::from([p.process]);
        Process { phase: 0, jobs: Vec::new(), heard, job_heard: Vec::new() }
    };
    let processes = schedule.programs.iter().map(start).collect();
    let mut run = Run { programs: &schedule.programs, processes, bytes: BTreeMap::new() };
    (0..run.processes.len()).for_each(|p| run.enter(p));
    loop {
        let moves = run.moves();
        if moves.is_empty() {
            break;
        }
        run.make(&moves[rng.usize(0..moves.len())])?;
    }
    let phases = schedule.programs.first().map_or(0, |p| p.phases.len());
    let ended = run.processes.iter().all(|p| p.phase == phases);
    let memory = run.bytes.into_iter().filter_map(|((p, place), byte)| match place {
        Place::Memory(a) => Some(((p, a), byte)),
        Place::Scratch(_) => None,
    });
    let memory = memory.collect();
    let heard = run.processes.into_iter().map(|p| p.heard).collect();
    ended.then_some(ScheduleRun { memory, heard })
}

enum Move {
    Start(usize, usize),
    Deliver((usize, usize), (usize, usize)),
    Next(usize),
    Call(Vec<usize>),
}

impl Run<'_> {
    fn enter(&mut self, p: usize) {
        let process = &mut self.processes[p];
        let jobs = match self.programs[p].phases.get(process.phase) {
            Some(Phase::Jobs(jobs)) => jobs.len(),
            _ => 0,
        };
        process.jobs = vec![State::New; jobs];
        process.job_heard = vec![process.heard.clone(); jobs];
    }

    fn phase(&self, p: usize) -> Option<&Phase> {
        self.programs[p].phases.get(self.processes[p].phase)
    }

    fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for (p, process) in self.processes.iter().enumerate() {
            match self.phase(p) {
                None => {}
                Some(Phase::Call(call)) => {
                    let team = self.team(p, call);
                    let here = |q: &usize| self.processes[*q].phase == process.phase;
                    if team.first() == Some(&p) && team.iter().all(here) {
                        moves.push(Move::Call(team));
                    }
                }
                Some(Phase::Jobs(jobs)) => {
                    if process.jobs.iter().all(|state| *state == State::Done) {
                        moves.push(Move::Next(p));
                    }
                    for (j, job) in jobs.iter().enumerate() {
                        let done =
                            |on: &u32| process.jobs[usize::try_from(*on).unwrap()] == State::Done;
                        if process.jobs[j] == State::New && job.after.iter().all(done) {
                            moves.push(Move::Start(p, j));
                        }
                        if process.jobs[j] == State::Started
                            && let Task::Send { to, tag, .. } = job.task
                            && let Some(receive) = self.receive(p, to, tag)
                        {
                            moves.push(Move::Deliver((p, j), receive));
                        }
                    }
                }
            }
        }
        moves
    }

    /// A receive that was started and takes this message.
    fn receive(&self, source: usize, to: u32, wanted: u32) -> Option<(usize, usize)> {
        let q = usize::try_from(to).unwrap();
        let Some(Phase::Jobs(jobs)) = self.phase(q) else { return None };
        let takes = |j: usize| match jobs[j].task {
            Task::Receive { from, tag, .. } => {
                usize::try_from(from).unwrap() == source
                    && tag == wanted
                    && self.processes[q].jobs[j] == State::Started
            }
            _ => false,
        };
        (0..jobs.len()).find(|j| takes(*j)).map(|j| (q, j))
    }

    fn make(&mut self, step: &Move) -> Option<()> {
        match step {
            Move::Next(p) => {
                let process = &mut self.processes[*p];
                process.phase += 1;
                for heard in std::mem::take(&mut process.job_heard) {
                    process.heard.extend(heard);
                }
                self.enter(*p);
                Some(())
            }
            Move::Start(p, j) => {
                let Some(Phase::Jobs(jobs)) = self.phase(*p) else { return None };
                let job = jobs[*j].clone();
                for on in &job.after {
                    let before =
                        self.processes[*p].job_heard[usize::try_from(*on).unwrap()].clone();
                    self.processes[*p].job_heard[*j].extend(before);
                }
                let process = u32::try_from(*p).unwrap();
                self.processes[*p].jobs[*j] = State::Done;
                match job.task {
                    Task::Send { .. } | Task::Receive { .. } => {
                        self.processes[*p].jobs[*j] = State::Started;
                    }
                    Task::Copy { from, into, length } => {
                        let bytes = self.read(process, (0..length).map(|k| from.plus(k)));
                        self.write(process, (0..length).map(|k| into.plus(k)), bytes);
                    }
                    Task::Pack { from, layout, into } => {
                        let places = self.strips(*p, layout, from);
                        let bytes = self.read(process, places.into_iter());
                        self.write(process, (0..).map(|k| into.plus(k)), bytes);
                    }
                    Task::Unpack { from, into, layout } => {
                        let places = self.strips(*p, layout, into);
                        let length = u64::try_from(places.len()).unwrap();
                        let bytes = self.read(process, (0..length).map(|k| from.plus(k)));
                        self.write(process, places.into_iter(), bytes);
                    }
                    Task::Reduce { from, into, length, .. } => {
                        let places = || (0..length).map(|k| into.plus(k));
                        let new = self.read(process, (0..length).map(|k| from.plus(k)));
                        let old = self.read(process, places());
                        let sum = old.into_iter().zip(new).map(|(a, b)| add(a, b)).collect();
                        self.write(process, places(), sum);
                    }
                    Task::Nothing => {}
                }
                Some(())
            }
            Move::Deliver((p, i), (q, j)) => {
                let (Some(Phase::Jobs(sends)), Some(Phase::Jobs(receives))) =
                    (self.phase(*p), self.phase(*q))
                else {
                    return None;
                };
                let Task::Send { from, length, .. } = sends[*i].task else { return None };
                let Task::Receive { into, length: room, .. } = receives[*j].task else {
                    return None;
                };
                if length != room {
                    return None;
                }
                let (source, destination) =
                    (u32::try_from(*p).unwrap(), u32::try_from(*q).unwrap());
                let bytes = self.read(source, (0..length).map(|k| from.plus(k)));
                self.write(destination, (0..length).map(|k| into.plus(k)), bytes);
                let told = self.processes[*p].job_heard[*i].clone();
                self.processes[*q].job_heard[*j].extend(told);
                self.processes[*p].jobs[*i] = State::Done;
                self.processes[*q].jobs[*j] = State::Done;
                Some(())
            }
            Move::Call(team) => self.call(team),
        }
    }

    /// The processes of a call, by rank.
    fn team(&self, p: usize, call: &Call) -> Vec<usize> {
        let Some(division) = call.team else { return (0..self.programs.len()).collect() };
        let seat = |q: usize| self.programs[q].seats[usize::try_from(division).unwrap()];
        let Some(mine) = seat(p) else { return Vec::new() };
        let mates = (0..self.programs.len())
            .filter_map(|q| seat(q).filter(|s| s.table == mine.table).map(|s| (s.rank, q)));
        let mut mates: Vec<_> = mates.collect();
        mates.sort_unstable();
        mates.into_iter().map(|(_, q)| q).collect()
    }

    /// The bytes of a buffer with a layout.
    fn strips(&self, p: usize, layout: u32, at: Place) -> Vec<Place> {
        let strips = &self.programs[p].layouts[usize::try_from(layout).unwrap()];
        let place = |strip: &Strip, k: u64| at.plus(strip.displacement.cast_unsigned()).plus(k);
        strips.iter().flat_map(|s| (0..s.length).map(move |k| place(s, k))).collect()
    }

    fn read(&self, process: u32, places: impl Iterator<Item = Place>) -> Vec<Byte> {
        let byte = |place: Place| match (self.bytes.get(&(process, place)), place) {
            (Some(byte), _) => byte.clone(),
            (None, Place::Memory(at)) => initial(process, at),
            (None, Place::Scratch(_)) => Vec::new(),
        };
        places.map(byte).collect()
    }

    fn write(&mut self, process: u32, places: impl Iterator<Item = Place>, bytes: Vec<Byte>) {
        self.bytes.extend(places.zip(bytes).map(|(place, byte)| ((process, place), byte)));
    }

    fn call(&mut self, team: &[usize]) -> Option<()> {
        let calls: Vec<Call> = team
            .iter()
            .map(|p| match self.phase(*p) {
                Some(Phase::Call(call)) => Some((**call).clone()),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let first = &calls[0];
        let agree = |c: &Call| {
            (c.kind, c.root, c.team, c.reduction)
                == (first.kind, first.root, first.team, first.reduction)
        };
        if !calls.iter().all(agree) || !team.iter().zip(&calls).all(|(_, c)| apart(c, team.len())) {
            return None;
        }
        let mut writes = Vec::new();
        let mut heard = Vec::new();
        for (rank, p) in team.iter().enumerate() {
            let blocks = blocks_for(rank, &calls, |k, places| {
                self.read(u32::try_from(team[k]).unwrap(), places.into_iter())
            })?;
            heard.push(blocks.iter().flat_map(|b| b.from.clone()).collect::<BTreeSet<usize>>());
            for block in blocks {
                if block.places.len() != block.bytes.len() {
                    return None;
                }
                writes.push((*p, block.places, block.bytes));
            }
        }
        for (p, places, bytes) in writes {
            self.write(u32::try_from(p).unwrap(), places.into_iter(), bytes);
        }
        let told: Vec<BTreeSet<u32>> =
            team.iter().map(|p| self.processes[*p].heard.clone()).collect();
        for (ranks, p) in heard.into_iter().zip(team) {
            ranks.into_iter().for_each(|k| self.processes[*p].heard.extend(told[k].clone()));
            self.processes[*p].phase += 1;
            self.enter(*p);
        }
        Some(())
    }
}

fn add(mut a: Byte, b: Byte) -> Byte {
    a.extend(b);
    a.sort_unstable();
    a
}

/// The blocks that a rank gets: where, what, and from which ranks.
struct Gets {
    places: Vec<Place>,
    bytes: Vec<Byte>,
    from: Vec<usize>,
}

/// MPI's definitions (MPI 4.1, chapter 6).
fn blocks_for(
    rank: usize,
    calls: &[Call],
    read: impl Fn(usize, Vec<Place>) -> Vec<Byte>,
) -> Option<Vec<Gets>> {
    let size = calls.len();
    let me = &calls[rank];
    let root = me.root.map(|root| usize::try_from(root).unwrap());
    let is_root = root == Some(rank);
    let in_place = |k: usize| calls[k].send == Side::InPlace;
    // Block `block` of what a rank gives, and the places of block `block` of what it gets.
    let sent = |k: usize, block: usize| read(k, places(&calls[k].send, block));
    let got = |k: usize, block: usize| places(&calls[k].receive, block);
    let moved = |from: usize, block: usize, slot: usize| Gets {
        places: got(rank, slot),
        bytes: sent(from, block),
        from: vec![from],
    };
    let reduced = |ranks: std::ops::Range<usize>, block: usize| {
        let given = |k: usize| if in_place(k) { read(k, got(k, block)) } else { sent(k, block) };
        let bytes = ranks
            .clone()
            .map(given)
            .reduce(|a, b| a.into_iter().zip(b).map(|(a, b)| add(a, b)).collect());
        Gets { places: got(rank, 0), bytes: bytes.unwrap_or_default(), from: ranks.collect() }
    };
    let nothing = |from: Vec<usize>| Gets { places: Vec::new(), bytes: Vec::new(), from };
    Some(match me.kind {
        Kind::Barrier => vec![nothing((0..size).collect())],
        Kind::Bcast if is_root => Vec::new(),
        Kind::Bcast => vec![moved(root?, 0, 0)],
        Kind::Scatter | Kind::Scatterv if me.receive == Side::InPlace => Vec::new(),
        Kind::Scatter | Kind::Scatterv => vec![moved(root?, rank, 0)],
        Kind::Gather | Kind::Gatherv if !is_root => Vec::new(),
        Kind::Gather | Kind::Gatherv => {
            (0..size).filter(|k| !in_place(*k)).map(|k| moved(k, 0, k)).collect()
        }
        Kind::Allgather | Kind::Allgatherv => {
            if !calls.iter().all(|c| (c.send == Side::InPlace) == in_place(0)) {
                return None;
            }
            let others = (0..size).filter(|k| !in_place(0) || *k != rank);
            let block = |k: usize| match in_place(k) {
                true => Gets { places: got(rank, k), bytes: read(k, got(k, k)), from: vec![k] },
                false => moved(k, 0, k),
            };
            others.map(block).collect()
        }
        Kind::Alltoall | Kind::Alltoallv => (0..size).map(|k| moved(k, rank, k)).collect(),
        Kind::Reduce if !is_root => Vec::new(),
        Kind::Reduce | Kind::Allreduce => vec![reduced(0..size, 0)],
        Kind::ReduceScatter | Kind::ReduceScatterBlock => vec![reduced(0..size, rank)],
        Kind::Scan => vec![reduced(0..rank + 1, 0)],
        Kind::Exscan if rank == 0 => Vec::new(),
        Kind::Exscan => vec![reduced(0..rank, 0)],
        _ => return None,
    })
}

/// The bytes of block `k` of a buffer, in their order.
fn places(side: &Side, k: usize) -> Vec<Place> {
    let far = u64::try_from(k).unwrap();
    let of = |at: Place, shape: &Shape, length: u64| -> Vec<Place> {
        let pieces = (0..usize::try_from(shape.pieces).unwrap()).map(|i| shape.offsets.get(i));
        pieces.flat_map(|offset| (0..length).map(move |b| at.plus(offset + b))).collect()
    };
    match side {
        Side::Nothing | Side::InPlace => Vec::new(),
        Side::Block { at, shape } => of(*at, shape, shape.length),
        Side::Row { at, step, shape } => of(at.plus(far * step), shape, shape.length),
        Side::Blocks { at, offsets, lengths, shape } => {
            of(at.plus(offsets.get(k)), shape, lengths.get(k))
        }
    }
}

/// Whether what a rank gives and what it gets lie apart (MPI 4.1, section 6.1).
fn apart(call: &Call, size: usize) -> bool {
    let all = |side: &Side| {
        let blocks = if matches!(side, Side::Block { .. }) { 1 } else { size };
        (0..blocks).flat_map(|k| places(side, k)).collect::<Vec<Place>>()
    };
    let (sends, receives) = (all(&call.send), all(&call.receive));
    let distinct: BTreeSet<&Place> = receives.iter().collect();
    let both_scratch = |p: &Place| matches!(p, Place::Scratch(_)) && call.kind == Kind::Exscan;
    distinct.len() == receives.len()
        && sends.iter().all(|p| !distinct.contains(p) || both_scratch(p))
}
