//! The picture: what processes do before, and after the operations that were found stand there.

use commloom_advice::mpi;
use commloom_commgraph::{Action, Collective, Matching, Order, Process, Transfer, levels};
use commloom_picture::spacetime::{Band, Mark, Message, Timeline, spacetime};

use super::calls;
use super::case::Case;
use super::found::Found;
use crate::failure::Failure;

/// Before and after as one SVG.
///
/// # Errors
/// Graphs that have no meaning.
pub fn svg(case: &Case, found: &Found) -> Result<String, Failure> {
    let timelines = match found.analysis() {
        Some(_) => vec![before(case)?, after(case, found)],
        None => vec![before(case)?],
    };
    let graph = &case.program.graph;
    let subtitle = format!(
        "{} processes, {} operations, {} messages",
        graph.processes(),
        graph.operations(),
        found.messages()
    );
    Ok(spacetime(&case.name, &subtitle, &timelines))
}

fn lanes(case: &Case) -> Vec<String> {
    (0..case.program.graph.processes()).map(|p| p.to_string()).collect()
}

fn unit(case: &Case) -> String {
    if case.claim.is_some() { "chunks".to_owned() } else { String::new() }
}

fn before(case: &Case) -> Result<Timeline, Failure> {
    let graph = &case.program.graph;
    let matching = Matching::of(graph).map_err(|error| case.failure(&error))?;
    let order = Order::of(graph, &matching).map_err(|error| case.failure(&error))?;
    let levels = levels(graph, &matching, &order);
    let mut first = vec![0];
    for process in (0..graph.processes()).map(Process) {
        first.push(first[first.len() - 1] + graph.of(process).count());
    }
    let level =
        |process: Process, operation: u32| levels[first[index(process.0)] + index(operation)];
    let messages: Vec<Message> = matching
        .pairs(graph)
        .map(|(send, receive)| {
            let bytes = if let Action::Send { length, .. } = send.action { length.0 } else { 0 };
            let leaves = level(send.process, send.index);
            let arrives = level(receive.process, receive.index).max(leaves + 1);
            Message {
                from: index(send.process.0),
                to: index(receive.process.0),
                leaves,
                arrives,
                bytes,
                count: 1,
            }
        })
        .collect();
    let marks: Vec<Mark> = (0..graph.processes())
        .flat_map(|process| graph.of(Process(process)))
        .filter_map(|operation| {
            let reduces = match operation.action {
                Action::Reduce { .. } => true,
                Action::Copy { .. } => false,
                _ => return None,
            };
            let step = level(operation.process, operation.index);
            Some(Mark { lane: index(operation.process.0), step, reduces })
        })
        .collect();
    let mut legend = "lines: messages".to_owned();
    match messages.first() {
        Some(first) if messages.iter().all(|m| m.bytes == first.bytes) => {
            legend.push_str(&format!(" of {}", case.unit(first.bytes)));
        }
        _ => {}
    }
    legend.push_str(", coloured by who sends");
    if marks.iter().any(|m| m.reduces) {
        legend.push_str("; circles: reductions");
    }
    if marks.iter().any(|m| !m.reduces) {
        legend.push_str("; squares: copies");
    }
    let (lanes, unit) = (lanes(case), unit(case));
    let mut timeline = Timeline { lanes, unit, messages, marks, legend, ..Timeline::default() };
    timeline.heading =
        format!("Before: {} messages, {} steps", timeline.messages.len(), timeline.steps());
    Ok(timeline)
}

/// The timeline after: the operations that were found, and the messages that are part of none.
pub fn after(case: &Case, found: &Found) -> Timeline {
    let collectives = found.collectives();
    let mut bands = Vec::new();
    for collective in collectives {
        let lanes = members(collective);
        // Operations of different processes stand side by side.
        let free = |step: u32| {
            let there = bands.iter().filter(|b: &&Band| b.step == step);
            !there.flat_map(|b| &b.lanes).any(|lane| lanes.contains(lane))
        };
        let step = (0..).find(|step| free(*step)).unwrap_or(0);
        bands.push(Band {
            step,
            label: mpi(collective.kind.name()),
            detail: calls::size(case, collective),
            root: collective.root.map(|root| index(root.0)),
            lanes,
        });
    }
    let start = bands.iter().map(|b| b.step + 1).max().unwrap_or(0);
    let (left, reduced) = found
        .analysis()
        .map_or((&[][..], 0), |a| (a.detection.left.as_slice(), a.detection.left_reduced.len()));
    let (messages, marks) = messages(case, left, start);
    let mut heading = format!("After: {}", counted(collectives.len(), "collective operation"));
    if !messages.is_empty() {
        heading.push_str(&format!(", {}", counted(messages.len(), "message")));
    }
    if reduced > 0 {
        heading.push_str(&format!(", {} left as they are", counted(reduced, "result")));
    }
    let has_root = collectives.iter().any(|c| c.root.is_some());
    let legend = match (collectives.is_empty(), has_root) {
        (true, _) => "no collective was found",
        (false, true) => "bands: MPI calls, all who take part; yellow: the root",
        (false, false) => "bands: MPI calls, all who take part",
    };
    let (lanes, unit, legend) = (lanes(case), unit(case), legend.to_owned());
    Timeline { heading, legend, lanes, unit, messages, bands, marks }
}

fn members(c: &Collective) -> Vec<usize> {
    c.group.iter().map(|p| index(p.0)).collect()
}

/// The messages left, each in the first step in which both of its processes are free.
fn messages(case: &Case, left: &[Transfer], start: u32) -> (Vec<Message>, Vec<Mark>) {
    let processes = index(case.program.graph.processes());
    let mut free = vec![start; processes];
    let mut messages = Vec::new();
    let mut marks = Vec::new();
    for t in left {
        let (from, to) = (index(t.source), index(t.destination));
        let step = free[from].max(free[to]);
        if from == to {
            marks.push(Mark { lane: from, step, reduces: false });
        } else {
            messages.push(Message {
                from,
                to,
                leaves: step,
                arrives: step + 1,
                bytes: t.length,
                count: 1,
            });
        }
        (free[from], free[to]) = (step + 1, step + 1);
    }
    (messages, marks)
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

fn index(n: u32) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}
