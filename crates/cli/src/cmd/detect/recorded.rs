//! Traces of a program that ran, from the folder that `commloom trace` has filled.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use commloom_commgraph::read::{Places, Program};
use commloom_commgraph::recorded::{Border, Message, Phase, program};
use commloom_trace::{Site, Trace};

use super::case::{Case, Ran};
use crate::failure::Failure;
use crate::sites::Sites;

/// The phases of a program, those that are the same once.
///
/// # Errors
/// A file that is no trace, processes that are missing.
pub fn cases(folder: &Path) -> Result<Vec<Case>, Failure> {
    let mut notes = Vec::new();
    let traces = traces(folder, &mut notes)?;
    let failure =
        |error: &dyn std::fmt::Display| Failure::message(format!("{}: {error}", folder.display()));
    let program = program(&traces).map_err(|error| failure(&error))?;
    if program.phases.is_empty() {
        return Err(failure(&"no message was recorded"));
    }
    notes.extend(program.oddities.iter().map(ToString::to_string));
    let mut sites = Sites::default();
    let several = program.phases.len() > 1;
    let mut cases: Vec<Case> = (1..)
        .zip(program.phases)
        .map(|(number, phase)| {
            let name = match several {
                true => format!("phase {number}, {}", begin(&phase.begin)),
                false => folder.display().to_string(),
            };
            let ran = ran(&phase, &mut sites);
            let Phase { graph, .. } = phase;
            let program = Program { graph, addressed: true, places: Places::default() };
            let phase = several.then_some(number);
            let sources = Rc::new(Vec::new());
            Case { name, program, claim: None, phase, ran: Some(ran), notes: vec![], sources }
        })
        .collect();
    if let Some(last) = cases.last_mut() {
        last.notes = notes;
    }
    Ok(cases)
}

fn begin(border: &Border) -> String {
    match border {
        Border::Start => "from the start".to_owned(),
        Border::Collective(name) => format!("after {name}"),
        Border::Mark(level) => format!("after MPI_Pcontrol({level})"),
    }
}

/// All traces of a folder, and what is damaged in them.
fn traces(folder: &Path, notes: &mut Vec<String>) -> Result<Vec<Trace>, Failure> {
    let reading = |name: &Path, error| Failure::File {
        doing: "read",
        name: name.display().to_string(),
        error,
    };
    let entries = std::fs::read_dir(folder).map_err(|error| reading(folder, error))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "trace"));
    files.sort();
    if files.is_empty() {
        return Err(Failure::message(format!(
            "{}: there is no trace in this folder (`commloom trace -o {0}` makes them: rank-000000.trace, ...)",
            folder.display()
        )));
    }
    let mut traces = Vec::new();
    for file in files {
        let bytes = std::fs::read(&file).map_err(|error| reading(&file, error))?;
        let trace = commloom_trace::read(&bytes)
            .map_err(|error| Failure::message(format!("{}: {error}", file.display())))?;
        notes.extend(trace.problems.iter().map(|problem| format!("{}: {problem}", file.display())));
        traces.push(trace);
    }
    Ok(traces)
}

/// How often, and from where in the program.
fn ran(phase: &Phase, sites: &mut Sites) -> Ran {
    let senders = most_often(&phase.messages, |m| m.sender.as_deref(), sites);
    let receivers = most_often(&phase.messages, |m| m.receiver.as_deref(), sites);
    Ran { times: phase.times, senders, receivers }
}

/// The sites with their messages, the most frequent first.
fn most_often(
    messages: &[Message],
    site: impl Fn(&Message) -> Option<&Site>,
    sites: &mut Sites,
) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<&Site, u64> = BTreeMap::new();
    for site in messages.iter().filter_map(site) {
        *counts.entry(site).or_default() += 1;
    }
    let mut named: Vec<(String, u64)> =
        counts.into_iter().map(|(site, count)| (sites.name(site), count)).collect();
    named.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    named
}
