//! The messages of processes at the lines of calls, cut into the times of each call.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use commloom_trace::{Action, Kind, Site, Trace};

use crate::finding::Finding;

/// The call of each line: whether it sends, and where it is.
pub type CallLines = HashMap<(bool, Arc<Site>), usize>;

/// A send (to whom) or a receive (from whom, where it says that).
type Posted = (bool, Option<u32>);

/// All that a process posts for one call.
#[derive(Debug, Clone)]
pub struct Course {
    /// The group that it is in.
    pub group: usize,
    sizes: Sizes,
    /// The times that have begun and are not over; the first has this number.
    first: usize,
    open: VecDeque<Time>,
}

/// How much a process posts each time: sends, and all.
#[derive(Debug, Clone)]
enum Sizes {
    Same(Size),
    Listed(Vec<Size>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    sends: usize,
    all: usize,
}

impl Size {
    fn of(posted: &[Posted]) -> Size {
        let sends = posted.iter().filter(|(is_send, _)| *is_send).count();
        Size { sends, all: posted.len() }
    }
}

#[derive(Debug, Clone)]
struct Time {
    posted: usize,
    completed: usize,
    size: Size,
}

/// The state of a time of a call at a process, after something was posted or completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reached {
    pub time: usize,
    /// All is posted with this.
    pub is_posted: bool,
    /// All is completed with this.
    pub is_completed: bool,
    /// Whether the process only receives.
    pub only_receives: bool,
}

impl Course {
    /// Something is posted.
    pub fn post(&mut self) -> Option<Reached> {
        let is_full = self.open.back().is_none_or(|time| time.posted == time.size.all);
        if is_full {
            let at = self.first.saturating_add(self.open.len());
            let size = match &self.sizes {
                Sizes::Same(size) => *size,
                Sizes::Listed(all) => *all.get(at)?,
            };
            self.open.push_back(Time { posted: 0, completed: 0, size });
        }
        let at = self.open.len().checked_sub(1)?;
        self.open[at].posted += 1;
        let Time { posted, size, .. } = self.open[at];
        Some(Reached {
            time: self.first.saturating_add(at),
            is_posted: posted == size.all,
            is_completed: false,
            only_receives: size.sends == 0,
        })
    }

    /// Something of this time is completed.
    pub fn complete(&mut self, time: usize) -> Option<Reached> {
        let own = self.open.get_mut(time.checked_sub(self.first)?)?;
        own.completed += 1;
        let Size { sends, all } = own.size;
        let is_completed = own.completed == all;
        while self.open.front().is_some_and(|time| time.completed == time.size.all) {
            self.open.pop_front();
            self.first += 1;
        }
        Some(Reached { time, is_posted: false, is_completed, only_receives: sends == 0 })
    }
}

/// The courses of all processes.
pub struct Courses {
    /// By rank in the world, and call.
    pub by_rank: HashMap<u32, HashMap<usize, Course>>,
    /// By call: the processes of each group that post something every time.
    pub groups: Vec<Vec<Vec<u32>>>,
}

impl Courses {
    /// A call whose times cannot be told has nobody who makes it.
    pub fn of(calls: &[&[&Finding]], traces: &[Trace], lines: &CallLines) -> Courses {
        let mut all = Courses { by_rank: HashMap::new(), groups: Vec::new() };
        for (call, same) in calls.iter().enumerate() {
            let (courses, groups) = of_call(call, same, traces, lines).unwrap_or_default();
            for (rank, course) in courses {
                all.by_rank.entry(rank).or_default().insert(call, course);
            }
            all.groups.push(groups);
        }
        all
    }
}

/// The courses of one call by rank in the world, and its groups.
type OfCall = (HashMap<u32, Course>, Vec<Vec<u32>>);

/// `None` where its times cannot be told.
fn of_call(call: usize, same: &[&Finding], traces: &[Trace], lines: &CallLines) -> Option<OfCall> {
    let mut members: BTreeSet<BTreeSet<u32>> = BTreeSet::new();
    let mut known: BTreeMap<u32, BTreeSet<Vec<Posted>>> = BTreeMap::new();
    for finding in same {
        let group: BTreeSet<u32> = finding.collective.group.iter().map(|p| p.0).collect();
        for (rank, posted) in posted_by(finding, &group) {
            known.entry(rank).or_default().insert(posted);
        }
        members.insert(group);
    }
    let is_always = |rank: &u32| known.get(rank).is_some_and(|all| !all.contains(&vec![]));
    let (mut courses, mut groups) = (HashMap::new(), Vec::new());
    for (group, all) in members.into_iter().enumerate() {
        let all: Vec<u32> = all.into_iter().filter(is_always).collect();
        for rank in &all {
            let sequences = known.get(rank)?;
            let of_times: Vec<Size> = sequences.iter().map(|all| Size::of(all)).collect();
            let first = *of_times.first()?;
            let sizes = if of_times.iter().all(|size| *size == first) {
                Sizes::Same(first)
            } else {
                let trace = traces.iter().find(|trace| trace.header.rank == *rank)?;
                Sizes::Listed(cut(&posted_at(trace, call, lines), sequences)?)
            };
            let course = Course { group, sizes, first: 0, open: VecDeque::new() };
            // No communicator has a process in several groups of one call.
            if courses.insert(*rank, course).is_some() {
                return None;
            }
        }
        groups.push(all);
    }
    Some((courses, groups))
}

/// The messages of one time, by process, in the order in which they are posted.
fn posted_by(finding: &Finding, group: &BTreeSet<u32>) -> BTreeMap<u32, Vec<Posted>> {
    let mut events: BTreeMap<u32, BTreeMap<u64, Posted>> =
        group.iter().map(|rank| (*rank, BTreeMap::new())).collect();
    for message in finding.messages() {
        let (send, receive) = (message.send, message.receive);
        events.entry(send.process).or_default().insert(send.event, (true, Some(receive.process)));
        let from = finding.receive(message).and_then(|(_, from, _)| from);
        events.entry(receive.process).or_default().insert(receive.event, (false, from));
    }
    events.into_iter().map(|(rank, own)| (rank, own.into_values().collect())).collect()
}

/// And those of the whole run at the lines of a call.
fn posted_at(trace: &Trace, call: usize, lines: &CallLines) -> Vec<Posted> {
    let own = |is_send, site: Option<Arc<Site>>| {
        site.is_some_and(|site| lines.get(&(is_send, site)) == Some(&call))
    };
    let all = trace.events.only(&[Kind::SEND, Kind::RECEIVE]);
    all.filter_map(|(_, event)| match event.action {
        Action::Send { to, .. } => own(true, event.site).then_some((true, Some(to))),
        Action::Receive { from, .. } => own(false, event.site).then_some((false, from)),
        _ => None,
    })
    .collect()
}

/// The times, by the longest sequence that fits at each place. `None`: something else is there.
fn cut(mut rest: &[Posted], sequences: &BTreeSet<Vec<Posted>>) -> Option<Vec<Size>> {
    let mut all = Vec::new();
    while !rest.is_empty() {
        let fitting = sequences.iter().filter(|sequence| rest.starts_with(sequence));
        let longest = fitting.max_by_key(|sequence| sequence.len())?;
        all.push(Size::of(longest));
        rest = &rest[longest.len()..];
    }
    Some(all)
}
