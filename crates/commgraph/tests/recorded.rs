//! Programs that ran: from the traces of their processes to collective operations.

use std::collections::VecDeque;
use std::sync::Arc;

use commloom_commgraph::recorded::{self, Oddity, Phase, Program, RecordError};
use commloom_commgraph::{Analysis, Kind, Options, analyse};
use commloom_testkit::simulated::{World, buffer, hash, id};
use commloom_trace::{Action, Communicator, Event, Received, Sum, Trace};

fn found(phase: &Phase) -> Analysis {
    analyse(&phase.graph, Options::default()).expect("a program that ran")
}

/// All collectives of the only phase, which is everything that happens in it.
#[track_caller]
fn only(program: &Program) -> Vec<Kind> {
    assert_eq!(program.oddities, []);
    assert_eq!(program.phases.len(), 1, "phases");
    let analysis = found(&program.phases[0]);
    assert_eq!(analysis.detection.left, []);
    analysis.detection.collectives.iter().map(|c| c.kind).collect()
}

/// A ring in which every process forwards what it has got last.
fn ring(world: &mut World, block: usize) {
    let p = world.ranks();
    for step in 0..p - 1 {
        for r in 0..p {
            let own = (r + p - step) % p;
            world.send(10, r, own * block, block, (r + 1) % p, 3);
        }
        for r in 0..p {
            let other = (r + p - step - 1) % p;
            world.receive(11, r, other * block, block, (r + p - 1) % p, 3);
        }
    }
}

#[test]
fn a_ring_is_an_allgather() {
    for p in 2..9 {
        let mut world = World::new(p);
        ring(&mut world, 16);
        assert_eq!(only(&world.program()), [Kind::Allgather], "{p} processes");
    }
}

#[test]
fn a_ring_whose_blocks_are_changed_on_the_way_is_none() {
    let mut world = World::new(5);
    for step in 0..4u64 {
        for r in 0..5 {
            world.send(10, r, 0, 16, (r + 1) % 5, 3);
        }
        for r in 0..5 {
            world.receive(11, r, 0, 16, (r + 4) % 5, 3);
            world.compute(r, 3, 1, step);
        }
    }
    let program = world.program();
    let kinds: Vec<Kind> = program
        .phases
        .iter()
        .flat_map(|phase| found(phase).detection.collectives)
        .map(|c| c.kind)
        .collect();
    assert!(!kinds.contains(&Kind::Allgather), "{kinds:?}");
}

#[test]
fn a_tree_is_a_broadcast_and_its_messages_know_who_sent_them() {
    let mut world = World::new(8);
    for distance in [4, 2, 1] {
        for r in (0..8).step_by(2 * distance) {
            world.send(20, r, 64, 100, r + distance, 0);
            world.receive(21, r + distance, 64, 100, r, 0);
        }
    }
    let program = world.program();
    assert_eq!(only(&program), [Kind::Bcast]);
    let phase = &program.phases[0];
    let first = phase.graph.of(commloom_commgraph::Process(4)).next().expect("it receives");
    let message = phase.message_of(&first).expect("its message");
    assert_eq!((message.send.process, message.receive.process, message.bytes), (0, 4, 100));
    assert_eq!(message.sender.as_ref().map(|site| site.offset), Some(20));
    assert_eq!(message.receiver.as_ref().map(|site| site.offset), Some(21));
}

#[test]
fn one_buffer_packed_again_for_each_process_is_an_alltoall_and_no_allgather() {
    let p = 6;
    let mut world = World::new(p);
    for step in 1..p {
        for r in 0..p {
            world.compute(r, 0, 32, step as u64);
            world.send(30, r, 0, 32, (r + step) % p, 1);
        }
        for r in 0..p {
            let from = (r + p - step) % p;
            world.receive(31, r, 1000 + 32 * from, 32, from, 1);
        }
    }
    let kinds = only(&world.program());
    assert!(kinds.iter().all(|k| matches!(k, Kind::Alltoall | Kind::Alltoallv)), "{kinds:?}");
}

