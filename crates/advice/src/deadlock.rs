//! Whether a program still ends with calls in the place of messages. It is run again as it was
//! recorded, with each call as a point that nobody passes before all its processes have come: no
//! correct program depends on whether an operation makes them wait (MPI 4.1, section 6.14). So
//! calls that processes come to in different orders are found, too.

use std::collections::{HashMap, VecDeque};
use std::iter::Peekable;
use std::sync::Arc;

use commloom_trace::{Action, Communicator, Event, Iter, Site, Trace};

use crate::course::{CallLines, Course, Courses, Reached};
use crate::finding::Finding;

/// Where a call stands among the messages that it takes the place of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed {
    /// Anywhere from where the last of them is posted to where the last is completed, among the
    /// program's other messages and operations.
    Anywhere,
    /// Where the last is posted.
    AtOnce,
    /// Where the last is posted: only the order of calls counts.
    Posted,
    /// The same, but where the last is completed by processes that only receive.
    Completed,
}

impl Placed {
    /// Whether the program's other messages and operations count.
    fn has_others(self) -> bool {
        matches!(self, Placed::Anywhere | Placed::AtOnce)
    }
}

/// Processes that wait for each other for ever.
#[derive(Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// The calls in which some of them wait, by their numbers.
    pub calls: Vec<usize>,
    /// One that waits in the first of these, one that does not come, and its wait.
    pub waits: (u32, u32, Awaited),
}

/// The cause why a process does not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// It waits for a message of this process.
    Message(u32),
    /// In another call.
    Call(usize),
    /// In an operation of the program.
    Operation,
}

/// Something that a process waits for.
#[derive(Debug, Clone, Copy)]
enum Wait {
    /// That so many messages were sent.
    Sent(Channel, u64),
    /// That all have come.
    Met(Meeting),
}

/// Messages of the same source, destination, tag and communicator: they come in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Channel {
    from: u32,
    to: u32,
    tag: i32,
    communicator: u64,
}

/// One time of an operation: of which, and the number of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Meeting {
    what: What,
    time: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    /// A call, and the group.
    Call(usize, usize),
    /// Those that the program makes on a communicator.
    Own(u64),
}

/// A message that is posted and not completed: its communicator, and the time of a call.
type Open = (u64, Option<(usize, usize)>);

/// The way of a process through its events.
struct Cursor<'t> {
    rank: u32,
    events: Peekable<Iter<'t>>,
    open: HashMap<u64, Open>,
    received: HashMap<Channel, u64>,
    /// How often it has come to each operation.
    come: HashMap<What, usize>,
    courses: HashMap<usize, Course>,
    /// All of this is needed before the next event, in any order: only completions are in between.
    waits: Vec<Wait>,
}

struct Run<'t, 'l> {
    placed: Placed,
    lines: &'l CallLines,
    /// The calls of lines, by the place of their site in memory.
    known: HashMap<(bool, *const Site), Option<usize>>,
    cursors: Vec<Cursor<'t>>,
    /// Where the cursor of a process is.
    of_rank: HashMap<u32, usize>,
    /// The processes of all that they meet in.
    members: HashMap<What, Vec<u32>>,
    sent: HashMap<Channel, u64>,
    come: HashMap<Meeting, usize>,
}

/// Runs a program with these calls, whose messages are those of these lines.
///
/// Time: linear in the events. `None` where all processes end, or where that cannot be told.
pub fn deadlock(
    calls: &[&[&Finding]],
    traces: &[Trace],
    lines: &CallLines,
    placed: Placed,
) -> Option<Deadlock> {
    let mut run = Run::new(Courses::of(calls, traces, lines), traces, lines, placed);
    let mut next: VecDeque<usize> = (0..run.cursors.len()).collect();
    while let Some(at) = next.pop_front() {
        next.extend(run.go(at));
    }
    run.stuck()
}

/// The number of a communicator, where all its members have the same.
fn number(communicator: &Communicator) -> u64 {
    if communicator.is_private() { u64::MAX } else { communicator.number }
}

/// Whether an operation of the program makes its caller wait: `MPI_Ibcast` and `MPI_Bcast_init`
/// do not.
fn is_blocking(name: &str) -> bool {
    let rest = name.strip_prefix("MPI_").unwrap_or(name);
    let starts = rest.strip_prefix('I').is_some_and(|rest| rest.starts_with(char::is_lowercase));
    !starts && !rest.contains("_init")
}

/// Whether an event is only told of: it stands in no order with completions around it.
fn completes(event: &Event) -> bool {
    matches!(
        event.action,
        Action::Received { .. }
            | Action::Sent { .. }
            | Action::Dropped { .. }
            | Action::Held(_)
            | Action::Summed(_)
            | Action::Counted { .. }
            | Action::Mark(_)
    )
}

