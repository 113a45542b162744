//! Handles made by `encode` in messages: a library can pack a datatype right and still send or
//! receive it wrong, since long messages go by lists of pieces that it counts another way.
//!
//! Each case is a random layout from its seed, sent to a contiguous receiver, received from a
//! contiguous sender, or both, in one of the ways in which libraries move messages. The other
//! process, where there is one, draws the same; what must arrive is computed by the oracle. Freed
//! memory is overwritten, so that entries which a library forgot to fill are noticed.
//!
//! `COMMLOOM_MESSAGES` is the number of cases, `COMMLOOM_SEED` the seed of the first.

use std::env;
use std::ffi::{c_int, c_void};

use commloom_fuzz_mpi::memory::{Memory, mix};
use commloom_layout::{Base, Basic, Type};
use commloom_mpi::{Abi, EncodeError, Mpi, OwnedDatatype, SHORT, Subject, encode};
use commloom_testkit::{Rng, oracle};

use super::shapes::{is_receivable, shape};

/// Cases where nobody asks for more.
const CASES: u64 = 150;
/// Bytes of data of a message: at once, in several parts, by a single copy.
const SIZES: [u64; 5] = [500, 4_000, 4_000, 40_000, 110_000];
/// Room for buffered messages.
const ATTACHED: c_int = 1 << 20;

/// How a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// A blocking send and a blocking receive.
    Plain,
    /// The receive is posted first.
    Posted,
    /// The message is under way before the receive is posted.
    Unexpected,
    /// By `MPI_Bsend`.
    Buffered,
    /// By `MPI_Sendrecv_replace`, the layout on both sides.
    Replace,
    /// By `MPI_Bcast`, the layout on both sides.
    Broadcast,
    /// By `MPI_Alltoallw`.
    Alltoallw,
}

/// Which sides of a message have the layout; the others are contiguous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sides {
    Sender,
    Receiver,
    Both,
    /// The receiver, which gets fewer elements than it has room for.
    Less,
}

/// The arguments that one side hands to the library.
struct Side<A: Abi> {
    datatype: A::Datatype,
    count: c_int,
    /// Displacements of its bytes in packed order.
    places: Vec<i64>,
}

/// One message, on the process that sends it and on the one that receives it.
struct Message<A: Abi> {
    sent: Side<A>,
    received: Side<A>,
    seed: u64,
}

struct Exchange<'m, A: Abi> {
    mpi: &'m Mpi<A>,
    comm: A::Comm,
    rank: c_int,
    ranks: c_int,
    far: bool,
    /// Prints every message before it is sent.
    verbose: bool,
}

/// `far`: messages between the processes go as between two nodes.
pub fn check<A: Abi>(mpi: &Mpi<A>, far: bool) -> String {
    // SAFETY: no other thread of this program uses the heap now.
    let accepted = unsafe { libc::mallopt(libc::M_PERTURB, 0xa5) };
    assert_eq!(accepted, 1, "freed memory is overwritten");
    let comm = mpi.handles.comm_world;
    let rank = mpi.rank(comm).expect("valid handle");
    let ranks = mpi.size(comm).expect("valid handle");
    attach(mpi);
    let exchange = Exchange {
        mpi,
        comm,
        rank,
        ranks,
        far,
        verbose: env::var_os("COMMLOOM_VERBOSE").is_some(),
    };
    let cases = asked().unwrap_or(CASES);
    let first = number("COMMLOOM_SEED").unwrap_or(0);
    let (mut sent, mut refused) = (0, 0);
    for seed in first..first + cases {
        match exchange.case(seed) {
            Ok(messages) => sent += messages,
            Err(Failure::Refused) => refused += 1,
            // The other process may wait for ever now: this one ends, and mpiexec both.
            Err(Failure::Wrong(text)) => panic!("rank {rank}, {text}"),
        }
    }
    assert!(sent > 10 * refused, "{sent} messages, {refused} layouts refused");
    // SAFETY: turns off what was turned on above.
    unsafe { libc::mallopt(libc::M_PERTURB, 0) };
    format!("{sent} messages of encoded layouts ({refused} refused)")
}

/// How many cases are asked for, and nothing else.
pub fn asked() -> Option<u64> {
    number("COMMLOOM_MESSAGES")
}

enum Failure {
    /// `encode` makes no handle.
    Refused,
    Wrong(String),
}

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is {text}, not a number")))
}