/// PTRANS of hpcc sends blocks of one size, of which some are only filled to a half.
#[test]
fn one_buffer_that_is_packed_again_but_for_its_end_is_that_of_an_alltoall() {
    let p = 4;
    let mut world = World::new(p);
    world.knows_sent = true;
    for round in 0..2 {
        for step in 1..p {
            for r in 0..p {
                let packed = if r < 2 { 32 } else { 16 };
                world.compute(r, 0, packed, (10 * round + step) as u64);
                world.send(30, r, 0, 32, (r + step) % p, 1);
            }
            for r in 0..p {
                world.receive(31, r, 1000, 32, (r + p - step) % p, 1);
            }
        }
        world.barrier();
    }
    let program = world.program();
    assert_eq!(program.phases.iter().map(Phase::times).sum::<u64>(), 2);
    for phase in &program.phases {
        let analysis = found(phase);
        let kinds: Vec<Kind> = analysis.detection.collectives.iter().map(|c| c.kind).collect();
        assert_eq!((kinds, analysis.detection.left), (vec![Kind::Alltoall], vec![]));
    }
}

#[test]
fn what_stays_behind_a_header_for_each_is_still_a_broadcast() {
    let mut world = World::new(4);
    world.knows_sent = true;
    for r in 1..4 {
        world.compute(0, 0, 8, r as u64);
        world.send(30, 0, 0, 64, r, 1);
        world.receive(31, r, 0, 64, 0, 1);
    }
    let mut kinds = only(&world.program());
    kinds.sort_unstable();
    assert_eq!(kinds, [Kind::Bcast, Kind::Scatter]);
}

#[test]
fn a_transpose_that_also_sends_to_itself_leaves_nothing() {
    for p in [3, 4, 7] {
        let mut world = World::new(p);
        for step in 0..p {
            for r in 0..p {
                world.compute(r, 0, 32, step as u64);
                world.send(30, r, 0, 32, (r + step) % p, 1);
            }
            for r in 0..p {
                let from = (r + p - step) % p;
                world.receive(31, r, 1000 + 32 * from, 32, from, 1);
            }
        }
        let program = world.program();
        assert_eq!(only(&program), [Kind::Alltoall], "{p} processes");
        assert!(found(&program.phases[0]).detection.collectives[0].own, "{p} processes");
    }
}

/// HPL's long broadcasts roll pieces until the root gets back what it had.
#[test]
fn what_comes_back_to_where_it_was_is_not_left() {
    let p = 5;
    let mut world = World::new(p);
    for step in 0..p {
        for r in 0..p {
            world.send(10, r, (r + p - step) % p * 16, 16, (r + 1) % p, 3);
        }
        for r in 0..p {
            world.receive(11, r, (r + p - step - 1) % p * 16, 16, (r + p - 1) % p, 3);
        }
    }
    assert_eq!(only(&world.program()), [Kind::Allgather]);
}

#[test]
fn one_buffer_that_stays_is_an_allgather() {
    let p = 6;
    let mut world = World::new(p);
    for step in 1..p {
        for r in 0..p {
            world.send(30, r, 0, 32, (r + step) % p, 1);
        }
        for r in 0..p {
            let from = (r + p - step) % p;
            world.receive(31, r, 1000 + 32 * from, 32, from, 1);
        }
    }
    assert_eq!(only(&world.program()), [Kind::Allgather]);
}

/// Up a binomial tree: from who has a bit to who has not.
fn up(world: &mut World, at: usize, length: usize) {
    let p = world.ranks();
    let scratch = 2048;
    let mut distance = 1;
    while distance < p {
        for r in (0..p).filter(|r| r % (2 * distance) == distance) {
            world.send(60, r, at, length, r - distance, 3);
            world.receive(61, r - distance, scratch, length, r, 3);
            world.add(62, r - distance, at);
        }
        distance *= 2;
    }
}

#[test]
fn a_tree_that_adds_up_is_a_reduce_and_leaves_nothing_else() {
    for p in [2, 4, 5, 8] {
        let mut world = World::new(p);
        up(&mut world, 64, 32);
        assert_eq!(only(&world.program()), [Kind::Reduce], "{p} processes");
    }
}

#[test]
fn what_a_tree_has_added_up_and_all_get_is_an_allreduce() {
    let mut world = World::new(8);
    for iteration in 0..3 {
        for r in 0..8 {
            world.compute(r, 64, 32, iteration);
        }
        up(&mut world, 64, 32);
        for distance in [4, 2, 1] {
            for r in (0..8).filter(|r| r % (2 * distance) == 0) {
                world.send(63, r, 64, 32, r + distance, 4);
                world.receive(64, r + distance, 64, 32, r, 4);
            }
        }
    }
    let program = world.program();
    assert_eq!(only(&program), [Kind::Allreduce]);
    assert_eq!(program.phases[0].times(), 3);
}

