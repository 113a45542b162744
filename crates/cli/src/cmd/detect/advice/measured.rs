//! Advice with times of an MPI library on this machine.

use commloom_commgraph::{Replays, replays};

use super::super::measure::{Pair, measure as run};
use super::super::patience;
use super::Advice;
use super::gather::Finding;
use crate::failure::Failure;

/// Measures what can be measured, each on the processes of the whole program.
///
/// # Errors
/// There is no such MPI library, or its processes fail.
pub fn measure(advice: &mut [(Advice, &Finding)], mpi: Option<&str>) -> Result<(), Failure> {
    // What mpirun sets for its processes keeps another one from starting.
    let started = ["PMI_RANK", "OMPI_COMM_WORLD_RANK"];
    if let Some(name) = started.iter().find(|name| std::env::var_os(name).is_some()) {
        return Err(Failure::message(format!(
            "--measure starts mpirun itself, and cannot under another one ({name} is set): run commloom detect alone"
        )));
    }
    let Some((_, first)) = advice.first() else { return Ok(()) };
    let library = first.ran.traces.first().map_or("", |trace| &trace.header.library);
    let mpi = match mpi {
        Some(mpi) => mpi,
        None if library.contains("Open MPI") => "openmpi",
        None => "mpich",
    };
    let processes = first.case.program.graph.processes();
    let (mut pairs, mut places) = (Vec::new(), Vec::new());
    let given = |(_, (advice, _)): &(usize, &mut (Advice, &Finding))| advice.withheld.is_none();
    for (place, (advice, finding)) in advice.iter_mut().enumerate().filter(given) {
        let both = replays(&finding.case.program.graph, finding.collective);
        let Replays { messages, call } = both.map_err(|error| finding.case.failure(&error))?;
        match call {
            Some(call) => {
                pairs.push(Pair { messages, call });
                places.push(place);
            }
            None => advice.warnings.push(format!(
                "not measured: commloom has no schedule that calls {} for these blocks",
                super::replacement::mpi(advice.kind)
            )),
        }
    }
    if pairs.is_empty() {
        return Ok(());
    }
    let measured = patience::show("the times of an MPI library", || run(pairs, mpi, processes))?;
    let cores = std::thread::available_parallelism()
        .map_or(u32::MAX, |n| u32::try_from(n.get()).unwrap_or(u32::MAX));
    for (place, measured) in places.into_iter().zip(measured) {
        let advice = &mut advice[place].0;
        advice.measured = Some(measured);
        if processes > cores {
            advice.warnings.push(format!(
                "measured with {processes} processes on {cores} cores: these are times of waiting for a core"
            ));
        }
    }
    Ok(())
}
