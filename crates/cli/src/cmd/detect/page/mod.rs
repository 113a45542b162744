//! One web page of what was found, for people: advice, a space-time diagram and a communication
//! matrix. A file that needs nothing else.
//!
//! [`model`] is what it shows, made by `phase` (of each graph) and `run` (of a program as a
//! whole); `fewer` and `commloom_picture::matrix` make it fit; `html` and `data` write it,
//! `script/` draws.

mod advice;
mod clock;
mod columns;
mod data;
mod fewer;
mod html;
mod model;
mod phase;
mod places;
mod run;

use std::collections::BTreeSet;

use commloom_advice::Advice;
use commloom_report::numbers::{bytes, grouped, time};

use super::case::Case;
use super::found::Found;
use super::words;
use crate::failure::Failure;
use clock::Clock;
use model::{Page, Part};
use phase::Room;
use places::Places;

/// Lines and squares of all pictures together: a few megabytes.
const LINES: usize = 90_000;
const SQUARES: usize = 60_000;
/// Parts with pictures: those with most messages.
const PICTURES: usize = 50;

/// The page of these graphs, and what was found in each of them.
///
/// # Errors
/// Graphs that have no meaning.
pub fn page(cases: &[Case], found: &[Found], advice: &[Advice]) -> Result<String, Failure> {
    let pictured = pictured(cases);
    // The one of the whole run counts as one.
    let pictures = pictured.len() + 1;
    let room = Room { lines: LINES / pictures, squares: SQUARES / pictures };
    let mut places = Places::default();
    let mut parts = Vec::new();
    for (k, (case, found)) in cases.iter().zip(found).enumerate() {
        let room = pictured.contains(&k).then_some(room);
        parts.push(phase::part(case, found, &mut places, room)?);
    }
    let mut notes: Vec<String> = cases.iter().flat_map(|case| case.notes.clone()).collect();
    let phases: Vec<_> =
        (1..).zip(cases).filter_map(|(n, case)| Some((n, case.ran.as_ref()?))).collect();
    let run = phases.first().map(|(_, ran)| {
        let (figure, note) = run::figure(&ran.traces, &phases, &mut places, room);
        notes.extend(note);
        figure
    });
    let header = cases.first().and_then(|case| Some(&case.ran.as_ref()?.traces.first()?.header));
    let title = match (header, cases) {
        (Some(header), _) => header.program.clone(),
        (None, [only]) => only.name.clone(),
        (None, _) => format!("{} graphs", cases.len()),
    };
    Ok(html::write(&Page {
        title,
        library: header.map_or(String::new(), |header| header.library.clone()),
        facts: facts(cases, &parts),
        summary: header.map(|_| words::summary(cases, found, advice)),
        advice,
        run,
        parts,
        notes,
        places: places.into_names(),
    }))
}

/// The graphs with pictures.
fn pictured(cases: &[Case]) -> BTreeSet<usize> {
    let weight = |case: &Case| {
        let operations = u64::try_from(case.program.graph.operations()).unwrap_or(u64::MAX);
        operations.saturating_mul(case.ran.as_ref().map_or(1, |ran| ran.times()))
    };
    let mut order: Vec<usize> = (0..cases.len()).collect();
    order.sort_by_key(|k| std::cmp::Reverse(weight(&cases[*k])));
    order.into_iter().take(PICTURES).collect()
}

fn facts(cases: &[Case], parts: &[Part]) -> Vec<(&'static str, String)> {
    let all = |of: fn(&Part) -> u64| {
        let each = parts.iter().map(|part| of(part).saturating_mul(part.times));
        each.fold(0, u64::saturating_add)
    };
    let processes = cases.iter().map(|case| case.program.graph.processes()).max();
    let mut facts = vec![
        ("processes", grouped(processes.unwrap_or(0).into())),
        ("messages", grouped(all(|part| part.messages))),
        ("data sent", bytes(all(|part| part.bytes))),
    ];
    if parts.len() > 1 {
        let parts = u64::try_from(parts.len()).unwrap_or(u64::MAX);
        facts.push(("parts that differ", grouped(parts)));
    }
    if let Some(ran) = cases.first().and_then(|case| case.ran.as_ref()) {
        facts.push(("run time", time(Clock::of(&ran.traces).duration())));
    }
    facts
}
