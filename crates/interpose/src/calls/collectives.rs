//! Collectives that move data and do not compute (MPI 4.1, sections 6.4 to 6.8 and 8.6), in all
//! their forms. Each is two sides of [blocks](crate::blocks); [`Kind`] says what the sides do.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Neighbors};

pub use crate::blocks::{Equal, Typed, Varying};

use crate::blocks::{Arguments, Pick};
use crate::exchange::{Exchange, Plan, Role, land};
use crate::pending::Held;
use crate::state::Preload;

/// What a collective does. Forms with counts or datatypes per process are of the same kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `MPI_Bcast`; its arguments are those of the receiving side.
    Bcast,
    /// `MPI_Gather` and `MPI_Gatherv`.
    Gather,
    /// `MPI_Scatter` and `MPI_Scatterv`.
    Scatter,
    /// `MPI_Allgather` and `MPI_Allgatherv`.
    Allgather,
    /// `MPI_Alltoall`, `MPI_Alltoallv` and `MPI_Alltoallw`.
    Alltoall,
    /// `MPI_Neighbor_allgather` and `MPI_Neighbor_allgatherv`.
    NeighborAllgather,
    /// `MPI_Neighbor_alltoall`, `MPI_Neighbor_alltoallv` and `MPI_Neighbor_alltoallw`.
    NeighborAlltoall,
}

/// When the library has done its part.
#[derive(Debug, Clone, Copy)]
pub enum Form<A: Abi> {
    /// When the call returns.
    Blocking,
    /// When the request that the call makes completes.
    NonBlocking(*mut A::Request),
    /// Whenever the request that the call makes was started and completes.
    Persistent(*mut A::Request),
}

/// One collective call: `call` runs it with the arguments of both sides. `root` is meaningless
/// where the kind has none.
///
/// # Safety
/// As the MPI call.
#[expect(private_bounds, reason = "only our macro calls this, with arguments of ours")]
pub unsafe fn collective<A: Abi, S: Arguments<A>, R: Arguments<A>>(
    state: &'static Preload<A>,
    (kind, form): (Kind, Form<A>),
    (send, receive): (S, R),
    root: c_int,
    comm: A::Comm,
    call: impl FnOnce(S, R) -> c_int,
) -> c_int {
    // Persistent ones are not packed yet.
    let persistent = matches!(form, Form::Persistent(_));
    if persistent || (send.are_plain(state) && receive.are_plain(state)) {
        return call(send, receive);
    }
    // SAFETY: passed on.
    let plan = state.shield(|| unsafe { plan(state, kind, (&send, &receive), root, comm) });
    match plan.flatten().unwrap_or(Plan::Native) {
        Plan::Native => call(send, receive),
        Plan::Unseen(waiting) => {
            let code = call(send, receive);
            waiting.done();
            code
        }
        // SAFETY: passed on.
        Plan::Packed(exchange) => unsafe { packed(state, form, exchange, (send, receive), call) },
    }
}

/// The call with packed buffers.
unsafe fn packed<A: Abi, S: Arguments<A>, R: Arguments<A>>(
    state: &'static Preload<A>,
    form: Form<A>,
    mut exchange: Exchange<A>,
    (send, receive): (S, R),
    call: impl FnOnce(S, R) -> c_int,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        if exchange.pack().is_none() {
            exchange.done(state);
            return call(send, receive);
        }
        let (packed_send, packed_receive) = exchange.arguments((send, receive));
        let code = call(packed_send, packed_receive);
        match form {
            Form::NonBlocking(request) | Form::Persistent(request)
                if code == A::CONSTANTS.success && *request != state.mpi().handles.request_null =>
            {
                state.hold(*request, Held::Collective(Box::new(exchange)));
            }
            _ => land(state, exchange, code),
        }
        code
    }
}

/// Finds out what the sides do in this process; `None` leaves the call alone.
unsafe fn plan<A: Abi, S: Arguments<A>, R: Arguments<A>>(
    state: &'static Preload<A>,
    kind: Kind,
    (send, receive): (&S, &R),
    root: c_int,
    comm: A::Comm,
) -> Option<Plan<A>> {
    let mpi = state.mpi();
    if comm == mpi.handles.comm_null || mpi.is_inter(comm).ok()? {
        return None;
    }
    let in_place = |buffer: *mut c_void| buffer.addr() == A::CONSTANTS.in_place.cast_unsigned();
    let place = Place {
        rank: usize::try_from(mpi.rank(comm).ok()?).ok()?,
        ranks: usize::try_from(mpi.size(comm).ok()?).ok()?,
        root: usize::try_from(root).ok(),
        send_in_place: in_place(send.buffer()),
        receive_in_place: in_place(receive.buffer()),
    };
    let neighbors = match kind {
        Kind::NeighborAllgather | Kind::NeighborAlltoall => mpi.neighbors(comm).ok()?,
        _ => None,
    };
    let (send_role, receive_role) = roles(kind, &place, neighbors.as_ref())?;
    // SAFETY: the roles are those of the call.
    Some(unsafe { Plan::of(state, (send, send_role), (receive, receive_role), place.rank) })
}