#[test]
fn messages_of_two_communicators_are_not_mixed_up() {
    let mut world = World::new(2);
    let twin = |number| Arc::new(Communicator { number, members: vec![0, 1], remote: vec![] });
    // The same bytes, tags and peers, received in the other order.
    for number in [7, 9] {
        world.all = twin(number);
        world.send(70, 0, 0, 16, 1, 5);
    }
    for (number, at) in [(9, 64), (7, 128)] {
        world.all = twin(number);
        world.receive(71, 1, at, 16, 0, 5);
    }
    let program = world.program();
    assert_eq!(program.oddities, []);
    let pairs: Vec<(u64, u64)> = program.phases[0]
        .messages
        .iter()
        .map(|message| (message.send.event, message.receive.event))
        .collect();
    // Each send is two events, and each receive.
    assert_eq!(pairs, [(2, 0), (0, 2)]);
}

#[test]
fn what_is_repeated_is_counted_once() {
    let mut world = World::new(4);
    for iteration in 0..10 {
        for r in 0..4 {
            world.compute(r, 0, 64, iteration);
        }
        ring(&mut world, 16);
    }
    let program = world.program();
    assert_eq!(only(&program), [Kind::Allgather]);
    assert_eq!(program.phases[0].times(), 10);
    assert_eq!(program.phases[0].messages.len(), 12);
}

#[test]
fn phases_end_at_collectives() {
    let mut world = World::new(4);
    for _ in 0..3 {
        ring(&mut world, 16);
        world.barrier();
        for r in 1..4 {
            world.send(40, r, 16 * r, 16, 0, 9);
            world.receive(41, 0, 16 * r, 16, r, 9);
        }
        world.barrier();
    }
    let program = world.program();
    let times: Vec<u64> = program.phases.iter().map(Phase::times).collect();
    assert_eq!(times.iter().sum::<u64>(), 6, "{times:?}");
    let kinds: Vec<Vec<Kind>> = program
        .phases
        .iter()
        .map(|phase| found(phase).detection.collectives.iter().map(|c| c.kind).collect())
        .collect();
    assert!(
        kinds.contains(&vec![Kind::Allgather]) && kinds.contains(&vec![Kind::Gather]),
        "{kinds:?}"
    );
}

#[test]
fn what_does_not_go_together_is_said() {
    let mut world = World::new(3);
    ring(&mut world, 16);
    world.send(50, 0, 0, 8, 1, 77);
    let is_received = |(_, e): &&mut (u64, Event)| matches!(e.action, Action::Received { .. });
    let (_, event) = world.events[2].iter_mut().find(is_received).expect("it received");
    if let Action::Received { what, .. } = &mut event.action {
        what.hash ^= 1;
    }
    let program = world.program();
    let (mut unmatched, mut differs) = (0, 0);
    for oddity in &program.oddities {
        match oddity {
            Oddity::Unmatched { from: 0, to: 1, missing: "receive", count: 1 } => unmatched += 1,
            Oddity::Differs { .. } => differs += 1,
            _ => {}
        }
    }
    assert_eq!((unmatched, differs), (1, 1), "{:?}", program.oddities);
    let mut traces = world.traces();
    traces.remove(1);
    let error =
        |traces: &[Trace]| recorded::program(traces).expect_err("not all processes are there");
    assert_eq!(error(&traces), RecordError::Missing { ranks: 3, missing: 1 });
    traces.push(traces[0].clone());
    assert_eq!(error(&traces), RecordError::Twice { rank: 0, ranks: 3 });
}

