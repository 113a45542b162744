//! Programs under the preload do what they do without it: every byte, status, error class,
//! position and envelope that a program can see.

mod harness;

use std::process::Output;

use harness::{Library, libraries, libraries_and_mpich5, lines};

/// Settings under which every message that can take a way does.
const WAYS: &[(&str, &[(&str, &str)])] = &[
    ("all through the engine", &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "pack")]),
    ("all with substituted handles", &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "types")]),
    (
        "each in a strategy of its own",
        &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "mixed"), ("COMMLOOM_NODE", "all")],
    ),
    ("defaults", &[]),
    ("switched off", &[("COMMLOOM", "off")]),
];

#[track_caller]
fn assert_same(native: &[String], with: &[String], what: &str) {
    for (i, (n, w)) in native.iter().zip(with).enumerate() {
        assert_eq!(n, w, "{what}: line {i}, left native, right under commloom");
    }
    assert_eq!(native.len(), with.len(), "{what}: number of observations");
}

#[test]
fn a_program_observes_the_same_with_and_without_commloom() {
    for library in libraries() {
        let program = library.compile("semantics");
        let native = lines(&library.run(&program, [false, false], &[]));
        assert!(native.len() > 2000, "the program makes its observations: {}", native.len());
        for (way, environment) in WAYS {
            for ranks in [[true, true], [true, false], [false, true]] {
                let what = format!("{}, {way}, under commloom: {ranks:?}", library.name);
                let with = lines(&library.run(&program, ranks, environment));
                assert_same(&native, &with, &what);
            }
        }
    }
}

/// Runs a program every way on both ranks, and through the engine on one of them.
#[track_caller]
fn compare_with_native(program: &str, observations: usize) {
    compare_in(libraries(), program, observations);
}

#[track_caller]
fn compare_in(libraries: Vec<Library>, program: &str, observations: usize) {
    for library in libraries {
        let binary = library.compile(program);
        let native = lines(&library.run(&binary, [false, false], &[]));
        assert!(native.len() > observations, "{program} makes its observations: {}", native.len());
        let both = WAYS.iter().map(|way| (way, [true, true]));
        let one = [[true, false], [false, true]].map(|ranks| (&WAYS[0], ranks));
        for ((way, environment), ranks) in both.chain(one) {
            let what = format!("{program}, {}, {way}, under commloom: {ranks:?}", library.name);
            let with = lines(&library.run(&binary, ranks, environment));
            assert_same(&native, &with, &what);
        }
    }
}

/// Natively the exception reaches the program, and so does a jump.
#[test]
fn what_an_error_handler_throws_reaches_the_program() {
    for library in libraries_and_mpich5() {
        let program = library.compile_cpp("throws");
        let native = lines(&library.run(&program, [false], &[]));
        assert_eq!(native, ["400 ended, 0 wrong"], "{}", library.name);
        for (way, environment) in WAYS {
            let with = lines(&library.run(&program, [true], environment));
            assert_same(&native, &with, &format!("{}, {way}", library.name));
        }
    }
}

#[test]
fn long_structs_of_several_basic_types_arrive_whoever_packs() {
    compare_with_native("mixed", 9);
}

/// MPICH miscounts the pieces of some structs, and takes no packed bytes for others where a
/// process may not read the other's memory: `commloom_mpi::FAULTS`.
#[test]
fn datatypes_that_a_library_gets_wrong_are_not_made_of_those_that_it_gets_right() {
    const APART: (&str, &str) = ("MPIR_CVAR_CH4_CMA_ENABLE", "0");
    for library in libraries_and_mpich5() {
        let program = library.compile("touching");
        let native = lines(&library.run(&program, [false, false], &[]));
        assert!(native.iter().all(|line| line.contains("class 0")), "natively all is well");
        for (way, environment) in WAYS.iter().filter(|(way, _)| *way != "switched off") {
            for ranks in [[true, true], [true, false]] {
                let environment: Vec<_> = environment.iter().copied().chain([APART]).collect();
                let used =
                    if ranks[1] { &environment[..environment.len() - 1] } else { &environment };
                let with = lines(&library.run(&program, ranks, used));
                assert_same(&native, &with, &format!("{}, {way}, {ranks:?}", library.name));
            }
        }
    }
}

/// MPICH 5 copies elements of 16 bytes as x87 numbers in some descriptions, and loses six bytes of
/// each.
#[test]
fn elements_of_16_bytes_are_right_wherever_they_are_natively() {
    for library in libraries_and_mpich5() {
        let program = library.compile("quads");
        let native = lines(&library.run(&program, [false, false], &[]));
        assert!(native.len() > 25, "{}: {}", library.name, native.len());
        for (way, environment) in WAYS {
            let with = lines(&library.run(&program, [true, true], environment));
            let lost = |(n, w): &(&String, &String)| n.ends_with("right") && n != w;
            let lost: Vec<_> = native.iter().zip(&with).filter(lost).collect();
            assert!(
                lost.is_empty() && with.len() == native.len(),
                "{}, {way}: {lost:?}",
                library.name
            );
        }
    }
}