/// This process in a communicator, and where it gave `MPI_IN_PLACE` for a buffer.
#[derive(Debug, Clone, Copy)]
struct Place {
    rank: usize,
    ranks: usize,
    root: Option<usize>,
    send_in_place: bool,
    receive_in_place: bool,
}

type Roles<'s> = (Option<Role<'s>>, Option<Role<'s>>);

/// What both sides do; a side without a role is not looked at, as its arguments mean nothing.
/// `None`: something is unusual, and the library shall see it.
fn roles<'n>(kind: Kind, place: &Place, neighbors: Option<&'n Neighbors>) -> Option<Roles<'n>> {
    let &Place { rank, ranks, root, send_in_place, receive_in_place } = place;
    let sends = |blocks, before| Some(Role { blocks, before, after: Pick::None });
    let receives = |blocks, after| Some(Role { blocks, before: Pick::None, after });
    if let Kind::Bcast | Kind::Gather | Kind::Scatter = kind
        && root? >= ranks
    {
        return None;
    }
    let is_root = root == Some(rank);
    // Where MPI_IN_PLACE may stand.
    let usual = match kind {
        Kind::Gather => !receive_in_place && (is_root || !send_in_place),
        Kind::Scatter => !send_in_place && (is_root || !receive_in_place),
        Kind::Allgather | Kind::Alltoall => !receive_in_place,
        Kind::Bcast | Kind::NeighborAllgather | Kind::NeighborAlltoall => {
            !send_in_place && !receive_in_place
        }
    };
    if !usual {
        return None;
    }
    Some(match kind {
        Kind::Bcast if is_root => (None, sends(1, Pick::All)),
        Kind::Bcast => (None, receives(1, Pick::All)),
        Kind::Gather if is_root && send_in_place => (None, receives(ranks, Pick::AllBut(rank))),
        Kind::Gather if is_root => (sends(1, Pick::All), receives(ranks, Pick::All)),
        Kind::Gather => (sends(1, Pick::All), None),
        Kind::Scatter if is_root && receive_in_place => (sends(ranks, Pick::AllBut(rank)), None),
        Kind::Scatter if is_root => (sends(ranks, Pick::All), receives(1, Pick::All)),
        Kind::Scatter => (None, receives(1, Pick::All)),
        Kind::Allgather if send_in_place => (
            None,
            Some(Role { blocks: ranks, before: Pick::Only(rank), after: Pick::AllBut(rank) }),
        ),
        Kind::Allgather => (sends(1, Pick::All), receives(ranks, Pick::All)),
        Kind::Alltoall if send_in_place => {
            (None, Some(Role { blocks: ranks, before: Pick::All, after: Pick::AllBut(rank) }))
        }
        Kind::Alltoall => (sends(ranks, Pick::All), receives(ranks, Pick::All)),
        Kind::NeighborAllgather | Kind::NeighborAlltoall => {
            let Neighbors { sources, destinations } = neighbors?;
            let sent = if kind == Kind::NeighborAllgather { 1 } else { *destinations };
            (sends(sent, Pick::All), receives(sources.len(), Pick::These(sources)))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Place =
        Place { rank: 1, ranks: 4, root: Some(0), send_in_place: false, receive_in_place: false };

    #[test]
    fn arguments_that_mean_nothing_are_not_looked_at() {
        let (send, receive) = roles(Kind::Gather, &HERE, None).unwrap();
        assert_eq!((send.unwrap().blocks, receive), (1, None));
        let (send, receive) = roles(Kind::Scatter, &HERE, None).unwrap();
        assert_eq!((send, receive.unwrap().blocks), (None, 1));
        let root = Place { root: Some(1), send_in_place: true, ..HERE };
        let (send, receive) = roles(Kind::Gather, &root, None).unwrap();
        assert_eq!((send, receive.unwrap().after), (None, Pick::AllBut(1)));
    }

    #[test]
    fn in_place_where_it_may_not_stand_goes_to_the_library() {
        let sends = Place { send_in_place: true, ..HERE };
        let receives = Place { receive_in_place: true, ..HERE };
        for kind in [Kind::Bcast, Kind::Gather, Kind::Scatter, Kind::NeighborAlltoall] {
            assert!(roles(kind, &sends, None).is_none(), "{kind:?}");
            assert!(roles(kind, &receives, None).is_none(), "{kind:?}");
        }
        assert!(roles(Kind::Alltoall, &sends, None).is_some());
        assert!(roles(Kind::Alltoall, &receives, None).is_none());
        assert!(roles(Kind::Bcast, &Place { root: Some(4), ..HERE }, None).is_none());
        assert!(roles(Kind::Bcast, &Place { root: None, ..HERE }, None).is_none());
    }

    #[test]
    fn nothing_comes_from_a_neighbour_that_is_not_there() {
        let neighbors = Neighbors { sources: vec![false, true], destinations: 2 };
        let (send, receive) = roles(Kind::NeighborAllgather, &HERE, Some(&neighbors)).unwrap();
        assert_eq!(send.unwrap().blocks, 1);
        assert_eq!(receive.unwrap().after, Pick::These(&[false, true]));
        assert!(roles(Kind::NeighborAllgather, &HERE, None).is_none());
    }
}
