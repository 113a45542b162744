//! Findings for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use commloom_advice::{Advice, Ran, mpi, replaced};
use commloom_commgraph::read::Place;
use commloom_guard::styled;

use super::calls::call;
use super::case::Case;
use super::found::{Found, Predicted, Waits};
use super::text::withheld_words;

/// Transfers that are listed.
const SHOWN: usize = 10;

/// Colours on a terminal, nothing elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct Paint(bool);

impl Paint {
    pub fn new(colours: bool) -> Paint {
        Paint(colours)
    }

    pub fn has_colours(self) -> bool {
        self.0
    }

    pub fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    pub fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    pub fn grey(self, text: &str) -> String {
        self.with("90", text)
    }

    fn bad(self, text: &str) -> String {
        self.with("31", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.0 { styled(code, text) } else { text.to_owned() }
    }
}

/// How much there is in a graph, in a line.
pub fn counts(case: &Case, found: &Found) -> String {
    let graph = &case.program.graph;
    let mut out = format!(
        "{}, {}, {}",
        counted(graph.processes().into(), "process", "processes"),
        counted(wide(graph.operations()), "operation", "operations"),
        counted(wide(found.messages()), "message", "messages")
    );
    if let Some(analysis) = found.analysis() {
        let _ = write!(out, ", {}", counted(analysis.transfers, "transfer", "transfers"));
    }
    out.push_str(match found.wait_sets_complete() {
        true => "; every process waits for every other",
        false => "",
    });
    out
}

/// All of it.
pub fn text(case: &Case, found: &Found, paint: Paint) -> String {
    let mut out = counts(case, found);
    out.push('\n');
    for c in found.collectives() {
        let _ = writeln!(out, "{}", paint.good(&call(case, c)));
    }
    let _ = match found.waits {
        Some(Waits::Barrier) => writeln!(
            out,
            "{}\n  strict mode: the operations above do not wait as the messages do",
            paint.good("MPI_Barrier()")
        ),
        Some(Waits::Messages(n)) => writeln!(
            out,
            "{}\n  strict mode: the operations above do not wait as the messages do",
            counted(wide(n), "empty message", "empty messages")
        ),
        Some(Waits::Nothing) | None => Ok(()),
    };
    match found.analysis() {
        None if case.is_sweep() => {
            let replaces = case.ran.as_ref().map_or("nothing replaces that", replaces_sweep);
            let _ = writeln!(
                out,
                "a sweep: processes send on what they make of what has just come; {replaces}"
            );
        }
        None => out.push_str(
            "no addresses (`//@ LABEL addr=N`): only matching, deadlocks and wait sets were looked \
             at\n",
        ),
        Some(_) if found.left() == Some(0) => out.push_str("left: nothing\n"),
        Some(_) => left(case, found, &mut out),
    }
    if let Some(ran) = &case.ran {
        sites(ran, &mut out);
    }
    for note in found.notes().take(SHOWN) {
        let _ = writeln!(out, "note: {note}");
    }
    let more = found.notes().count().saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(out, "and {}", counted(wide(more), "more note", "more notes"));
    }
    if let Some(Predicted { messages, replaced }) = found.predicted {
        let pays = if replaced < messages { "" } else { ": by this model it does not pay" };
        let _ = writeln!(
            out,
            "predicted: {messages} as messages, {replaced} with the operations above (LogGP, 1 us, \
             10 GB/s){pays}"
        );
    }
    claim(case, found, paint, &mut out);
    out
}

/// The words of the advice on the operations of a part of a program, which is counted from 1.
pub fn advised(part: usize, advice: &[Advice]) -> String {
    let mut out = String::new();
    for one in advice.iter().filter(|one| one.phases.contains(&part)) {
        let name = mpi(one.kind);
        if let Some(reason) = &one.withheld {
            let _ = writeln!(out, "note: {name}: {}", withheld_words(reason));
        }
        for condition in &one.conditions {
            let _ = writeln!(out, "note: {name} only if {condition}");
        }
    }
    out
}

/// How much of a program that ran was found.
pub fn summary(cases: &[Case], found: &[Found], advice: &[Advice]) -> String {
    let ran = cases.iter().filter_map(|case| Some((case, case.ran.as_ref()?)));
    let (mut messages, mut parts) = (0_u64, 0_u64);
    for (_, ran) in ran {
        messages = messages.saturating_add(wide(ran.messages.len()).saturating_mul(ran.times()));
        parts += 1;
    }
    let processes = cases.iter().map(|case| case.program.graph.processes()).max().unwrap_or(0);
    let mut head = format!(
        "{}, {}",
        counted(processes.into(), "process", "processes"),
        counted(messages, "message", "messages"),
    );
    if parts > 1 {
        let _ = write!(head, ", in {parts} parts of the program that differ");
    }
    head.push('\n');
    for ran in cases.iter().filter_map(|case| case.ran.as_ref()).filter(|ran| ran.sweep) {
        let places = |sites: &[(String, u64)]| {
            sites.iter().take(2).map(|(site, _)| site.as_str()).collect::<Vec<_>>().join(" and ")
        };
        let line = format!(
            "a sweep, sent in {}, received in {}: processes send on what they make of what has \
             just come; {}\n",
            places(&ran.senders),
            places(&ran.receivers),
            replaces_sweep(ran)
        );
        if !head.contains(&line) {
            head.push_str(&line);
        }
    }
    if advice.is_empty() {
        let near = found.iter().flat_map(Found::notes).count();
        let near = match near {
            0 => String::new(),
            _ => format!("; {}, see --phases", counted(wide(near), "remark", "remarks")),
        };
        return format!(
            "{head}nothing to replace: no messages add up to a collective operation{near}\n"
        );
    }
    let withheld = advice.iter().filter(|advice| advice.withheld.is_some()).count();
    let given = advice.len() - withheld;
    if given > 0 {
        let call = if given == 1 { "this call does" } else { "these calls do" };
        let replaced = replaced(advice);
        let _ = writeln!(head, "{call} what {replaced} of the messages do; the others stay");
    }
    if withheld > 0 {
        let found = counted(wide(withheld), "operation", "operations");
        let _ = writeln!(head, "{found} found whose call is withheld, with the reason");
    }
    head
}

