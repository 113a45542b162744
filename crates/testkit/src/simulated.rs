//! Programs that are only recorded: their processes run one after the other, and the traces are
//! those that the preload would write.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use commloom_commgraph::recorded::{Program, program};
use commloom_trace::{
    Action, Buffer, Collective, Communicator, Event, Header, Mode, NOT_LOOKED_AT, Operator, Origin,
    Received, Site, Summed, Trace, VERSION,
};

/// Processes that run one after the other and are recorded as the preload does it.
pub struct World {
    /// By process.
    pub memory: Vec<Vec<u8>>,
    /// By process, with their numbers.
    pub events: Vec<Vec<(u64, Event)>>,
    /// By sender, receiver and tag.
    pub under_way: HashMap<(usize, usize, i32), VecDeque<Vec<u8>>>,
    /// Arrivals: event, address, bytes.
    came: Vec<Vec<(u64, usize, Vec<u8>)>>,
    /// Whether what was sent is known when it is sent again from there, 8 bytes by 8.
    pub knows_sent: bool,
    /// Whether the recorder looks at what is sent.
    pub looks: bool,
    /// Whether it looks at what is received.
    pub looks_at_received: bool,
    /// Whether it sees what is added up.
    pub sees_sums: bool,
    /// All processes.
    pub all: Arc<Communicator>,
}

const MEMORY: usize = 4096;

impl World {
    /// With memory of different content, in which nothing has happened.
    pub fn new(ranks: usize) -> World {
        let n = id(ranks);
        World {
            memory: (0..ranks)
                .map(|r| {
                    (0..MEMORY)
                        .map(|i| ((i * 31) ^ (r * 101) ^ (i >> 3)).to_le_bytes()[0])
                        .collect()
                })
                .collect(),
            events: vec![Vec::new(); ranks],
            under_way: HashMap::new(),
            came: vec![Vec::new(); ranks],
            knows_sent: false,
            looks: true,
            looks_at_received: true,
            sees_sums: true,
            all: Arc::new(Communicator { number: 0, members: (0..n).collect(), remote: vec![] }),
        }
    }

    /// How many processes.
    pub fn ranks(&self) -> usize {
        self.events.len()
    }

    /// The traces that the recorder has written.
    pub fn traces(&self) -> Vec<Trace> {
        let header = |rank| Header {
            rank,
            ranks: id(self.ranks()),
            program: "simulated".into(),
            library: "none".into(),
            started: 0,
        };
        let trace = |(rank, events): (u32, &Vec<(u64, Event)>)| Trace {
            version: VERSION,
            header: header(rank),
            events: events.iter().cloned().collect(),
            problems: Vec::new(),
        };
        (0..).zip(&self.events).map(trace).collect()
    }

    /// An event of a process at a line; its number.
    pub fn push(&mut self, rank: usize, line: u64, action: Action) -> u64 {
        let events = &mut self.events[rank];
        let number = events.len() as u64;
        let site = Some(Arc::new(Site { module: "app".into(), offset: line }));
        events.push((number, Event { time: number, site, action }));
        number
    }

    /// A send of bytes of its memory, complete at once.
    pub fn send(&mut self, line: u64, rank: usize, at: usize, length: usize, to: usize, tag: i32) {
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
        let mut origins: Vec<Origin> = origins.collect();
        if self.knows_sent {
            origins = self.known(rank, at, &bytes);
        }
        let action = Action::Send {
            mode: Mode::Standard,
            to: id(to),
            tag,
            communicator: self.all.clone(),
            buffer: buffer(at, length),
            hash: if self.looks { hash(&bytes) } else { NOT_LOOKED_AT },
            origins: if self.looks { origins } else { Vec::new() },
            sum: None,
        };
        let send = self.push(rank, line, action);
        if self.knows_sent {
            self.came[rank].push((send, at, bytes.clone()));
        }
        self.push(rank, line, Action::Sent { send });
        self.under_way.entry((rank, to, tag)).or_default().push_back(bytes);
    }

