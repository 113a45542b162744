//! The recorder looks at some messages of a program only. A reduction at lines that also ran while
//! it did not look is advice; where it looked and saw no sum it is none.

mod common;

use commloom_testkit::simulated::World;
use commloom_trace::{Action, Trace};

/// The recorder, while the program adds up once.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Time {
    /// It looks, and sees the sum.
    Proven,
    /// It sees the sum, but did not look at the message of the last process.
    ProvenInPart,
    /// It looks, and there is no sum.
    WithoutSum,
    /// It looks at what comes, though not at what was sent, and there is no sum.
    ReceivedWithoutSum,
    NotLookedAt,
}

const ALL: [Time; 5] = [
    Time::Proven,
    Time::ProvenInPart,
    Time::WithoutSum,
    Time::ReceivedWithoutSum,
    Time::NotLookedAt,
];

/// All processes but the first send to it, and it adds up.
fn run(world: &mut World, time: Time, iteration: usize) {
    let last = world.ranks() - 1;
    for rank in 0..=last {
        world.compute(rank, 64, 32, iteration as u64);
    }
    world.sees_sums = matches!(time, Time::Proven | Time::ProvenInPart);
    world.looks_at_received = time != Time::NotLookedAt;
    for rank in 1..=last {
        world.looks = match time {
            Time::Proven | Time::WithoutSum => true,
            Time::ProvenInPart => rank != last,
            Time::ReceivedWithoutSum | Time::NotLookedAt => false,
        };
        world.send(60, rank, 64, 32, 0, 3);
        world.receive(61, 0, 2048, 32, rank, 3);
        world.add(62, 0, 64);
    }
    world.barrier();
}

/// How often each reduction was done that a call is printed for.
fn printed(traces: &[Trace]) -> Vec<u64> {
    let given = common::all_advice(traces).into_iter();
    let given = given.filter(|advice| advice.kind == "reduce" && advice.withheld.is_none());
    given.map(|advice| advice.times).collect()
}

/// By the definition: no time was looked at without a sum being seen, and most are proven.
fn wanted(times: &[Time]) -> Vec<u64> {
    let proven = |time: &&Time| matches!(time, Time::Proven | Time::ProvenInPart);
    let seen = times.iter().filter(proven).count();
    let is_looked_at = |time| matches!(time, &Time::WithoutSum | &Time::ReceivedWithoutSum);
    let is_given = !times.iter().any(is_looked_at) && times.len() - seen < seen;
    if is_given { vec![times.len() as u64] } else { vec![] }
}

#[test]
fn a_reduction_that_ran_unseen_is_advice_unless_it_was_looked_at_without_a_sum() {
    for seed in 0..400 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut world = World::new(rng.usize(3..6));
        let kinds: Vec<Time> = (0..rng.usize(1..4)).map(|_| rng.choice(ALL).unwrap()).collect();
        let times: Vec<Time> =
            (0..rng.usize(1..12)).map(|_| rng.choice(kinds.iter().copied()).unwrap()).collect();
        for (iteration, time) in times.iter().enumerate() {
            run(&mut world, *time, iteration);
        }
        assert_eq!(printed(&world.traces()), wanted(&times), "seed {seed}: {times:?}");
    }
}

#[test]
fn nothing_is_printed_where_several_threads_make_calls() {
    for threads in [None, Some(0), Some(2)] {
        let mut world = World::new(3);
        run(&mut world, Time::Proven, 0);
        if let Some(rank) = threads {
            world.push(rank, 50, Action::Threads);
        }
        run(&mut world, Time::Proven, 1);
        let expected = if threads.is_none() { vec![2] } else { vec![] };
        assert_eq!(printed(&world.traces()), expected, "{threads:?}");
    }
}
