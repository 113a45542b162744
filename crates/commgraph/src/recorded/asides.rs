//! The knowledge that processes have of each other by collectives of some of them.
//!
//! Such a collective is no border of the program, but what a process sends after it may be made of
//! what another one got before: then the messages before and behind are not one operation, whose
//! data would have to be there at its start. *Levels* tell them apart: a process that sends
//! something new after a collective has brought it something from a process that had got a
//! message is one level higher.

use std::collections::{BTreeMap, HashMap};

use commloom_trace::{Action, Kind, Trace};

use crate::number::{at, id};
use crate::recorded::cut::TracePart;
use crate::recorded::links::Links;
use crate::recorded::model::{Place, action};
use crate::recorded::units::{Units, ends};

/// The part that a process has in a collective.
#[derive(Clone, Copy)]
struct Aside {
    event: u64,
    /// The same at all its processes.
    collective: u32,
    gives: bool,
    gets: bool,
    /// Whether all processes take part.
    is_border: bool,
}

/// The collectives that each process took part in, in order.
pub(super) struct Asides {
    of: Vec<Vec<Aside>>,
    /// How many of them come before the end of the last part.
    done: Vec<usize>,
}

impl Asides {
    /// O(n) in the events.
    pub fn of(traces: &[&Trace]) -> Asides {
        let mut known = HashMap::new();
        let of_process = |trace: &&Trace| {
            let mut nth: HashMap<_, u64> = HashMap::new();
            let mut own = Vec::new();
            for (event, entry) in trace.events.only(&[Kind::COLLECTIVE]) {
                let Action::Collective(collective) = entry.action else { continue };
                let communicator = collective.communicator;
                // Those that are private are told apart by their members.
                let number = (!communicator.is_private()).then_some(communicator.number);
                let mut sides = [communicator.members.clone(), communicator.remote.clone()];
                sides.sort_unstable();
                let nth = nth.entry((number, sides.clone())).or_default();
                let next = id(known.len());
                let number = *known.entry((number, sides, *nth)).or_insert(next);
                *nth += 1;
                let gets = collective.gets > 0;
                // What is given in place is not counted: without a root, who gets also gives.
                let gives = collective.gives > 0 || (gets && collective.root.is_none());
                let is_border = communicator.members.len() == traces.len();
                own.push(Aside { event, collective: number, gives, gets, is_border });
            }
            own
        };
        let of = traces.iter().map(of_process).collect();
        Asides { of, done: vec![0; traces.len()] }
    }

    /// The part in its levels; parts come in their order. O(n log n).
    pub fn levels(&mut self, traces: &[&Trace], part: TracePart) -> Vec<TracePart> {
        let all = ends(traces.len(), &part.messages);
        let steps = self.steps(&all, &part);
        if !steps.iter().flatten().any(|step| matches!(step, Step::Aside(_))) {
            return vec![part];
        }
        let links = Links::of(traces, &part.messages, &part.sums);
        let mut walk = Walk::of(&steps, &part, &links);
        walk.run();
        let units = Units::of(&all, part.messages.len());
        let mut of_unit = vec![0; units.count];
        for (level, unit) in walk.levels.iter().zip(&units.of) {
            let highest: &mut u32 = &mut of_unit[at(*unit)];
            *highest = (*highest).max(level.unwrap_or(0));
        }
        let levels: Vec<u32> = units.of.iter().map(|unit| of_unit[at(*unit)]).collect();
        part.apart(traces, &levels)
    }

    /// The steps of each process: its messages, and the collectives since the last part and up to
    /// the next border.
    fn steps(&mut self, ends: &[Vec<(u32, bool)>], part: &TracePart) -> Vec<Vec<Step>> {
        let event = |&(message, sent): &(u32, bool)| {
            let message = &part.messages[at(message)];
            if sent { message.send.event } else { message.arrival.event }
        };
        let mut all = Vec::new();
        for ((own, asides), done) in ends.iter().zip(&self.of).zip(&mut self.done) {
            let Some(last) = own.last().map(event) else {
                all.push(Vec::new());
                continue;
            };
            let within = asides[*done..].iter();
            let within = within.take_while(|aside| aside.event < last || !aside.is_border);
            let within = within.filter(|aside| !aside.is_border);
            let mut steps: Vec<(u64, Step)> = own
                .iter()
                .map(|end| {
                    let step = if end.1 { Step::Send(end.0) } else { Step::Arrive(end.0) };
                    (event(end), step)
                })
                .chain(within.map(|aside| (aside.event, Step::Aside(*aside))))
                .collect();
            steps.sort_by_key(|(event, _)| *event);
            *done = asides.partition_point(|aside| aside.event < last);
            all.push(steps.into_iter().map(|(_, step)| step).collect());
        }
        all
    }
}

#[derive(Clone, Copy)]
enum Step {
    Send(u32),
    Arrive(u32),
    Aside(Aside),
}

