//! `commloom guidelines` end to end: small campaigns with every MPI library that is installed,
//! what goes wrong in them, and what is refused before them.

mod common;
#[path = "common/mpi.rs"]
mod mpi;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use commloom_guideline::results::{Mode, Outcome, Results};
use commloom_testkit::ranks::on_one_machine;
use common::{Done, commloom, done};
use mpi::Mpi;

/// Three descriptions of the same bytes, the contiguous ones and a normal form, for one block
/// size: test 3 has packing too.
const SMALL: [&str; 8] = ["--tests", "3,6", "--blocks", "2", "--sizes", "800", "--op", "pingpong"];

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guidelines").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target folder is writable");
    dir
}

/// The folder with the preloads of this build, or of the optimized one beside it.
fn preloads() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let here = Path::new(env!("CARGO_BIN_EXE_commloom")).parent()?;
        let given = std::env::var_os("COMMLOOM_LIBDIR").map(PathBuf::from);
        let mut folders =
            given.into_iter().chain([here.to_owned(), here.with_file_name("release")]);
        let preload = |dir: &Path, abi| dir.join(format!("libcommloom_{abi}.so")).is_file();
        let found = folders.find(|dir| ["mpich", "openmpi"].iter().all(|abi| preload(dir, abi)));
        if found.is_none() {
            commloom_testkit::skipped(
                "guidelines under commloom: no preloads, build the workspace",
            );
        }
        found
    };
    FOUND.get_or_init(find).as_deref()
}

fn guidelines(args: &[&str]) -> Done {
    let mut command = commloom(&["guidelines"]);
    on_one_machine(command.args(args));
    if let Some(folder) = preloads() {
        command.env("COMMLOOM_LIBDIR", folder);
    }
    done(&command.output().expect("the binary was built"))
}

/// A campaign with `SMALL` and more; where there are no preloads, of the library alone.
fn campaign(mpi: &str, file: &Path, more: &[&str]) -> (Done, Results) {
    let file = file.to_str().expect("UTF-8");
    let mut args = vec!["--mpi", mpi, "--json", file, "--seed", "1"];
    args.extend(SMALL);
    args.extend(more);
    if preloads().is_none() && !more.contains(&"--commloom") {
        args.extend(["--commloom", "off"]);
    }
    let done = guidelines(&args);
    let results = Results::read(Path::new(file)).unwrap_or_else(|e| panic!("{e}\n{}", done.err));
    (done, results)
}

/// Launches with times and errors of launches without.
fn outcomes(results: &Results) -> (usize, Vec<&str>) {
    let mut measured = 0;
    let mut errors = Vec::new();
    for launch in results.runs.iter().flat_map(|r| &r.series).flat_map(|s| &s.launches) {
        match &launch.outcome {
            Outcome::Measured { samples_us, .. } => {
                assert!(samples_us.len() >= 5 && samples_us.iter().all(|t| *t > 0.0));
                measured += 1;
            }
            Outcome::Failed { error } => errors.push(error.as_str()),
        }
    }
    (measured, errors)
}

#[test]
fn a_small_campaign_measures_every_case_in_every_mode_and_reports() {
    for mpi in Mpi::installed() {
        let dir = folder(&format!("small-{}", mpi.name));
        let page = dir.join("report.html");
        let more = ["--runs", "1", "--html", page.to_str().unwrap()];
        let (done, results) = campaign(mpi.name, &dir.join("results.json.zst"), &more);
        assert_eq!((done.status, done.err.as_str()), (Some(0), ""), "{}", done.out);
        assert!(results.complete);
        let run = &results.runs[0];
        let series = run.series.len() / results.options.modes.len();
        // Test 3: 4 layouts with their normal forms, typed and packed; test 6: the vector; the
        // contiguous ones.
        assert_eq!((series, outcomes(&results).0), (14, run.series.len()));
        assert!(!run.library.version.is_empty() && run.library.text.contains(&run.library.version));
        assert!(done.out.contains(&run.library.version), "{}", done.out);
        assert!(std::fs::read_to_string(&page).unwrap().starts_with("<!DOCTYPE html>"));

        // The same file again, more launches of it: what is there stays.
        let file = dir.join("results.json.zst");
        let file = file.to_str().unwrap();
        let done = guidelines(&["--json", file, "--resume", "--runs", "2"]);
        assert_eq!((done.status, done.err.as_str()), (Some(0), ""));
        let resumed = Results::read(Path::new(file)).unwrap();
        assert_eq!(outcomes(&resumed).0, 2 * run.series.len());
        assert_eq!(resumed.runs[0].series[0].launches[0], run.series[0].launches[0]);

        // It is no slower than itself.
        let done = guidelines(&["--compare", file, "--check", file]);
        assert_eq!((done.status, done.err.as_str()), (Some(0), ""), "{}", done.out);
    }
}

