//! The plan of a collective call: it stays as it is, or one or both of its sides are packed.

use std::ffi::c_void;

use commloom_mpi::Abi;

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::arguments::Arguments;
use crate::accelerate::blocks::Blocks;
use crate::accelerate::exchange::{Exchange, Role, Side};
use crate::accelerate::part::Purpose;

/// The arguments of one side and its part, if it has one.
type Part<'s, G> = (&'s G, Option<Role<'s>>);

/// The plan of a collective call.
pub(crate) enum Plan<A: Abi> {
    /// Nothing.
    Native,
    /// One side or both are packed.
    Packed(Box<Exchange<A>>),
}

impl<A: Abi> Plan<A> {
    /// Looks at both sides, where they have a role, and makes room for what is to be packed.
    /// `own` is the block of this process, where libraries look whether it is sent from where it
    /// is received: not in calls between neighbours. A halo is sent from the array that it is
    /// received into, in datatypes that begin in different places.
    ///
    /// # Safety
    /// As the MPI call: lists are as long as their roles say.
    pub unsafe fn of<S: Arguments<A>, R: Arguments<A>>(
        state: &'static Accelerator<A>,
        ((send, send_role), (receive, receive_role)): (Part<S>, Part<R>),
        own: Option<usize>,
        purpose: Purpose,
    ) -> Plan<A> {
        // SAFETY: the lists are the caller's promise.
        let (sent, received) = unsafe {
            (
                send_role.and_then(|role| send.look(state, role.blocks, purpose)),
                receive_role.and_then(|role| receive.look(state, role.blocks, purpose)),
            )
        };
        let is_aliased = |own: usize| match (&sent, &received) {
            (Some(sent), Some(received)) => overlap(sent, received, own),
            (Some(one), None) => receive_role.is_some() && is_at(one, receive.buffer(), own),
            (None, Some(one)) => send_role.is_some() && is_at(one, send.buffer(), own),
            (None, None) => true,
        };
        if own.is_some_and(is_aliased) {
            return Plan::Native;
        }
        let side = |blocks: Option<Blocks<A>>, role: Option<Role>| {
            blocks.zip(role).and_then(|(blocks, role)| Side::new(state, blocks, role))
        };
        let (send, receive) = (side(sent, send_role), side(received, receive_role));
        if send.is_none() && receive.is_none() {
            return Plan::Native;
        }
        Plan::Packed(Box::new(Exchange { send, receive }))
    }

    /// The same without packing, where that has failed.
    pub fn given_up(self, state: &Accelerator<A>) -> Plan<A> {
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
            Plan::Native => (send, receive),
            Plan::Packed(exchange) => (
                exchange.send.as_mut().map_or(send, |side| packed(side, send)),
                exchange.receive.as_mut().map_or(receive, |side| packed(side, receive)),
            ),
        }
    }
}

/// The arguments for a side that is packed.
fn packed<A: Abi, G: Arguments<A>>(side: &mut Side<A>, given: G) -> G {
    let (buffer, blocks) = side.packed();
    given.packed(buffer, blocks)
}

/// Whether the program sends from where it receives, which libraries report as an error: they
/// shall see it.
fn overlap<A: Abi>(send: &Blocks<A>, receive: &Blocks<A>, rank: usize) -> bool {
    let sent = [send.address(0), send.address(rank)];
    sent.into_iter().flatten().any(|place| is_at(receive, place, rank))
}

/// The same of one side, where the other one is left as it is, in this buffer.
fn is_at<A: Abi>(blocks: &Blocks<A>, buffer: *mut c_void, rank: usize) -> bool {
    [blocks.address(0), blocks.address(rank)].contains(&Some(buffer))
}