/// Every receive is seen, also those that the program overwrites later.
#[test]
fn what_is_overwritten_has_been_looked_at() {
    let mut world = World::new(4);
    for round in 0..6 {
        let root = round % 4;
        world.compute(root, 0, 64, round as u64);
        for other in (0..4).filter(|other| *other != root) {
            world.send(60, root, 0, 64, other, 5);
            world.receive(61, other, 0, 64, root, 5);
        }
    }
    let program = world.program();
    let found: Vec<Analysis> = program.phases.iter().map(found).collect();
    let broadcasts: u64 = found
        .iter()
        .zip(&program.phases)
        .map(|(f, phase)| phase.times() * f.detection.collectives.len() as u64)
        .sum();
    assert!(found.iter().all(|f| f.detection.left.is_empty()), "{found:#?}");
    assert!(
        found.iter().flat_map(|f| &f.detection.collectives).all(|c| c.kind == Kind::Bcast),
        "{found:#?}"
    );
    assert_eq!(broadcasts, 6);
    assert!(
        program.phases.iter().all(|phase| !phase.assumed),
        "each root has got something before"
    );
}

#[test]
fn one_buffer_into_which_all_blocks_come_one_after_the_other_is_that_of_an_alltoall() {
    let p = 5;
    let mut world = World::new(p);
    for step in 1..p {
        for r in 0..p {
            world.compute(r, 0, 32, step as u64);
            world.send(30, r, 0, 32, (r + step) % p, 1);
        }
        for r in 0..p {
            world.receive(31, r, 1000, 32, (r + p - step) % p, 1);
        }
    }
    assert!(world.program().phases[0].assumed);
    let kinds = only(&world.program());
    assert!(kinds.iter().all(|k| matches!(k, Kind::Alltoall | Kind::Alltoallv)), "{kinds:?}");
}

/// `MPI_Sendrecv` to the right, and then to the left, on an open line: at its ends processes only
/// send or only receive.
#[test]
fn an_exchange_with_neighbours_in_two_steps_is_one_and_its_assumption_is_said() {
    let p = 5;
    let mut world = World::new(p);
    for round in 0..3 {
        (0..p).for_each(|r| world.compute(r, 0, 32, round));
        for (line, step) in [(50, 1), (51, p - 1)] {
            let inside = |r: usize| if step == 1 { r + 1 < p } else { r > 0 };
            let neighbor = |r: usize| (r + step) % p;
            for r in (0..p).filter(|r| inside(*r)) {
                world.send(line, r, 16 * (step % 2), 16, neighbor(r), 1);
            }
            for r in (0..p).filter(|r| inside(*r)) {
                world.receive(line, neighbor(r), 100 + 16 * (step % 2), 16, r, 1);
            }
        }
    }
    let program = world.program();
    assert_eq!(only(&program), [Kind::NeighborAlltoall]);
    assert_eq!(program.phases[0].times(), 3);
    assert!(program.phases[0].assumed);
}

/// First along the rows of a grid, and then, through the same buffers, along its columns with the
/// corners that have come.
#[test]
fn an_exchange_whose_second_step_is_made_of_the_first_is_two() {
    let mut world = World::new(4);
    for partner in [1, 2] {
        (0..4).for_each(|r| world.compute(r, 0, 16, partner as u64));
        for r in 0..4 {
            world.send(30 + partner as u64, r, 0, 16, r ^ partner, 1);
        }
        for r in 0..4 {
            world.receive(40, r, 100, 16, r ^ partner, 1);
        }
    }
    let program = world.program();
    assert_eq!(program.phases.len(), 2);
    assert!(program.phases.iter().all(|phase| !phase.assumed));
}

/// A wavefront over a grid of 3 x 2: from each process to the one on its right and to the one
/// below.
fn sweep(world: &mut World, block: u64) {
    for (x, y) in (0..2).flat_map(|y| (0..3).map(move |x| (x, y))) {
        let r = 3 * y + x;
        if x > 0 {
            world.receive(70, r, 0, 16, r - 1, 6);
        }
        if y > 0 {
            world.receive(71, r, 16, 16, r - 3, 6);
        }
        world.compute(r, 100, 32, block);
        if x < 2 {
            world.send(72, r, 100, 16, r + 1, 6);
        }
        if y < 1 {
            world.send(73, r, 116, 16, r + 3, 6);
        }
    }
}

#[test]
fn a_sweep_is_nothing_else() {
    let mut world = World::new(6);
    (0..8).for_each(|block| sweep(&mut world, block));
    let program = world.program();
    assert_eq!(program.oddities, []);
    assert_eq!(program.phases.len(), 1);
    assert!(program.phases[0].sweep);
    assert_eq!(program.phases[0].messages.len(), 8 * 7);
}