#[test]
fn collectives_of_three_processes_bring_the_right_bytes() {
    for mpi in Mpi::installed() {
        let dir = folder(&format!("three-{}", mpi.name));
        let file = dir.join("results.json");
        let done = guidelines(&[
            "--mpi",
            mpi.name,
            "--json",
            file.to_str().unwrap(),
            "-n",
            "3",
            "--runs",
            "1",
            "--commloom",
            "off",
            "--tests",
            "3,11",
            "--blocks",
            "2",
            "--sizes",
            "200",
            "--op",
            "bcast,allgather",
            "--base",
            "MPI_INT,MPI_DOUBLE",
            "--quick",
        ]);
        assert_eq!((done.status, done.err.as_str()), (Some(0), ""), "{}", done.out);
        let results = Results::read(&file).unwrap();
        let (measured, errors) = outcomes(&results);
        assert_eq!(errors, Vec::<&str>::new());
        assert!(measured > 50, "{measured}");
    }
}

#[test]
fn a_wrong_byte_is_an_error_and_no_time() {
    for mpi in Mpi::installed() {
        let file = folder(&format!("wrong-{}", mpi.name)).join("results.json");
        let more = ["--runs", "1", "--commloom", "off", "--inject", "wrong-byte@3"];
        let (done, results) = campaign(mpi.name, &file, &more);
        assert_eq!(done.status, Some(0), "{}", done.err);
        let (measured, errors) = outcomes(&results);
        assert_eq!((measured, errors.len()), (13, 1), "{errors:?}");
        assert!(errors[0].starts_with("wrong byte: process 1 found 0x"), "{errors:?}");
        assert!(errors[0].ends_with("at byte 0 of what process 0 sent"), "{errors:?}");
    }
}

#[test]
fn a_process_that_dies_costs_one_measurement() {
    for mpi in Mpi::installed() {
        let file = folder(&format!("death-{}", mpi.name)).join("results.json");
        let more = ["--runs", "1", "--commloom", "off", "--inject", "death@5"];
        let (done, results) = campaign(mpi.name, &file, &more);
        assert_eq!(done.status, Some(0), "{}", done.err);
        assert!(results.complete);
        let (measured, errors) = outcomes(&results);
        assert_eq!((measured, errors.len()), (13, 1), "{errors:?}");
        assert!(errors[0].starts_with("the processes ended ("), "{errors:?}");
        let failed = results.runs[0]
            .series
            .iter()
            .position(|s| s.launches.iter().any(|l| matches!(l.outcome, Outcome::Failed { .. })));
        assert_eq!(failed, Some(5), "series come in the order of measuring");
    }
}

#[test]
fn a_process_that_waits_for_ever_is_ended() {
    for mpi in Mpi::installed().into_iter().take(1) {
        let file = folder(&format!("hang-{}", mpi.name)).join("results.json");
        let more = ["--runs", "1", "--commloom", "off", "--inject", "hang@13", "--patience", "10"];
        let (done, results) = campaign(mpi.name, &file, &more);
        assert_eq!(done.status, Some(0), "{}", done.err);
        let (measured, errors) = outcomes(&results);
        assert_eq!((measured, errors), (13, vec!["the processes did nothing for 10 s"]));
    }
}

