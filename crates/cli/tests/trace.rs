//! `commloom trace`: what it sets, what it refuses, how it shows what was recorded.
//!
//! As for `exec`, the preloads are empty files; recording itself is tested in `interpose`.

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use commloom_trace::{Action, Collective, Communicator, Event, Header, Writer};
use common::{Done, commloom, done};

/// An empty folder with files in place of the preloads, and a program that prints its environment.
fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trace").join(name);
    // It is not there the first time.
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target folder is writable");
    std::fs::write(dir.join("libcommloom_mpich.so"), "").expect("writable");
    let program = dir.join("program");
    let text = "#!/bin/sh\nunset LD_PRELOAD\n\
                echo \"$COMMLOOM_TRACE|$COMMLOOM_TRACE_REGIONS|$COMMLOOM_TRACE_LIMIT|\
                $COMMLOOM_TRACE_MEMORY|$COMMLOOM_TRACE_CONTENT|$*\"\n";
    std::fs::write(&program, text).expect("writable");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("writable");
    dir
}

/// Runs `commloom trace ... -- program x` in a folder as one rank of four.
fn traced(dir: &Path, rank: u32, args: &[&str]) -> Done {
    let mut command: Command = commloom(&["trace", "--mpi", "mpich"]);
    command.args(args).args(["--", "./program", "x"]).current_dir(dir);
    command.env("COMMLOOM_LIBDIR", dir).env("PMI_RANK", rank.to_string()).env("PMI_SIZE", "4");
    done(&command.output().expect("the binary was built"))
}

#[test]
fn settings_reach_the_program() {
    let dir = folder("settings");
    let place = dir.join("t");
    let done = traced(&dir, 0, &["-o", "t"]);
    assert_eq!(
        (done.status, done.out),
        (Some(0), format!("{}|0||33554432|new|x\n", place.display()))
    );
    let done = traced(
        &dir,
        0,
        &["-o", "t", "--regions", "--limit", "2M", "--memory", "1k", "--all-content"],
    );
    assert_eq!(
        (done.status, done.out),
        (Some(0), format!("{}|1|2097152|1024|all|x\n", place.display()))
    );
}

#[test]
fn traces_that_are_there_are_kept_unless_they_are_forced_away() {
    let dir = folder("there");
    let file = |rank: u32| dir.join(format!("t/rank-{rank:06}.trace"));
    std::fs::create_dir_all(dir.join("t")).unwrap();
    for rank in [1, 7] {
        std::fs::write(file(rank), "old").unwrap();
    }
    std::fs::write(dir.join("t/notes.txt"), "mine").unwrap();
    // Rank 1 finds its own, rank 0 the one that belongs to no rank of four; the others start, and
    // would wait for these in `MPI_Init`. Hydra ends the job where one of them is ended by a
    // signal.
    for (rank, refuses) in [(0, true), (1, true), (2, false), (3, false)] {
        let done = traced(&dir, rank, &["-o", "t"]);
        assert_eq!(done.status, if refuses { None } else { Some(0) }, "{rank}: {}", done.err);
        assert_eq!(done.err.contains("--force"), refuses, "{rank}: {}", done.err);
    }
    // What all ranks have to say, the first one says.
    for rank in [0, 2, 3] {
        std::fs::write(file(rank), "old").unwrap();
    }
    for rank in 0..4 {
        let done = traced(&dir, rank, &["-o", "t"]);
        assert_eq!(done.status, Some(2), "{rank}: {}", done.err);
        assert_eq!(done.err.contains("--force"), rank == 0, "{rank}: {}", done.err);
    }
    for rank in 0..4 {
        assert_eq!(traced(&dir, rank, &["-o", "t", "--force"]).status, Some(0));
    }
    assert!(!file(1).exists() && !file(7).exists() && dir.join("t/notes.txt").exists());
}

#[test]
fn wrong_arguments_are_refused() {
    let dir = folder("wrong");
    for args in [&["-o", "t", "--limit", "many"][..], &[], &["-o", "program"]] {
        let done = traced(&dir, 0, args);
        assert_eq!((done.status, done.out.as_str()), (Some(2), ""), "{args:?}: {}", done.err);
    }
}

/// A trace of two blocks.
fn example() -> (Vec<u8>, usize) {
    let world = Arc::new(Communicator { number: 0, members: vec![0, 1], remote: Vec::new() });
    let name = "MPI_Allreduce".into();
    let collective = Collective { name, communicator: world, root: None, gives: 8, gets: 8 };
    let header = Header {
        rank: 1,
        ranks: 2,
        program: "/opt/app".into(),
        library: "MPICH".into(),
        started: 5,
    };
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &header).unwrap();
    let event = |time, action| Event { time, site: None, action };
    writer.push(&event(1_500_000_000, Action::Mark(3))).unwrap();
    writer.flush().unwrap();
    let first = usize::try_from(writer.bytes()).unwrap();
    writer.push(&event(1_500_000_001, Action::Collective(collective))).unwrap();
    writer.flush().unwrap();
    drop(writer);
    (file, first)
}

#[test]
fn a_trace_is_shown_event_by_event_and_damage_is_said() {
    let dir = folder("print");
    let (whole, first) = example();
    let shown = |bytes: &[u8]| {
        let file = dir.join("rank-000001.trace");
        std::fs::write(&file, bytes).unwrap();
        let args = ["trace", "--print", file.to_str().unwrap()];
        done(&commloom(&args).output().unwrap())
    };
    let head = "rank 1 of 2: /opt/app, MPICH\n       0    1.500000000 MPI_Pcontrol(3)\n";
    let rest = "       1    1.500000001 MPI_Allreduce on world: gives 8 bytes, gets 8\n";
    let all = Done { status: Some(0), out: format!("{head}{rest}"), err: String::new() };
    assert_eq!(shown(&whole), all);
    let cut = shown(&whole[..whole.len() - 1]);
    assert_eq!((cut.status, cut.out.as_str()), (Some(1), head));
    assert!(
        cut.err.starts_with("warning: ") && cut.err.contains(&format!("byte {first}")),
        "{}",
        cut.err
    );
    let other = shown(b"hello");
    assert_eq!((other.status, other.out.as_str()), (Some(2), ""));
}