/// A root that gathers, computes and broadcasts sends what it has made of what has come, but back
/// to those that gave it.
#[test]
fn a_gather_and_a_broadcast_are_no_sweep() {
    let mut world = World::new(4);
    for r in 1..4 {
        world.send(40, r, 16 * r, 16, 0, 9);
        world.receive(41, 0, 16 * r, 16, r, 9);
    }
    world.compute(0, 200, 16, 1);
    for r in 1..4 {
        world.send(42, 0, 200, 16, r, 9);
        world.receive(43, r, 200, 16, 0, 9);
    }
    let program = world.program();
    assert!(program.phases.iter().all(|phase| !phase.sweep && !phase.assumed));
    let kinds = |phase: &Phase| -> Vec<Kind> {
        found(phase).detection.collectives.iter().map(|c| c.kind).collect()
    };
    let kinds: Vec<Vec<Kind>> = program.phases.iter().map(kinds).collect();
    assert_eq!(kinds, [[Kind::Gather], [Kind::Bcast]]);
}

#[test]
fn empty_messages_are_a_barrier() {
    let p: usize = 5;
    let mut world = World::new(p);
    for distance in [1, 2, 4] {
        for r in 0..p {
            world.send(80, r, 0, 0, (r + distance) % p, 2);
        }
        for r in 0..p {
            world.receive(81, r, 0, 0, (r + p - distance) % p, 2);
        }
    }
    assert_eq!(only(&world.program()), [Kind::Barrier]);
}

/// Each process tells the next ones at these distances, round by round; or all tell the first one,
/// which then tells all.
fn barrier_by_hand(world: &mut World, distances: &[usize]) {
    let p = world.ranks();
    for &distance in distances {
        (0..p).for_each(|r| world.send(80, r, 0, 0, (r + distance) % p, 2));
        (0..p).for_each(|r| world.receive(81, r, 0, 0, (r + p - distance) % p, 2));
    }
    if distances.is_empty() {
        for r in 1..p {
            world.send(82, r, 0, 0, 0, 2);
            world.receive(83, 0, 0, 0, r, 2);
        }
        for r in 1..p {
            world.send(84, 0, 0, 0, r, 2);
            world.receive(85, r, 0, 0, 0, 2);
        }
    }
}

#[test]
fn barriers_one_after_the_other_are_as_many() {
    for (p, distances) in [(5, &[1, 2, 4][..]), (8, &[1, 2, 4]), (2, &[1]), (6, &[]), (4, &[1; 3])]
    {
        let mut world = World::new(p);
        (0..3).for_each(|_| barrier_by_hand(&mut world, distances));
        let program = world.program();
        assert_eq!(only(&program), [Kind::Barrier], "{p} processes, {distances:?}");
        assert_eq!(program.phases[0].times(), 3, "{p} processes, {distances:?}");
    }
}

/// Everything that is found in all phases.
fn kinds(program: &Program) -> Vec<Kind> {
    let of = |phase: &Phase| found(phase).detection.collectives;
    program.phases.iter().flat_map(of).map(|c| c.kind).collect()
}

/// All ways to order some numbers, the same ones once.
fn orders(rest: &mut Vec<usize>, order: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
    if rest.is_empty() {
        all.push(order.clone());
    }
    for k in 0..rest.len() {
        if rest[..k].contains(&rest[k]) {
            continue;
        }
        let next = rest.remove(k);
        order.push(next);
        orders(rest, order, all);
        order.pop();
        rest.insert(k, next);
    }
}

/// `examples/patterns/near_gather_wildcard.c`, whichever message comes first; into one buffer, or
/// one behind the other.
#[test]
fn what_comes_from_anybody_is_no_gather_in_any_order() {
    let mut all = Vec::new();
    orders(&mut vec![1, 2, 2, 3, 3, 3], &mut Vec::new(), &mut all);
    assert_eq!(all.len(), 60);
    all.extend([vec![1, 2, 3], vec![3, 1, 2], vec![1, 2, 3, 1, 2, 3]]);
    for order in all {
        for apart in [0, 32] {
            let mut world = World::new(4);
            for (round, &from) in order.iter().enumerate() {
                world.compute(from, 0, 32, round as u64);
                world.send(90, from, 0, 32, 0, 4);
            }
            for (round, &from) in order.iter().enumerate() {
                world.receive_from(91, 0, (100 + apart * round, 32), None, from, 4);
            }
            assert_eq!(kinds(&world.program()), [], "{order:?}, {apart} bytes apart");
        }
    }
}

