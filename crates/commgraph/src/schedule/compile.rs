//! From a graph to what its processes do.

use super::form::{Form, copies, copy_size, follow};
use super::hazards::{Access, Copies, Hazards};
use super::near;
use super::rest::{Rest, Work};
use super::teams::Teams;
use super::{Job, Phase, Place, Program, Schedule, Task, ends, plain, safe, strict};
use crate::analysis::{Analysis, analyse_matched};
use crate::cost::{LogGp, Seconds, predict};
use crate::detect::{Blocks, Collective, Kind, Options};
use crate::error::GraphError;
use crate::graph::Graph;
use crate::ids::Process;
use crate::matching::Matching;
use crate::number::{at, id};
use crate::operation::Reduction;
use crate::order::Order;

/// Which of the two effects of messages are kept (the paper's section 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The effects on memory. A barrier that the graph is, by its empty messages, stays one.
    #[default]
    Data,
    /// That, and for whom each process waits: what a replacement no longer waits for is added, as
    /// empty messages or one barrier, whichever is cheaper.
    Strict,
}

/// Whether collectives take the place of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replace {
    /// Where the cost model says that it pays.
    #[default]
    IfCheaper,
    /// Wherever it is possible.
    Always,
    /// Nowhere: the graph runs as it is.
    Never,
}

/// How a graph is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScheduleOptions {
    /// The operations to look for.
    pub detection: Options,
    /// The effects to keep.
    pub mode: Mode,
    /// When to replace.
    pub replace: Replace,
    /// The costs of the machine.
    pub machine: LogGp,
}

/// A graph, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// The jobs of each process.
    pub schedule: Schedule,
    /// The analysis of the graph.
    pub analysis: Analysis,
    /// The collectives of the analysis that the schedule calls, by their places there.
    pub calls: Vec<usize>,
    /// The time of the graph as it is, by the model.
    pub plain: Seconds,
    /// The time of the schedule, by the model.
    pub predicted: Seconds,
}

/// Compiles a graph: analyses it, replaces collectives, orders what reads before what overwrites
/// it, and takes care that no process waits for ever. Near-linear in the operations, the transfers
/// and the blocks of the collectives.
///
/// # Errors
/// See [`GraphError`].
pub fn compile(graph: &Graph, options: ScheduleOptions) -> Result<Compiled, GraphError> {
    let matching = Matching::of(graph)?;
    let order = Order::of(graph, &matching)?;
    let analysis = analyse_matched(graph, &matching, &order, options.detection)?;
    let machine = &options.machine;
    let mut plain = plain::schedule(graph, &matching);
    safe::copy_held_sends(&mut plain);
    let cost = predict(&plain, machine);
    let as_it_is = |plain, analysis| Compiled {
        schedule: plain,
        analysis,
        calls: Vec::new(),
        plain: cost,
        predicted: cost,
    };
    if options.replace == Replace::Never {
        return Ok(as_it_is(plain, analysis));
    }
    let parts = Parts::of(graph, &analysis, options);
    if !parts.rest.is_possible(&graph.reductions) {
        return Ok(as_it_is(plain, analysis));
    }
    let mut schedule = parts.schedule(graph);
    safe::copy_held_sends(&mut schedule);
    if options.mode == Mode::Strict {
        wait(graph, (&matching, &order), &mut schedule, machine);
    }
    let predicted = predict(&schedule, machine);
    if options.replace == Replace::IfCheaper && !predicted.is_at_most(cost) {
        return Ok(as_it_is(plain, analysis));
    }
    let calls = parts.calls.iter().map(|(place, _)| *place).chain(parts.barrier).collect();
    Ok(Compiled { schedule, analysis, calls, plain: cost, predicted })
}

/// Adds what a schedule no longer waits for, but the graph does.
fn wait(graph: &Graph, matched: (&Matching, &Order), schedule: &mut Schedule, machine: &LogGp) {
    let mut with_barrier = schedule.clone();
    strict::add_barrier(&mut with_barrier);
    // As many messages as a barrier would take at each process are surely too many.
    let limit = at(graph.processes()).saturating_mul(64);
    let pairs = strict::missing(graph, matched, schedule, limit);
    if pairs.is_empty() {
        return;
    }
    if pairs.len() <= limit {
        let mut with_messages = schedule.clone();
        strict::add_messages(&mut with_messages, &pairs);
        if predict(&with_messages, machine) <= predict(&with_barrier, machine) {
            *schedule = with_messages;
            return;
        }
    }
    *schedule = with_barrier;
}

