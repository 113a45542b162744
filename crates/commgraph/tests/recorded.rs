//! Programs that ran: from the traces of their processes to collective operations.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use commloom_commgraph::recorded::{Oddity, Phase, Program, RecordError, program};
use commloom_commgraph::{Analysis, Kind, Options, analyse};
use commloom_trace::{
    Action, Buffer, Collective, Communicator, Event, Header, Mode, Origin, Received, Site, Trace,
};

/// Processes that run one after the other and are recorded as the preload does it.
struct World {
    memory: Vec<Vec<u8>>,
    traces: Vec<Trace>,
    under_way: HashMap<(usize, usize, i32), VecDeque<Vec<u8>>>,
    /// Arrivals: event, address, bytes.
    came: Vec<Vec<(u64, usize, Vec<u8>)>>,
    all: Arc<Communicator>,
}

const MEMORY: usize = 4096;

impl World {
    fn new(ranks: usize) -> World {
        let n = id(ranks);
        let header = |rank| Header {
            rank,
            ranks: n,
            program: "simulated".into(),
            library: "none".into(),
            started: 0,
        };
        let trace = |rank| Trace { header: header(rank), events: Vec::new(), problems: Vec::new() };
        World {
            memory: (0..ranks)
                .map(|r| {
                    (0..MEMORY)
                        .map(|i| ((i * 31) ^ (r * 101) ^ (i >> 3)).to_le_bytes()[0])
                        .collect()
                })
                .collect(),
            traces: (0..n).map(trace).collect(),
            under_way: HashMap::new(),
            came: vec![Vec::new(); ranks],
            all: Arc::new(Communicator { number: 0, members: (0..n).collect(), remote: vec![] }),
        }
    }

    fn ranks(&self) -> usize {
        self.traces.len()
    }

    fn push(&mut self, rank: usize, line: u64, action: Action) -> u64 {
        let events = &mut self.traces[rank].events;
        let number = events.len() as u64;
        let site = Some(Arc::new(Site { module: "app".into(), offset: line }));
        events.push((number, Event { time: number, site, action }));
        number
    }

    fn send(&mut self, line: u64, rank: usize, at: usize, length: usize, to: usize, tag: i32) {
        let bytes = self.memory[rank][at..at + length].to_vec();
        let origins = self.came[rank].iter().rev().filter_map(|(event, start, data)| {
            let (from, to) = ((*start).max(at), (start + data.len()).min(at + length));
            let same = from < to && data[from - start..to - start] == bytes[from - at..to - at];
            same.then(|| Origin {
                at: (from - at) as u64,
                length: (to - from) as u64,
                receive: *event,
                from: (from - start) as u64,
            })
        });
        let action = Action::Send {
            mode: Mode::Standard,
            to: id(to),
            tag,
            communicator: self.all.clone(),
            buffer: buffer(at, length),
            hash: hash(&bytes),
            origins: origins.collect(),
            sum: None,
        };
        let send = self.push(rank, line, action);
        self.push(rank, line, Action::Sent { send });
        self.under_way.entry((rank, to, tag)).or_default().push_back(bytes);
    }

    fn receive(&mut self, line: u64, rank: usize, at: usize, length: usize, from: usize, tag: i32) {
        let bytes = self.under_way.get_mut(&(from, rank, tag)).unwrap().pop_front().unwrap();
        let action = Action::Receive {
            from: Some(id(from)),
            tag: None,
            communicator: self.all.clone(),
            buffer: buffer(at, length),
        };
        let receive = self.push(rank, line, action);
        let what = Received { from: id(from), tag, bytes: bytes.len() as u64, hash: hash(&bytes) };
        let event = self.push(rank, line, Action::Received { receive, what });
        self.memory[rank][at..at + bytes.len()].copy_from_slice(&bytes);
        self.came[rank].push((event, at, bytes));
    }

    fn compute(&mut self, rank: usize, at: usize, length: usize, seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed ^ (rank as u64) << 32);
        self.memory[rank][at..at + length].fill_with(|| rng.u8(..));
    }

    fn barrier(&mut self) {
        for rank in 0..self.ranks() {
            let communicator = self.all.clone();
            let name = "MPI_Barrier".into();
            let barrier = Collective { name, communicator, root: None, gives: 0, gets: 0 };
            self.push(rank, 1, Action::Collective(barrier));
        }
    }

    fn program(&self) -> Program {
        program(&self.traces).expect("all processes are there")
    }
}

fn id(rank: usize) -> u32 {
    u32::try_from(rank).expect("few")
}

