//! Files that another user can put where the preload reads or writes: the program runs as without
//! them, and its user is told.

mod harness;

use std::ffi::CString;
use std::os::unix::fs::symlink;
use std::path::Path;

use harness::libraries;

fn pipe(path: &Path) {
    let path = CString::new(path.to_str().expect("UTF-8")).expect("no zero byte");
    // SAFETY: a path that ends with zero.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
}

#[test]
fn nothing_that_was_planted_is_written_over_waited_for_or_used() {
    for library in libraries() {
        let program = library.compile("report");
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let text = |name: &str| at(name).to_str().expect("UTF-8").to_owned();

        std::fs::create_dir(at("traces")).expect("a folder");
        std::fs::write(at("victim"), "private").expect("a file");
        symlink(at("victim"), at("traces/rank-000000.trace")).expect("a link");
        let output = library.run(&program, [true, true], &[("COMMLOOM_TRACE", &text("traces"))]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", library.name);
        assert_eq!(std::fs::read_to_string(at("victim")).expect("a file"), "private");
        assert_eq!(said.matches("cannot make the trace").count(), 1, "{said}");
        let trace = std::fs::read(at("traces/rank-000001.trace")).expect("the other rank's");
        let trace = commloom_trace::read(&trace).expect("a trace");

        let table = commloom_choice::file_name(&trace.header.library);
        std::fs::create_dir_all(at("cache/commloom")).expect("a folder");
        pipe(&at("cache/commloom").join(&table));
        pipe(&at("report.json"));
        let output = library.run(
            &program,
            [true, true],
            &[
                ("COMMLOOM_WARMUP", "0"),
                ("XDG_CACHE_HOME", &text("cache")),
                ("COMMLOOM_REPORT", &text("report.json")),
            ],
        );
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", library.name);
        let named = format!("{table} is not used: it is no regular file");
        assert_eq!(said.matches(&named).count(), 1, "{}: {said}", library.name);
        // When the program begins, and when it ends.
        assert_eq!(said.matches("the report cannot be written to").count(), 2, "{said}");
    }
}