/// The steps of a process so far, and its knowledge.
#[derive(Clone, Default)]
struct Standing {
    next: usize,
    level: u32,
    /// Whether something has come to it at this level.
    got: bool,
    /// The level of something new that it sends.
    learned: u32,
}

/// The knowledge of those who give something to a collective, and for how many it waits.
#[derive(Default)]
struct Given {
    missing: usize,
    /// The two highest levels, of different processes: nobody learns from itself.
    levels: [Option<(u32, usize)>; 2],
}

/// The way through the steps of all processes, each as far as what it waits for has happened.
struct Walk<'a> {
    steps: &'a [Vec<Step>],
    part: &'a TracePart,
    links: &'a Links,
    standing: Vec<Standing>,
    given: HashMap<u32, Given>,
    /// Of each message, once it is sent.
    levels: Vec<Option<u32>>,
}

impl<'a> Walk<'a> {
    fn of(steps: &'a [Vec<Step>], part: &'a TracePart, links: &'a Links) -> Walk<'a> {
        let mut given: HashMap<u32, Given> = HashMap::new();
        for step in steps.iter().flatten() {
            if let Step::Aside(aside) = step {
                given.entry(aside.collective).or_default().missing += usize::from(aside.gives);
            }
        }
        let standing = vec![Standing::default(); steps.len()];
        Walk { steps, part, links, standing, given, levels: vec![None; part.messages.len()] }
    }

    /// Round by round: the processes that wait for each other by what a trace does not tell, as
    /// the end of a collective that does not block, go on without.
    fn run(&mut self) {
        let mut open: Vec<usize> = (0..self.steps.len()).collect();
        while !open.is_empty() {
            let before: usize = self.standing.iter().map(|standing| standing.next).sum();
            open.iter().for_each(|process| while self.step(*process, false) {});
            let after: usize = self.standing.iter().map(|standing| standing.next).sum();
            if before == after {
                open.iter().for_each(|process| {
                    self.step(*process, true);
                });
            }
            open.retain(|process| self.standing[*process].next < self.steps[*process].len());
        }
    }

    /// The next step of a process; whether it has made one.
    fn step(&mut self, process: usize, is_forced: bool) -> bool {
        let own = &mut self.standing[process];
        let Some(step) = self.steps[process].get(own.next) else { return false };
        match *step {
            Step::Send(message) => {
                if self.links.is_new(message) && own.learned > own.level {
                    (own.level, own.got) = (own.learned, false);
                }
                self.levels[at(message)] = Some(own.level);
            }
            Step::Arrive(message) => {
                let Some(level) = self.levels[at(message)].or(is_forced.then_some(0)) else {
                    return false;
                };
                if level > own.level {
                    (own.level, own.got) = (level, false);
                    own.learned = own.learned.max(level);
                }
                own.got |= level == own.level && self.part.messages[at(message)].bytes > 0;
            }
            Step::Aside(aside) => return self.aside(process, aside, is_forced),
        }
        own.next += 1;
        true
    }

    /// A process comes to a collective: it gives at once, and goes on when it has got.
    fn aside(&mut self, process: usize, aside: Aside, is_forced: bool) -> bool {
        let own = &mut self.standing[process];
        let given = self.given.entry(aside.collective).or_default();
        let known = given.levels.iter().flatten().any(|(_, giver)| *giver == process);
        if aside.gives && !known {
            given.missing = given.missing.saturating_sub(1);
            let mine = (own.learned.max(own.level + u32::from(own.got)), process);
            let [first, second] = &mut given.levels;
            if first.is_none_or(|first| first.0 < mine.0) {
                *second = first.replace(mine);
            } else if second.is_none_or(|second| second.0 < mine.0) {
                *second = Some(mine);
            }
        }
        if aside.gets && given.missing > 0 && !is_forced {
            return false;
        }
        if aside.gets {
            let others = given.levels.iter().flatten().filter(|(_, giver)| *giver != process);
            own.learned = own.learned.max(others.map(|(level, _)| *level).max().unwrap_or(0));
        }
        own.next += 1;
        true
    }
}

impl TracePart {
    /// The part in pieces: each message has the number of its piece, and each sum goes with the
    /// message that it takes.
    pub fn apart(self, traces: &[&Trace], pieces: &[u32]) -> Vec<TracePart> {
        let mut of_arrival: HashMap<Place, u32> = HashMap::new();
        let empty = TracePart { messages: Vec::new(), sums: Vec::new(), ..self.clone() };
        let mut all: BTreeMap<u32, TracePart> = BTreeMap::new();
        for (message, piece) in self.messages.into_iter().zip(pieces) {
            of_arrival.insert(message.arrival, *piece);
            all.entry(*piece).or_insert_with(|| empty.clone()).messages.push(message);
        }
        for sum in self.sums {
            let Some(Action::Summed(summed)) = action(traces, sum) else { continue };
            let piece = of_arrival.get(&Place { event: summed.receive, ..sum });
            if let Some(part) = piece.and_then(|piece| all.get_mut(piece)) {
                part.sums.push(sum);
            }
        }
        all.into_values().collect()
    }
}