    /// The origins that the newest message from there or to there gives these bytes.
    fn known(&self, rank: usize, at: usize, bytes: &[u8]) -> Vec<Origin> {
        let chunk = |chunk: usize| {
            let own = &bytes[chunk..chunk + 8];
            self.came[rank].iter().rev().find_map(|(event, start, data)| {
                let from = (at + chunk).checked_sub(*start)?;
                let there = data.get(from..from + 8)?;
                Some((there == own).then_some(Origin {
                    at: chunk as u64,
                    length: 8,
                    receive: *event,
                    from: from as u64,
                }))
            })
        };
        (0..bytes.len()).step_by(8).filter_map(|at| chunk(at).flatten()).collect()
    }

    /// A receive of the oldest message that is under way.
    pub fn receive(
        &mut self,
        line: u64,
        rank: usize,
        at: usize,
        length: usize,
        from: usize,
        tag: i32,
    ) {
        self.receive_from(line, rank, (at, length), Some(id(from)), from, tag);
    }

    /// A receive that was posted for one process or, with `None`, for any.
    pub fn receive_from(
        &mut self,
        line: u64,
        rank: usize,
        (at, length): (usize, usize),
        posted: Option<u32>,
        from: usize,
        tag: i32,
    ) {
        let bytes = self.under_way.get_mut(&(from, rank, tag)).unwrap().pop_front().unwrap();
        let action = Action::Receive {
            from: posted,
            tag: posted.map(|_| tag),
            communicator: self.all.clone(),
            buffer: buffer(at, length),
        };
        let receive = self.push(rank, line, action);
        let hash = if self.looks_at_received { hash(&bytes) } else { NOT_LOOKED_AT };
        let what = Received { from: id(from), tag, bytes: bytes.len() as u64, hash };
        let event = self.push(rank, line, Action::Received { receive, what });
        self.memory[rank][at..at + bytes.len()].copy_from_slice(&bytes);
        self.came[rank].push((event, at, bytes));
    }

    /// Adds what has come last to memory of the same length, byte by byte.
    pub fn add(&mut self, line: u64, rank: usize, at: usize) {
        let (receive, _, came) = self.came[rank].last().expect("something has come").clone();
        let here = &mut self.memory[rank][at..at + came.len()];
        let before = hash(here);
        here.iter_mut().zip(&came).for_each(|(a, b)| *a = a.wrapping_add(*b));
        let summed = Summed {
            operator: Operator::Sum,
            element: "MPI_UINT8_T".into(),
            receive,
            other: None,
            buffer: buffer(at, came.len()),
            before,
            origins: Vec::new(),
            hash: hash(here),
        };
        if self.sees_sums {
            self.push(rank, line, Action::Summed(summed));
        }
    }

    /// New content that nothing is known of.
    pub fn compute(&mut self, rank: usize, at: usize, length: usize, seed: u64) {
        let mut rng = fastrand::Rng::with_seed(seed ^ (rank as u64) << 32);
        self.memory[rank][at..at + length].fill_with(|| rng.u8(..));
    }

    /// A collective call of all.
    pub fn barrier(&mut self) {
        for rank in 0..self.ranks() {
            let communicator = self.all.clone();
            let name = "MPI_Barrier".into();
            let barrier = Collective { name, communicator, root: None, gives: 0, gets: 0 };
            self.push(rank, 1, Action::Collective(barrier));
        }
    }

    /// The program that the traces tell of.
    pub fn program(&self) -> Program {
        program(&self.traces()).expect("all processes are there")
    }
}

/// The number of a process.
pub fn id(rank: usize) -> u32 {
    u32::try_from(rank).expect("few")
}

/// Bytes in memory.
pub fn buffer(at: usize, length: usize) -> Buffer {
    let (address, count) = (0x7000_0000 + at as u64, length as u64);
    Buffer { address, count, layout: "MPI_UINT8_T".into(), bytes: count }
}

/// A hash of bytes.
pub fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}
