//! Writes the traces of a program with many messages, as `commloom trace` would: processes on a
//! periodic grid exchange a kilobyte with four neighbours, time after time, always new bytes.
//!
//! `cargo run --release -p commloom-commgraph --example recorded -- FOLDER PROCESSES MESSAGES`,
//! then `commloom detect FOLDER`. With FOLDER alone it reads such traces and makes their graphs,
//! and prints how long each takes: without the search for operations, and without advice.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use commloom_commgraph::recorded::program;
use commloom_trace::{Action, Buffer, Communicator, Event, Header, Mode, Received, Site, Writer};
use nix::time::{ClockId, clock_gettime};

/// Bytes of a face.
const FACE: u64 = 1024;

/// Nanoseconds from event to event.
const APART: u64 = 1000;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, processes, messages) = match &arguments[..] {
        [folder] => return analyse(Path::new(folder)),
        [folder, processes, messages] => (folder, processes, messages),
        _ => panic!("expected FOLDER, or FOLDER PROCESSES MESSAGES"),
    };
    let processes: u32 = processes.parse().expect("a number of processes");
    let messages: u64 = messages.parse().expect("a number of messages");
    let times = messages / (4 * u64::from(processes));
    std::fs::create_dir_all(folder)?;
    for rank in 0..processes {
        let file = File::create(Path::new(folder).join(format!("rank-{rank:06}.trace")))?;
        write(BufWriter::new(file), rank, processes, times)?;
    }
    Ok(())
}

/// Reads the traces of a folder and makes the graphs of their phases. Processor time of this
/// thread.
fn analyse(folder: &Path) -> std::io::Result<()> {
    let cpu = || Duration::from(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("is there"));
    let start = cpu();
    let mut traces = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        traces.push(commloom_trace::read(&std::fs::read(entry?.path())?).expect("a trace"));
    }
    let read = cpu();
    let program = program(&traces).expect("the traces of one program");
    let events: usize = traces.iter().map(|trace| trace.events.len()).sum();
    let times: u64 = program.phases.iter().map(|phase| phase.times()).sum();
    println!(
        "{events} events, {} phases, {times} times: read in {:.2} s, graphs made in {:.2} s",
        program.phases.len(),
        (read - start).as_secs_f64(),
        (cpu() - read).as_secs_f64()
    );
    Ok(())
}

/// Rows and columns, as equal as they can be in powers of two.
fn grid(processes: u32) -> (u32, u32) {
    let columns = 1 << (processes.ilog2() / 2);
    (processes / columns, columns)
}

/// The neighbours of a process: up, down, left, right. Opposite ones are next to each other.
fn neighbours(rank: u32, processes: u32) -> [u32; 4] {
    let (rows, columns) = grid(processes);
    let (row, column) = (rank / columns, rank % columns);
    [
        (row + rows - 1) % rows * columns + column,
        (row + 1) % rows * columns + column,
        row * columns + (column + columns - 1) % columns,
        row * columns + (column + 1) % columns,
    ]
}

/// Stands for the hash of a face at some time.
fn hash(time: u64, rank: u32, way: u64) -> u64 {
    (((time + 1) << 32 | u64::from(rank)) << 2 | way).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn write(file: BufWriter<File>, rank: u32, processes: u32, times: u64) -> std::io::Result<()> {
    let header = Header {
        rank,
        ranks: processes,
        program: "halo".into(),
        library: "none".into(),
        started: 0,
    };
    let mut writer = Writer::new(file, &header)?;
    let members = (0..processes).collect();
    let world = Arc::new(Communicator { number: 0, members, remote: vec![] });
    let layout: Arc<str> = "MPI_DOUBLE".into();
    let buffer = |place: u64| Buffer {
        address: 0x10_0000 + place * FACE,
        count: FACE / 8,
        layout: layout.clone(),
        bytes: FACE,
    };
    let site = |offset| Some(Arc::new(Site { module: "/no/such/halo".into(), offset }));
    let sites = [site(0x10), site(0x20), site(0x30)];
    let mut clock = 0;
    let mut push = |site: usize, action| {
        clock += APART;
        writer.push(&Event { time: clock, site: sites[site].clone(), action })
    };
    for time in 0..times {
        let (mut receives, mut sends) = ([0; 4], [0; 4]);
        for ((way, from), receive) in (0..).zip(neighbours(rank, processes)).zip(&mut receives) {
            *receive = push(
                0,
                Action::Receive {
                    from: Some(from),
                    tag: Some(i32::try_from(way).expect("below four")),
                    communicator: world.clone(),
                    buffer: buffer(way),
                },
            )?;
        }
        for ((way, to), send) in (0..).zip(neighbours(rank, processes)).zip(&mut sends) {
            *send = push(
                1,
                Action::Send {
                    mode: Mode::Standard,
                    to,
                    tag: i32::try_from(way ^ 1).expect("below four"),
                    communicator: world.clone(),
                    buffer: buffer(4 + way),
                    hash: hash(time, rank, way),
                    origins: vec![],
                    sum: None,
                },
            )?;
        }
        for ((way, from), receive) in (0..).zip(neighbours(rank, processes)).zip(receives) {
            let tag = i32::try_from(way).expect("below four");
            let what = Received { from, tag, bytes: FACE, hash: hash(time, from, way ^ 1) };
            push(2, Action::Received { receive, what })?;
        }
        for send in sends {
            push(2, Action::Sent { send })?;
        }
    }
    writer.flush()
}
