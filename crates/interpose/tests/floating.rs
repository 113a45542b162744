//! Programs that trap arithmetic, or ask for its flags, find their own only.

mod harness;

use harness::{Library, libraries, lines};

/// Nothing is raised that the library does not raise itself, and traps are as the program has set
/// them.
fn assert_untouched(library: &Library, native: &[String], environment: &[(&str, &str)]) {
    let program = library.compile("floating");
    let with = lines(&library.run_on(3, &program, environment));
    assert_eq!(with.len(), 3, "{}, {environment:?}: {with:?}", library.name);
    for (rank, (with, native)) in with.iter().zip(native).enumerate() {
        let none = format!("rank {rank}: flags 0, traps 1d");
        let is_right = *with == none || with == native;
        assert!(is_right, "{}, {environment:?}: {with} {native}", library.name);
    }
}

#[test]
fn what_we_compute_raises_no_flag_and_no_signal() {
    for library in libraries() {
        let native = lines(&library.run(&library.compile("floating"), [false; 3], &[]));
        assert!(native.iter().all(|line| line.ends_with("traps 1d")), "{native:?}");
        let folder = library.empty_folder("floating-trace");
        let trace = folder.to_string_lossy();
        let report = folder.join("report.html");
        let report = report.to_string_lossy();
        let ways: [&[(&str, &str)]; 5] = [
            &[],
            &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "pack")],
            &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "types")],
            &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_REPORT", &report)],
            &[("COMMLOOM_TRACE", &trace)],
        ];
        ways.iter().for_each(|way| assert_untouched(&library, &native, way));
    }
}