/// Gives the library a buffer for buffered messages until it ends.
fn attach<A: Abi>(mpi: &Mpi<A>) {
    let found = mpi.library().function(c"PMPI_Buffer_attach").expect("in every library");
    // SAFETY: the prototype of this function (MPI 4.1, section 3.6).
    let attach = unsafe {
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void, c_int) -> c_int>(found)
    };
    let room = vec![0_u8; usize::try_from(ATTACHED).expect("positive")].leak();
    // SAFETY: leaked: it lives until the program ends.
    let code = unsafe { attach(room.as_mut_ptr().cast(), ATTACHED) };
    mpi.check("MPI_Buffer_attach", code).expect("no other buffer");
}

impl<'m, A: Abi> Exchange<'m, A> {
    /// The messages of one seed; how many there were.
    fn case(&self, seed: u64) -> Result<u64, Failure> {
        let mut rng = Rng::with_seed(mix(&[seed, 20]));
        let most = SIZES[rng.usize(0..SIZES.len())];
        let short = rng.bool();
        let layout = shape(&mut rng, if short { most.min(400) } else { most });
        let count = (most / layout.size()).clamp(1, 3000);
        let count = if rng.bool() { 1 } else { rng.u64(1..=count) };
        let what = |way: &str| format!("COMMLOOM_SEED={seed} {way}, {count} x {layout:?}");
        let made = match encode(self.mpi, &layout) {
            Ok(made) => made,
            Err(EncodeError::Disagree { .. }) => return Err(Failure::Refused),
            Err(other) => return Err(Failure::Wrong(format!("{}: {other}", what("encode")))),
        };
        let packed = Packed::new(self.mpi, &layout);
        let places = oracle::byte_map(&layout, count);
        let room = places.len();
        let receivable = is_receivable(&layout, count);
        let ways: &[Way] = match self.ranks {
            1 => &[Way::Posted, Way::Buffered, Way::Replace],
            _ => &[
                Way::Plain,
                Way::Posted,
                Way::Unexpected,
                Way::Buffered,
                Way::Replace,
                Way::Broadcast,
                Way::Alltoallw,
            ],
        };
        let mixed = layout.base() == Base::Mixed;
        let mut sizes = layout.type_map().map(|entry| entry.basic.size());
        let first = sizes.next();
        let of_one_size = mixed && sizes.all(|size| Some(size) == first);
        if self.far && of_one_size && self.mpi.may_have(Subject::MixedOfOneSize) {
            return Err(Failure::Refused);
        }
        let mut messages = 0;
        for _ in 0..2 {
            let way = ways[rng.usize(0..ways.len())];
            let both = matches!(way, Way::Replace | Way::Broadcast);
            let sides = match rng.u32(0..6) {
                _ if !receivable && both => continue,
                _ if !receivable => Sides::Sender,
                _ if both => Sides::Both,
                0 | 1 => Sides::Sender,
                2 | 3 => Sides::Receiver,
                4 => Sides::Both,
                _ if way == Way::Alltoallw => Sides::Receiver,
                _ => Sides::Less,
            };
            let packs = sides != Sides::Both || [Way::Replace, Way::Buffered].contains(&way);
            if mixed && packs && room > SHORT && self.mpi.may_have(Subject::LongMixed) {
                continue;
            }
            let typed = || Side::<A> {
                datatype: made.handle(),
                count: c_int::try_from(count).expect("small"),
                places: places.clone(),
            };
            let contiguous = || packed.side(&layout, count, room);
            let (sent, received) = match sides {
                Sides::Sender => (typed(), contiguous()),
                Sides::Receiver => (contiguous(), typed()),
                Sides::Both => (typed(), typed()),
                Sides::Less => (packed.some(&layout, count, room, &mut rng), typed()),
            };
            let message = Message { sent, received, seed };
            let from = if rng.bool() { 0 } else { self.ranks - 1 };
            if self.verbose {
                println!("{}: {}", self.rank, what(&format!("{way:?} {sides:?} from {from}")));
            }
            self.make(&message, way, from).map_err(|error| {
                Failure::Wrong(format!(
                    "{}: {error}",
                    what(&format!("{way:?} {sides:?} from {from}"))
                ))
            })?;
            messages += 1;
        }
        Ok(messages)
    }