/// A graph as calls and messages.
struct Parts<'a> {
    /// The calls: place in the analysis, and form.
    calls: Vec<(usize, Form)>,
    barrier: Option<usize>,
    collectives: &'a [Collective],
    rest: Rest,
}

impl<'a> Parts<'a> {
    fn of(graph: &Graph, analysis: &'a Analysis, options: ScheduleOptions) -> Parts<'a> {
        let detection = &analysis.detection;
        let collectives = &detection.collectives[..];
        let mut rest =
            Rest { transfers: detection.left.clone(), reduced: detection.left_reduced.clone() };
        let (mut calls, mut barrier) = (Vec::new(), None);
        for (place, c) in collectives.iter().enumerate() {
            if c.kind == Kind::Barrier {
                barrier = Some(place);
                continue;
            }
            let form = Form::of(c).filter(|_| is_whole(c, &graph.reductions));
            let pays = |form: &Form| {
                options.replace == Replace::Always || pays(graph, c, *form, &options.machine)
            };
            match form.filter(pays) {
                Some(form) => calls.push((place, form)),
                None => dissolve(c, &mut rest),
            }
        }
        Parts { calls, barrier, collectives, rest }
    }

    /// The parts in a good order, with the copies that they need.
    fn schedule(&self, graph: &Graph) -> Schedule {
        let processes = graph.processes();
        let rest = id(self.calls.len());
        let (order, copies) = self.hazards(processes);
        let mut teams = Teams::new(processes);
        let mut programs: Vec<Program> = (0..processes)
            .map(|process| Program {
                process,
                processes,
                scratch: 0,
                phases: Vec::new(),
                seats: Vec::new(),
                layouts: Vec::new(),
            })
            .collect();
        let mut first: Vec<Vec<Job>> = vec![Vec::new(); at(processes)];
        for part in order {
            if part == rest {
                let scratch: Vec<u64> = programs.iter().map(|program| program.scratch).collect();
                let copied = |process| copies[at(part)].others.contains(&process);
                let work = self.rest.work(&graph.reductions, &scratch, copied);
                for ((program, first), work) in programs.iter_mut().zip(&mut first).zip(work) {
                    let Work { first: copies, jobs, scratch } = work;
                    first.extend(copies);
                    program.scratch = scratch;
                    program.phases.push(Phase::Jobs(jobs));
                }
                continue;
            }
            let (place, form) = self.calls[at(part)];
            let c = &self.collectives[place];
            let call = Calling { c, form, team: teams.of(&c.group), reductions: &graph.reductions };
            call.add(&mut programs, &mut first, &copies[at(part)]);
        }
        for (program, first) in programs.iter_mut().zip(&mut first) {
            program.seats = teams.seats(program.process);
            program.phases.insert(0, Phase::Jobs(std::mem::take(first)));
        }
        let mut schedule = Schedule { programs };
        schedule.drop_empty_phases();
        if self.barrier.is_some() {
            strict::add_barrier(&mut schedule);
        }
        schedule
    }

    fn hazards(&self, processes: u32) -> (Vec<u32>, Vec<Copies>) {
        let rest = id(self.calls.len());
        let parts = rest + u32::from(!self.rest.is_empty());
        let mut hazards = Hazards::default();
        let mut of_rest = self.rest.accesses(processes, rest);
        for process in 0..processes {
            let calls = (0..).zip(&self.calls).filter_map(|(part, (place, _))| {
                let c = &self.collectives[*place];
                let ends = ends::Ends::of(c, c.group.rank(Process(process))?);
                // The root of a reduction in place reads what it writes, and so it should.
                let same = c.kind == Kind::Reduce && ends.send == ends.receive;
                let reads = if same { &[] } else { &ends.send[..] };
                Some(Access {
                    part,
                    reads: ends::ranges(reads, &c.pieces, false),
                    writes: ends::ranges(&ends.receive, &c.pieces, true),
                })
            });
            let mut here: Vec<Access> = calls.collect();
            if parts > rest {
                here.push(std::mem::take(&mut of_rest[at(process)]));
            }
            hazards.add(process, &here);
        }
        let order = hazards.order(parts);
        let copies = hazards.copies(&order);
        (order, copies)
    }
}

/// A call that is being added to programs.
struct Calling<'a> {
    c: &'a Collective,
    form: Form,
    team: Option<u32>,
    reductions: &'a [Reduction],
}

