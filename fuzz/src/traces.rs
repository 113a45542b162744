//! Traces of programs that ran: whatever the files are, they are read as far as they are whole, and what is read is a
//! program whose graphs move the same bytes as an executor that is too simple to be wrong.

use std::sync::Arc;

use commloom_commgraph::recorded::{Phase, program};
use commloom_commgraph::{Action as Operation, Options, Process, analyse};
use commloom_trace::{
    Action, Buffer, Collective, Communicator, Event, Events, Header, Mode, Operator, Origin,
    Problem, Received, Site, Sum, Summed, Trace, VERSION, Writer, read,
};

use super::bytes::Bytes;
use super::graphs::{assert_moves_the_same, is_small};

/// What every file begins with.
const FILE: &[u8] = b"commloom";
/// What stands between the records of two processes.
const NEXT: &[u8] = b"\xFE--\xFE";
/// Larger programs are read, but not analysed.
const PROCESSES: u32 = 64;
const PHASES: usize = 20;

/// Files one behind the other, as they are; or, where the first byte is another, records without checksums (even),
/// or the choices of which events are made (odd).
pub fn trace(data: &[u8]) {
    match data {
        _ if data.starts_with(FILE) => analyse_all(&files(data)),
        [kind, rest @ ..] if kind % 2 == 0 => analyse_all(&records(rest)),
        [_, rest @ ..] => {
            let mut bytes = Bytes::new(rest);
            let traces = events(&mut bytes);
            damage(&traces, &mut bytes);
            analyse_all(&traces);
        }
        [] => {}
    }
}

fn files(data: &[u8]) -> Vec<Trace> {
    let starts = data.windows(FILE.len()).enumerate().filter(|(_, window)| *window == FILE);
    let mut ends: Vec<usize> = starts.map(|(at, _)| at).collect();
    ends.push(data.len());
    ends.windows(2).filter_map(|range| checked(&data[range[0]..range[1]])).collect()
}

/// A file that was read: its events are numbered upwards, and problems are places in it.
fn checked(file: &[u8]) -> Option<Trace> {
    let trace = match read(file) {
        Ok(trace) => trace,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
    };
    assert!(trace.events.iter().is_sorted_by(|a, b| a.0 < b.0), "numbers do not go up");
    let length = file.len() as u64;
    for problem in &trace.problems {
        let inside = match *problem {
            Problem::Cut { at, missing } => at < length && missing > 0,
            Problem::Damaged { at, length: damaged } => damaged > 0 && at + damaged <= length,
            Problem::Gap { at, first, last } => at < length && first <= last,
        };
        assert!(inside, "{problem} in a file of {length} bytes");
    }
    Some(trace)
}

/// The raw records of each process, as a block whose checksums are right: behind the number of its events.
fn records(data: &[u8]) -> Vec<Trace> {
    let mut parts = vec![data];
    while let Some(last) = parts.pop() {
        match last.windows(NEXT.len()).position(|window| window == NEXT) {
            Some(at) if parts.len() < 8 => {
                parts.extend([&last[..at], &last[at + NEXT.len()..]]);
            }
            _ => {
                parts.push(last);
                break;
            }
        }
    }
    let ranks = u32::try_from(parts.len()).expect("few");
    let file = |(rank, part): (u32, &&[u8])| {
        let (count, raw) = part.split_first().unwrap_or((&0, &[]));
        let mut file = Vec::new();
        Writer::new(&mut file, &header(rank, ranks)).expect("memory takes all");
        block(u32::from(*count), raw, &mut file);
        checked(&file)
    };
    (0..).zip(&parts).filter_map(file).collect()
}

/// As book/src/reference/trace-format.md has it.
fn block(events: u32, raw: &[u8], file: &mut Vec<u8>) {
    let packed = zstd::bulk::compress(raw, 1).expect("memory takes all");
    let mut head = b"\xC1oom".to_vec();
    head.extend(0_u64.to_le_bytes());
    head.extend(events.to_le_bytes());
    head.extend(u32::try_from(raw.len()).expect("short").to_le_bytes());
    head.extend((packed.len() as u64).to_le_bytes());
    head.extend(crc32fast::hash(&packed).to_le_bytes());
    head.extend(crc32fast::hash(&head).to_le_bytes());
    file.extend(head);
    file.extend(packed);
}