    /// Makes the calls of this process, and compares what it has received.
    fn make(&self, message: &Message<A>, way: Way, from: c_int) -> Result<(), String> {
        let to = self.ranks - 1 - from;
        let symmetric = matches!(way, Way::Replace | Way::Alltoallw);
        let sends = self.rank == from || symmetric;
        let receives = self.rank == to || symmetric;
        let partner = self.ranks - 1 - self.rank;
        let content = |rank: c_int| {
            let seed = mix(&[message.seed, u64::from(rank.unsigned_abs())]);
            Memory::holding([message.sent.places.as_slice()], seed)
        };
        let mut source = content(self.rank);
        let mut target = match way {
            Way::Replace => source.clone(),
            _ => Memory::holding([message.received.places.as_slice()], mix(&[message.seed, 7])),
        };
        let mut expected = target.clone();
        let peer = if symmetric { partner } else { from };
        expected.scatter(&message.received.places, &content(peer).gather(&message.sent.places));
        if way == Way::Broadcast && sends {
            expected = source.clone();
            target = source.clone();
        }
        let call = Call { exchange: self, message, partner };
        let mut request = self.mpi.handles.request_null;
        match way {
            Way::Plain => {
                if sends && receives {
                    unreachable!("a process alone posts its receives first");
                } else if sends {
                    call.send(&mut source)?;
                } else if receives {
                    call.receive(&mut target)?;
                }
            }
            Way::Posted | Way::Buffered => {
                if receives {
                    request = call.post(&mut target)?;
                }
                if way == Way::Posted {
                    self.barrier()?;
                }
                if sends && way == Way::Buffered {
                    call.send_buffered(&mut source)?;
                } else if sends {
                    call.send(&mut source)?;
                }
                call.wait(request)?;
            }
            Way::Unexpected => {
                if sends {
                    request = call.start(&mut source)?;
                }
                self.barrier()?;
                if receives {
                    call.receive(&mut target)?;
                }
                call.wait(request)?;
            }
            Way::Replace => call.replace(&mut target)?,
            Way::Broadcast => call.broadcast(&mut target, from)?,
            Way::Alltoallw => call.alltoallw(&mut source, &mut target)?,
        }
        if (receives || way == Way::Broadcast)
            && let Some((at, found, wanted)) = target.difference(&expected)
        {
            return Err(format!("byte {at} is {found:#x}, not {wanted:#x}"));
        }
        Ok(())
    }

    fn barrier(&self) -> Result<(), String> {
        // SAFETY: a live handle.
        self.checked("MPI_Barrier", unsafe { (self.mpi.own.barrier)(self.comm) })
    }

    fn checked(&self, call: &'static str, code: c_int) -> Result<(), String> {
        self.mpi.check(call, code).map_err(|error| error.to_string())
    }
}

const TAG: c_int = 20;

/// The calls of one process for one message. `partner` is the other process, or this one alone.
struct Call<'e, 'm, A: Abi> {
    exchange: &'e Exchange<'m, A>,
    message: &'e Message<A>,
    partner: c_int,
}

// SAFETY (all): handles are live, each memory holds the places of its side, requests are waited
// for while their memory lives.
#[allow(clippy::undocumented_unsafe_blocks, reason = "one comment for all, just above")]
impl<A: Abi> Call<'_, '_, A> {
    fn send(&self, from: &mut Memory) -> Result<(), String> {
        let (side, e) = (&self.message.sent, self.exchange);
        let send = e.mpi.own.send;
        let code =
            unsafe { send(from.address(), side.count, side.datatype, self.partner, TAG, e.comm) };
        e.checked("MPI_Send", code)
    }

    fn send_buffered(&self, from: &mut Memory) -> Result<(), String> {
        let (side, e) = (&self.message.sent, self.exchange);
        let send = e.mpi.own.bsend;
        let code =
            unsafe { send(from.address(), side.count, side.datatype, self.partner, TAG, e.comm) };
        e.checked("MPI_Bsend", code)
    }

    fn start(&self, from: &mut Memory) -> Result<A::Request, String> {
        let (side, e) = (&self.message.sent, self.exchange);
        let (send, partner) = (e.mpi.own.isend, self.partner);
        let mut request = e.mpi.handles.request_null;
        let code = unsafe {
            let new = &raw mut request;
            send(from.address(), side.count, side.datatype, partner, TAG, e.comm, new)
        };
        e.checked("MPI_Isend", code).map(|()| request)
    }

    fn receive(&self, into: &mut Memory) -> Result<(), String> {
        let (side, e) = (&self.message.received, self.exchange);
        let (receive, ignored) = (e.mpi.own.recv, A::CONSTANTS.status_ignore_ptr());
        let code = unsafe {
            receive(into.address(), side.count, side.datatype, self.partner, TAG, e.comm, ignored)
        };
        e.checked("MPI_Recv", code)
    }