fn buffer(at: usize, length: usize) -> Buffer {
    let (address, count) = (0x7000_0000 + at as u64, length as u64);
    Buffer { address, count, layout: "MPI_BYTE".into(), bytes: count }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

fn found(phase: &Phase) -> Analysis {
    analyse(&phase.graph, Options::default()).expect("a program that ran")
}

/// All collectives of the only phase, which is everything that happens in it.
#[track_caller]
fn only(program: &Program) -> Vec<Kind> {
    assert_eq!(program.oddities, []);
    assert_eq!(program.phases.len(), 1, "phases");
    let analysis = found(&program.phases[0]);
    assert_eq!(analysis.detection.left, []);
    analysis.detection.collectives.iter().map(|c| c.kind).collect()
}

/// A ring in which every process forwards what it has got last.
fn ring(world: &mut World, block: usize) {
    let p = world.ranks();
    for step in 0..p - 1 {
        for r in 0..p {
            let own = (r + p - step) % p;
            world.send(10, r, own * block, block, (r + 1) % p, 3);
        }
        for r in 0..p {
            let other = (r + p - step - 1) % p;
            world.receive(11, r, other * block, block, (r + p - 1) % p, 3);
        }
    }
}

#[test]
fn a_ring_is_an_allgather() {
    for p in 2..9 {
        let mut world = World::new(p);
        ring(&mut world, 16);
        assert_eq!(only(&world.program()), [Kind::Allgather], "{p} processes");
    }
}

#[test]
fn a_ring_whose_blocks_are_changed_on_the_way_is_none() {
    let mut world = World::new(5);
    for step in 0..4u64 {
        for r in 0..5 {
            world.send(10, r, 0, 16, (r + 1) % 5, 3);
        }
        for r in 0..5 {
            world.receive(11, r, 0, 16, (r + 4) % 5, 3);
            world.compute(r, 3, 1, step);
        }
    }
    let program = world.program();
    let kinds: Vec<Kind> = program
        .phases
        .iter()
        .flat_map(|phase| found(phase).detection.collectives)
        .map(|c| c.kind)
        .collect();
    assert!(!kinds.contains(&Kind::Allgather), "{kinds:?}");
}

#[test]
fn a_tree_is_a_broadcast_and_its_messages_know_who_sent_them() {
    let mut world = World::new(8);
    for distance in [4, 2, 1] {
        for r in (0..8).step_by(2 * distance) {
            world.send(20, r, 64, 100, r + distance, 0);
            world.receive(21, r + distance, 64, 100, r, 0);
        }
    }
    let program = world.program();
    assert_eq!(only(&program), [Kind::Bcast]);
    let phase = &program.phases[0];
    let first = phase.graph.of(commloom_commgraph::Process(4)).next().expect("it receives");
    let message = phase.message_of(&first).expect("its message");
    assert_eq!((message.send.process, message.receive.process, message.bytes), (0, 4, 100));
    assert_eq!(message.sender.as_ref().map(|site| site.offset), Some(20));
    assert_eq!(message.receiver.as_ref().map(|site| site.offset), Some(21));
}

#[test]
fn one_buffer_packed_again_for_each_process_is_an_alltoall_and_no_allgather() {
    let p = 6;
    let mut world = World::new(p);
    for step in 1..p {
        for r in 0..p {
            world.compute(r, 0, 32, step as u64);
            world.send(30, r, 0, 32, (r + step) % p, 1);
        }
        for r in 0..p {
            let from = (r + p - step) % p;
            world.receive(31, r, 1000 + 32 * from, 32, from, 1);
        }
    }
    let kinds = only(&world.program());
    assert!(kinds.iter().all(|k| matches!(k, Kind::Alltoall | Kind::Alltoallv)), "{kinds:?}");
}

#[test]
fn one_buffer_that_stays_is_an_allgather() {
    let p = 6;
    let mut world = World::new(p);
    for step in 1..p {
        for r in 0..p {
            world.send(30, r, 0, 32, (r + step) % p, 1);
        }
        for r in 0..p {
            let from = (r + p - step) % p;
            world.receive(31, r, 1000 + 32 * from, 32, from, 1);
        }
    }
    assert_eq!(only(&world.program()), [Kind::Allgather]);
}

#[test]
fn what_is_repeated_is_counted_once() {
    let mut world = World::new(4);
    for iteration in 0..10 {
        for r in 0..4 {
            world.compute(r, 0, 64, iteration);
        }
        ring(&mut world, 16);
    }
    let program = world.program();
    assert_eq!(only(&program), [Kind::Allgather]);
    assert_eq!(program.phases[0].times, 10);
    assert_eq!(program.phases[0].messages.len(), 12);
}

#[test]
fn phases_end_at_collectives() {
    let mut world = World::new(4);
    for _ in 0..3 {
        ring(&mut world, 16);
        world.barrier();
        for r in 1..4 {
            world.send(40, r, 16 * r, 16, 0, 9);
            world.receive(41, 0, 16 * r, 16, r, 9);
        }
        world.barrier();
    }
    let program = world.program();
    let times: Vec<u64> = program.phases.iter().map(|phase| phase.times).collect();
    assert_eq!(times.iter().sum::<u64>(), 6, "{times:?}");
    let kinds: Vec<Vec<Kind>> = program
        .phases
        .iter()
        .map(|phase| found(phase).detection.collectives.iter().map(|c| c.kind).collect())
        .collect();
    assert!(
        kinds.contains(&vec![Kind::Allgather]) && kinds.contains(&vec![Kind::Gather]),
        "{kinds:?}"
    );
}

#[test]
fn what_does_not_go_together_is_said() {
    let mut world = World::new(3);
    ring(&mut world, 16);
    world.send(50, 0, 0, 8, 1, 77);
    let at = world.traces[2]
        .events
        .iter()
        .position(|(_, e)| matches!(e.action, Action::Received { .. }));
    let event = &mut world.traces[2].events[at.expect("it received")].1;
    if let Action::Received { what, .. } = &mut event.action {
        what.hash ^= 1;
    }
    let program = world.program();
    let (mut unmatched, mut differs) = (0, 0);
    for oddity in &program.oddities {
        match oddity {
            Oddity::Unmatched { from: 0, to: 1, missing: "receive", count: 1 } => unmatched += 1,
            Oddity::Differs { .. } => differs += 1,
            _ => {}
        }
    }
    assert_eq!((unmatched, differs), (1, 1), "{:?}", program.oddities);
    world.traces.remove(1);
    assert_eq!(program_error(&world), RecordError::Missing { ranks: 3, missing: 1 });
    let copy = world.traces[0].clone();
    world.traces.push(copy);
    assert_eq!(program_error(&world), RecordError::Twice { rank: 0, ranks: 3 });
}

fn program_error(world: &World) -> RecordError {
    program(&world.traces).expect_err("not all processes are there")
}
