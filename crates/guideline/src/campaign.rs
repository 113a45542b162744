//! All launches of a campaign: which one is next, what it leaves behind, who is to blame where it
//! dies.

mod library;

use std::collections::HashMap;
use std::io;

use thiserror::Error;

use crate::plan::{Measurement, Plan, PlanError};
use crate::protocol::Event;
use crate::results::{Case, Launch, Library, Mode, Outcome, Results, Run, Series};

pub use library::named;

/// A launch in which more processes die is given up.
const DEATHS: usize = 20;

/// One start of `mpirun`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// Index into the libraries of the options.
    pub library: usize,
    /// Number of the launch.
    pub launch: u32,
    /// Under what.
    pub mode: Mode,
    /// Places in the order before this one are left out.
    pub first: usize,
}

/// How the processes of a start ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// On their own, with everything told.
    Finished,
    /// Before that.
    Died {
        /// The reason, as far as it is known.
        why: String,
    },
    /// The user wants to stop.
    Interrupted,
}

/// Starts processes that measure: `mpirun` in earnest, something else in tests.
pub trait Launcher {
    /// Starts them, hands on what they tell, and waits for their end.
    fn launch(&mut self, start: Start, tell: &mut dyn FnMut(Event)) -> Ending;

    /// The command that starts processes of a library.
    fn mpirun(&self, library: usize) -> String;
}

/// Who is told how a campaign goes.
pub trait Watcher {
    /// So many measurements of all of them are made.
    fn advanced(&mut self, done: usize, all: usize);

    /// Keeps the results so far.
    ///
    /// # Errors
    /// They cannot be kept.
    fn save(&mut self, results: &Results) -> io::Result<()>;
}

/// How a campaign ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// All was measured.
    Complete,
    /// The user stopped it; the results can be resumed.
    Interrupted,
}

/// Why a campaign cannot go on. What was measured is kept.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CampaignError {
    /// No process began to measure.
    #[error("cannot measure with {mpi}: {why}")]
    Start {
        /// The library, as the user says.
        mpi: String,
        /// The reason, as far as it is known.
        why: String,
    },
    /// Too many processes died.
    #[error(
        "{deaths} measurements of one launch with {mpi} ended its processes; the last time: {why}"
    )]
    Deaths {
        /// The library, as the user says.
        mpi: String,
        /// How many.
        deaths: usize,
        /// The reason, as far as it is known.
        why: String,
    },
    /// A campaign is resumed with something else.
    #[error("cannot resume: {0}")]
    Other(String),
    /// The results cannot be kept.
    #[error("cannot write the results: {0}")]
    Save(#[from] io::Error),
    /// There is no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
}

/// Makes the launches that `results` lacks. Launches of one number follow each other: for each
/// library natively and under commloom, in the opposite order the next time.
///
/// # Errors
/// [`CampaignError`].
pub fn run(
    plan: &Plan,
    results: &mut Results,
    launcher: &mut dyn Launcher,
    watcher: &mut dyn Watcher,
) -> Result<End, CampaignError> {
    let cases = plan.with_types()?;
    check(&cases, results)?;
    let options = results.options.clone();
    let launches = usize::try_from(options.runs).unwrap_or(usize::MAX);
    let all = launches * options.modes.len() * options.mpi.len() * plan.measurements.len();
    results.complete = false;
    watcher.save(results)?;
    let mut campaign = Campaign { plan, cases, results, launcher, watcher, all, done: 0 };
    campaign.done =
        campaign.results.runs.iter().flat_map(|r| &r.series).map(|s| s.launches.len()).sum();
    campaign.watcher.advanced(campaign.done, all);
    for launch in 0..options.runs {
        for library in 0..options.mpi.len() {
            let mut modes = options.modes.clone();
            if launch % 2 == 1 {
                modes.reverse();
            }
            for mode in modes {
                let outcome = campaign.launch(Start { library, launch, mode, first: 0 });
                // Also what was measured before an error is kept.
                campaign.watcher.save(campaign.results)?;
                if outcome? == End::Interrupted {
                    return Ok(End::Interrupted);
                }
            }
        }
    }
    results.complete = true;
    watcher.save(results)?;
    Ok(End::Complete)
}

/// Whether the cases of a campaign that is resumed are those of the plan.
fn check(cases: &[Case], results: &Results) -> Result<(), CampaignError> {
    for run in &results.runs {
        if run.cases != cases {
            let text =
                "the file has other cases than this version of commloom makes of its options";
            return Err(CampaignError::Other(text.to_owned()));
        }
    }
    Ok(())
}

struct Campaign<'c> {
    plan: &'c Plan,
    cases: Vec<Case>,
    results: &'c mut Results,
    launcher: &'c mut dyn Launcher,
    watcher: &'c mut dyn Watcher,
    all: usize,
    done: usize,
}

/// The state of one start, from the events of its processes so far.
#[derive(Default)]
struct Told {
    library: Option<String>,
    refused: Option<String>,
    began: bool,
    /// Place of what is measured next, or now.
    place: usize,
}

