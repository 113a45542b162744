//! A graph and what was found in it, as the page shows them.

use commloom_advice::{Ran, mpi};
use commloom_commgraph::recorded::Message;
use commloom_commgraph::{Action, Matching, Order, Process, levels};
use commloom_picture::matrix::{Pair, squares, summed};

use super::super::case::Case;
use super::super::found::{Found, Predicted};
use super::super::{calls, diagram, words};
use super::clock::Clock;
use super::fewer::thin;
use super::model::{Band, Diagram, Figure, Finding, Line, Part};
use super::places::Places;
use crate::failure::Failure;

/// Pairs of ranks that the table lists.
const PAIRS: usize = 100;

/// How much of a page a part may take.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    pub lines: usize,
    pub squares: usize,
}

/// One graph; with pictures where there is room.
///
/// # Errors
/// Graphs that have no meaning.
pub fn part(
    case: &Case,
    found: &Found,
    places: &mut Places,
    room: Option<Room>,
) -> Result<Part, Failure> {
    let before = before(case, places)?;
    let sum = |of: fn(&Line) -> u64| before.lines.iter().map(of).fold(0, u64::saturating_add);
    let (messages, bytes) = (sum(|line| line.messages), sum(|line| line.bytes));
    let ran = case.ran.as_ref();
    let seconds = |p: Predicted| (p.messages.0, p.replaced.0);
    let figure = room.map(|room| figure(case, found, before, room));
    Ok(Part {
        name: case.name.clone(),
        times: ran.map_or(1, |ran| ran.times()),
        summary: words::counts(case, found),
        sweep: case.is_sweep(),
        findings: found.collectives().iter().map(|c| finding(case, c)).collect(),
        left: words::left_over(case, found),
        senders: ran.map(|ran| ran.senders.clone()).unwrap_or_default(),
        receivers: ran.map(|ran| ran.receivers.clone()).unwrap_or_default(),
        notes: found.notes().map(ToString::to_string).collect(),
        predicted: found.predicted.map(seconds),
        messages,
        bytes,
        figure,
    })
}

fn finding(case: &Case, c: &commloom_commgraph::Collective) -> Finding {
    Finding {
        name: mpi(c.kind.name()),
        // Addresses of a program that ran mean nothing to anybody: the advice has names.
        call: if case.ran.is_some() { String::new() } else { calls::call(case, c) },
        processes: c.group.size(),
        root: c.root.map(|root| root.0),
        size: calls::size(case, c),
    }
}

fn figure(case: &Case, found: &Found, mut before: Diagram, room: Room) -> Figure {
    let processes = case.program.graph.processes();
    let (matrix, pairs) = traffic(processes, &before.lines, room.squares);
    thin(&mut before, processes, room.lines);
    let after = found.analysis().is_some().then(|| {
        let mut after = after(case, found);
        thin(&mut after, processes, room.lines / 4);
        after
    });
    Figure { processes, before: Some(before), after, matrix, pairs }
}

/// Sender, receiver, messages, bytes.
type Pairs = Vec<(u32, u32, u64, u64)>;

/// Who sends how much to whom, and the pairs with most bytes.
pub fn traffic(
    processes: u32,
    lines: &[Line],
    most: usize,
) -> (Vec<commloom_picture::matrix::Square>, Pairs) {
    let pair = |l: &Line| Pair { from: l.from, to: l.to, messages: l.messages, bytes: l.bytes };
    let mut pairs = summed(lines.iter().map(pair).collect());
    let squares = squares(processes, pairs.clone(), most);
    pairs.sort_by_key(|pair| (std::cmp::Reverse(pair.bytes), pair.from, pair.to));
    pairs.truncate(PAIRS);
    (squares, pairs.into_iter().map(|p| (p.from, p.to, p.messages, p.bytes)).collect())
}