#[test]
fn what_can_only_come_from_one_is_not_by_chance() {
    // A tag for each sender, a parent in a tree, or sums.
    let mut world = World::new(4);
    for from in 1..4 {
        world.send(90, from, 0, 32, 0, i32::try_from(from).expect("few"));
        let tag = i32::try_from(from).expect("few");
        world.receive_from(91, 0, (100 + 32 * from, 32), None, from, tag);
        let posted = world.events[0].len() - 2;
        let Action::Receive { tag: posted, .. } = &mut world.events[0][posted].1.action else {
            panic!("a receive was posted");
        };
        *posted = Some(tag);
    }
    assert_eq!(only(&world.program()), [Kind::Gather]);
    let mut world = World::new(4);
    for (from, to) in [(0, 2), (0, 1), (2, 3)] {
        world.send(90, from, 0, 32, to, 4);
        world.receive_from(91, to, (0, 32), None, from, 4);
    }
    assert_eq!(only(&world.program()), [Kind::Bcast]);
    let mut world = World::new(4);
    for from in [2, 1, 3] {
        world.send(90, from, 0, 32, 0, 4);
        world.receive_from(91, 0, (100, 32), None, from, 4);
        world.add(92, 0, 0);
    }
    assert_eq!(only(&world.program()), [Kind::Reduce]);
}

/// NAS CG posts the next receive into the buffer that it has just added, before it sends the sum.
#[test]
fn a_sum_is_made_before_its_buffer_is_used_again() {
    let mut world = World::new(2);
    let (own, came) = (0, 64);
    let exchange = |world: &mut World, sums: [Option<(u64, u64)>; 2]| {
        let mut posted = [0; 2];
        let mut sends = [0; 2];
        for (r, posted) in posted.iter_mut().enumerate() {
            let communicator = world.all.clone();
            let buffer = buffer(came, 8);
            let receive =
                Action::Receive { from: Some(id(1 - r)), tag: None, communicator, buffer };
            *posted = world.push(r, 90, receive);
        }
        for r in 0..2 {
            sends[r] = world.events[r].len() as u64;
            world.send(91, r, own, 8, 1 - r, 0);
            if let (Some((receive, before)), Some((_, event))) =
                (sums[r], world.events[r].get_mut(usize::try_from(sends[r]).expect("few")))
                && let Action::Send { sum, .. } = &mut event.action
            {
                *sum = Some(Sum { element: "MPI_DOUBLE".into(), receive, before });
            }
        }
        let mut arrivals = [0; 2];
        for r in 0..2 {
            let bytes = world.under_way.get_mut(&(1 - r, r, 0)).and_then(VecDeque::pop_front);
            let bytes = bytes.expect("it was sent");
            let (from, hash) = (id(1 - r), hash(&bytes));
            let what = Received { from, tag: 0, bytes: 8, hash };
            arrivals[r] = world.push(r, 92, Action::Received { receive: posted[r], what });
            world.memory[r][came..came + 8].copy_from_slice(&bytes);
        }
        (0..2).for_each(|r| world.compute(r, own, 8, 7));
        [Some((arrivals[0], sends[0])), Some((arrivals[1], sends[1]))]
    };
    let sums = exchange(&mut world, [None; 2]);
    exchange(&mut world, sums);
    let program = world.program();
    assert_eq!(program.phases.len(), 1);
    let analysis = found(&program.phases[0]);
    // Each has sent its sum to the other.
    assert_eq!(analysis.detection.collectives[0].kind, Kind::Allreduce, "{analysis:#?}");
}

/// The program doubles in place what it has received, which a recorder may take for the sum of
/// that and of what was there: both are the message.
#[test]
fn what_is_added_to_itself_is_no_sum() {
    let mut world = World::new(4);
    for r in 1..4 {
        world.send(70, 0, 64, 32, r, 0);
        world.receive(71, r, 64, 32, 0, 0);
        world.add(72, r, 64);
    }
    assert_eq!(only(&world.program()), [Kind::Bcast]);
}
