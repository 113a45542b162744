//! Steps of a program that would be one operation, if all their data had been there at the start.

use std::sync::Arc;

use commloom_commgraph::recorded::Program;
use commloom_commgraph::{Kind, Options, analyse};
use commloom_testkit::simulated::{World, id};
use commloom_trace::{Action, Collective, Communicator, Kind as EventKind, Stay};

/// The operations of all processes, each as often as it ran, and the bytes of a block.
fn of_all(program: &Program) -> Vec<(Kind, u64)> {
    found(program, Options::default())
}

/// Those that are looked for.
fn found(program: &Program, options: Options) -> Vec<(Kind, u64)> {
    let mut all = Vec::new();
    for phase in &program.phases {
        let analysis = analyse(&phase.graph, options).expect("a program that ran");
        for _ in 0..phase.times() {
            let found = analysis.detection.collectives.iter();
            all.extend(found.map(|c| (c.kind, c.length.0 * u64::from(c.pieces.count))));
        }
    }
    all
}

/// A collective of some processes, in which these give.
fn aside(world: &mut World, members: &[usize], givers: &[usize]) {
    let ranks: Vec<u32> = members.iter().map(|rank| id(*rank)).collect();
    let number = ranks.iter().map(|rank| 1 << rank).sum();
    let communicator = Arc::new(Communicator { number, members: ranks, remote: vec![] });
    for &rank in members {
        let gives = u64::from(givers.contains(&rank)) * 8;
        let gets = u64::from(givers.iter().any(|giver| *giver != rank)) * 8;
        let root = (givers.len() == 1).then(|| id(givers[0]));
        let (name, communicator) = ("MPI_Bcast".into(), communicator.clone());
        let collective = Collective { name, communicator, root, gives, gets };
        world.push(rank, 90, Action::Collective(collective));
    }
}

/// Rows that lie one beside the other are made and sent one after the other: no trace tells that
/// the last of them was there before the first was sent.
#[test]
fn rows_are_as_many_broadcasts_and_not_one_of_the_matrix() {
    let mut world = World::new(4);
    for row in 0..5 {
        world.compute(0, row * 16, 16, row as u64);
        // As where a compiler has unrolled the loop.
        let lines = if row % 2 == 0 { (10, 11) } else { (12, 13) };
        (1..4).for_each(|to| world.send(lines.0, 0, row * 16, 16, to, 1));
        (1..4).for_each(|rank| world.receive(lines.1, rank, row * 16, 16, 0, 1));
    }
    assert_eq!(of_all(&world.program()), [(Kind::Bcast, 16); 5]);
}

/// All rows for one process, and then all for the next: each process gets them at one time.
#[test]
fn what_goes_to_one_process_after_the_other_is_one_operation() {
    let mut world = World::new(4);
    for to in 1..4 {
        (0..5).for_each(|row| world.send(10, 0, row * 16, 16, to, 1));
    }
    for rank in 1..4 {
        (0..5).for_each(|row| world.receive(11, rank, row * 16, 16, 0, 1));
    }
    assert_eq!(of_all(&world.program()), [(Kind::Bcast, 80)]);
}

/// Each process sends its block to the first when that has told it, in a collective of the two,
/// something that may be made of the blocks before.
#[test]
fn what_a_collective_of_some_tells_is_no_part_of_a_gather() {
    for (givers, expected) in [(vec![0], vec![]), (vec![], vec![(Kind::Gather, 16)])] {
        let mut world = World::new(4);
        for rank in 1..4 {
            aside(&mut world, &[0, rank], &givers);
            world.compute(rank, 0, 16, 5);
            world.send(10, rank, 0, 16, 0, 1);
            world.receive(11, 0, 256 + rank * 16, 16, rank, 1);
        }
        assert_eq!(of_all(&world.program()), expected, "{givers:?} give");
    }
}

/// The first process learns from who got the last block, in a collective of both.
#[test]
fn what_a_collective_of_some_tells_is_no_part_of_a_scatter() {
    for last_tells in [false, true] {
        let mut world = World::new(4);
        for rank in 1..4 {
            world.compute(0, rank * 16, 16, rank as u64);
            world.send(10, 0, rank * 16, 16, rank, 1);
            world.receive(11, rank, 256, 16, 0, 1);
            let givers = if last_tells { [0, rank] } else { [0, 0] };
            aside(&mut world, &[0, rank], &givers);
        }
        let expected = if last_tells { vec![] } else { vec![(Kind::Scatter, 16)] };
        assert_eq!(of_all(&world.program()), expected, "{last_tells}");
    }
}

/// Of six processes, three send to one of them: with a communicator of theirs, or without.
#[test]
fn three_processes_gather_where_the_program_has_put_them_together() {
    let world_of = |is_together: bool, is_answered: bool| {
        let mut world = World::new(6);
        if is_together {
            let members = vec![1, 3, 5];
            world.all = Arc::new(Communicator { number: 7, members, remote: vec![] });
        }
        for rank in [1, 5] {
            world.send(10, rank, 0, 16, 3, 1);
            if is_answered {
                world.send(10, 3, rank * 16, 16, rank, 1);
            }
        }
        for rank in [1, 5] {
            world.receive(11, 3, 256 + rank * 16, 16, rank, 1);
            if is_answered {
                world.receive(11, rank, 256, 16, 3, 1);
            }
        }
        found(&world.program(), Options { subsets: true, ..Options::default() })
    };
    assert_eq!(world_of(true, false), [(Kind::Gather, 16)]);
    assert_eq!(world_of(false, false), []);
    assert_eq!(world_of(true, true), [], "as two neighbours in a line");
}

/// The faces of the second dimension are made when those of the first have come, which the
/// recorder has seen in the first of three times.
#[test]
fn faces_that_are_made_between_dimensions_are_exchanges_of_their_own() {
    let mut world = World::new(16);
    for time in 0..3 {
        for dimension in 0..2 {
            let near = |rank: usize, by: usize| match dimension {
                0 => rank / 4 * 4 + (rank + by) % 4,
                _ => (rank + 4 * by) % 16,
            };
            let base = dimension * 64;
            (0..16).for_each(|rank| world.compute(rank, base, 32, time * 2 + dimension as u64));
            for (side, by) in [(0, 1), (1, 3)] {
                let (line, tag) = (20 + 4 * dimension as u64 + 2 * side as u64, 1);
                for rank in 0..16 {
                    world.send(line, rank, base + side * 16, 16, near(rank, by), tag);
                }
                for rank in 0..16 {
                    let there = base + 32 + side * 16;
                    world.receive(line + 1, rank, there, 16, near(rank, 4 - by), tag);
                }
            }
        }
        for rank in (0..16).filter(|_| time == 0) {
            let own = &world.traces()[rank].events;
            let sends: Vec<u64> = own.only(&[EventKind::SEND]).map(|(number, _)| number).collect();
            let got: Vec<u64> = own.only(&[EventKind::RECEIVE]).map(|(n, _)| n).collect();
            for send in &sends[2..] {
                let (since, before, until) = (sends[2], Some(got[1]), sends[3]);
                let held = Stay { send: *send, since, before, until, after: None };
                world.push(rank, 60, Action::Held(held));
            }
        }
    }
    let all = found(&world.program(), Options { subsets: true, ..Options::default() });
    assert_eq!(all, [(Kind::NeighborAlltoall, 16); 3 * 2 * 4]);
}
