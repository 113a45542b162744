//! Advice with times of an MPI library on this machine.

use commloom_advice::{Advice, Finding, mpi};
use commloom_commgraph::{Replays, replays};
use commloom_measure::machine::cores;

use super::case::Case;
use super::measure::{Pair, measure as run};
use super::patience;
use crate::failure::Failure;

/// Measures what can be measured, each on the processes of the whole program.
///
/// # Errors
/// There is no such MPI library, or its processes fail.
pub fn measure_advice(
    advice: &mut [(Advice, &Finding)],
    cases: &[Case],
    library: Option<&str>,
) -> Result<(), Failure> {
    // What mpirun sets for its processes keeps another one from starting.
    let started = ["PMI_RANK", "OMPI_COMM_WORLD_RANK"];
    if let Some(name) = started.iter().find(|name| std::env::var_os(name).is_some()) {
        return Err(Failure::message(format!(
            "--measure starts mpirun itself, and cannot under another one ({name} is set): run \
             commloom detect alone"
        )));
    }
    let Some((_, first)) = advice.first() else { return Ok(()) };
    let recorded = first.ran.traces.first().map_or("", |trace| &trace.header.library);
    let library = match library {
        Some(library) => library,
        None if recorded.contains("Open MPI") => "openmpi",
        None => "mpich",
    };
    let processes = first.graph.processes();
    let (mut pairs, mut places) = (Vec::new(), Vec::new());
    let given = |(_, (advice, _)): &(usize, &mut (Advice, &Finding))| advice.withheld.is_none();
    for (place, (advice, finding)) in advice.iter_mut().enumerate().filter(given) {
        let both = replays(finding.graph, finding.collective);
        let Replays { messages, call } =
            both.map_err(|error| cases[finding.part].failure(&error))?;
        match call {
            Some(call) => {
                pairs.push(Pair { messages, call });
                places.push(place);
            }
            None => advice.warnings.push(format!(
                "not measured: commloom has no schedule that calls {} for these blocks",
                mpi(advice.kind)
            )),
        }
    }
    if pairs.is_empty() {
        return Ok(());
    }
    let measured =
        patience::show("the times of an MPI library", || run(pairs, library, processes))?;
    let cores = cores();
    for (place, measured) in places.into_iter().zip(measured) {
        let advice = &mut advice[place].0;
        advice.measured = Some(measured);
        if processes > cores {
            advice.warnings.push(format!(
                "measured with {processes} processes on {cores} cores: these are times of waiting \
                 for a core"
            ));
        }
    }
    Ok(())
}
