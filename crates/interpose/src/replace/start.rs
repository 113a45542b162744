//! `MPI_Start` and `MPI_Startall`: where a group is replaced, or goes as the program has it.

use std::ffi::c_int;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use commloom_commgraph::schedule::{Replace as When, ScheduleOptions};
use commloom_commgraph::{Part, Process};
use commloom_mpi::Abi;
use commloom_mpi::graphs::GraphsError;

use super::ballot::{Action, Ballot, Motion};
use super::channels::Channel;
use super::comm::GROUPS;
use super::group::{Group, Reason, Step, pays};
use super::message::{Brings, Known};
use super::replacement::{Inner, Replace, Replacement};
use super::runnable::{Ready, RunnableGroup};
use crate::runtime::gpu::Gpus;
use crate::runtime::sync::lock;

/// Groups that cannot be replaced, and are remembered as that.
const REFUSED: usize = 1 << 12;
/// Starts of other groups after which one in trial has lost its turn: the program may never start
/// it again.
const PATIENCE_OF_OTHERS: u32 = 32;
/// How often the ballot is looked at before anybody else gets the processor, and between two looks
/// at the clock.
const SPINS: u32 = 100;

/// The decision on the requests of one call.
enum Decision {
    AsItIs,
    Vote { group: usize, motion: Motion, ballot: &'static Ballot, voters: u64 },
}

impl<A: Abi> Replacement<A> {
    /// Starts so many requests: together, where all processes of their communicator do so and it
    /// was found to pay, or by `as_it_is`. The requests are those of one call.
    ///
    /// # Safety
    /// As the MPI call: the requests are inactive, their buffers can be read and written.
    pub(crate) unsafe fn start_together(
        &'static self,
        (count, requests): (c_int, *mut A::Request),
        as_it_is: impl FnOnce() -> c_int,
    ) -> c_int {
        let Some(replace) = self.get() else { return as_it_is() };
        let (Ok(count), false) = (usize::try_from(count), requests.is_null()) else {
            return as_it_is();
        };
        let since = Instant::now();
        // SAFETY: there are `count` requests.
        let requests = unsafe { std::slice::from_raw_parts(requests, count) };
        let decision =
            replace.runtime.shield(|| replace.decide(requests)).unwrap_or(Decision::AsItIs);
        let code = match decision {
            Decision::Vote { group, motion, ballot, voters } => {
                if ballot.vote(voters, motion, replace.patience()) {
                    let done =
                        replace.runtime.shield(|| replace.act(group, motion.action, requests));
                    match done {
                        Some(Ok(true)) => A::CONSTANTS.success,
                        Some(Ok(false)) => as_it_is(),
                        // Some processes may have what they were to receive, others not.
                        Some(Err(_)) | None => {
                            let code = A::CONSTANTS.err_intern;
                            let _ =
                                replace.mpi.call_errhandler(replace.mpi.handles.comm_world, code);
                            code
                        }
                    }
                } else {
                    replace.runtime.shield(|| replace.missed(group));
                    as_it_is()
                }
            }
            Decision::AsItIs => as_it_is(),
        };
        if replace.timing.load(Ordering::Relaxed) {
            super::told::stop(Some((replace, since)));
        }
        code
    }
}

impl<A: Abi> Replace<A> {
    fn decide(&self, requests: &[A::Request]) -> Decision {
        let mut inner = self.lock();
        let Some(group) = inner.group_of(requests, self) else { return Decision::AsItIs };
        if self.gpus.are_there() && inner.is_of_gpu(group, self.gpus) {
            inner.groups[group].group.as_it_is();
            return Decision::AsItIs;
        }
        let mut spent = Duration::ZERO;
        let turn = match inner.turn {
            None => true,
            Some((owner, _)) if owner == group => {
                inner.turn = Some((group, 0));
                spent = self.nanoseconds();
                true
            }
            Some((owner, others)) => {
                inner.turn = Some((owner, others + 1));
                if others >= PATIENCE_OF_OTHERS {
                    inner.groups[owner].group.loses_turn();
                    inner.turn = None;
                }
                inner.turn.is_none()
            }
        };
        let exchange = &mut inner.groups[group];
        let step = exchange.group.next(turn, spent);
        let (ballot, voters) = (exchange.ballot, exchange.voters);
        if matches!(step, Step::AsItIs) {
            exchange.group.as_it_is();
        }
        if exchange.group.is_in_trial() && inner.turn.is_none() {
            inner.turn = Some((group, 0));
            self.spent.store(0, Ordering::Relaxed);
        }
        self.pass_turn(&mut inner);
        match step {
            Step::AsItIs => Decision::AsItIs,
            Step::Vote(motion) => Decision::Vote { group, motion, ballot, voters },
        }
    }

