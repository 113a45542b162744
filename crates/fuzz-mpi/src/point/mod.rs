//! Point to point: all modes of sending, all ways to receive, probes, persistent requests.

mod run;

use std::ffi::c_int;
use std::fmt::Write as _;

use commloom_mpi::Abi;
use commloom_testkit::Rng;

use crate::census::{Census, non_blocking};
use crate::completion::Completion;
use crate::memory::{Memory, mix};
use crate::number::int;
use crate::outcome::Outcome;
use crate::part::{Part, random_pair};
use crate::session::{Face, Session};
use crate::specimen::Specimen;

use run::{Run, Sides};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Standard,
    Synchronous,
    Buffered,
    Ready,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sending {
    Blocking(Mode),
    NonBlocking(Mode),
    Persistent(Mode),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Receiving {
    Recv,
    /// `MPI_Probe`, then `MPI_Recv`.
    Probe,
    /// `MPI_Iprobe` until there is something, then `MPI_Recv`.
    Iprobe,
    /// `MPI_Mprobe` and `MPI_Mrecv`.
    Mrecv,
    /// `MPI_Mprobe` and `MPI_Imrecv`.
    Imrecv,
    Irecv,
    Persistent,
}

struct Message<'p, A: Abi> {
    from: usize,
    to: usize,
    tag: c_int,
    any_source: bool,
    any_tag: bool,
    ignore: bool,
    send: Part<'p, A>,
    recv: Part<'p, A>,
    sending: Sending,
    receiving: Receiving,
    send_face: Face,
    recv_face: Face,
}

impl<A: Abi> Message<'_, A> {
    /// Bytes that are sent, and what they are received as.
    fn arriving(&self) -> (Option<usize>, &Specimen<A>) {
        (Some(self.send.places.len()), self.recv.specimen)
    }
}

/// One to four messages between any ranks, sent so many times.
pub struct Plan<'p, A: Abi> {
    seed: u64,
    messages: Vec<Message<'p, A>>,
    rounds: u64,
    how: Completion,
    ignore: bool,
    /// Where nothing of the preload's is among the requests.
    complete_face: Face,
    /// Persistent requests are started with one call.
    startall: bool,
    /// Requests that are null, at the end of the array.
    nulls: usize,
    /// Non-blocking sends are let go with `MPI_Request_free`.
    release: bool,
}

impl Sending {
    fn random(rng: &mut Rng) -> Sending {
        let mode = match rng.u32(0..6) {
            0 => Mode::Synchronous,
            1 => Mode::Buffered,
            2 => Mode::Ready,
            _ => Mode::Standard,
        };
        match rng.u32(0..7) {
            0..=2 => Sending::Blocking(mode),
            3..=5 => Sending::NonBlocking(mode),
            _ => Sending::Persistent(mode),
        }
    }

    /// The name of the call, without `MPI_`.
    fn name(self) -> String {
        let name = match self.mode() {
            Mode::Standard => "Send",
            Mode::Synchronous => "Ssend",
            Mode::Buffered => "Bsend",
            Mode::Ready => "Rsend",
        };
        match self {
            Sending::Blocking(_) => name.to_owned(),
            Sending::NonBlocking(_) => non_blocking(name),
            Sending::Persistent(_) => format!("{name}_init"),
        }
    }

    fn mode(self) -> Mode {
        let (Sending::Blocking(mode) | Sending::NonBlocking(mode) | Sending::Persistent(mode)) =
            self;
        mode
    }
}

impl Receiving {
    fn random(rng: &mut Rng) -> Receiving {
        match rng.u32(0..12) {
            0..=3 => Receiving::Recv,
            4 => Receiving::Probe,
            5 => Receiving::Iprobe,
            6 => Receiving::Mrecv,
            7 => Receiving::Imrecv,
            8 | 9 => Receiving::Irecv,
            _ => Receiving::Persistent,
        }
    }

    /// The name of the call that receives, without `MPI_`.
    fn name(self) -> &'static str {
        match self {
            Receiving::Recv | Receiving::Probe | Receiving::Iprobe => "Recv",
            Receiving::Mrecv => "Mrecv",
            Receiving::Imrecv => "Imrecv",
            Receiving::Irecv => "Irecv",
            Receiving::Persistent => "Recv_init",
        }
    }

    /// Whether there is a request to complete.
    fn has_request(self) -> bool {
        matches!(self, Receiving::Irecv | Receiving::Imrecv | Receiving::Persistent)
    }

    /// Posted before anything is sent.
    fn is_early(self) -> bool {
        matches!(self, Receiving::Irecv | Receiving::Persistent)
    }
}

impl<A: Abi> Message<'_, A> {
    /// The faces of the requests that a rank has to complete.
    fn requests(&self, rank: usize, released: bool) -> impl Iterator<Item = Face> {
        let sends = match self.sending {
            Sending::Blocking(_) => false,
            Sending::NonBlocking(_) => !released,
            Sending::Persistent(_) => true,
        };
        let send = (self.from == rank && sends).then_some(self.send_face);
        let recv = (self.to == rank && self.receiving.has_request()).then_some(self.recv_face);
        send.into_iter().chain(recv)
    }
}