/// The words on the calls that stand for a sweep: a chain of processes may add up what each has,
/// which its messages do not show.
fn replaces_sweep(ran: &Ran) -> &'static str {
    let ways: BTreeSet<(u32, u32)> =
        ran.messages.iter().map(|m| (m.send.process, m.receive.process)).collect();
    let senders: BTreeSet<u32> = ways.iter().map(|(from, _)| *from).collect();
    let receivers: BTreeSet<u32> = ways.iter().map(|(_, to)| *to).collect();
    match senders.len() == ways.len() && receivers.len() == ways.len() {
        true => {
            "where that is what has come and what each process adds to it, MPI_Scan does it, or \
             MPI_Exscan, which gives each what comes to it; nothing else replaces it"
        }
        false => "nothing replaces that",
    }
}

/// How often and from where in the program.
fn sites(ran: &Ran, out: &mut String) {
    let times = if ran.times() == 1 { "once".to_owned() } else { format!("{} times", ran.times()) };
    let _ = writeln!(out, "ran {times}");
    for (what, sites) in [("sent", &ran.senders), ("received", &ran.receivers)] {
        let shown: Vec<String> =
            sites.iter().take(SHOWN).map(|(site, n)| format!("{site}, {n}")).collect();
        if !shown.is_empty() {
            let _ = writeln!(out, "  {what} in {}", shown.join("; "));
        }
    }
}

/// The transfers and results of reductions that are part of nothing; empty where there are none.
pub fn left_over(case: &Case, found: &Found) -> String {
    let mut out = String::new();
    if found.left() != Some(0) {
        left(case, found, &mut out);
    }
    out
}

/// The transfers and results that are part of nothing.
fn left(case: &Case, found: &Found, out: &mut String) {
    let Some(analysis) = found.analysis() else { return };
    let (moved, reduced) = (&analysis.detection.left, &analysis.detection.left_reduced);
    let transfers = counted(wide(moved.len()), "transfer", "transfers");
    let results = counted(wide(reduced.len()), "result of a reduction", "results of reductions");
    let _ = match (moved.is_empty(), reduced.is_empty()) {
        (_, true) => writeln!(out, "left: {transfers}"),
        (true, false) => writeln!(out, "left: {results}"),
        (false, false) => writeln!(out, "left: {transfers}, {results}"),
    };
    for t in moved.iter().take(SHOWN) {
        let from = case.address(t.source, t.source_address);
        let to = case.address(t.destination, t.destination_address);
        let length = case.unit(t.length);
        let _ = match t.source == t.destination {
            true => writeln!(out, "  {length} inside process {}, from {from} to {to}", t.source),
            false => writeln!(
                out,
                "  {length} from process {}, {from}, to process {}, {to}",
                t.source, t.destination
            ),
        };
    }
    for r in reduced.iter().take(SHOWN.saturating_sub(moved.len())) {
        let length = case.unit(r.length);
        let of = match &r.contributions {
            Some(all) => counted(wide(all.memory.len()), "contribution", "contributions"),
            None => "contributions that are no single reduction".to_owned(),
        };
        let here = case.address(r.destination, r.address);
        let _ = writeln!(out, "  {length} of process {}, {here}: {of}", r.destination);
    }
    let more = (moved.len() + reduced.len()).saturating_sub(SHOWN);
    if more > 0 {
        let _ = writeln!(out, "  and {more} more");
    }
}

/// Whether an algorithm is what it claims to be.
fn claim(case: &Case, found: &Found, paint: Paint, out: &mut String) {
    let Some(claim) = &case.claim else { return };
    let coll = claim.coll().name();
    match &found.difference {
        None if claim.coll().kind().is_none() => {
            let _ = writeln!(out, "coll=\"{coll}\" claims nothing");
        }
        None => {
            let root = claim.root().map_or(String::new(), |root| format!(", root GPU {root}"));
            let _ = writeln!(
                out,
                "{}: coll=\"{coll}\"{root}, chunk by chunk",
                paint.good("yes, what it claims to be")
            );
        }
        Some(difference) => {
            let place = Place { text: 0, span: difference.span.clone() };
            let message = format!("{}: {difference}", paint.bad("no, not what it claims to be"));
            let _ = writeln!(out, "{}", case.shown(&place, &message));
        }
    }
}

fn counted(n: u64, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}

fn wide(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}
