//! Messages to the user on settings, places and launchers, by preloads that were set up by hand:
//! once, and the program does what it does without.

mod harness;

use std::path::{Path, PathBuf};
use std::process::Output;

use harness::{Library, libraries};

/// Standard output in order, and standard error.
fn said(output: &Output) -> (Vec<String>, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    lines.sort();
    (lines, text(&output.stderr))
}

/// The lines of commloom.
fn ours(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("commloom: ")).collect()
}

/// The program came to its own end.
#[track_caller]
fn assert_own_end(output: &Output, library: &Library) {
    let (lines, err) = said(output);
    assert_eq!(lines, ["rank 0 of 2 ends", "rank 1 of 2 ends"], "{}: {err}", library.name);
    assert_eq!(output.status.code(), Some(3), "{}: the program's own status: {err}", library.name);
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("settings").join(name);
    // It is not there the first time.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

#[test]
fn settings_that_cannot_be_meant_are_told_once_and_the_program_runs() {
    for library in libraries() {
        let program = library.compile("limits");
        let settings = [
            ("COMMLOOM_WARMUP", "abc"),
            ("COMMLOOM_FORCE", "packs"),
            ("COMMLOOM_REPROT", "r.html"),
            ("COMMLOOM_MODEL", "/no/such/model"),
            ("COMMLOOM_REPORT", "/no/such/report"),
        ];
        let output = library.run_on(2, &program, &settings);
        assert_own_end(&output, &library);
        let (_, err) = said(&output);
        let ours = ours(&err);
        let expected = [
            "COMMLOOM_WARMUP is `abc`; allowed: a whole number of microseconds; its default is \
             used",
            "COMMLOOM_FORCE is `packs`; allowed: pack, types or mixed; its default is used",
            "COMMLOOM_REPROT is no setting of commloom and has no effect; is COMMLOOM_REPORT \
             meant?",
            "the report cannot be written to /no/such/report: No such file or directory",
            "/no/such/model is not there; times of messages are built in",
        ];
        for (i, expected) in expected.into_iter().enumerate() {
            let line = ours.get(i).copied().unwrap_or_default();
            assert!(line.contains(expected), "{}: {expected}\n{err}", library.name);
        }
        // Of the report again when it is so.
        assert_eq!(ours.len(), 6, "{}: {err}", library.name);
        assert!(ours[5].starts_with(ours[3]), "{}: {err}", library.name);
    }
}

#[test]
fn a_misspelt_switch_leaves_everything_to_the_library() {
    for library in libraries().into_iter().take(1) {
        let program = library.compile("limits");
        let report = folder("switch").join("r.json");
        let place = report.to_string_lossy().into_owned();
        let settings = [
            ("COMMLOOM", "of"),
            ("COMMLOOM_WARMUP", "0"),
            ("COMMLOOM_FORCE", "pack"),
            ("COMMLOOM_REPORT", &place),
        ];
        let output = library.run_on(2, &program, &settings);
        assert_own_end(&output, &library);
        let (_, err) = said(&output);
        let allowed = "COMMLOOM is `of`; allowed: on or off; everything is left to the MPI library";
        assert_eq!(ours(&err), [format!("commloom: {allowed}")]);
        let text = std::fs::read_to_string(report).expect("the report is there");
        assert!(text.contains("\"engine\": 0") || text.contains("\"types\": []"), "{text}");
    }
}

#[test]
fn a_disk_that_is_full_or_a_limit_of_files_is_told_and_the_status_is_the_programs() {
    for library in libraries() {
        let program = library.compile("limits");
        let output = library.run_on(2, &program, &[("COMMLOOM_REPORT", "/dev/full")]);
        assert_own_end(&output, &library);
        let expected = "commloom: the report cannot be written to /dev/full: No space left on \
                        device (os error 28)";
        assert_eq!(ours(&said(&output).1), [expected], "{}", library.name);

        let folder = folder(&format!("limit-{}", library.name));
        let at = |name: &str| folder.join(name).to_string_lossy().into_owned();
        std::fs::create_dir(at("t")).expect("writable");
        let runs = [
            ("COMMLOOM_REPORT", at("r.txt"), "the report cannot be written to"),
            ("COMMLOOM_TRACE", at("t"), "cannot make the trace"),
        ];
        for (name, value, expected) in runs {
            let output = library.run_with(2, &program, &["short"], &[(name, &value)]);
            assert_own_end(&output, &library);
            let (_, err) = said(&output);
            let told = ours(&err)
                .iter()
                .any(|l| l.contains(expected) || l.contains("cannot write the trace"));
            // As the system says it, or as Rust does where nothing was tried.
            let reason = err.to_lowercase().contains("file too large");
            assert!(told && reason, "{} {name}: {err}", library.name);
        }
    }
}

#[test]
fn standard_error_that_nobody_reads_ends_no_program() {
    for library in libraries() {
        let program = library.compile("limits");
        let output = library.run_with(2, &program, &["unread"], &[("COMMLOOM_REPORT", "-")]);
        assert_own_end(&output, &library);
    }
}

#[test]
fn processes_that_are_alone_since_the_launcher_is_of_another_library_are_told_of_once() {
    let libraries = libraries();
    let [mpich, openmpi] = ["mpich", "openmpi"].map(|n| libraries.iter().find(|l| l.name == n));
    let (Some(mpich), Some(openmpi)) = (mpich, openmpi) else {
        return commloom_testkit::skipped("it takes two libraries");
    };
    for (library, launcher, who, variable) in [
        (mpich, openmpi, "Open MPI", "OMPI_COMM_WORLD_SIZE"),
        (openmpi, mpich, "MPICH or Intel MPI", "PMI_SIZE"),
    ] {
        let program = library.compile("limits");
        let output = library.run_by(launcher, 3, &program, &[("ENDS", "well")]);
        let (lines, err) = said(&output);
        assert_eq!(lines, ["rank 0 of 1 ends"; 3], "{err}");
        let [line] = ours(&err)[..] else { panic!("one warning: {err}") };
        let start = format!(
            "commloom: a launcher of {who} started 3 processes ({variable}=3), but each of them is \
             alone: "
        );
        assert!(line.starts_with(&start), "{err}");
        let name = if library.name == "mpich" { "MPICH " } else { "Open MPI v" };
        assert!(line.contains(&format!("of the program's library, {name}")), "{err}");
        // Where they belong together nobody says anything.
        let output = library.run_on(2, &program, &[]);
        assert_own_end(&output, library);
        assert_eq!(ours(&said(&output).1), [""; 0]);
    }
}
