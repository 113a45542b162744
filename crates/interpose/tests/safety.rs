//! Programs that do more than communicate, and tools around them: the preload must not get in the
//! way of fork, valgrind, other tools, many types, types that come and go, or its own switch.

mod harness;

use std::path::Path;
use std::process::Command;

use commloom_testkit::ranks::on_one_machine;
use harness::{Library, libraries, lines};

/// Everything that the engine can take goes through it.
const ENGINE: [(&str, &str); 2] = [("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "pack")];
/// Types that live at once.
const LIVE: &str = "100000";
/// Memory that they may cost on top of the library's loss whenever they are made once more, in
/// kilobytes: 40 bytes for each.
const LEAK: i64 = 4000;
/// Memory of them that MPICH 4.0 keeps by itself in one process and not in the next, in kilobytes:
/// 64 bytes of each whose UCX datatype lies at an address with bit 31 set, which its hook takes
/// for "none".
const LOST_BY_MPICH: i64 = 6400;

/// The kilobytes at the end of each line, where nothing was wrong.
fn growth(printed: &[String], what: &str) -> i64 {
    let of = |line: &String| {
        assert!(line.contains(": 0 wrong, "), "{what}: {line}");
        let last = line.rsplit(", ").next().and_then(|end| end.split(' ').next());
        last.and_then(|n| n.parse::<i64>().ok()).expect("a number of kB")
    };
    // Memory that was given back says nothing.
    printed.iter().map(of).max().expect("every rank prints a line").max(0)
}

#[test]
fn a_hundred_thousand_types_live_and_leave_nothing_behind() {
    for library in libraries() {
        let program = library.compile("types");
        // Open MPI loses hundreds of bytes a type by itself.
        let native = library.run_beside(&program, "", &[("LIVE", LIVE)]);
        let native = growth(&lines(&native), "native");
        let with = library.run(&program, [true, true], &[ENGINE[0], ENGINE[1], ("LIVE", LIVE)]);
        let with = growth(&lines(&with), &library.name);
        let lost = if library.name.contains("mpich") { LOST_BY_MPICH } else { 0 };
        assert!(with < native + LEAK + lost, "{}: {native} kB natively, {with} kB", library.name);
    }
}

/// The kilobytes after a quarter of so many types that are made and freed one after the other, and
/// after all of them.
fn held(
    library: &Library,
    (made, which): (i64, &str),
    preload: &str,
    environment: &[(&str, &str)],
) -> [i64; 2] {
    let program = library.compile("made_and_freed");
    let mut command = Command::new(program);
    command.args([&made.to_string(), which]).envs(environment.iter().copied());
    on_one_machine(&mut command).env("LD_PRELOAD", preload);
    let output = command.output().expect("the program runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {which}: {printed}", library.name);
    let numbers = printed.split_whitespace().filter_map(|word| word.parse().ok());
    let numbers: Vec<i64> = numbers.collect();
    numbers.try_into().expect("two numbers of kB")
}

#[test]
fn types_that_come_and_go_take_the_same_memory_however_many_they_are() {
    // One process each: side by side.
    std::thread::scope(|scope| {
        for library in libraries() {
            scope.spawn(move || memory_stays_the_same(&library));
        }
    });
}

fn memory_stays_the_same(library: &Library) {
    // Plans, layouts without a handle, rows of the report, tables of the thread; nothing of it in
    // proportion.
    const KEPT: i64 = 8000;
    // What grows while three times as many come as before: a table that was not full, and the
    // plans. Those have 2 MiB, emptied when they are full, and begin whenever the messages that
    // were measured ask for it.
    const MORE: i64 = 1500 + 2048;
    let report = format!("made-and-freed-{}.json", library.name);
    let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join(report);
    let report = report.to_string_lossy().into_owned();
    let preload = library.preload();
    let preload = preload.to_string_lossy();
    for (made, which) in [(80_000, "new"), (80_000, "same"), (80_000, "lists"), (20_000, "counts")]
    {
        // Of each type, see LOST_BY_MPICH, and of the one of ours that is sent in its place.
        let lost = if library.name.contains("mpich") { 2 * 64 * made / 1024 } else { 0 };
        let native = held(library, (made, which), "", &[]);
        let reported = [ENGINE[0], ("COMMLOOM_REPORT", report.as_str())];
        let substituted = [ENGINE[0], ("COMMLOOM_FORCE", "types")];
        let ways: &[&[(&str, &str)]] = match which {
            "new" => &[&[], &ENGINE[..1], &substituted, &reported],
            "counts" => &[&ENGINE[..1]],
            _ => &[&[], &reported],
        };
        for environment in ways {
            let with = held(library, (made, which), &preload, environment);
            let what = format!(
                "{}, {which}, {environment:?}: {native:?} kB natively, {with:?} kB",
                library.name
            );
            // Kept handles need room for what is sent with them: a few messages each.
            let kept = if which == "counts" { 3 * KEPT } else { KEPT };
            assert!(with[1] < native[1] + kept + lost, "{what}");
            assert!(with[1] - with[0] < native[1] - native[0] + MORE + lost, "{what}");
        }
    }
}

#[test]
fn types_come_and_go_while_messages_with_them_are_under_way() {
    for library in libraries() {
        let program = library.compile("types");
        for environment in [&ENGINE[..], &[("COMMLOOM_WARMUP", "0")], &[]] {
            let what = format!("{}, {environment:?}", library.name);
            growth(&lines(&library.run(&program, [true, true], environment)), &what);
        }
    }
}

/// Runs a program on one rank with these libraries in front.
fn alone(library: &Library, wrapper: &[&str], program: &Path, preload: &str) -> Vec<String> {
    let mut command = Command::new(wrapper.first().copied().unwrap_or("env"));
    command.args(wrapper.get(1..).unwrap_or_default()).arg(program);
    on_one_machine(command.envs(ENGINE));
    if !preload.is_empty() {
        command.env("LD_PRELOAD", preload);
    }
    let output = command.output().expect("the program runs");
    assert!(
        output.status.success(),
        "{}: {:?}\n{}",
        library.name,
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn valgrind_finds_nothing_of_ours() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        commloom_testkit::skipped("for valgrind: it is not installed");
        return;
    }
    for library in libraries() {
        let program = library.compile("alone");
        let native = alone(&library, &[], &program, "");
        let log = program.with_extension("valgrind");
        let into = format!("--log-file={}", log.display());
        let valgrind = ["valgrind", "--leak-check=no", &into];
        let preload = library.preload();
        let with = alone(&library, &valgrind, &program, &preload.to_string_lossy());
        assert_eq!(native, with, "{}", library.name);
        // The MPI libraries have findings of their own: only stacks that begin in our code count.
        let text = std::fs::read_to_string(&log).expect("valgrind writes its log");
        let ours = |stack: &str| {
            stack.lines().find(|l| l.contains(" at 0x")).is_some_and(|l| l.contains("commloom"))
        };
        let found: Vec<&str> = text.split("== \n").filter(|stack| ours(stack)).collect();
        assert!(found.is_empty(), "{}: {}", library.name, found.join("\n"));
    }
}

#[test]
fn another_tool_sees_what_it_would_see_without_us() {
    for library in libraries() {
        let program = library.compile("semantics");
        let tool = library.compile_shared("count_sends");
        let tool = tool.to_string_lossy();
        let native = lines(&library.run_beside(&program, &tool, &ENGINE));
        assert!(native.iter().any(|l| l.contains("the tool saw")), "{native:?}");
        let ours = library.preload();
        let ours = ours.to_string_lossy();
        for order in [format!("{ours}:{tool}"), format!("{tool}:{ours}")] {
            let with = lines(&library.run_beside(&program, &order, &ENGINE));
            assert_eq!(native, with, "{}: {order}", library.name);
        }
    }
}

#[test]
fn switched_off_nothing_is_touched_or_reported() {
    for library in libraries() {
        let program = library.compile("semantics");
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("off-{}.json", library.name));
        let place = path.to_string_lossy().into_owned();
        let mut environment = vec![("COMMLOOM", "off"), ("COMMLOOM_REPORT", place.as_str())];
        environment.extend(ENGINE);
        let _ = std::fs::remove_file(&path);
        let native = lines(&library.run(&program, [false, false], &[]));
        assert_eq!(native, lines(&library.run(&program, [true, true], &environment)));
        // A report is written all the same, so that nobody looks for it; it has nothing to tell.
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(!text.contains("\"engine\": 1"), "{}: {text}", library.name);
    }
}

#[test]
fn the_preload_for_another_library_says_so_and_ends_the_program() {
    let all = libraries();
    for library in &all {
        let program = library.compile("alone");
        for other in all.iter().filter(|other| other.preload() != library.preload()) {
            let output = on_one_machine(&mut Command::new(&program))
                .env("LD_PRELOAD", other.preload())
                .output()
                .expect("the program runs");
            let said = String::from_utf8_lossy(&output.stderr);
            let what = format!("{} under the preload for {}: {said}", library.name, other.name);
            assert!(!output.status.success(), "{what}");
            assert!(said.contains("cannot work in this process"), "{what}");
            assert!(said.contains("commloom exec"), "{what}");
        }
    }
}