impl Calling<'_> {
    fn add(self, programs: &mut [Program], first: &mut [Vec<Job>], must_copy: &Copies) {
        let Calling { c, form, team, reductions } = self;
        let reduction = match c.blocks {
            Blocks::Reduced { reduction, .. } => Some(reductions[at(reduction)]),
            _ => None,
        };
        // A rank that reads a copy is not in place, and then none may be.
        let form = if must_copy.others.is_empty() { form } else { form.out_of_place() };
        for program in programs {
            let Some(rank) = c.group.rank(Process(program.process)) else {
                program.phases.push(Phase::Jobs(Vec::new()));
                continue;
            };
            let send = ends::Ends::of(c, rank).send;
            let scatters = matches!(c.kind, Kind::ReduceScatter | Kind::ReduceScatterBlock);
            let copy = must_copy.others.contains(&program.process)
                || (must_copy.own.contains(&program.process) && !form.in_place)
                || (scatters && !follow(c, &send));
            let copied = copy.then(|| {
                let place = Place::Scratch(program.scratch);
                program.scratch += copy_size(c, &send);
                let jobs = &mut first[at(program.process)];
                let mut into = Vec::new();
                for (to, block) in copies(c, &send).zip(&send) {
                    let pieces = (0..at(c.pieces.count)).map(|k| c.pieces.from.get(k));
                    into.extend(pieces.enumerate().map(|(k, from)| Task::Copy {
                        from: Place::Memory(block.at.wrapping_add(from)),
                        into: place.plus(to + crate::number::count(k) * block.length),
                        length: block.length,
                    }));
                }
                jobs.extend(into.into_iter().map(Job::new));
                place
            });
            let nowhere = Place::Scratch(program.scratch);
            let call = form.call(c, rank, team, copied, (nowhere, reduction));
            if [&call.send, &call.receive].iter().any(|side| side.is_at(nowhere)) {
                program.scratch += c.length.0;
            }
            program.phases.push(Phase::Call(Box::new(call)));
        }
    }
}

/// Whether a reduction is one of whole elements.
fn is_whole(c: &Collective, reductions: &[Reduction]) -> bool {
    let Blocks::Reduced { reduction, lengths, .. } = &c.blocks else { return true };
    let element = reductions[at(*reduction)].element.size();
    (0..at(c.group.size())).all(|k| lengths.get(k).is_multiple_of(element))
        && c.length.0.is_multiple_of(element)
}

/// Whether a call costs no more than messages from everybody to everybody that it serves.
fn pays(graph: &Graph, c: &Collective, form: Form, machine: &LogGp) -> bool {
    let one = std::slice::from_ref(c);
    let of = |calls: Vec<(usize, Form)>, rest: Rest| {
        let parts = Parts { calls, barrier: None, collectives: one, rest };
        predict(&parts.schedule(graph), machine)
    };
    let mut rest = Rest::default();
    dissolve(c, &mut rest);
    !rest.is_possible(&graph.reductions)
        || of(vec![(0, form)], Rest::default()).is_at_most(of(Vec::new(), rest))
}

/// A schedule with nothing but one operation; `None` where no call can do it.
pub(crate) fn alone(graph: &Graph, c: &Collective) -> Option<Schedule> {
    let one = std::slice::from_ref(c);
    let parts = |calls, barrier| Parts { calls, barrier, collectives: one, rest: Rest::default() };
    let parts = match c.kind {
        Kind::Barrier => parts(Vec::new(), Some(0)),
        _ => {
            let form = Form::of(c).filter(|_| is_whole(c, &graph.reductions))?;
            parts(vec![(0, form)], None)
        }
    };
    Some(parts.schedule(graph))
}

/// The same with the blocks of each process near each other, where they are too far apart for a
/// call: a program has had them one after the other in one buffer, which in a graph are addresses
/// far away.
pub(crate) fn alone_nearby(graph: &Graph, c: &Collective) -> Option<Schedule> {
    alone(graph, c).or_else(|| alone(graph, &near::nearby(c)))
}

/// The transfers or results of a collective, one by one.
fn dissolve(c: &Collective, rest: &mut Rest) {
    c.replay(|t| rest.transfers.push(t));
    rest.reduced.extend(c.results());
}
