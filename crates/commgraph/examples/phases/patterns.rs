//! The measured patterns.

use commloom_commgraph::{
    Address, Buffer, Builder, Bytes, Communicator, Dependencies, Graph, Process, Tag,
};
use commloom_layout::{Basic, Type};
use commloom_testkit::Rng;
use commloom_testkit::graphs::site::Site;
use commloom_testkit::graphs::textbook::ALGORITHMS;

pub struct Pattern {
    pub name: &'static str,
    pub title: &'static str,
    pub what: &'static str,
    pub graph: fn(u32) -> Graph,
    pub sizes: &'static [u32],
    /// Why it is not measured on more processes.
    pub limit: &'static str,
    /// The operations that must be found, and no others.
    pub finds: Option<&'static str>,
}

pub const PATTERNS: &[Pattern] = &[
    Pattern {
        name: "broadcast",
        title: "Binomial broadcast",
        what: "1 kB from process 0; p - 1 messages. Goals: 50 ms and 128 bytes per process at p = \
               300,000, 200 ms at 2^20, exponent at most 1.1 (Hoefler and Schneider: 3.5 s, 283 \
               bytes).",
        graph: |p| textbook("bcast::binomial", p),
        sizes: &[1 << 10, 1 << 12, 1 << 14, 1 << 17, 300_000, 1 << 20, 1 << 22],
        limit: "The graph alone has 64 bytes per process.",
        finds: Some("bcast"),
    },
    Pattern {
        name: "alltoall",
        title: "Alltoall by Bruck's algorithm, without packing",
        what: "Blocks of 1 kB chosen by types (Träff, Rougier, Hunold 2014): 2 log p messages and \
               4 copies per process make p (p - 1) transfers.",
        graph: |p| textbook("zero_copy::bruck", p),
        sizes: &[1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12],
        limit: "Time is in the p^2 blocks that the types of p processes choose; memory is not.",
        finds: Some("alltoall"),
    },
    Pattern {
        name: "doubling",
        title: "Allgather by recursive doubling",
        what: "Blocks of 1 kB; log p messages per process make p (p - 1) transfers.",
        graph: |p| textbook("allgather::recursive_doubling", p),
        sizes: &[1 << 10, 1 << 12, 1 << 14, 1 << 16],
        limit: "Each of the log p messages of a process is made of what up to log p others wrote.",
        finds: Some("allgather"),
    },
    Pattern {
        name: "ring",
        title: "Allgather around a ring",
        what: "Blocks of 1 kB; p (p - 1) messages, as many as transfers.",
        graph: |p| textbook("allgather::ring", p),
        sizes: &[1 << 7, 1 << 8, 1 << 9, 1 << 10, 1 << 11],
        limit: "The graph itself has p^2 messages, of 72 bytes each.",
        finds: Some("allgather"),
    },
    Pattern {
        name: "halo",
        title: "Halo exchange in two dimensions",
        what: "16 by 16 doubles per process with a frame of ghost cells; rows are contiguous, \
               columns are vectors. Four messages per process, 34 transfers.",
        graph: halo,
        sizes: &[1 << 10, 1 << 12, 1 << 14, 1 << 16],
        limit: "The columns come apart into transfers of 8 bytes before they are detected: 40 \
                bytes each.",
        finds: None,
    },
    Pattern {
        name: "random",
        title: "Random messages",
        what: "p messages between random processes, of random lengths.",
        graph: random,
        sizes: &[1 << 10, 1 << 12, 1 << 14, 1 << 17, 1 << 20, 1 << 22],
        limit: "The graph alone has 64 bytes per process.",
        finds: None,
    },
];

fn textbook(name: &str, processes: u32) -> Graph {
    let algorithm = ALGORITHMS.iter().find(|a| a.name == name).expect("in the list");
    let mut builder = Builder::new(processes, Dependencies::Automatic);
    (algorithm.build)(&mut Site::new(&mut builder, processes, 1 << 10));
    builder.finish().expect("a valid graph")
}

/// A grid of about as many rows as columns, not periodic.
fn halo(processes: u32) -> Graph {
    const CELLS: u64 = 16;
    let columns = 1 << (processes.ilog2() / 2);
    let rows = processes / columns;
    let width = 8 * (CELLS + 2);
    let cell = |row: u64, column: u64| Address(row * width + column * 8);
    let row = |at| Buffer::Range(at, Bytes(8 * CELLS));
    let column = |at| {
        let ty = Type::vec(CELLS, width.cast_signed(), Type::leaf(Basic::DOUBLE));
        Buffer::Typed { at, count: 1, ty: ty.expect("in range") }
    };
    // Down, up, right, left: where the neighbour is, what goes there, and where it comes to.
    let ways = [
        (1, 0, row(cell(CELLS, 1)), row(cell(0, 1))),
        (-1, 0, row(cell(1, 1)), row(cell(CELLS + 1, 1))),
        (0, 1, column(cell(1, CELLS)), column(cell(1, 0))),
        (0, -1, column(cell(1, 1)), column(cell(1, CELLS + 1))),
    ];
    let mut builder = Builder::new(processes, Dependencies::Automatic);
    let neighbour = |p: u32, down: i32, right: i32| {
        let r = (p / columns).checked_add_signed(down).filter(|r| *r < rows)?;
        let c = (p % columns).checked_add_signed(right).filter(|c| *c < columns)?;
        Some(Process(r * columns + c))
    };
    for p in 0..rows * columns {
        for (tag, (down, right, from, into)) in (0..).zip(&ways) {
            if let Some(to) = neighbour(p, *down, *right) {
                let sent = builder.send(Process(p), from.clone(), to, Tag(tag), Communicator(0));
                sent.expect("in range");
            }
            if let Some(from) = neighbour(p, -down, -right) {
                let got =
                    builder.receive(Process(p), into.clone(), from, Tag(tag), Communicator(0));
                got.expect("in range");
            }
        }
    }
    builder.finish().expect("a valid graph")
}

fn random(processes: u32) -> Graph {
    let mut rng = Rng::with_seed(processes.into());
    let mut builder = Builder::new(processes, Dependencies::Automatic);
    for i in 0..u64::from(processes) {
        let (from, to) = (Process(rng.u32(0..processes)), Process(rng.u32(0..processes)));
        let length = Bytes(rng.u64(1..5000));
        let sent = (Address(rng.u64(0..100_000)), length);
        builder.send(from, sent, to, Tag(0), Communicator(0)).expect("in range");
        // Everything comes to a place of its own.
        let received = (Address(200_000 + 5000 * i), length);
        builder.receive(to, received, from, Tag(0), Communicator(0)).expect("in range");
    }
    builder.finish().expect("a valid graph")
}