fn header(rank: u32, ranks: u32) -> Header {
    Header { rank, ranks, program: "any".into(), library: "none".into(), started: 0 }
}

/// Events of up to five processes that go together often enough.
fn events(bytes: &mut Bytes) -> Vec<Trace> {
    let ranks = 1 + bytes.below(5);
    let ranks = u32::try_from(ranks).expect("few");
    let all = communicator(0, (0..ranks).collect());
    let some = communicator(1, vec![0, ranks, u32::MAX]);
    let mut all_events: Vec<Vec<(u64, Event)>> = (0..ranks).map(|_| vec![]).collect();
    let mut number = 0;
    while !bytes.is_empty() && number < 400 {
        let rank = bytes.below(all_events.len());
        let communicator = if bytes.below(8) == 0 { some.clone() } else { all.clone() };
        let own = &mut all_events[rank];
        number = own.len() as u64;
        let action = action(bytes, communicator, number);
        let site = Arc::new(Site { module: "app".into(), offset: bytes.below(4) as u64 });
        let site = Some(site).filter(|_| bytes.below(4) > 0);
        let time = own.last().map_or(0, |(_, event)| event.time).saturating_add(bytes.count());
        own.push((number, Event { time, site, action }));
    }
    let trace = |(rank, events): (u32, Vec<(u64, Event)>)| {
        assert_eq!(events.iter().cloned().collect::<Events>().iter().collect::<Vec<_>>(), events);
        let events = events.into_iter().collect();
        Trace { version: VERSION, header: header(rank, ranks), events, problems: vec![] }
    };
    (0..).zip(all_events).map(trace).collect()
}

fn communicator(number: u64, members: Vec<u32>) -> Arc<Communicator> {
    Arc::new(Communicator { number, members, remote: vec![] })
}

fn action(bytes: &mut Bytes, communicator: Arc<Communicator>, number: u64) -> Action {
    let peer = |bytes: &mut Bytes| match bytes.below(16) {
        15 => u32::MAX,
        peer => u32::try_from(peer % 5).expect("small"),
    };
    // An earlier event, most often.
    let earlier = |bytes: &mut Bytes| number.wrapping_sub(bytes.count());
    let tag = |bytes: &mut Bytes| i32::try_from(bytes.below(3)).expect("small") - 1;
    let origins = |bytes: &mut Bytes| -> Vec<Origin> {
        let origin = |bytes: &mut Bytes| Origin {
            at: bytes.count(),
            length: bytes.count(),
            receive: earlier(bytes),
            from: bytes.count(),
        };
        (0..bytes.below(3)).map(|_| origin(bytes)).collect()
    };
    match bytes.below(16) {
        0..=4 => Action::Send {
            mode: Mode::Standard,
            to: peer(bytes),
            tag: tag(bytes),
            communicator,
            hash: bytes.below(3) as u64,
            origins: origins(bytes),
            sum: (bytes.below(4) == 0).then(|| Sum {
                element: element(bytes),
                receive: earlier(bytes),
                before: earlier(bytes),
            }),
            buffer: buffer(bytes),
        },
        5..=8 => Action::Receive {
            from: Some(peer(bytes)),
            tag: None,
            communicator,
            buffer: buffer(bytes),
        },
        12 => Action::Summed(Summed {
            operator: *pick(bytes, &Operator::ALL),
            element: element(bytes),
            receive: earlier(bytes),
            // One number is taken: it would be none.
            other: (bytes.below(3) == 0).then(|| earlier(bytes).min(u64::MAX - 1)),
            before: bytes.below(3) as u64,
            origins: origins(bytes),
            hash: bytes.below(3) as u64,
            buffer: buffer(bytes),
        }),
        9..=11 => {
            let what = Received {
                from: peer(bytes),
                tag: tag(bytes),
                bytes: 8 * bytes.below(4) as u64,
                hash: bytes.below(3) as u64,
            };
            Action::Received { receive: earlier(bytes), what }
        }
        13 => {
            let name = (*pick(bytes, &["MPI_Barrier", "MPI_Bcast"])).into();
            Action::Collective(Collective { name, communicator, root: None, gives: 0, gets: 8 })
        }
        14 => Action::Mark(tag(bytes)),
        _ => match bytes.below(3) {
            0 => Action::Sent { send: number },
            1 => Action::Dropped { receive: earlier(bytes) },
            _ => Action::Limit,
        },
    }
}