impl<'p, A: Abi> Plan<'p, A> {
    /// A random plan, the same on all ranks.
    pub fn random(
        rng: &mut Rng,
        session: &Session<A>,
        all: &[&'p Specimen<A>],
        operation: u64,
    ) -> Self {
        let n = [1, 1, 1, 2, 3, 4][rng.usize(0..6)];
        let base = int(operation % 900) * 32;
        let mut messages: Vec<Message<A>> = Vec::new();
        for i in 0..n {
            let (from, to) = (rng.usize(0..session.ranks), rng.usize(0..session.ranks));
            let (send, recv) = random_pair(rng, all);
            let (mut sending, mut receiving) = (Sending::random(rng), Receiving::random(rng));
            if from == to && matches!(sending, Sending::Blocking(_)) && !receiving.is_early() {
                // Nobody else could receive it.
                sending = Sending::NonBlocking(sending.mode());
            }
            if sending.mode() == Mode::Ready && !receiving.is_early() {
                receiving = Receiving::Irecv;
            }
            messages.push(Message {
                from,
                to,
                tag: base + i,
                any_source: false,
                any_tag: false,
                ignore: rng.u32(0..4) == 0,
                send,
                recv,
                sending,
                receiving,
                send_face: Face::random(rng, 3),
                recv_face: Face::random(rng, 3),
            });
        }
        // Wildcards only where nothing else can match.
        for i in 0..messages.len() {
            let alone = messages.iter().filter(|m| m.to == messages[i].to).count() == 1;
            if alone && rng.u32(0..4) == 0 {
                messages[i].any_source = rng.bool();
                messages[i].any_tag = rng.bool();
            }
        }
        let again = messages.iter().any(|m| {
            m.receiving == Receiving::Persistent || matches!(m.sending, Sending::Persistent(_))
        });
        let seed = rng.u64(..);
        let rounds = if again { rng.u64(1..4) } else { 1 };
        let buffered = |m: &Message<'p, A>| m.sending == Sending::Persistent(Mode::Buffered);
        let spoilt = session.quirks.restarts_spoil_buffered && messages.iter().any(buffered);
        Plan {
            seed,
            messages,
            rounds: if spoilt { 1 } else { rounds },
            how: Completion::random(rng),
            ignore: rng.u32(0..4) == 0,
            complete_face: Face::random(rng, 3),
            startall: rng.bool(),
            nulls: rng.usize(0..3),
            release: !again && rng.u32(0..10) == 0,
        }
    }

    /// Ranks must not run ahead into the next operation.
    fn fenced(&self) -> bool {
        self.release || self.messages.iter().any(|m| m.any_source || m.any_tag)
    }

    fn memories(&self, rank: usize, round: u64) -> Vec<Sides> {
        let seed = |i: usize, side| mix(&[self.seed, u64::try_from(i).expect("few"), side, round]);
        let one = |places: &[i64], seed| Memory::holding([places], seed);
        let side = |(i, m): (usize, &Message<A>)| Sides {
            send: (m.from == rank).then(|| one(&m.send.places, seed(i, 0))),
            recv: (m.to == rank).then(|| one(&m.recv.places, seed(i, 1))),
        };
        self.messages.iter().enumerate().map(side).collect()
    }

    /// The content that the buffers of a rank must have in the end, in the order of
    /// [`Plan::perform`].
    pub fn expected(&self, rank: usize) -> Vec<Memory> {
        let mut right = Vec::new();
        for round in 0..self.rounds {
            for (i, (sides, m)) in
                self.memories(rank, round).into_iter().zip(&self.messages).enumerate()
            {
                let sent = self.memories(m.from, round).swap_remove(i).send;
                right.extend(sides.send);
                if let (Some(mut memory), Some(sent)) = (sides.recv, sent) {
                    memory.scatter(&m.recv.places, &sent.gather(&m.send.places));
                    right.push(memory);
                }
            }
        }
        right
    }

    /// Makes the operation with the library alone, or as planned.
    pub fn perform(&self, session: &Session<A>, native: bool) -> Outcome {
        let mut out = Outcome::default();
        let mut run = Run::new(session, self, native);
        for round in 0..self.rounds {
            run.round(&mut out, round);
        }
        run.end(&mut out);
        out
    }

    /// Counts the calls of all ranks.
    pub fn count(&self, census: &mut Census) {
        for m in &self.messages {
            let sends = matches!(m.sending, Sending::Persistent(_));
            let receives = m.receiving == Receiving::Persistent;
            for (face, persistent, name, large) in [
                (m.send_face, sends, m.sending.name(), m.send.large),
                (m.recv_face, receives, m.receiving.name().to_owned(), m.recv.large),
            ] {
                for round in 0..self.rounds {
                    if round == 0 || !persistent {
                        census.call(face, &name, large);
                    }
                    if persistent {
                        census.call(face, if self.startall { "Startall" } else { "Start" }, false);
                    }
                }
            }
        }
        let ranks = self.messages.iter().map(|m| m.from.max(m.to)).max().unwrap_or(0);
        for rank in 0..=ranks {
            let faces: Vec<Face> =
                self.messages.iter().flat_map(|m| m.requests(rank, self.release)).collect();
            if faces.is_empty() {
                continue;
            }
            let face =
                if faces.contains(&Face::Wrapped) { Face::Wrapped } else { self.complete_face };
            for _ in 0..self.rounds {
                census.call(face, self.how.name(), false);
            }
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "point to point, {} rounds, completed by {:?} ({:?}), startall {}, released {}, \
             statuses ignored {}",
            self.rounds, self.how, self.complete_face, self.startall, self.release, self.ignore
        );
        for m in &self.messages {
            let _ = write!(
                text,
                "\n  {} -> {}, tag {}: {:?} ({:?}) of {}\n    {:?} ({:?}{}{}{}) of {}",
                m.from,
                m.to,
                m.tag,
                m.sending,
                m.send_face,
                m.send.text(),
                m.receiving,
                m.recv_face,
                if m.any_source { ", any source" } else { "" },
                if m.any_tag { ", any tag" } else { "" },
                if m.ignore { ", status ignored" } else { "" },
                m.recv.text()
            );
        }
        text
    }
}