    fn post(&self, into: &mut Memory) -> Result<A::Request, String> {
        let (side, e) = (&self.message.received, self.exchange);
        let (receive, partner) = (e.mpi.own.irecv, self.partner);
        let mut request = e.mpi.handles.request_null;
        let code = unsafe {
            let new = &raw mut request;
            receive(into.address(), side.count, side.datatype, partner, TAG, e.comm, new)
        };
        e.checked("MPI_Irecv", code).map(|()| request)
    }

    fn wait(&self, mut request: A::Request) -> Result<(), String> {
        let ignored = A::CONSTANTS.status_ignore_ptr();
        let code = unsafe { (self.exchange.mpi.own.wait)(&raw mut request, ignored) };
        self.exchange.checked("MPI_Wait", code)
    }

    fn replace(&self, memory: &mut Memory) -> Result<(), String> {
        let (side, e, partner) = (&self.message.received, self.exchange, self.partner);
        let ignored = A::CONSTANTS.status_ignore_ptr();
        let code = unsafe {
            let (replace, at) = (e.mpi.own.sendrecv_replace, memory.address());
            replace(at, side.count, side.datatype, partner, TAG, partner, TAG, e.comm, ignored)
        };
        e.checked("MPI_Sendrecv_replace", code)
    }

    fn broadcast(&self, memory: &mut Memory, root: c_int) -> Result<(), String> {
        let (side, e) = (&self.message.received, self.exchange);
        let broadcast = e.mpi.own.bcast;
        let code = unsafe { broadcast(memory.address(), side.count, side.datatype, root, e.comm) };
        e.checked("MPI_Bcast", code)
    }

    /// A block for the partner and nothing for this process itself.
    fn alltoallw(&self, from: &mut Memory, into: &mut Memory) -> Result<(), String> {
        let (sent, received, e) = (&self.message.sent, &self.message.received, self.exchange);
        let counts =
            |side: &Side<A>| [0, 1].map(|r| if r == self.partner { side.count } else { 0 });
        let (sends, receives) = (counts(sent), counts(received));
        let (sent, received) = ([sent.datatype; 2], [received.datatype; 2]);
        let code = unsafe {
            (e.mpi.own.alltoallw)(
                from.address(),
                sends.as_ptr(),
                [0, 0].as_ptr(),
                sent.as_ptr(),
                into.address(),
                receives.as_ptr(),
                [0, 0].as_ptr(),
                received.as_ptr(),
                e.comm,
            )
        };
        e.checked("MPI_Alltoallw", code)
    }
}

/// The elements of a layout one behind the other: a basic type, or a struct of the same signature.
struct Packed<'m, A: Abi> {
    basic: Option<A::Datatype>,
    structure: Option<OwnedDatatype<'m, A>>,
}

impl<'m, A: Abi> Packed<'m, A> {
    fn new(mpi: &'m Mpi<A>, layout: &Type) -> Self {
        if let Base::One(basic) = layout.base() {
            let basic = mpi.handles.datatype(basic.name()).expect("everywhere");
            return Packed { basic: Some(basic), structure: None };
        }
        let mut runs: Vec<(Basic, u64)> = Vec::new();
        for entry in layout.type_map() {
            match runs.last_mut() {
                Some((basic, n)) if *basic == entry.basic => *n += 1,
                _ => runs.push((entry.basic, 1)),
            }
        }
        let (mut at, mut places, mut parts) = (0, Vec::new(), Vec::new());
        for (basic, n) in runs {
            let size = i64::try_from(basic.size()).expect("a few bytes");
            places.push(at);
            parts.push(Type::vec(n, size, Type::leaf(basic)).expect("short"));
            at += size * i64::try_from(n).expect("short");
        }
        let packed = Type::strc(places, parts).and_then(|ty| Type::resized(0, at, ty));
        let made = encode(mpi, &packed.expect("short")).expect("contiguous");
        Packed { basic: None, structure: Some(made) }
    }

    fn side(&self, layout: &Type, count: u64, bytes: usize) -> Side<A> {
        let (datatype, count) = match (self.basic, &self.structure) {
            (Some(basic), _) => (basic, layout.elements() * count),
            (None, made) => (made.as_ref().expect("one of both").handle(), count),
        };
        let places = (0..i64::try_from(bytes).expect("short")).collect();
        Side { datatype, count: c_int::try_from(count).expect("small"), places }
    }

    /// A part of the elements, from the first one on.
    fn some(&self, layout: &Type, count: u64, bytes: usize, rng: &mut Rng) -> Side<A> {
        let mut side = self.side(layout, count, bytes);
        let each = bytes / usize::try_from(side.count).expect("not negative");
        side.count = rng.i32(0..=side.count);
        side.places.truncate(each * usize::try_from(side.count).expect("not negative"));
        side
    }
}
