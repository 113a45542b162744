//! Advice has a condition for each thing that a trace cannot tell; others are reasons against it.

mod common;

use commloom_advice::Advice;
use commloom_testkit::simulated::World;

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