/// SIGINT in the middle of a campaign that would take minutes.
#[test]
fn an_interrupted_campaign_leaves_a_file_that_can_be_resumed() {
    let Some(&mpi) = Mpi::installed().first() else { return };
    let file = folder("interrupted").join("results.json");
    let name = file.to_str().unwrap();
    // A shell starts what runs in the background with a SIGINT that does nothing, and so does
    // commloom's then.
    let mut command = std::process::Command::new("env");
    command.args(["--default-signal=INT", env!("CARGO_BIN_EXE_commloom"), "guidelines"]);
    command.args(["--mpi", mpi.name, "--commloom", "off", "--json", name]);
    on_one_machine(&mut command).env_remove("COMMLOOM_LIBDIR");
    command.args(SMALL).args(["--runs", "500"]).stderr(std::process::Stdio::piped());
    let child = command.stdout(std::process::Stdio::null()).spawn().expect("the binary was built");
    let launches = || Results::read(&file).map_or(0, |results| outcomes(&results).0);
    while launches() < 14 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).expect("it still runs");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = format!("go on with\n  commloom guidelines --json {name} --resume");
    assert!(said.contains(&expected), "{said}");
    let results = Results::read(&file).unwrap();
    assert!(!results.complete && outcomes(&results).0 >= 14);

    let done = guidelines(&["--json", name, "--resume", "--runs", "2"]);
    assert_eq!(done.status, Some(2));
    assert!(done.err.contains("it was measured with --runs 500"), "{}", done.err);
    for (option, given, was) in [
        ("--tests", "4", "3,6"),
        ("--sizes", "400", "800"),
        ("--op", "bcast", "pingpong"),
        ("-n", "3", "2"),
        ("--base", "MPI_DOUBLE", "MPI_INT"),
        ("--commloom", "both", "off"),
    ] {
        let done = guidelines(&["--json", name, "--resume", option, given]);
        let expected = format!(
            "error: cannot resume {name}: it was measured with {option} {was}; leave the option \
             out, or measure anew without --resume\n"
        );
        assert_eq!((done.status, done.err), (Some(2), expected));
    }
}

#[test]
fn bad_input_is_refused_before_anything_is_measured() {
    let dir = folder("refused");
    let (other, unwritable) = (dir.join("other.json"), dir.join("no/such/folder/results.json"));
    std::fs::write(&other, "{}").unwrap();
    let (other, unwritable) = (other.to_str().unwrap(), unwritable.to_str().unwrap());
    for (args, message) in [
        (&["--tests", "12"][..], "there is no expectation test 12, only 1 to 11"),
        (&["--tests", "5-3"], "5 is greater than 3"),
        (&["--blocks", "1"], "1 is not in 2.."),
        (&["--sizes", "1e6"], "expected bytes, such as 3200, 64k or 2.56M"),
        (&["--base", "INT"], "no MPI basic type has this name"),
        (&["--threshold", "0.5"], "expected a factor of at least 1"),
        (&["-n", "1"], "1 is not in 2.."),
        (&["--resume"], "--json <FILE>"),
        (&["--mpi", "no-such-mpirun"], "--mpi no-such-mpirun: program not found"),
        (&["--mpi", "true"], "--mpi true: it is no mpirun of MPICH, Intel MPI or Open MPI"),
        (&["--compare", other], "other.json is no results file of `commloom guidelines`"),
        (&["--check", "/no/such/file"], "cannot read /no/such/file"),
        (&["--json", unwritable], "results.json: No such file"),
        (
            &["--mpi", "true", "--sizes", "4", "--blocks", "1000"],
            "no message of [4] bytes has a block of [1000] elements",
        ),
    ] {
        let done = guidelines(args);
        assert_eq!((done.status, done.out.as_str()), (Some(2), ""), "{args:?}");
        assert!(
            done.err.starts_with("error: ") && done.err.contains(message),
            "{args:?}: {}",
            done.err
        );
    }
}

#[test]
fn a_library_that_is_not_there_is_named() {
    for mpi in Mpi::installed() {
        let command = mpi.command("mpiexec").expect("installed with mpicc");
        let given = format!("{}=/no/such/libmpi.so.12", command.display());
        let done = guidelines(&["--mpi", &given, "--tests", "6", "--commloom", "off"]);
        assert_eq!((done.status, done.out.as_str()), (Some(2), ""));
        assert!(done.err.contains("cannot open /no/such/libmpi.so.12"), "{}", done.err);
    }
}

#[test]
fn both_modes_are_what_they_say() {
    if preloads().is_none() {
        return;
    }
    for mpi in Mpi::installed() {
        let file = folder(&format!("modes-{}", mpi.name)).join("results.json");
        let (_, results) = campaign(mpi.name, &file, &["--runs", "1", "--commloom", "on"]);
        assert!(results.complete);
        assert!(results.runs[0].series.iter().all(|series| series.mode == Mode::Commloom));
    }
}