fn element(bytes: &mut Bytes) -> Arc<str> {
    (*pick(bytes, &["MPI_DOUBLE", "MPI_INT", "MPI_COMPLEX", "none"])).into()
}

fn pick<'a, T>(bytes: &mut Bytes, all: &'a [T]) -> &'a T {
    &all[bytes.below(all.len())]
}

fn buffer(bytes: &mut Bytes) -> Buffer {
    const LAYOUTS: [&str; 10] = [
        "MPI_BYTE",
        "",
        "MPI_DOUBLE",
        "vector(2, 1, 2, MPI_INT)",
        "hvector(2, 4, 1, MPI_BYTE)",
        "hvector(2000, 1, 64, MPI_BYTE)",
        "hindexed(<8>, <-9223372036854775800>, MPI_BYTE)",
        "resized(-8, 24, MPI_DOUBLE)",
        "contiguous(1000000000000, MPI_DOUBLE)",
        "vec(",
    ];
    let layout = (*pick(bytes, &LAYOUTS)).into();
    let address = match bytes.byte() {
        near @ 0..=199 => 0x1000 + 4 * u64::from(near % 32),
        200..=227 => bytes.int().cast_unsigned(),
        far @ 228.. => (1_u64 << (far % 28 + 36)).wrapping_sub(bytes.count()),
    };
    let count = if bytes.below(8) == 0 { bytes.count() } else { bytes.below(3) as u64 };
    let length = if bytes.below(8) == 0 { bytes.count() } else { 8 * bytes.below(4) as u64 };
    Buffer { address, count, layout, bytes: length }
}

/// What is written is read again; what is damaged then loses events, but gets none.
fn damage(traces: &[Trace], bytes: &mut Bytes) {
    for trace in traces {
        let mut file = Vec::new();
        let mut writer = Writer::new(&mut file, &trace.header).expect("memory takes all");
        for (_, event) in &trace.events {
            writer.push(&event).expect("memory takes all");
            if bytes.below(4) == 1 {
                writer.flush().expect("memory takes all");
            }
        }
        writer.flush().expect("memory takes all");
        assert_eq!(checked(&file).expect("it was written").events, trace.events);
        let place = bytes.below(256) * file.len() / 256;
        if bytes.below(2) == 0 {
            file.truncate(place);
        } else {
            file[place] ^= 1 << bytes.below(8);
        }
        let Some(left) = checked(&file) else { continue };
        for (number, event) in &left.events {
            assert_eq!(Some(event), trace.events.get(number), "event {number}");
        }
    }
}

fn analyse_all(traces: &[Trace]) {
    let program = match program(traces) {
        Ok(program) => program,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for oddity in &program.oddities {
        assert!(!oddity.to_string().is_empty());
    }
    if program.processes > PROCESSES {
        return;
    }
    for phase in program.phases.iter().take(PHASES) {
        check_messages(phase);
        let options = Options { subsets: phase.messages.len() % 2 == 0, ..Options::default() };
        if analyse(&phase.graph, options).is_ok() && is_small(&phase.graph) {
            assert_moves_the_same(&phase.graph);
        }
    }
}

/// Every send and receive of the graph is one end of one message.
fn check_messages(phase: &Phase) {
    let (mut sends, mut receives) = (0, 0);
    for operation in (0..phase.graph.processes()).flat_map(|p| phase.graph.of(Process(p))) {
        let message = || phase.message_of(&operation).expect("its message");
        match operation.action {
            Operation::Send { .. } => {
                assert_eq!(message().send.process, operation.process.0);
                sends += 1;
            }
            Operation::Receive { .. } => {
                assert_eq!(message().receive.process, operation.process.0);
                receives += 1;
            }
            _ => {}
        }
    }
    assert_eq!([sends, receives], [phase.messages.len(); 2]);
}
