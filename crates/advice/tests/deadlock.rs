//! Calls are withheld where processes would wait in them for ever.

mod common;

use commloom_advice::Advice;
use commloom_testkit::simulated::World;

const ALL: usize = 4;

/// From the first process to all others; who receives when is for the caller.
fn send_all(world: &mut World, line: u64, at: usize, tag: i32) {
    for rank in 1..ALL {
        world.send(line, 0, at, 32, rank, tag);
    }
}

fn printed(world: &World) -> (Vec<&'static str>, Vec<String>) {
    let all = common::all_advice(&world.traces());
    let (given, withheld): (Vec<Advice>, Vec<_>) =
        all.into_iter().partition(|advice| advice.withheld.is_none());
    let reasons = withheld.into_iter().filter_map(|advice| advice.withheld);
    (given.into_iter().map(|advice| advice.kind).collect(), reasons.collect())
}

/// Two arrays from the first process, which the others receive in another order, or in the same.
fn two_arrays(is_swapped: bool) -> World {
    let mut world = World::new(ALL);
    for step in 0..3 {
        world.compute(0, 64, 32, step);
        world.compute(0, 128, 32, 100 + step);
        send_all(&mut world, 60, 64, 1);
        send_all(&mut world, 70, 128, 2);
        for rank in 1..ALL {
            let mut receives = [(61, 64, 1), (71, 128, 2)];
            if is_swapped {
                receives.reverse();
            }
            for (line, at, tag) in receives {
                world.receive(line, rank, at, 32, 0, tag);
            }
        }
    }
    world
}

#[test]
fn processes_that_come_to_two_calls_in_different_orders_get_one_of_them() {
    assert_eq!(printed(&two_arrays(false)), (vec!["bcast", "bcast"], vec![]));
    let (given, withheld) = printed(&two_arrays(true));
    assert_eq!(given, ["bcast"]);
    assert!(
        withheld.iter().any(|why| why.contains("wait for each other for ever")),
        "{withheld:?}"
    );
}

/// The last process sends an empty message when it has its part, and the one before waits for that
/// before it receives its own, or afterwards.
fn in_turn(is_before: bool) -> World {
    let mut world = World::new(ALL);
    for step in 0..3 {
        world.compute(0, 64, 32, step);
        send_all(&mut world, 60, 64, 1);
        let receive = |world: &mut World, rank| world.receive(61, rank, 64, 32, 0, 1);
        receive(&mut world, 1);
        receive(&mut world, 3);
        world.send(80, 3, 512, 0, 2, 5);
        if !is_before {
            receive(&mut world, 2);
        }
        world.receive(81, 2, 512, 0, 3, 5);
        if is_before {
            receive(&mut world, 2);
        }
    }
    world
}

#[test]
fn a_message_that_stays_between_the_parts_of_two_processes_forbids_the_call() {
    assert_eq!(printed(&in_turn(false)), (vec!["bcast"], vec![]));
    let (given, withheld) = printed(&in_turn(true));
    assert_eq!(given, [] as [&str; 0]);
    assert!(withheld.iter().any(|why| why.contains("message of process 3")), "{withheld:?}");
}

/// The first process sends the tasks of a step before it has the results of the one before.
#[test]
fn calls_of_one_step_do_not_stand_behind_those_of_the_next() {
    let mut world = World::new(ALL);
    let results = |world: &mut World| {
        for rank in 1..ALL {
            world.receive(71, 0, 1024 + 32 * rank, 32, rank, 2);
        }
    };
    for step in 0..4 {
        world.compute(0, 64, 32, step);
        send_all(&mut world, 60, 64, 1);
        if step > 0 {
            results(&mut world);
        }
        for rank in 1..ALL {
            world.receive(61, rank, 64, 32, 0, 1);
            world.compute(rank, 256, 32, 50 + step);
            world.send(70, rank, 256, 32, 0, 2);
        }
    }
    results(&mut world);
    let (given, withheld) = printed(&world);
    assert!(given.len() < 2, "{given:?}");
    assert!(!withheld.is_empty(), "{withheld:?}");
}