#[test]
fn contiguous_types_keep_their_bytes_however_many_types_live() {
    for library in libraries() {
        let program = library.compile("many_types");
        for (way, environment) in WAYS.iter().filter(|(way, _)| *way != "switched off") {
            let printed = lines(&library.run(&program, [true, true], environment));
            assert!(printed.len() > 390, "{}, {way}: {}", library.name, printed.len());
            let wrong: Vec<_> = printed.iter().filter(|l| !l.ends_with(": right")).collect();
            assert!(wrong.is_empty(), "{}, {way}: {wrong:?}", library.name);
        }
    }
}

/// Ranks decide each for itself how a message goes: libraries take the algorithm of a collective,
/// and where to cut its messages, from counts, sizes and extents, and Intel MPI from gaps.
#[test]
fn collectives_are_the_same_whichever_ranks_pack() {
    for library in libraries() {
        let program = library.compile("uneven");
        for (way, environment) in WAYS {
            let with = |ranks: Output| {
                let printed = lines(&ranks);
                let right = printed.iter().filter(|line| line.ends_with(": 0 wrong")).count();
                assert_eq!(right, printed.len(), "{}, {way}: {printed:?}", library.name);
            };
            with(library.run(&program, [true, false, true], environment));
            with(library.run(&program, [false, true, true, true], environment));
        }
    }
}

/// Open MPI frees them, and gives their handles to the next ones.
#[test]
fn after_persistent_receives_that_the_library_has_freed_others_are_started() {
    compare_with_native("lost", 170);
}

/// Open MPI takes them apart in the middle when they come without gaps.
#[test]
fn elements_of_more_than_16_bytes_arrive_whoever_packs() {
    const ASKED: (&str, &str) = ("COMMLOOM_OFF", "regions");
    for library in libraries() {
        let program = library.compile("wide");
        // MPICH alone gets other calls of the program wrong.
        if !library.run(&program, [false, false], &[]).status.success() {
            commloom_testkit::skipped(&format!("{}: it cannot do that natively", library.name));
            continue;
        }
        for (way, environment) in WAYS {
            for ranks in [[true, true], [true, false]] {
                let environment: Vec<_> = environment.iter().copied().chain([ASKED]).collect();
                let printed = lines(&library.run(&program, ranks, &environment));
                let right = printed.iter().filter(|line| line.ends_with(": right")).count();
                assert_eq!(
                    (printed.len(), right),
                    (48, 48),
                    "{}, {way}: {printed:?}",
                    library.name
                );
            }
        }
    }
}

/// Where the library says that such a call failed, its blocks have arrived all the same.
#[test]
fn blocks_beside_an_own_one_of_larger_elements_arrive_as_without_commloom() {
    compare_with_native("own_block", 79);
}

#[test]
fn all_modes_and_matched_and_replacing_and_large_calls_are_the_same() {
    compare_with_native("point_to_point", 900);
}

#[test]
fn persistent_requests_are_the_same() {
    compare_with_native("persistent", 2000);
}

#[test]
fn collectives_are_the_same() {
    compare_with_native("collectives", 4000);
    for library in libraries() {
        let program = library.compile("collectives");
        let native = lines(&library.run(&program, [false; 3], &[]));
        assert!(native.len() > 2000, "of three ranks: {}", native.len());
        let (way, environment) = WAYS[0];
        let with = lines(&library.run(&program, [true; 3], environment));
        assert_same(&native, &with, &format!("three ranks of {}, {way}", library.name));
    }
}

/// Two in three messages are longer than their receives, which Open MPI writes into commloom's own
/// memory.
#[test]
fn messages_that_do_not_fit_their_receives_fail_as_without_commloom() {
    compare_with_native("misfits", 250);
}

/// MPICH with shared memory of its own ends the program over such a message if the receive has no
/// gaps, as those of packed bytes have none.
#[test]
fn messages_that_end_inside_a_basic_element_fail_as_without_commloom() {
    compare_in(libraries_and_mpich5(), "ends_inside", 400);
}

/// Long after the contests are over: most exchanges go by unseen then.
#[test]
fn thousands_of_exchanges_bring_the_same_whoever_looks_at_them() {
    compare_with_native("rests", 1);
}

