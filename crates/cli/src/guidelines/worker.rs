//! One of the processes that `mpirun` starts: makes the measurements of a launch, and tells of
//! them.

use std::io::{self, Write};

use commloom_guideline::plan::Plan;
use commloom_guideline::protocol::{Event, Injected, Task};
use commloom_guideline::results::Mode;
use commloom_mpi::{GroupSession, first_that_opens, group};

use super::measure::{Measuring, Outcome};
use crate::failure::Failure;

/// Does the task, which is JSON. What goes wrong is told as an event.
///
/// # Errors
/// The task cannot be read, or nobody listens.
pub fn run(task: &str) -> Result<(), Failure> {
    let task: Task = serde_json::from_str(task)
        .map_err(|e| Failure::message(format!("--worker is for commloom itself: {e}")))?;
    let plan = Plan::new(&task.options).map_err(|e| Failure::message(e.to_string()))?;
    let done = first_that_opens(&task.libraries, |library| {
        group(library, |team| Ok(measure(team, &plan, &task)))
    });
    done.unwrap_or_else(|error| say(&Event::Refused { error: error.to_string() }))
}

fn say(event: &Event) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    // One write: lines of other processes stay outside.
    out.write_all(format!("{}\n", event.line()).as_bytes())?;
    Ok(out.flush()?)
}

fn measure(team: &mut dyn GroupSession, plan: &Plan, task: &Task) -> Result<(), Failure> {
    let first = team.rank() == 0;
    let tell = |event: Event| if first { say(&event) } else { Ok(()) };
    if let Some(error) = unfit(team, task) {
        return tell(Event::Refused { error });
    }
    let library = team.version().map_err(|e| Failure::message(e.to_string()))?;
    tell(Event::Started { library })?;
    let order = plan.order(task.seed, task.launch);
    let mut measuring = Measuring::new(team, plan, &task.options);
    for (place, &measurement) in order.iter().enumerate().skip(task.first) {
        tell(Event::Began { place })?;
        let last = measuring.is_last_process();
        match task.injected {
            Some(Injected::Death(at)) if at == place && last => std::process::abort(),
            Some(Injected::Hang(at)) if at == place && last => loop {
                std::thread::park();
            },
            _ => {}
        }
        let wrong = task.injected == Some(Injected::WrongByte(place)) && last;
        match measuring.one(plan.measurements[measurement], wrong) {
            Ok(Outcome::Times(samples_us)) => tell(Event::Measured { place, samples_us })?,
            Ok(Outcome::Wrong(error)) => tell(Event::Failed { place, error })?,
            Err(error) => {
                // The others may wait for this process for ever.
                let told = say(&Event::Failed { place, error });
                measuring.abort();
                return told;
            }
        }
    }
    drop(measuring);
    tell(Event::Ended)
}

/// Why these processes cannot do the task.
fn unfit(team: &dyn GroupSession, task: &Task) -> Option<String> {
    let (expected, given) = (task.options.processes, team.size());
    if u32::try_from(given) != Ok(expected) {
        return Some(format!(
            "{expected} processes were started, and MPI sees {given}: the library {} is not that \
             of mpirun; name both, as MPIRUN=LIBRARY",
            task.libraries.join(" or ")
        ));
    }
    match (task.mode, team.is_preloaded()) {
        (Mode::Native, true) => {
            Some("something stands before the MPI library (LD_PRELOAD?)".into())
        }
        (Mode::Commloom, false) => {
            Some("the preload of commloom does not stand before the MPI library".into())
        }
        _ => None,
    }
}
