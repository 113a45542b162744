//! Where a textbook algorithm puts its messages.

use std::collections::HashMap;

use commloom_commgraph::{
    Address, Buffer, Builder, Bytes, Combine, Communicator, Handle, Process, Reduction, Tag,
};
use commloom_layout::{Basic, Type};

/// A graph under construction, and the memory and the tag that one algorithm may use: from `at`
/// on, the same at every process, [`Site::room`] bytes.
#[derive(Debug)]
pub struct Site<'a> {
    /// The graph.
    pub builder: &'a mut Builder,
    /// Its processes.
    pub processes: u32,
    /// The root of rooted operations.
    pub root: u32,
    /// The first address.
    pub at: u64,
    /// Bytes of a block.
    pub block: u64,
    /// The tag of all messages.
    pub tag: i32,
    /// The number of the message that is changed, and how.
    pub change: Option<(u32, Change)>,
    /// How many sends there are so far.
    pub sends: u32,
    /// The operations of the changed message: process, and place among its operations. Right where
    /// nobody else adds operations before.
    pub changed: Vec<(u32, u32)>,
    /// Sends and receives from one process to another so far.
    channels: HashMap<(u32, u32), (u32, u32)>,
    /// Source, destination and place there of the changed message.
    spoilt: Option<(u32, u32, u32)>,
    /// Operations of each process so far.
    operations: HashMap<u32, u32>,
}

/// The mistake in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    /// Its last byte is missing.
    Shorter,
    /// It is sent from an address one byte further on.
    SentFrom,
    /// It goes to an address one byte further on.
    ReceivedAt,
    /// It goes to the process after the one that should get it.
    Peer,
    /// It is not there.
    Removed,
    /// Only its send is there.
    SendOnly,
    /// It comes twice.
    Twice,
    /// Its send has another tag.
    Tag,
}

impl Change {
    /// All of them.
    pub const ALL: [Change; 8] = [
        Change::Shorter,
        Change::SentFrom,
        Change::ReceivedAt,
        Change::Peer,
        Change::Removed,
        Change::SendOnly,
        Change::Twice,
        Change::Tag,
    ];
}

impl<'a> Site<'a> {
    /// A site at the start of memory, without a root of its own.
    pub fn new(builder: &'a mut Builder, processes: u32, block: u64) -> Self {
        Site {
            builder,
            processes,
            root: 0,
            at: 64,
            block,
            tag: 0,
            change: None,
            sends: 0,
            changed: Vec::new(),
            channels: HashMap::new(),
            spoilt: None,
            operations: HashMap::new(),
        }
    }

    /// The memory that a site needs in each process.
    #[must_use]
    pub fn room(&self) -> u64 {
        3 * self.area()
    }

    /// Where what a process gives lies.
    #[must_use]
    pub fn input(&self) -> u64 {
        self.at
    }

    /// Where what it gets goes.
    #[must_use]
    pub fn output(&self) -> u64 {
        self.at + self.area()
    }

    /// Memory that is dead in the end.
    #[must_use]
    pub fn scratch(&self) -> u64 {
        self.at + 2 * self.area()
    }

    /// A block for each process and some bytes more, so that areas never touch.
    fn area(&self) -> u64 {
        (u64::from(self.processes) + 1) * self.block + 3
    }

    /// Declares the scratch memory of all processes dead.
    pub fn scratch_is_dead(&mut self) {
        for p in 0..self.processes {
            let (start, length) = (Address(self.scratch()), Bytes(self.area()));
            self.builder.dead(Process(p), start, length).expect("in range");
        }
    }

    /// `p` sends `length` bytes at `at` to `to`.
    pub fn send(&mut self, p: u32, to: u32, at: u64, length: u64) -> Handle {
        self.send_buffer(p, to, (Address(at), Bytes(length)).into())
    }

    /// `p` receives `length` bytes from `from` to `at`.
    pub fn receive(&mut self, p: u32, from: u32, at: u64, length: u64) -> Handle {
        self.receive_buffer(p, from, (Address(at), Bytes(length)).into())
    }

    /// `p` sends a buffer to `to`, changed if this is the message that is.
    pub fn send_buffer(&mut self, p: u32, to: u32, buffer: Buffer) -> Handle {
        let change = self.change.filter(|(number, _)| *number == self.sends).map(|(_, c)| c);
        self.sends += 1;
        let channel = self.channels.entry((p, to)).or_default();
        channel.0 += 1;
        let Some(change) = change else { return self.plain_send(p, to, buffer) };
        self.spoilt = Some((p, to, channel.0));
        let first = self.mark(p);
        match change {
            Change::Removed => self.nothing(p),
            Change::Shorter => self.plain_send(p, to, without_last_byte(buffer)),
            Change::SentFrom => self.plain_send(p, to, further_on(buffer)),
            Change::Peer => self.plain_send(p, (to + 1) % self.processes, buffer),
            Change::Tag => {
                let tag = std::mem::replace(&mut self.tag, i32::MAX);
                let handle = self.plain_send(p, to, buffer);
                self.tag = tag;
                handle
            }
            Change::Twice => {
                self.plain_send(p, to, buffer.clone());
                self.changed.push((p, first + 1));
                self.plain_send(p, to, buffer)
            }
            Change::ReceivedAt | Change::SendOnly => self.plain_send(p, to, buffer),
        }
    }

