//! Schedules that touch no memory of the program that they were made from, to be run elsewhere.

use super::{Call, Job, Phase, Place, Program, Schedule, Side, Task};
use crate::detect::Addresses;
use crate::number::{at, count};

/// Bytes after which memory looks the same to caches: places keep their distance from such
/// borders.
const LINE: u64 = 64;

impl Schedule {
    /// The same schedule with all memory as scratch memory: what lies together still does, what
    /// was far away is near. O(n log n) in the jobs and blocks.
    #[must_use]
    pub fn contained(mut self) -> Schedule {
        for program in &mut self.programs {
            contain(program);
        }
        self
    }
}

fn contain(program: &mut Program) {
    let mut ranges = Vec::new();
    visit(program, &mut |place, length| {
        if let Place::Memory(start) = *place {
            ranges.push((start, start.saturating_add(length)));
        }
    });
    let arena = Arena::of(ranges, program.scratch.next_multiple_of(LINE));
    visit(program, &mut |place, _| {
        if let Place::Memory(start) = *place {
            *place = Place::Scratch(arena.place(start));
        }
    });
    program.scratch = arena.end;
}

/// Ranges of memory, and where each begins where they are put near each other.
pub(crate) struct Arena {
    /// Sorted; neither overlap nor touch.
    ranges: Vec<(u64, u64, u64)>,
    end: u64,
}

impl Arena {
    /// The ranges one after the other from a start on.
    pub(crate) fn of(mut ranges: Vec<(u64, u64)>, start: u64) -> Arena {
        ranges.sort_unstable();
        let mut joined: Vec<(u64, u64, u64)> = Vec::new();
        for (from, to) in ranges {
            match joined.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => joined.push((from, to, 0)),
            }
        }
        let mut end = start;
        for (from, to, place) in &mut joined {
            *place = end.saturating_add(*from % LINE);
            end = place
                .saturating_add(*to - *from)
                .checked_next_multiple_of(LINE)
                .unwrap_or(u64::MAX);
        }
        Arena { ranges: joined, end }
    }

    /// Where an address is now.
    pub(crate) fn place(&self, address: u64) -> u64 {
        let after = self.ranges.partition_point(|(from, ..)| *from <= address);
        let range = after.checked_sub(1).map(|range| self.ranges[range]);
        range.map_or(0, |(from, _, place)| place.saturating_add(address - from))
    }
}

/// Shows every place, with the bytes from there on that may be touched.
fn visit(program: &mut Program, see: &mut dyn FnMut(&mut Place, u64)) {
    let ranks = at(program.processes);
    let layouts: Vec<(i64, u64)> = program.layouts.iter().map(|strips| hull(strips)).collect();
    for phase in &mut program.phases {
        match phase {
            Phase::Jobs(jobs) => jobs.iter_mut().for_each(|job| job_places(job, &layouts, see)),
            Phase::Call(call) => call_places(call, ranks, see),
        }
    }
}

/// The lowest displacement of strips, at most 0, and the bytes from there on.
fn hull(strips: &[super::Strip]) -> (i64, u64) {
    let lowest = strips.iter().map(|strip| strip.displacement).min().unwrap_or(0).min(0);
    let end =
        |strip: &super::Strip| strip.displacement.abs_diff(lowest).saturating_add(strip.length);
    (lowest, strips.iter().map(end).max().unwrap_or(0))
}

fn job_places(job: &mut Job, layouts: &[(i64, u64)], see: &mut dyn FnMut(&mut Place, u64)) {
    let mut typed = |place: &mut Place, layout: u32| {
        let (lowest, length) = layouts.get(at(layout)).copied().unwrap_or_default();
        let back = |place: Place, by: i64| match place {
            Place::Memory(at) => Place::Memory(at.wrapping_add_signed(by)),
            Place::Scratch(at) => Place::Scratch(at.wrapping_add_signed(by)),
        };
        let mut first = back(*place, lowest);
        see(&mut first, length);
        *place = back(first, lowest.wrapping_neg());
    };
    match &mut job.task {
        Task::Send { from: place, length, .. } | Task::Receive { into: place, length, .. } => {
            see(place, *length);
        }
        Task::Copy { from, into, length } | Task::Reduce { from, into, length, .. } => {
            see(from, *length);
            see(into, *length);
        }
        Task::Pack { from: place, layout, .. } | Task::Unpack { into: place, layout, .. } => {
            typed(place, *layout);
        }
        Task::Nothing => {}
    }
}

fn call_places(call: &mut Call, ranks: usize, see: &mut dyn FnMut(&mut Place, u64)) {
    for side in [&mut call.send, &mut call.receive] {
        match side {
            Side::Nothing | Side::InPlace => {}
            Side::Block { at: place, shape } => see(place, reach(&shape.offsets, shape)),
            Side::Row { at: place, step, shape } => {
                let others = step.saturating_mul(count(ranks.saturating_sub(1)));
                see(place, others.saturating_add(reach(&shape.offsets, shape)));
            }
            Side::Blocks { at: place, offsets, shape, .. } => {
                let far = (0..ranks).map(|k| offsets.get(k)).max().unwrap_or(0);
                see(place, far.saturating_add(reach(&shape.offsets, shape)));
            }
        }
    }
}

/// The bytes from the start of a block to its end.
fn reach(offsets: &Addresses, shape: &super::Shape) -> u64 {
    let far = (0..at(shape.pieces)).map(|k| offsets.get(k)).max().unwrap_or(0);
    far.saturating_add(shape.length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::goal;
    use crate::{Options, analyse, replays};

    #[test]
    fn ranges_keep_their_neighbours_and_lose_their_gaps() {
        let arena = Arena::of(vec![(1000, 1008), (1 << 40, (1 << 40) + 4), (1008, 1020)], 64);
        assert_eq!(arena.place(1008) - arena.place(1000), 8);
        assert_eq!(arena.place(1000) % LINE, 1000 % LINE);
        assert!(arena.place(1 << 40) > arena.place(1019) && arena.end < 1000);
    }

    #[test]
    fn a_contained_schedule_has_no_memory_of_the_program() {
        let text = "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0 //@ l1 addr=0x7000000000\n}\n\
                    rank 1 {\nl1: recv 8b from 0 tag 0 //@ l1 addr=0x10\n}\n";
        let program = goal::read(text).expect("a graph");
        let analysis = analyse(&program.graph, Options::default()).expect("a graph with a meaning");
        let found = &analysis.detection.collectives;
        assert_eq!(found.len(), 1, "{found:?}");
        let both = replays(&program.graph, &found[0]).expect("one");
        let call = both.call.expect("a call can do it");
        for schedule in [both.messages, call] {
            for mut program in schedule.contained().programs {
                let scratch = program.scratch;
                visit(&mut program, &mut |place, length| match *place {
                    Place::Memory(at) => panic!("{at:#x}"),
                    Place::Scratch(at) => assert!(at + length <= scratch),
                });
            }
        }
    }
}