    /// A group that is not tried any more gives the next one its turn.
    fn pass_turn(&self, inner: &mut Inner<A>) {
        if inner.turn.is_some_and(|(owner, _)| !inner.groups[owner].group.is_in_trial()) {
            inner.turn = None;
        }
        self.timing.store(inner.turn.is_some(), Ordering::Relaxed);
    }

    /// How long a process waits for the others. Meanwhile the library may move what it has to:
    /// others may wait for that before they come.
    fn patience(&self) -> impl FnMut() -> bool {
        let (since, mut looks) = (Instant::now(), 0_u32);
        move || {
            looks = looks.wrapping_add(1);
            if looks < SPINS {
                std::hint::spin_loop();
                return true;
            }
            self.mpi.progress(self.world);
            std::thread::yield_now();
            since.elapsed() < self.settings.patience
        }
    }

    fn missed(&self, group: usize) {
        let mut inner = self.lock();
        let group = &mut inner.groups[group].group;
        group.missed();
        group.as_it_is();
        self.pass_turn(&mut inner);
    }

    /// All processes of the communicator are here, for the same. Whether the group was replaced;
    /// the same answer everywhere.
    fn act(
        &self,
        group: usize,
        action: Action,
        requests: &[A::Request],
    ) -> Result<bool, GraphsError> {
        let ready = match action {
            Action::Run => self.lock().groups[group].ready.clone(),
            Action::Compile => self.compile(group),
            Action::Judge => self.judge(group)?,
        };
        let Some(ready) = ready else {
            let mut inner = self.lock();
            inner.groups[group].group.as_it_is();
            self.pass_turn(&mut inner);
            return Ok(false);
        };
        lock(&ready).run()?;
        let null: Vec<A::Request> = {
            let mut inner = self.lock();
            inner.groups[group].group.ran();
            self.pass_turn(&mut inner);
            let of_library = |request: &A::Request| inner.brings(*request) == Brings::Library;
            match inner.groups[group].has_null {
                true => requests.iter().copied().filter(of_library).collect(),
                false => Vec::new(),
            }
        };
        if null.is_empty() {
            self.completed(requests);
            return Ok(true);
        }
        let mine: Vec<_> = requests.iter().copied().filter(|r| !null.contains(r)).collect();
        self.completed(&mine);
        for mut request in null {
            // SAFETY: an inactive request of the program's, which it starts.
            let code = unsafe { (self.mpi.own.start)(&raw mut request) };
            self.mpi.check("MPI_Start", code)?;
        }
        Ok(true)
    }

    fn compile(&self, group: usize) -> Option<Ready<A>> {
        let (comm, part) = {
            let inner = self.lock();
            (inner.groups[group].comm, inner.groups[group].part.clone())
        };
        let options = ScheduleOptions { replace: When::Always, ..ScheduleOptions::default() };
        let compiled = self.context(comm).and_then(|own| lock(&own).compile(&part, options));
        let compiled = compiled.map(|ready| {
            let calls = lock(&ready).summary().calls.clone();
            (calls, ready)
        });
        let mut inner = self.lock();
        let exchange = &mut inner.groups[group];
        match compiled {
            Ok((calls, ready)) if !calls.is_empty() => {
                exchange.ready = Some(ready);
                exchange.group.compiled(calls, !self.settings.always);
            }
            Ok(_) => exchange.group.leave(Reason::Nothing),
            Err(error) => exchange.group.leave(Reason::NoGraph(error.to_string())),
        }
        exchange.ready.clone()
    }

    /// Whether the trial has gone well, by the medians of all processes together.
    fn judge(&self, group: usize) -> Result<Option<Ready<A>>, GraphsError> {
        let (comm, voters, medians) = {
            let inner = self.lock();
            let exchange = &inner.groups[group];
            (exchange.comm, exchange.voters, exchange.group.medians())
        };
        let slower = self.verdict(comm, voters, medians)?;
        let mut inner = self.lock();
        let exchange = &mut inner.groups[group];
        match slower {
            None => exchange.group.keep(),
            Some(reason) => {
                exchange.group.leave(reason);
                exchange.ready = None;
            }
        }
        Ok(exchange.ready.clone())
    }

    /// Why something is not replaced any more, if the medians of all processes say so.
    fn verdict(
        &self,
        comm: usize,
        voters: u64,
        (native, replaced): (Duration, Duration),
    ) -> Result<Option<Reason>, GraphsError> {
        let own = self.lock().comms[&comm].own;
        let [native, replaced] = self.sums([native, replaced], own)?;
        if pays(native, replaced) {
            return Ok(None);
        }
        let processes = u32::try_from(voters).unwrap_or(u32::MAX).max(1);
        let (native, replaced) = (native / processes, replaced / processes);
        Ok(Some(Reason::Slower { native, replaced }))
    }

