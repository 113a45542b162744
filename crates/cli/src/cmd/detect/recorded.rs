//! Traces of a program that ran, from the folder that `commloom trace` has filled.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use commloom_advice::Ran;
use commloom_commgraph::read::{Places, Program};
use commloom_commgraph::recorded::{Border, Message, Phase, program};
use commloom_trace::Site;

use super::case::Case;
use super::folder::traces;
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
    let traces = Rc::new(traces);
    let mut sites = Sites::default();
    let several = program.phases.len() > 1;
    let mut cases: Vec<Case> = (1..)
        .zip(program.phases)
        .map(|(number, phase)| {
            let name = match several {
                true => format!("phase {number}, {}", begin(&phase.begin)),
                false => folder.display().to_string(),
            };
            let (senders, receivers) = sites_of(&phase, &mut sites);
            let Phase { graph, first_receives, sweep, assumed, messages, .. } = phase;
            let traces = Rc::clone(&traces);
            let ran = Ran { first_receives, sweep, assumed, senders, receivers, messages, traces };
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

/// From where in the program messages are sent, and where they are received.
fn sites_of(phase: &Phase, sites: &mut Sites) -> (Counts, Counts) {
    let senders = most_often(&phase.messages, |m| m.sender.as_deref(), sites);
    let receivers = most_often(&phase.messages, |m| m.receiver.as_deref(), sites);
    (senders, receivers)
}

/// Places in the program, and how many messages.
type Counts = Vec<(String, u64)>;

/// The sites with their messages, the most frequent first.
fn most_often(
    messages: &[Message],
    site: impl Fn(&Message) -> Option<&Site>,
    sites: &mut Sites,
) -> Counts {
    let mut counts: BTreeMap<&Site, u64> = BTreeMap::new();
    for site in messages.iter().filter_map(site) {
        *counts.entry(site).or_default() += 1;
    }
    let mut named: Counts =
        counts.into_iter().map(|(site, count)| (sites.name(site), count)).collect();
    named.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    named
}
