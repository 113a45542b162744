//! From files to graphs.

use std::path::PathBuf;
use std::rc::Rc;

use commloom_commgraph::read::{Format, Program, allprof, goal, msccl};

use super::case::Case;
use super::recorded;
use crate::failure::Failure;
use crate::input::{self, Source};

/// Reads all files. Traces of liballprof are one program; a folder has the traces of one.
///
/// # Errors
/// A file that cannot be read, with the place.
pub fn cases(files: &[PathBuf], format: Option<Format>) -> Result<Vec<Case>, Failure> {
    let mut graphs = Vec::new();
    let mut traces = Vec::new();
    for file in files {
        if file.is_dir() {
            graphs.extend(recorded::cases(file)?);
            continue;
        }
        let source = input::file(file)?;
        let format = match format {
            Some(format) => format,
            None => Format::of(&source.text).map_err(|error| parse(&source, error))?,
        };
        match format {
            Format::Allprof => traces.push(source),
            Format::Goal => {
                let program = goal::read(&source.text).map_err(|error| parse(&source, error))?;
                graphs.push(case(source, program, None));
            }
            Format::Msccl => {
                let algorithm = msccl::read(&source.text).map_err(|error| parse(&source, error))?;
                graphs.push(case(source, algorithm.program, Some(algorithm.claim)));
            }
        }
    }
    if !traces.is_empty() {
        graphs.extend(phases(traces)?);
    }
    Ok(graphs)
}

fn case(source: Source, program: Program, claim: Option<msccl::Claim>) -> Case {
    let name = source.name.clone();
    let sources = Rc::new(vec![source]);
    Case { name, program, claim, phase: None, ran: None, notes: Vec::new(), sources }
}

fn parse(source: &Source, error: commloom_layout::text::ParseError) -> Failure {
    Failure::Parse { name: source.name.clone(), error }
}

/// The phases of a program, from the traces of its processes.
fn phases(mut traces: Vec<Source>) -> Result<Vec<Case>, Failure> {
    in_order(&mut traces)?;
    let texts: Vec<&str> = traces.iter().map(|s| s.text.as_str()).collect();
    let trace = allprof::read(&texts)
        .map_err(|(process, error)| Failure::Parse { name: traces[process].name.clone(), error })?;
    let notes = remarks(&trace);
    if trace.phases.is_empty() {
        let name = &traces[0].name;
        return Err(Failure::message(format!("{name}: there is no message in this trace")));
    }
    let sources = Rc::new(traces);
    let several = trace.phases.len() > 1;
    let mut cases: Vec<Case> = (0..)
        .zip(trace.phases)
        .map(|(number, phase)| {
            let after = match &phase.after {
                Some(call) => format!(
                    "phase {number}, after {call} in line {} of {}",
                    phase.line, sources[0].name
                ),
                None => format!("phase {number}, from the start"),
            };
            let name = if several { after } else { sources[0].name.clone() };
            let notes = Vec::new();
            Case {
                name,
                program: phase.program,
                claim: None,
                phase: several.then_some(number),
                ran: None,
                notes,
                sources: Rc::clone(&sources),
            }
        })
        .collect();
    if let Some(last) = cases.last_mut() {
        last.notes = notes;
    }
    Ok(cases)
}

/// Sorts traces by the numbers in their names: all, from 0 on; or leaves them in the order given,
/// where they have none.
fn in_order(traces: &mut [Source]) -> Result<(), Failure> {
    let numbers: Option<Vec<u32>> = traces.iter().map(|s| allprof::process_of(&s.name)).collect();
    let Some(mut numbers) = numbers else { return Ok(()) };
    numbers.sort_unstable();
    if numbers.windows(2).any(|w| w[0] == w[1]) {
        // Numbers that mean something else.
        return Ok(());
    }
    traces.sort_by_key(|s| allprof::process_of(&s.name));
    match (0..).zip(&numbers).find(|(expected, found)| expected != *found) {
        Some((missing, _)) => Err(Failure::message(format!(
            "the trace of process {missing} is missing: the files are those of {} to {}",
            numbers[0],
            numbers[numbers.len() - 1]
        ))),
        None => Ok(()),
    }
}

fn remarks(trace: &allprof::Trace) -> Vec<String> {
    let mut notes = vec![
        "a trace of liballprof does not hold what programs do between the calls: a send is taken \
         to send on what was received at its address"
            .to_owned(),
    ];
    let mut add = |n: u64, what: &str| {
        if n > 0 {
            notes.push(format!("{n} {what}"));
        }
    };
    add(trace.gaps, "messages have a datatype with gaps, and were taken for contiguous ones");
    add(trace.wildcards, "receives from anybody: only one process came into question");
    add(
        trace.unclear,
        "calls complete one of several requests, or test: the trace does not say which, or whether",
    );
    notes
}