impl<'t, 'l> Run<'t, 'l> {
    fn new(
        courses: Courses,
        traces: &'t [Trace],
        lines: &'l CallLines,
        placed: Placed,
    ) -> Run<'t, 'l> {
        let Courses { mut by_rank, groups } = courses;
        let cursor = |trace: &'t Trace| Cursor {
            rank: trace.header.rank,
            events: trace.events.iter().peekable(),
            open: HashMap::new(),
            received: HashMap::new(),
            come: HashMap::new(),
            courses: by_rank.remove(&trace.header.rank).unwrap_or_default(),
            waits: Vec::new(),
        };
        let cursors: Vec<Cursor<'_>> = traces.iter().map(cursor).collect();
        let of_rank = cursors.iter().enumerate().map(|(at, cursor)| (cursor.rank, at)).collect();
        let mut members = HashMap::new();
        for (call, groups) in groups.into_iter().enumerate() {
            let all = groups.into_iter().enumerate();
            members.extend(all.map(|(group, all)| (What::Call(call, group), all)));
        }
        let (known, sent, come) = (HashMap::new(), HashMap::new(), HashMap::new());
        Run { placed, lines, known, cursors, of_rank, members, sent, come }
    }

    /// Takes a process as far as it gets. Those that it may let go on.
    fn go(&mut self, at: usize) -> Vec<usize> {
        let mut others = Vec::new();
        loop {
            let next = self.cursors[at].events.peek().map(|(_, event)| completes(event));
            if next != Some(true) && !self.has_all(at) {
                return others;
            }
            let Some((number, event)) = self.cursors[at].events.next() else { return others };
            self.act(at, number, event, &mut others);
        }
    }

    /// Whether all that a process waits for is there.
    fn has_all(&mut self, at: usize) -> bool {
        let mut waits = std::mem::take(&mut self.cursors[at].waits);
        waits.retain(|wait| !self.is_there(wait));
        self.cursors[at].waits = waits;
        self.cursors[at].waits.is_empty()
    }

    fn is_there(&self, wait: &Wait) -> bool {
        match wait {
            Wait::Sent(channel, count) => self.sent.get(channel).is_some_and(|n| n >= count),
            Wait::Met(meeting) => {
                let all = self.members.get(&meeting.what).map_or(0, Vec::len);
                self.come.get(meeting).is_some_and(|come| *come >= all)
            }
        }
    }

    fn act(&mut self, at: usize, number_of: u64, event: Event, others: &mut Vec<usize>) {
        let rank = self.cursors[at].rank;
        match event.action {
            Action::Send { to, tag, communicator, .. } => {
                let communicator = number(&communicator);
                if let Some(call) = self.call(true, event.site.as_ref()) {
                    self.post(at, call, number_of, communicator, others);
                } else if self.placed.has_others() {
                    let channel = Channel { from: rank, to, tag, communicator };
                    *self.sent.entry(channel).or_default() += 1;
                    others.extend(self.of_rank.get(&to));
                }
            }
            Action::Receive { communicator, .. } => {
                let communicator = number(&communicator);
                match self.call(false, event.site.as_ref()) {
                    Some(call) => self.post(at, call, number_of, communicator, others),
                    None => {
                        self.cursors[at].open.insert(number_of, (communicator, None));
                    }
                }
            }
            Action::Sent { send } => self.complete(at, send, None, others),
            Action::Received { receive, what } => {
                self.complete(at, receive, Some((what.from, what.tag)), others);
            }
            Action::Dropped { receive } => {
                self.cursors[at].open.remove(&receive);
            }
            Action::Collective(own) => {
                let number = number(&own.communicator);
                let is_known = number != u64::MAX && own.communicator.remote.is_empty();
                if self.placed.has_others() && is_known && is_blocking(&own.name) {
                    let what = What::Own(number);
                    let all = || own.communicator.members.clone();
                    self.members.entry(what).or_insert_with(all);
                    let time = self.cursors[at].come.get(&what).copied().unwrap_or(0);
                    let meeting = Meeting { what, time };
                    self.come(at, meeting, others);
                    self.cursors[at].waits.push(Wait::Met(meeting));
                }
            }
            _ => {}
        }
    }

    /// A message of a call is posted.
    fn post(
        &mut self,
        at: usize,
        call: usize,
        number: u64,
        communicator: u64,
        others: &mut Vec<usize>,
    ) {
        let reached = self.cursors[at].courses.get_mut(&call).and_then(Course::post);
        let time = reached.map(|reached| (call, reached.time));
        self.cursors[at].open.insert(number, (communicator, time));
        let Some(Reached { time, is_posted: true, only_receives, .. }) = reached else { return };
        let is_later = self.placed == Placed::Completed && only_receives;
        let Some(meeting) = self.meeting(at, call, time).filter(|_| !is_later) else { return };
        self.come(at, meeting, others);
        if self.placed != Placed::Anywhere {
            self.cursors[at].waits.push(Wait::Met(meeting));
        }
    }

    /// A message is completed; one that was received comes from a process, with a tag.
    fn complete(
        &mut self,
        at: usize,
        number: u64,
        came: Option<(u32, i32)>,
        others: &mut Vec<usize>,
    ) {
        let cursor = &mut self.cursors[at];
        let Some((communicator, of)) = cursor.open.remove(&number) else { return };
        let Some((call, time)) = of else {
            let Some((from, tag)) = came.filter(|_| self.placed.has_others()) else {
                return;
            };
            let channel = Channel { from, to: cursor.rank, tag, communicator };
            let count = cursor.received.entry(channel).or_default();
            *count += 1;
            let wait = Wait::Sent(channel, *count);
            cursor.waits.push(wait);
            return;
        };
        let reached = cursor.courses.get_mut(&call).and_then(|course| course.complete(time));
        let Some(Reached { is_completed: true, only_receives, .. }) = reached else { return };
        let Some(meeting) = self.meeting(at, call, time) else { return };
        if self.placed == Placed::Completed && only_receives {
            self.come(at, meeting, others);
        }
        if self.placed == Placed::Anywhere || self.placed == Placed::Completed && only_receives {
            self.cursors[at].waits.push(Wait::Met(meeting));
        }
    }

    fn meeting(&self, at: usize, call: usize, time: usize) -> Option<Meeting> {
        let group = self.cursors[at].courses.get(&call)?.group;
        Some(Meeting { what: What::Call(call, group), time })
    }

    /// The call that a line belongs to.
    fn call(&mut self, is_send: bool, site: Option<&Arc<Site>>) -> Option<usize> {
        let (site, lines) = (site?, self.lines);
        let find = || lines.get(&(is_send, Arc::clone(site))).copied();
        *self.known.entry((is_send, Arc::as_ptr(site))).or_insert_with(find)
    }

    /// A process has come.
    fn come(&mut self, at: usize, meeting: Meeting, others: &mut Vec<usize>) {
        self.cursors[at].come.insert(meeting.what, meeting.time.saturating_add(1));
        let come = self.come.entry(meeting).or_default();
        *come += 1;
        let all = self.members.get(&meeting.what).map_or(&[][..], Vec::as_slice);
        if *come >= all.len() {
            others.extend(all.iter().filter_map(|rank| self.of_rank.get(rank)));
        }
    }

    /// The calls in which processes wait that can never come on. A process whose events end may
    /// have done more than was recorded, and nothing is known of those that wait for it.
    fn stuck(&self) -> Option<Deadlock> {
        let mut is_stuck: Vec<bool> = self.cursors.iter().map(|c| !c.waits.is_empty()).collect();
        loop {
            let is_known = |rank: &u32| self.of_rank.get(rank).is_some_and(|at| is_stuck[*at]);
            let is_free = |at: &usize| {
                let mut waits = self.cursors[*at].waits.iter();
                is_stuck[*at] && !waits.any(|wait| self.missing(wait).iter().any(is_known))
            };
            let free: Vec<usize> = (0..is_stuck.len()).filter(is_free).collect();
            if free.is_empty() {
                break;
            }
            free.into_iter().for_each(|at| is_stuck[at] = false);
        }
        let mut calls = Vec::new();
        let mut waits = None;
        for cursor in self.cursors.iter().enumerate().filter(|(at, _)| is_stuck[*at]).map(|c| c.1) {
            for wait in &cursor.waits {
                let Wait::Met(Meeting { what: What::Call(call, _), .. }) = wait else { continue };
                let is_stuck = |rank: &u32| self.of_rank.get(rank).is_some_and(|at| is_stuck[*at]);
                let Some(other) = self.missing(wait).into_iter().find(is_stuck) else { continue };
                calls.push(*call);
                waits = waits.or_else(|| Some((cursor.rank, other, self.awaited(other)?)));
            }
        }
        calls.sort_unstable();
        calls.dedup();
        Some(Deadlock { calls, waits: waits? })
    }

    /// The processes that do not come.
    fn missing(&self, wait: &Wait) -> Vec<u32> {
        match wait {
            Wait::Sent(channel, _) => vec![channel.from],
            Wait::Met(Meeting { what, time }) => {
                let all = self.members.get(what).map_or(&[][..], Vec::as_slice);
                let has_come = |rank: &&u32| {
                    let own = self.of_rank.get(rank).map(|at| &self.cursors[*at]);
                    own.and_then(|own| own.come.get(what)).is_some_and(|next| next > time)
                };
                all.iter().filter(|rank| !has_come(rank)).copied().collect()
            }
        }
    }

    fn awaited(&self, rank: u32) -> Option<Awaited> {
        let cursor = &self.cursors[*self.of_rank.get(&rank)?];
        cursor.waits.first().map(|wait| match wait {
            Wait::Sent(channel, _) => Awaited::Message(channel.from),
            Wait::Met(Meeting { what: What::Call(call, _), .. }) => Awaited::Call(*call),
            Wait::Met(_) => Awaited::Operation,
        })
    }
}
