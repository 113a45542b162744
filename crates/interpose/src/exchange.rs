//! A collective under way in packed form: what is packed before the library runs it, and unpacked
//! after it has.

use commloom_mpi::Abi;

use crate::blocks::{Arguments, Blocks, Look, Move, Pick};
use crate::message::Purpose;
use crate::pool::Buffer;
use crate::record::Waiting;
use crate::state::Preload;

/// The part of one side in a collective: how many blocks it has, and which of them are packed
/// before and unpacked after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Role<'s> {
    pub blocks: usize,
    pub before: Pick<'s>,
    pub after: Pick<'s>,
}

/// The arguments of one side and its part, if it has one.
type Part<'s, G> = (&'s G, Option<Role<'s>>);

/// One side in packed form.
struct Side<A: Abi> {
    blocks: Blocks<A>,
    buffer: Buffer,
    before: Vec<Move<A>>,
    after: Vec<Move<A>>,
}

// SAFETY: the pointers in it are only used by whoever starts or completes the collective, which MPI
// allows in one thread at a time.
unsafe impl<A: Abi> Send for Side<A> {}

/// Both sides; a side that is not there goes to the library as the program gave it.
pub(crate) struct Exchange<A: Abi> {
    send: Option<Side<A>>,
    receive: Option<Side<A>>,
}

/// What is done about a collective.
pub(crate) enum Plan<A: Abi> {
    /// Nothing.
    Native,
    /// Nothing, this time.
    Unseen(Waiting<A>),
    /// One side or both are packed.
    Packed(Box<Exchange<A>>),
}

impl<A: Abi> Plan<A> {
    /// Looks at both sides, where they have a role, and makes room for what is to be packed. `rank` is
    /// this process.
    ///
    /// # Safety
    /// As the MPI call: lists are as long as their roles say.
    pub unsafe fn of<S: Arguments<A>, R: Arguments<A>>(
        state: &'static Preload<A>,
        ((send, send_role), (receive, receive_role)): (Part<S>, Part<R>),
        rank: usize,
        purpose: Purpose,
    ) -> Plan<A> {
        // SAFETY: passed on.
        let looks = unsafe {
            (
                send_role.map_or(Look::Nothing, |role| send.look(state, role.blocks, purpose)),
                receive_role
                    .map_or(Look::Nothing, |role| receive.look(state, role.blocks, purpose)),
            )
        };
        let (send, receive) = match looks {
            (_, Look::Unseen(waiting)) | (Look::Unseen(waiting), _) => {
                return Plan::Unseen(waiting);
            }
            (Look::Blocks(send), Look::Blocks(receive)) => {
                if overlap(&send, &receive, rank) {
                    return Plan::Native;
                }
                (Some(send), Some(receive))
            }
            (Look::Blocks(send), Look::Nothing) => (Some(send), None),
            (Look::Nothing, Look::Blocks(receive)) => (None, Some(receive)),
            (Look::Nothing, Look::Nothing) => return Plan::Native,
        };
        let side = |blocks: Option<Blocks<A>>, role: Option<Role>| {
            blocks.zip(role).and_then(|(blocks, role)| Side::new(state, blocks, role))
        };
        let (send, receive) = (side(send, send_role), side(receive, receive_role));
        if send.is_none() && receive.is_none() {
            return Plan::Native;
        }
        Plan::Packed(Box::new(Exchange { send, receive }))
    }

    /// The same without packing, where that has failed.
    pub fn given_up(self, state: &Preload<A>) -> Plan<A> {
        if let Plan::Packed(exchange) = self {
            exchange.done(state);
        }
        Plan::Native
    }

    /// The arguments for the library.
    pub fn arguments<S: Arguments<A>, R: Arguments<A>>(
        &mut self,
        (send, receive): (S, R),
    ) -> (S, R) {
        match self {
            Plan::Native | Plan::Unseen(_) => (send, receive),
            Plan::Packed(exchange) => (
                exchange.send.as_mut().map_or(send, |side| side.arguments(send)),
                exchange.receive.as_mut().map_or(receive, |side| side.arguments(receive)),
            ),
        }
    }
}

