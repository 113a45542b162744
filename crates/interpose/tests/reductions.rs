//! From a program that reduces by hand to the collective operations that it does: recorded, and
//! read back as graphs.

mod harness;

use std::path::Path;
use std::sync::Arc;

use commloom_commgraph::recorded::{Border, Phase, Program, program};
use commloom_commgraph::{Analysis, Kind, Options, analyse};
use commloom_trace::{Action, Communicator, Event, Trace, read};
use harness::{Library, libraries, lines};

/// Traces of a program on four ranks, which does the same as without.
fn recorded(library: &Library, name: &str) -> Vec<Trace> {
    let binary = library.compile(name);
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("reductions-{name}-{}", library.name));
    // It is not there the first time.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let place = folder.to_string_lossy().into_owned();
    let sorted = |environment: &[(&str, &str)]| {
        let mut lines = lines(&library.run_on(4, &binary, environment));
        lines.sort();
        lines
    };
    assert_eq!(sorted(&[("COMMLOOM", "off")]), sorted(&[("COMMLOOM_TRACE", &place)]));
    let trace = |rank: usize| {
        let bytes = std::fs::read(folder.join(format!("rank-{rank:06}.trace"))).expect("a trace");
        read(&bytes).expect("a trace")
    };
    (0..4).map(trace).collect()
}

fn phase(program: &Program, step: i32) -> &Phase {
    let begins = |phase: &&Phase| phase.begin == Border::Mark(100 + step);
    program.phases.iter().find(begins).unwrap_or_else(|| panic!("step {step} has no messages"))
}

fn analysed(phase: &Phase) -> Analysis {
    analyse(&phase.graph, Options::default()).expect("a program that ran")
}

#[test]
fn reductions_by_hand_are_recognised_to_their_last_step_and_halos_are_none() {
    let expected = [
        (Kind::Allreduce, "recursive doubling"),
        (Kind::Allreduce, "of a scalar, the result elsewhere"),
        (Kind::Reduce, "a tree on the stack"),
        (Kind::Reduce, "a tree on the heap"),
        (Kind::ReduceScatterBlock, "a ring"),
        (Kind::Allreduce, "maxima"),
        (Kind::Reduce, "all at the root, in the order of the ranks"),
        (Kind::Allreduce, "up and down a tree"),
        (Kind::Allreduce, "three buffers of complex numbers"),
    ];
    for library in libraries() {
        let traces = recorded(&library, "reductions");
        check_halo(&traces, &library);
        let program = program(&traces).expect("all processes are there");
        assert_eq!(program.oddities, [], "{}", library.name);
        for (step, (kind, what)) in (0..).zip(expected) {
            let found = analysed(phase(&program, step)).detection;
            let kinds: Vec<Kind> = found.collectives.iter().map(|c| c.kind).collect();
            assert_eq!(kinds, [kind], "{}, {what}: {found:?}", library.name);
            assert!(found.left.is_empty() && found.left_reduced.is_empty(), "{what}: {found:?}");
        }
    }
}

/// The last step of `reductions.c` is a halo exchange.
fn check_halo(traces: &[Trace], library: &Library) {
    for trace in traces {
        let mut in_halo = false;
        for (_, event) in &trace.events {
            match event.action {
                Action::Mark(level) => in_halo |= level == 109,
                Action::Summed(summed) if in_halo => panic!("{}: {summed:?}", library.name),
                Action::Send { sum, .. } if in_halo => assert_eq!(sum, None),
                _ => {}
            }
        }
        assert!(in_halo);
    }
}

/// The communicators that a process has made, in order, with how many there are of their members.
fn made(trace: &Trace) -> Vec<Arc<Communicator>> {
    let communicator = |(_, event): (u64, Event)| match event.action {
        Action::Communicator(communicator) => Some(communicator),
        _ => None,
    };
    trace.events.iter().filter_map(communicator).collect()
}

#[test]
fn members_of_a_communicator_have_one_number_for_it() {
    for library in libraries() {
        let traces = recorded(&library, "communicators");
        // Two duplicates of the world, halves, among the odd, between the halves, merged, a ring,
        // a duplicate that is waited for.
        let expected = [[7; 2], [8; 2]].concat();
        let all: Vec<Vec<Arc<Communicator>>> = traces.iter().map(made).collect();
        for rank in 0..4 {
            assert_eq!(all[rank].len(), expected[rank % 2 * 2], "{}, rank {rank}", library.name);
        }
        let mut numbers = std::collections::BTreeMap::new();
        for own in all.iter().flatten() {
            assert!(!own.is_private(), "{own:?}");
            let sides = [&own.members, &own.remote];
            let mut sides = sides.map(Clone::clone).to_vec();
            sides.sort();
            let first = numbers.entry(own.number).or_insert_with(|| (sides.clone(), 0));
            assert_eq!(first.0, sides, "{}: one number for two communicators", library.name);
            first.1 += 1;
        }
        for (number, (sides, count)) in &numbers {
            let members: usize = sides.iter().map(Vec::len).sum();
            assert_eq!(members, *count, "{}: {number:x} of {sides:?}", library.name);
        }
        // The duplicates have the same members, and the same tags in their messages, in another
        // order of receives.
        let program = program(&traces).expect("all processes are there");
        assert_eq!(program.oddities, [], "{}", library.name);
    }
}
