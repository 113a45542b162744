//! Where regions begin and end.

use std::sync::atomic::Ordering;
use std::time::Instant;

use commloom_mpi::Abi;
use commloom_mpi::graphs::GraphsError;

use super::super::Replace;
use super::super::ballot::{Action, Ballot, Motion};
use super::super::communicators::{GROUPS, REGIONS as PLACES};
use super::super::group::{Reason, Step};
use super::flags::Run;
use super::{IDLE, Open, Prepared, REGIONS, Region};
use crate::recording::caller::returns_to;
use crate::state::{Preload, lock};

/// What happens at the beginning.
enum Begins {
    /// Nothing more.
    Done,
    Vote {
        region: usize,
        motion: Motion,
        ballot: &'static Ballot,
        voters: u64,
        since: Instant,
    },
}

impl<A: Abi> Preload<A> {
    /// `MPI_Pcontrol(1)`.
    pub(crate) fn region_begins(&'static self) {
        let Some(replace) = self.replace() else { return };
        self.region_ends();
        let since = Instant::now();
        let begins = self.shield(|| {
            let site = self.site()?;
            Some(replace.begin(site, since))
        });
        let Some(Some(Begins::Vote { region, motion, ballot, voters, since })) = begins else {
            return;
        };
        if !ballot.vote(voters, motion, replace.patience()) {
            self.shield(|| replace.open_as_it_is(region, since, true));
            return;
        }
        let ran = self.shield(|| replace.run_region(region, motion.action, since));
        if !matches!(ran, Some(Ok(()))) {
            // The operation has failed somewhere in the middle, as one of the program's may fail.
            let _ = replace
                .mpi
                .call_errhandler(replace.mpi.handles.comm_world, A::CONSTANTS.err_intern);
        }
    }

    /// `MPI_Pcontrol(0)`, or the end of the program.
    pub(crate) fn region_ends(&'static self) {
        if let Some(replace) = self.replace() {
            self.shield(|| replace.end_region());
        }
    }

    /// Where the program calls.
    fn site(&self) -> Option<usize> {
        let known = returns_to().filter(|address| self.callers.place(*address).is_some());
        known.or_else(|| self.callers.frame().map(|(address, _)| address))
    }
}

impl<A: Abi> Replace<A> {
    fn begin(&self, site: usize, since: Instant) -> Begins {
        let mut inner = self.lock();
        let regions = &mut inner.regions;
        let index = match regions.sites.get(&site) {
            Some(index) => *index,
            None if regions.list.len() == REGIONS => return Begins::Done,
            None => {
                regions.list.push(Region::new());
                regions.sites.insert(site, regions.list.len() - 1);
                regions.list.len() - 1
            }
        };
        let region = &mut regions.list[index];
        if region.group.left().is_some() {
            region.group.as_it_is();
            return Begins::Done;
        }
        // A receive of an earlier pass that is still open would find the flag of this one.
        let step = match region.waiting {
            0 => region.group.next(true, region.spent),
            _ => Step::AsItIs,
        };
        if let (Step::Vote(motion), Some(ballot)) = (step, region.ballot) {
            return Begins::Vote { region: index, motion, ballot, voters: region.voters, since };
        }
        drop(inner);
        self.open_as_it_is(index, since, false);
        Begins::Done
    }

    fn open_as_it_is(&self, index: usize, since: Instant, missed: bool) {
        let mut inner = self.lock();
        let region = &mut inner.regions.list[index];
        if missed {
            region.group.missed();
        }
        region.group.as_it_is();
        if region.group.left().is_none() {
            inner.regions.open =
                Some(Open { region: index, position: 0, run: None, since, left_out: 0 });
        }
        self.follows(&inner);
    }

    /// Whether calls are looked at.
    pub(super) fn follows(&self, inner: &super::super::Inner<A>) {
        let open = inner.regions.open.is_some();
        self.in_region.store(open, Ordering::Relaxed);
    }

    /// All processes of the communicator are here, at the beginning of the same region.
    fn run_region(&self, index: usize, action: Action, since: Instant) -> Result<(), GraphsError> {
        let prepared = match action {
            Action::Run => self.prepared(index),
            Action::Compile => self.compile_region(index)?,
            Action::Judge => self.judge_region(index)?,
        };
        let Some((ready, data)) = prepared else {
            self.open_as_it_is(index, since, false);
            return Ok(());
        };
        data.shadow.read();
        lock(&ready).run()?;
        let mut inner = self.lock();
        let region = &mut inner.regions.list[index];
        region.group.ran();
        let run = Some(Run(region.group.replaced.into()));
        inner.regions.open = Some(Open { region: index, position: 0, run, since, left_out: 0 });
        self.follows(&inner);
        Ok(())
    }

    fn prepared(&self, index: usize) -> Option<Prepared<A>> {
        let inner = self.lock();
        let region = &inner.regions.list[index];
        Some((region.ready.clone()?, region.data.clone()?))
    }

    fn judge_region(&self, index: usize) -> Result<Option<Prepared<A>>, GraphsError> {
        let (comm, voters, medians) = {
            let inner = self.lock();
            let region = &inner.regions.list[index];
            (region.comm, region.voters, region.group.medians())
        };
        let slower = self.verdict(comm, voters, medians)?;
        let mut inner = self.lock();
        let region = &mut inner.regions.list[index];
        match slower {
            None => region.group.keep(),
            Some(reason) => {
                region.group.leave(reason);
                (region.ready, region.data) = (None, None);
            }
        }
        drop(inner);
        Ok(self.prepared(index))
    }

    fn end_region(&self) {
        let mut inner = self.lock();
        let Some(open) = inner.close() else { return };
        self.follows(&inner);
        let spent = open.since.elapsed();
        let region = &mut inner.regions.list[open.region];
        region.spent = spent;
        if !region.learnt {
            region.learnt = true;
            let unfit = inner.learn(open.region, self);
            if let Err(reason) = unfit {
                inner.leave(open.region, reason);
            }
            return;
        }
        if open.position < region.calls.len() {
            region.group.leave(Reason::Changed);
        }
        let has_sends = region.calls.iter().any(super::Call::is_sent);
        match open.run {
            Some(_) if open.left_out == 0 && has_sends => {
                region.idle += 1;
                if region.idle == IDLE {
                    region.group.leave(Reason::Idle);
                }
            }
            Some(_) => region.idle = 0,
            None => {}
        }
    }
}

impl<A: Abi> super::super::Inner<A> {
    /// The first pass is over: what it was is what later ones have to be.
    fn learn(&mut self, index: usize, replace: &Replace<A>) -> Result<(), Reason> {
        let calls = &self.regions.list[index].calls;
        // Who has no messages in it begins it all the same: most communicate in the world.
        let first = calls.first().map(|call| call.channel().comm).or(self.world);
        let comm = first.ok_or(Reason::Unfit("no communicator with a number"))?;
        if calls.iter().any(|call| call.channel().comm != comm) {
            return Err(Reason::Unfit("several communicators in one region"));
        }
        let known = self.comms.get_mut(&comm).ok_or(Reason::Unfit("an unknown communicator"))?;
        if known.regions == PLACES {
            return Err(Reason::Unfit("too many regions of one communicator"));
        }
        let place = comm + GROUPS + known.regions;
        known.regions += 1;
        let region = &mut self.regions.list[index];
        (region.comm, region.voters, region.place) = (comm, known.size, place);
        region.ballot = replace.shared.ballot(place);
        Ok(())
    }
}