/// All messages of a graph, by steps; where it was recorded, also by time and place.
fn before(case: &Case, places: &mut Places) -> Result<Diagram, Failure> {
    let graph = &case.program.graph;
    let matching = Matching::of(graph).map_err(|error| case.failure(&error))?;
    let order = Order::of(graph, &matching).map_err(|error| case.failure(&error))?;
    let levels = levels(graph, &matching, &order);
    let mut first = vec![0];
    for process in (0..graph.processes()).map(Process) {
        first.push(first[first.len() - 1] + graph.of(process).count());
    }
    let step = |process: Process, operation: u32| {
        u64::from(levels[first[index(process.0)] + index(operation)])
    };
    let recorded = case.ran.as_ref().map(|ran| (ran, Clock::of(&ran.traces)));
    let mut diagram = Diagram { lane: 1, stepped: true, ..Diagram::default() };
    for (send, receive) in matching.pairs(graph) {
        let Action::Send { length, tag, .. } = send.action else { continue };
        let leaves = step(send.process, send.index);
        let arrives = step(receive.process, receive.index).max(leaves + 1);
        let mut line = Line {
            from: send.process.0,
            to: receive.process.0,
            steps: (leaves, arrives),
            times: (0, 0),
            messages: 1,
            bytes: length.0,
            sender: 0,
            receiver: 0,
        };
        if let Some((ran, clock)) = &recorded
            && let Some(message) = message(ran, tag.0)
        {
            line.sender = places.number(message.sender.as_deref());
            line.receiver = places.number(message.receiver.as_deref());
            line.times = times(clock, message);
        }
        diagram.lines.push(line);
    }
    from_zero(&mut diagram);
    diagram.heading = match diagram.lines.iter().map(|line| line.steps.1).max() {
        Some(1) => format!("{} messages in one step", diagram.lines.len()),
        Some(steps) => format!("{} messages in {steps} steps", diagram.lines.len()),
        None => "no messages".to_owned(),
    };
    Ok(diagram)
}

fn message(ran: &Ran, tag: i32) -> Option<&Message> {
    ran.messages.get(usize::try_from(tag).ok()?)
}

/// When a message was sent, and when the receiver knew of it.
pub fn times(clock: &Clock<'_>, message: &Message) -> (u64, u64) {
    let sent = clock.at(message.send).unwrap_or(0);
    (sent, clock.at(message.arrival).unwrap_or(sent))
}

/// Times count from the first one; without a clock they all were the same.
fn from_zero(diagram: &mut Diagram) {
    let all = || diagram.lines.iter().flat_map(|line| [line.times.0, line.times.1]);
    let (Some(first), Some(last)) = (all().min(), all().max()) else { return };
    diagram.timed = last > first;
    for line in &mut diagram.lines {
        line.times = (line.times.0 - first, line.times.1 - first);
    }
}

/// The diagram with the operations that were found.
fn after(case: &Case, found: &Found) -> Diagram {
    let timeline = diagram::after(case, found);
    let narrow = |lane: usize| u32::try_from(lane).unwrap_or(u32::MAX);
    let band = |band: &commloom_picture::spacetime::Band| Band {
        name: band.label.clone(),
        detail: band.detail.clone(),
        root: band.root.map(narrow),
        members: sample(&band.lanes).map(|lane| narrow(*lane)).collect(),
        step: band.step.into(),
        times: Vec::new(),
    };
    let line = |message: &commloom_picture::spacetime::Message| Line {
        from: narrow(message.from),
        to: narrow(message.to),
        steps: (message.leaves.into(), message.arrives.into()),
        times: (0, 0),
        messages: message.count,
        bytes: message.bytes,
        sender: 0,
        receiver: 0,
    };
    Diagram {
        heading: timeline.heading.trim_start_matches("After: ").to_owned(),
        lane: 1,
        stepped: true,
        bands: timeline.bands.iter().map(band).collect(),
        lines: timeline.messages.iter().map(line).collect(),
        ..Diagram::default()
    }
}

/// Members of an operation that are drawn.
const MEMBERS: usize = 64;

/// All of a list, or so many of it, the first and the last among them.
pub fn sample<T>(all: &[T]) -> impl Iterator<Item = &T> {
    let shown = all.len().min(MEMBERS);
    (0..shown).map(move |k| &all[k * (all.len() - 1) / (shown - 1).max(1)])
}

fn index(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