/// Whether the program sends from where it receives, which libraries report as an error: they shall
/// see it.
fn overlap<A: Abi>(send: &Blocks<A>, receive: &Blocks<A>, rank: usize) -> bool {
    let places = |blocks: &Blocks<A>| [blocks.address(0), blocks.address(rank)];
    let received = places(receive);
    places(send).iter().flatten().any(|&place| received.contains(&Some(place)))
}

impl<A: Abi> Side<A> {
    /// `None` where there is no memory for it, or what is received may overlap.
    fn new(state: &Preload<A>, blocks: Blocks<A>, role: Role) -> Option<Self> {
        let (before, after) = (blocks.moves(role.before)?, blocks.moves(role.after)?);
        if let Some(reason) = after.iter().find_map(|m| m.message.refused_by_overlap()) {
            blocks.count_native(reason);
            return None;
        }
        let Some(buffer) = state.pool.get(blocks.bytes()) else {
            blocks.count_native("no memory");
            return None;
        };
        Some(Side { blocks, buffer, before, after })
    }

    /// # Safety
    /// The program's blocks can be read.
    unsafe fn pack(&mut self) -> Option<()> {
        for m in &self.before {
            let packed = self.buffer.as_mut_slice().get_mut(m.at..)?;
            // SAFETY: passed on.
            unsafe { m.message.pack_range(m.memory, packed, m.range.clone())? };
        }
        Some(())
    }

    /// # Safety
    /// The program's blocks can be written.
    unsafe fn unpack(&self) -> Option<()> {
        for m in &self.after {
            let packed = self.buffer.as_slice().get(m.at..)?;
            // SAFETY: passed on.
            unsafe { m.message.unpack_range(m.memory, packed, m.range.clone())? };
        }
        Some(())
    }

    fn arguments<G: Arguments<A>>(&mut self, given: G) -> G {
        given.packed(self.buffer.as_mut_slice().as_mut_ptr().cast(), &self.blocks)
    }
}

impl<A: Abi> Exchange<A> {
    /// Packs what this process sends, before the library begins. `None` where our own code failed.
    ///
    /// # Safety
    /// As the MPI call: what it sends can be read; the library does not use the packed bytes.
    pub unsafe fn pack(&mut self) -> Option<()> {
        for side in [&mut self.send, &mut self.receive].into_iter().flatten() {
            // SAFETY: passed on. Of the receiving side only blocks that are sent too are packed.
            unsafe { side.pack()? };
        }
        Some(())
    }

    /// Whether memory of the program on one of the sides is a GPU's.
    pub fn is_refused_by_gpu(&self) -> bool {
        let moves = |side: &Side<A>| {
            let all = side.before.iter().chain(&side.after);
            all.map(|m| m.message.refused_by_gpu(m.memory)).any(|reason| reason.is_some())
        };
        [&self.send, &self.receive].into_iter().flatten().any(moves)
    }

    /// Counts a collective that goes through the engine.
    pub fn count(&self) {
        for side in [&self.send, &self.receive].into_iter().flatten() {
            side.blocks.count();
        }
    }

    /// Puts what arrived where it belongs.
    ///
    /// # Safety
    /// The collective has succeeded, and what it receives into can be written.
    pub unsafe fn unpack(&self) {
        if let Some(side) = &self.receive {
            // SAFETY: passed on. A failure of ours is counted; there is nobody else to unpack.
            unsafe { side.unpack() };
        }
    }

    /// Gives the buffers back.
    pub fn done(self, state: &Preload<A>) {
        for side in [self.send, self.receive].into_iter().flatten() {
            state.pool.put(side.buffer);
        }
    }
}