    fn sums(&self, mine: [Duration; 2], comm: A::Comm) -> Result<[Duration; 2], GraphsError> {
        let mine = mine.map(|time| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX >> 12));
        let mut sums = [0_i64; 2];
        let handles = &self.mpi.handles;
        let missing = |name: &str| GraphsError::Missing { name: name.to_owned() };
        let name = "MPI_LONG_LONG_INT";
        let element = handles.datatype(name).ok_or_else(|| missing(name))?;
        let sum = handles.operation("MPI_SUM").ok_or_else(|| missing("MPI_SUM"))?;
        let (from, into) = (mine.as_ptr().cast(), sums.as_mut_ptr().cast());
        // SAFETY: two numbers in each buffer; the communicator is ours, and all of its processes
        // are here.
        let code = unsafe { (self.mpi.own.allreduce)(from, into, 2, element, sum, comm) };
        self.mpi.check("MPI_Allreduce", code)?;
        Ok(sums.map(|sum| Duration::from_nanos(u64::try_from(sum).unwrap_or(0))))
    }
}

impl<A: Abi> Inner<A> {
    pub(super) fn brings(&self, request: A::Request) -> Brings {
        match self.requests.get(&request) {
            Some(Known::Message(_, brings)) => *brings,
            Some(_) | None => Brings::Nothing,
        }
    }

    /// Whether memory of one of its messages has become a GPU's.
    fn is_of_gpu(&self, group: usize, gpus: &Gpus) -> bool {
        self.groups[group].messages.iter().any(|serial| self.messages[*serial].is_of_gpu(gpus))
    }

    /// The group that these requests are; `None` where they are none. Then their messages are
    /// those of others.
    fn group_of(&mut self, requests: &[A::Request], replace: &Replace<A>) -> Option<usize> {
        if let Some(group) = self.by_requests.get(requests) {
            return Some(*group);
        }
        let messages: Option<Vec<usize>> = requests
            .iter()
            .map(|request| match self.requests.get(request) {
                Some(Known::Message(serial, _)) => Some(*serial),
                _ => None,
            })
            .collect();
        let group = messages.and_then(|messages| match self.by_messages.get(&messages) {
            Some(group) => *group,
            None => self.new_group(messages, replace),
        });
        match group {
            Some(group) if self.by_requests.len() < REFUSED => {
                self.by_requests.insert(requests.into(), group);
            }
            Some(_) => {}
            None => self.are_others(requests),
        }
        group
    }

    fn new_group(&mut self, messages: Vec<usize>, replace: &Replace<A>) -> Option<usize> {
        let made = self.exchange(&messages, replace);
        let group = made.map(|exchange| {
            self.groups.push(exchange);
            self.groups.len() - 1
        });
        if self.by_messages.len() < REFUSED {
            self.by_messages.insert(messages, group);
        }
        group
    }

    fn exchange(&mut self, messages: &[usize], replace: &Replace<A>) -> Option<RunnableGroup<A>> {
        let number = self.messages.get(*messages.first()?)?.channel.comm;
        let comm = self.comms.get(&number)?;
        let (ordinal, voters) = (comm.groups, comm.size);
        if ordinal == GROUPS || self.by_messages.len() >= REFUSED {
            return None;
        }
        let place = number + ordinal;
        let ballot = replace.shared.ballot(place)?;
        let mut part = Part::new(Process(comm.rank), u32::try_from(voters).ok()?);
        let mut channels: Vec<Channel> = Vec::with_capacity(messages.len());
        for message in messages.iter().map(|serial| &self.messages[*serial]) {
            if message.channel.comm != number {
                return None;
            }
            if let Some(step) = message.step()? {
                part.add(step).ok()?;
                channels.push(message.channel);
            }
        }
        let has_null = channels.len() < messages.len();
        if !self.channels.claim(&channels, self.groups.len()) {
            return None;
        }
        self.comms.get_mut(&number)?.groups += 1;
        let (group, messages) = (Group::new(), messages.to_vec());
        let (comm, ready) = (number, None);
        Some(RunnableGroup { group, comm, voters, messages, place, ballot, has_null, part, ready })
    }

    fn are_others(&mut self, requests: &[A::Request]) {
        for request in requests {
            match self.requests.get(request) {
                Some(Known::Message(serial, _)) => {
                    let message = &self.messages[*serial];
                    if !message.is_null {
                        self.uses(message.channel);
                    }
                }
                Some(Known::Other(channel)) => self.uses(*channel),
                Some(Known::Wild(wild)) => self.uses_wildly(*wild),
                None => {}
            }
        }
    }
}