impl Campaign<'_> {
    /// One launch: what is missing of it, however often its processes die.
    fn launch(&mut self, launch: Start) -> Result<End, CampaignError> {
        let order = self.plan.order(self.results.seed, launch.launch);
        let mpi = self.results.options.mpi[launch.library].clone();
        let mut first = self.measured(launch, &order);
        let (mut deaths, mut interrupted) = (0, false);
        while first < order.len() && !interrupted {
            let mut told = Told { place: first, ..Told::default() };
            let mut kept = Vec::new();
            let (done, all) = (self.done, self.all);
            let watcher = &mut *self.watcher;
            let ending = self.launcher.launch(Start { first, ..launch }, &mut |event| {
                if let Some(outcome) = told.hear(event) {
                    kept.push(outcome);
                    watcher.advanced(done + kept.len(), all);
                }
            });
            self.done += kept.len();
            if let Some(text) = &told.library {
                self.library(launch.library, text)?;
            }
            let begun = told.library.is_some() && told.began;
            let refused = told.refused.take();
            for (place, outcome) in kept {
                self.keep(launch, order.get(place), outcome);
            }
            first = told.place;
            match ending {
                Ending::Interrupted => interrupted = true,
                _ if refused.is_some() => {
                    return Err(CampaignError::Start { mpi, why: refused.unwrap_or_default() });
                }
                Ending::Finished if first >= order.len() => {}
                // Once all is measured, how MPI ends is of no interest.
                Ending::Died { .. } if first >= order.len() => {}
                Ending::Died { why } if begun => {
                    deaths += 1;
                    if deaths == DEATHS {
                        return Err(CampaignError::Deaths { mpi, deaths, why });
                    }
                    self.keep(launch, order.get(first), Outcome::Failed { error: why });
                    self.done += 1;
                    first += 1;
                }
                Ending::Died { why } => return Err(CampaignError::Start { mpi, why }),
                Ending::Finished => {
                    let why = "its processes ended before they had measured everything".to_owned();
                    return Err(CampaignError::Start { mpi, why });
                }
            }
        }
        Ok(if interrupted { End::Interrupted } else { End::Complete })
    }

    /// Places from the beginning that have outcomes already.
    fn measured(&self, launch: Start, order: &[usize]) -> usize {
        let Some(run) = self.results.runs.get(launch.library) else { return 0 };
        let known: HashMap<_, _> = run.series.iter().map(|s| (key(s), s)).collect();
        let has = |&k: &usize| {
            known
                .get(&(self.plan.measurements[k], launch.mode))
                .is_some_and(|s| s.launches.iter().any(|l| l.launch == launch.launch))
        };
        order.iter().take_while(|&k| has(k)).count()
    }

    /// The run of a library, which must be the same in all launches.
    fn library(&mut self, library: usize, text: &str) -> Result<(), CampaignError> {
        if let Some(run) = self.results.runs.get(library) {
            if run.library.text == text {
                return Ok(());
            }
            let (was, is) = (first_line(&run.library.text), first_line(text));
            return Err(CampaignError::Other(format!("the library was {was:?}, now it is {is:?}")));
        }
        let (kind, version) = named(text);
        self.results.runs.push(Run {
            library: Library {
                kind,
                version,
                text: text.to_owned(),
                mpirun: self.launcher.mpirun(library),
            },
            processes: self.results.options.processes,
            cases: self.cases.clone(),
            series: Vec::new(),
        });
        Ok(())
    }

    fn keep(&mut self, launch: Start, measurement: Option<&usize>, outcome: Outcome) {
        let (Some(&measurement), Some(run)) =
            (measurement, self.results.runs.get_mut(launch.library))
        else {
            return;
        };
        let measurement = self.plan.measurements[measurement];
        let place = run.series.iter().position(|s| key(s) == (measurement, launch.mode));
        let place = place.unwrap_or_else(|| {
            let Measurement { case, operation, method } = measurement;
            let mode = launch.mode;
            run.series.push(Series { case, operation, method, mode, launches: Vec::new() });
            run.series.len() - 1
        });
        run.series[place].launches.push(Launch { launch: launch.launch, outcome });
    }
}

impl Told {
    /// The place and outcome of a measurement that has ended.
    fn hear(&mut self, event: Event) -> Option<(usize, Outcome)> {
        match event {
            Event::Started { library } => self.library = Some(library),
            Event::Refused { error } => self.refused = Some(error),
            Event::Began { place } => (self.place, self.began) = (place, true),
            Event::Measured { place, samples_us } if place == self.place => {
                self.place += 1;
                let order = u32::try_from(place).unwrap_or(u32::MAX);
                return Some((place, Outcome::Measured { order, samples_us }));
            }
            // The first process that sees it tells; others may too.
            Event::Failed { place, error } if place == self.place => {
                self.place += 1;
                return Some((place, Outcome::Failed { error }));
            }
            Event::Measured { .. } | Event::Failed { .. } | Event::Ended => {}
        }
        None
    }
}

fn key(series: &Series) -> (Measurement, Mode) {
    let Series { case, operation, method, mode, .. } = *series;
    (Measurement { case, operation, method }, mode)
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
