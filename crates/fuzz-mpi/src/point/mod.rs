//! Point to point: all modes of sending, all ways to receive, probes, persistent requests.

mod run;

use std::fmt::Write as _;

use commloom_mpi::Abi;
use commloom_testkit::Rng;

use crate::census::Census;
use crate::completion::Completion;
use crate::memory::{Memory, mix};
use crate::message::{Message, Mode, Sending};
use crate::number::int;
use crate::outcome::Outcome;
use crate::part::random_pair;
use crate::session::{Face, Session};
use crate::specimen::Specimen;

use run::{Run, Sides};

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

/// A message, and how it is sent and received.
struct Planned<'p, A: Abi> {
    message: Message<'p, A>,
    sending: Sending,
    receiving: Receiving,
    any_source: bool,
    any_tag: bool,
    ignore: bool,
}

/// One to four messages between any ranks, sent so many times.
pub struct Plan<'p, A: Abi> {
    seed: u64,
    messages: Vec<Planned<'p, A>>,
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

impl<A: Abi> Planned<'_, A> {
    /// The faces of the requests that a rank has to complete.
    fn requests(&self, rank: usize, released: bool) -> impl Iterator<Item = Face> {
        let Message { from, to, send_face, recv_face, .. } = self.message;
        let sends = match self.sending {
            Sending::Blocking(_) => false,
            Sending::NonBlocking(_) => !released,
            Sending::Persistent(_) => true,
        };
        let send = (from == rank && sends).then_some(send_face);
        let recv = (to == rank && self.receiving.has_request()).then_some(recv_face);
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
        let mut messages: Vec<Planned<A>> = Vec::new();
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
            let ignore = rng.u32(0..4) == 0;
            let (send_face, recv_face) = (Face::random(rng, 3), Face::random(rng, 3));
            let message = Message { from, to, tag: base + i, send, recv, send_face, recv_face };
            let (any_source, any_tag) = (false, false);
            messages.push(Planned { message, sending, receiving, any_source, any_tag, ignore });
        }
        // Wildcards only where nothing else can match.
        for i in 0..messages.len() {
            let to = messages[i].message.to;
            let alone = messages.iter().filter(|m| m.message.to == to).count() == 1;
            // After a persistent one nobody knows which messages receives get.
            let known = !Face::is_whole() || messages[i].receiving != Receiving::Persistent;
            if alone && rng.u32(0..4) == 0 && known {
                messages[i].any_source = rng.bool();
                messages[i].any_tag = rng.bool();
            }
        }
        let again = messages.iter().any(|m| {
            m.receiving == Receiving::Persistent || matches!(m.sending, Sending::Persistent(_))
        });
        let seed = rng.u64(..);
        let rounds = if again { rng.u64(1..4) } else { 1 };
        let buffered = |m: &Planned<'p, A>| m.sending == Sending::Persistent(Mode::Buffered);
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
            // Later receives are left alone after that.
            release: !again && rng.u32(0..10) == 0 && !Face::is_whole(),
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
        self.messages.iter().map(|m| &m.message).enumerate().map(side).collect()
    }

    /// The content that the buffers of a rank must have in the end, in the order of
    /// [`Plan::perform`].
    pub fn expected(&self, rank: usize) -> Vec<Memory> {
        let mut right = Vec::new();
        for round in 0..self.rounds {
            let messages = self.messages.iter().map(|m| &m.message);
            for (i, (sides, m)) in self.memories(rank, round).into_iter().zip(messages).enumerate()
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
        for planned in &self.messages {
            let m = &planned.message;
            let sends = matches!(planned.sending, Sending::Persistent(_));
            let receives = planned.receiving == Receiving::Persistent;
            for (face, persistent, name, large) in [
                (m.send_face, sends, planned.sending.name(), m.send.large),
                (m.recv_face, receives, planned.receiving.name().to_owned(), m.recv.large),
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
        let ranks =
            self.messages.iter().map(|m| m.message.from.max(m.message.to)).max().unwrap_or(0);
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
        for Planned { message: m, sending, receiving, any_source, any_tag, ignore } in
            &self.messages
        {
            let _ = write!(
                text,
                "\n  {} -> {}, tag {}: {sending:?} ({:?}) of {}\n    {receiving:?} ({:?}{}{}{}) \
                 of {}",
                m.from,
                m.to,
                m.tag,
                m.send_face,
                m.send.text(),
                m.recv_face,
                if *any_source { ", any source" } else { "" },
                if *any_tag { ", any tag" } else { "" },
                if *ignore { ", status ignored" } else { "" },
                m.recv.text()
            );
        }
        text
    }
}