    /// `p` receives a buffer from `from`, changed if this is the message that is.
    pub fn receive_buffer(&mut self, p: u32, from: u32, buffer: Buffer) -> Handle {
        let channel = self.channels.entry((from, p)).or_default();
        channel.1 += 1;
        let change = self.change.map(|(_, c)| c);
        let (Some(change), true) = (change, self.spoilt == Some((from, p, channel.1))) else {
            return self.plain_receive(p, from, buffer);
        };
        if change == Change::Peer {
            let other = (p + 1) % self.processes;
            self.mark(other);
            return self.plain_receive(other, from, buffer);
        }
        let first = self.mark(p);
        match change {
            Change::Removed | Change::SendOnly => self.nothing(p),
            Change::ReceivedAt => self.plain_receive(p, from, further_on(buffer)),
            Change::Twice => {
                self.plain_receive(p, from, buffer.clone());
                self.changed.push((p, first + 1));
                self.plain_receive(p, from, buffer)
            }
            Change::Shorter | Change::SentFrom | Change::Peer | Change::Tag => {
                self.plain_receive(p, from, buffer)
            }
        }
    }

    /// Notes that the next operation of `p` belongs to the changed message.
    fn mark(&mut self, p: u32) -> u32 {
        let next = self.operations.get(&p).copied().unwrap_or(0);
        self.changed.push((p, next));
        next
    }

    fn count(&mut self, p: u32) {
        *self.operations.entry(p).or_default() += 1;
    }

    fn nothing(&mut self, p: u32) -> Handle {
        self.count(p);
        self.builder.nothing(Process(p)).expect("in range")
    }

    fn plain_send(&mut self, p: u32, to: u32, buffer: Buffer) -> Handle {
        self.count(p);
        let (to, tag) = (Process(to), Tag(self.tag));
        self.builder.send(Process(p), buffer, to, tag, Communicator(0)).expect("in range")
    }

    fn plain_receive(&mut self, p: u32, from: u32, buffer: Buffer) -> Handle {
        self.count(p);
        let (from, tag) = (Process(from), Tag(self.tag));
        self.builder.receive(Process(p), buffer, from, tag, Communicator(0)).expect("in range")
    }

    /// A send and its receive.
    pub fn message(&mut self, from: (u32, u64), to: (u32, u64), length: u64) -> (Handle, Handle) {
        (self.send(from.0, to.0, from.1, length), self.receive(to.0, from.0, to.1, length))
    }

    /// `p` copies.
    pub fn copy(&mut self, p: u32, from: u64, to: u64, length: u64) {
        self.count(p);
        let (from, to) = (Address(from), Address(to));
        self.builder.copy(Process(p), from, to, Bytes(length)).expect("in range");
    }

    /// `p` adds what is at `from` to what is at `into`.
    pub fn add(&mut self, p: u32, from: u64, into: u64, length: u64) {
        self.count(p);
        let reduction = Reduction { combine: Combine::Sum, element: Basic::BYTE };
        let (from, into) = (Address(from), Address(into));
        let length = Bytes(length);
        self.builder.reduce(Process(p), from, into, length, reduction).expect("in range");
    }

    /// The process that is `k` after the root.
    #[must_use]
    pub fn rank(&self, k: u32) -> u32 {
        (self.root + k) % self.processes
    }

    /// Block `k` of an area.
    #[must_use]
    pub fn block_at(&self, area: u64, k: u32) -> u64 {
        area + u64::from(k) * self.block
    }
}

/// The same buffer, byte by byte, without the last.
fn without_last_byte(buffer: Buffer) -> Buffer {
    let (at, count, ty) = match buffer {
        Buffer::Range(at, length) => return Buffer::Range(at, Bytes(length.0.saturating_sub(1))),
        Buffer::Typed { at, count, ty } => (at, count, ty),
    };
    let mut bytes = crate::oracle::byte_map(&ty, count);
    bytes.pop();
    let ty = Type::idx(bytes, Type::leaf(Basic::BYTE)).expect("it was valid with one byte more");
    Buffer::Typed { at, count: 1, ty }
}

fn further_on(buffer: Buffer) -> Buffer {
    match buffer {
        Buffer::Range(Address(at), length) => Buffer::Range(Address(at + 1), length),
        Buffer::Typed { at: Address(at), count, ty } => {
            Buffer::Typed { at: Address(at + 1), count, ty }
        }
    }
}