/// Through memory of both processes, where each receive gets the message that it was counted for.
#[test]
fn bytes_that_go_beside_empty_messages_arrive_as_without_commloom() {
    compare_with_native("beside", 400);
    let packed = [("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "pack"), ("COMMLOOM_NODE", "all")];
    for library in libraries() {
        let program = library.compile("beside");
        let native = lines(&library.run(&program, [false, false], &[]));
        let counted = [&packed[..], &[("COUNT", "1")]].concat();
        let (count, with): (Vec<_>, Vec<_>) = lines(&library.run(&program, [true, true], &counted))
            .into_iter()
            .partition(|line| line.contains(" count: "));
        assert_same(&native, &with, &library.name);
        for line in count {
            let sent = line.split(' ').find_map(|word| word.parse::<i64>().ok().filter(|n| *n > 1));
            assert!(sent.is_some_and(|sent| sent > 50), "{}: {line}", library.name);
        }
        // A cancelled receive ends it: so some of the twelve are the first once, of each
        // kind one.
        for which in [0, 3, 6, 11] {
            let (which, came) = (which.to_string(), format!(" cancelled: came {which} "));
            let settings = [&packed[..], &[("WHICH", &which)]].concat();
            let with = lines(&library.run(&program, [true, true], &settings));
            let came = |lines: &[String]| lines.iter().find(|line| line.contains(&came)).cloned();
            assert!(came(&native).is_some());
            assert_eq!(came(&native), came(&with), "{}, {which}", library.name);
        }
    }
}

/// MPICH and Intel MPI tell of a receive that has failed while others are pending.
#[test]
fn what_arrives_beside_a_receive_that_fails_and_one_that_is_pending_is_not_lost() {
    compare_with_native("one_fails", 150);
}

#[test]
fn receives_that_are_freed_have_their_data_when_the_program_can_know_of_it() {
    // What arrives is the same with all libraries; MPICH 5 alone is late now and then.
    let mut expected = Vec::new();
    for library in libraries() {
        let program = library.compile("freed");
        if expected.is_empty() {
            expected = lines(&library.run(&program, [false, false], &[]));
            assert!(expected.len() > 50, "{expected:?}");
        }
        for (way, environment) in WAYS.iter().filter(|(way, _)| *way != "switched off") {
            for ranks in [[true, true], [false, true]] {
                let what = format!("{}, {way}, under commloom: {ranks:?}", library.name);
                assert_same(&expected, &lines(&library.run(&program, ranks, environment)), &what);
            }
        }
    }
}

#[test]
fn elements_that_overlap_are_received_in_the_order_of_the_library() {
    compare_with_native("overlaps", 1000);
}

#[test]
fn threads_send_and_receive_at_once() {
    for library in libraries() {
        let program = library.compile("threads");
        for (way, environment) in WAYS {
            let output = library.run(&program, [true, true], environment);
            let printed = lines(&output);
            assert!(
                printed.iter().all(|l| l.ends_with(": 0 wrong") || l.starts_with("no MPI_THREAD")),
                "{}, {way}: {printed:?}",
                library.name
            );
        }
    }
}

/// The report of a program all of whose messages go through the engine on both ranks.
#[track_caller]
fn report(library: &Library, program: &str) -> serde_json::Value {
    let binary = library.compile(program);
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("report-{program}-{}.json", library.name));
    let place = path.to_string_lossy().into_owned();
    let mut environment = WAYS[0].1.to_vec();
    environment.push(("COMMLOOM_REPORT", &place));
    lines(&library.run(&binary, [true, true], &environment));
    let text = std::fs::read_to_string(&path).expect("the report is there");
    let report: serde_json::Value = serde_json::from_str(&text).expect("the report is JSON");
    assert_eq!(report["ranks"], 2);
    assert_eq!(report["failures"], 0);
    report
}

/// The row of a type, in its notation.
#[track_caller]
fn row<'r>(report: &'r serde_json::Value, before: &str) -> &'r serde_json::Value {
    let types = report["types"].as_array().expect("a list");
    types.iter().find(|t| t["before"] == before).unwrap_or_else(|| panic!("{before}: {report}"))
}

#[test]
fn the_report_counts_what_went_through_the_engine_on_all_ranks() {
    for library in libraries() {
        let report = report(&library, "semantics");
        let vector = row(&report, "vec(50, 16, vec(2, 4, MPI_INT))");
        assert!(vector["engine"].as_u64() > Some(50), "{vector}");
        let contiguous = row(&report, "vec(100, 4, MPI_INT)");
        assert_eq!(contiguous["engine"], 0);
        assert!(contiguous["native"]["contiguous"].as_u64() > Some(10), "{contiguous}");
    }
}

#[test]
fn collectives_go_through_the_engine() {
    for library in libraries() {
        let report = report(&library, "collectives");
        let vector = row(&report, "vec(50, 12, vec(2, 4, MPI_INT))");
        assert!(vector["engine"].as_u64() > Some(500), "{vector}");
        let long = row(&report, "vec(2500, 20, vec(4, 4, MPI_INT))");
        assert!(long["engine"].as_u64() > Some(300), "{long}");
    }
}
