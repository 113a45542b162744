//! Advice has a condition for each thing that a trace cannot tell; others are reasons against it.

mod common;

use commloom_advice::Advice;
use commloom_testkit::simulated::World;
use commloom_trace::{Action, Stay};

/// The first process sends each other one its own block, or all the same.
fn spread(world: &mut World, are_blocks: bool) {
    world.compute(0, 64, 256, 7);
    for rank in 1..world.ranks() {
        let at = if are_blocks { 64 + 32 * rank } else { 64 };
        world.send(60, 0, at, 32, rank, 3);
        world.receive(61, rank, 1024, 32, 0, 3);
    }
}

/// The others send to the first, which adds up.
fn reduce(world: &mut World) {
    for rank in 0..world.ranks() {
        world.compute(rank, 64, 32, 9);
    }
    for rank in 1..world.ranks() {
        world.send(60, rank, 64, 32, 0, 3);
        world.receive(61, 0, 2048, 32, rank, 3);
        world.add(62, 0, 64);
    }
}

fn only(world: &World, kind: &str) -> Advice {
    let mut all = common::all_advice(&world.traces());
    all.retain(|advice| advice.kind == kind);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

fn has(advice: &Advice, words: &str) -> bool {
    assert_eq!(advice.withheld, None);
    advice.conditions.iter().any(|condition| condition.contains(words))
}

#[test]
fn blocks_that_are_sent_one_after_the_other_must_not_change_in_between() {
    let mut world = World::new(4);
    spread(&mut world, true);
    assert!(has(&only(&world, "scatter"), "changes no block from where app (app.c:60) sends it"));
    let mut world = World::new(4);
    spread(&mut world, false);
    assert_eq!(only(&world, "bcast").conditions, [] as [String; 0]);
}

/// Since when, and up to when, the block of the second of three sends is in its buffer: the number
/// of a send, and whether something else was seen there before or after.
type Times = ((usize, bool), (usize, bool));

/// The recorder has seen how long the blocks of the last three sends of a process are there.
fn watch(world: &mut World, rank: usize, second: Times) {
    let is_send = |action: &Action| matches!(action, Action::Send { .. });
    let events = world.events[rank].iter();
    let all: Vec<u64> = events.filter(|(_, e)| is_send(&e.action)).map(|(n, _)| *n).collect();
    let all = &all[all.len() - 3..];
    let always = ((0, false), (2, false));
    for (own, ((since, is_new), (until, is_gone))) in [always, second, always].iter().enumerate() {
        let before = is_new.then(|| all[since - 1]);
        let after = is_gone.then(|| all[until + 1]);
        let (since, until) = (all[*since], all[*until]);
        let held = Stay { send: all[own], since, before, until, after };
        world.push(rank, 60, Action::Held(held));
    }
}

/// A scatter of which the recorder has seen that of the second block.
fn scattered(second: Times) -> Advice {
    let mut world = World::new(4);
    spread(&mut world, true);
    watch(&mut world, 0, second);
    only(&world, "scatter")
}

#[test]
fn blocks_that_are_there_all_the_time_need_no_condition() {
    let advice = scattered(((0, false), (2, false)));
    assert_eq!((advice.withheld, advice.conditions), (None, vec![]));
}

#[test]
fn blocks_that_are_made_or_changed_in_turn_say_where_the_call_stands() {
    let place = "the call stands where app (app.c:60) sends the";
    assert!(has(&scattered(((1, true), (2, false))), &format!("{place} last block")));
    assert!(has(&scattered(((0, false), (1, true))), &format!("{place} first block")));
    // Whether it was there is not known.
    assert!(has(&scattered(((1, false), (2, false))), &format!("{place} last block")));
    assert!(has(&scattered(((0, false), (1, false))), "changes no block from where"));
}

#[test]
fn blocks_that_are_never_there_at_one_time_have_no_call() {
    let reason = scattered(((1, true), (1, true))).withheld.expect("a reason");
    assert!(reason.contains("are never there at one time"), "{reason}");
}

/// All with all in steps, each block of its own.
fn exchanged(second: Option<Times>) -> Advice {
    let mut world = World::new(4);
    for rank in 0..4 {
        world.compute(rank, 64, 128, 7);
    }
    for step in 1..4 {
        for rank in 0..4 {
            let to = (rank + step) % 4;
            world.send(60, rank, 64 + 32 * to, 32, to, 3);
        }
        for rank in 0..4 {
            let from = (rank + 4 - step) % 4;
            world.receive(60, rank, 1024 + 32 * from, 32, from, 3);
        }
    }
    for rank in 0..4 {
        second.into_iter().for_each(|second| watch(&mut world, rank, second));
    }
    only(&world, "alltoall")
}

#[test]
fn what_is_sent_in_steps_was_seen_to_be_there_or_not() {
    assert!(has(&exchanged(None), "is there before the first of it is sent"));
    let advice = exchanged(Some(((0, false), (2, false))));
    assert_eq!((advice.withheld, advice.conditions), (None, vec![]));
    let reason = exchanged(Some(((1, true), (2, false)))).withheld.expect("a reason");
    assert!(reason.contains("not in its buffers yet where it sends the first"), "{reason}");
}

/// Each time a column of one array, and all times together the array, or not all of it.
fn columns(times: usize) -> Advice {
    let mut world = World::new(4);
    for time in 0..times {
        for rank in 1..4 {
            world.compute(rank, 64, 32, time as u64);
            world.send(60, rank, 64, 32, 0, 3);
            world.receive(61, 0, 1024 + 32 * (3 * rank + time), 32, rank, 3);
        }
        world.barrier();
    }
    only(&world, "gather")
}

#[test]
fn columns_that_are_an_array_together_are_of_one() {
    assert_eq!(columns(3).withheld, None);
    let reason = columns(2).withheld.expect("a reason");
    assert!(reason.contains("lies memory that no message names"), "{reason}");
}

/// The call leaves the buffer of the messages as it was: a program that reads what came there
/// would read something else.
#[test]
fn what_came_and_was_added_up_is_nowhere_after_the_call() {
    let mut world = World::new(4);
    reduce(&mut world);
    let advice = only(&world, "reduce");
    assert!(has(&advice, "makes no other use of what app (app.c:61) receives"));
    assert!(has(&advice, "MPI_SUM is how the program combines"));
    assert!(advice.legend.iter().any(|line| line.starts_with("BUFFER: at the root the memory")));
}

/// Here a message tells that it does.
#[test]
fn what_came_and_is_sent_on_later_keeps_the_messages() {
    let mut world = World::new(4);
    reduce(&mut world);
    world.barrier();
    world.send(70, 0, 2048, 32, 2, 4);
    world.receive(71, 2, 512, 32, 0, 4);
    let reason = only(&world, "reduce").withheld.expect("a reason");
    assert!(reason.contains("app (app.c:70) sends later what app (app.c:61) has rec"), "{reason}");
}

/// MPI 4.1, section 6.6.
#[test]
fn no_scatter_reads_a_block_twice() {
    let mut world = World::new(4);
    world.compute(0, 64, 256, 7);
    for (rank, block) in [(1, 1), (2, 1), (3, 3)] {
        world.send(60, 0, 64 + 32 * block, 32, rank, 3);
        world.receive(61, rank, 1024, 32, 0, 3);
    }
    let all = common::all_advice(&world.traces());
    assert!(all.iter().all(|advice| advice.withheld.is_some()), "{all:?}");
}
