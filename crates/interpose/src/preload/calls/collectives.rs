//! Collectives that move data and do not compute (MPI 4.1, sections 6.4 to 6.8 and 8.6), in all
//! their forms. Each is two sides of [blocks](crate::accelerate::blocks); [`Kind`] says what the
//! sides do.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Neighbors, Subject};

use crate::accelerate::arguments::Arguments;
use crate::accelerate::blocks::Pick;
use crate::accelerate::collective_plan::Plan;
use crate::accelerate::exchange::Role;
use crate::accelerate::part::Purpose;
use crate::accelerate::pending::Held;
use crate::accelerate::persistent::Work;
use crate::accelerate::rounds::{self, CallEnd};
use crate::preload::state::Preload;
use crate::runtime::collective_arguments::{
    CollectiveCall, CollectiveLayer, Form, Kind, ReductionLayer,
};

impl<A: Abi, S: Arguments<A>, R: Arguments<A>> CollectiveLayer<A, S, R> for &'static Preload<A> {
    unsafe fn collective(
        self,
        call: CollectiveCall<A, S, R>,
        next: impl FnOnce(S, R) -> c_int,
    ) -> c_int {
        if call.send.are_plain(self) && call.receive.are_plain(self) {
            return next(call.send, call.receive);
        }
        let ends = match call.form {
            Form::Blocking => CallEnd::Done,
            Form::NonBlocking(_) | Form::Persistent(_) => CallEnd::Started,
        };
        if !matches!(call.form, Form::Persistent(_)) && self.collective_passes(ends) {
            return next(call.send, call.receive);
        }
        rounds::looks();
        // SAFETY: the arguments are those of the program's call.
        let mut plan = unsafe { begin(self, &call) };
        let (send, receive) = plan.arguments((call.send, call.receive));
        let code = next(send, receive);
        // SAFETY: the same call, which has made its request if it succeeded.
        unsafe { end(self, plan, call.form, code) };
        rounds::returns(ends);
        code
    }
}

impl<A: Abi> ReductionLayer<A> for &'static Preload<A> {}

/// Before the library's part: finds out what there is to do and packs what the call sends.
/// Persistent ones too, although they are packed again whenever they are started: MPICH copies
/// what a process sends to itself while it makes the request.
///
/// # Safety
/// As the MPI call.
unsafe fn begin<A: Abi, S: Arguments<A>, R: Arguments<A>>(
    state: &'static Preload<A>,
    call: &CollectiveCall<A, S, R>,
) -> Plan<A> {
    let persistent = matches!(call.form, Form::Persistent(_));
    let purpose = match (call.kind, persistent) {
        (Kind::Bcast, true) => Purpose::PersistentBroadcast,
        (Kind::Bcast, false) => Purpose::Broadcast,
        (_, true) => Purpose::Persistent,
        (_, false) => Purpose::Collective,
    };
    // SAFETY: the arguments are the caller's promise.
    let plan = state.shield(|| unsafe { plan(state, call, purpose) });
    let Some(Some(mut plan)) = plan else { return Plan::Native };
    if let Plan::Packed(exchange) = &mut plan {
        // SAFETY: the buffers of the call can be read.
        if unsafe { exchange.pack() }.is_none() {
            return plan.given_up(state);
        }
        if !persistent {
            exchange.count();
        }
    }
    plan
}

/// After the library's part, which returned `code`: unpacks what the call received, or leaves that
/// to the completion of its request.
///
/// # Safety
/// As the MPI call; the library has written the request if it succeeded.
unsafe fn end<A: Abi>(state: &'static Preload<A>, plan: Plan<A>, form: Form<A>, code: c_int) {
    let exchange = match plan {
        Plan::Native => return,
        Plan::Packed(exchange) => exchange,
    };
    if code != A::CONSTANTS.success {
        return exchange.done(state);
    }
    // SAFETY: after success the request is there, and what was received is in our buffer.
    unsafe {
        match form {
            Form::NonBlocking(request) if *request != state.mpi().handles.request_null => {
                state.hold(*request, Held::Collective(exchange));
            }
            Form::Persistent(request) => {
                state.hold(*request, Held::persistent(Work::Collective(exchange)));
            }
            Form::Blocking | Form::NonBlocking(_) => {
                exchange.unpack();
                exchange.done(state);
            }
        }
    }
}

/// Finds out what the sides do in this process; `None` leaves the call alone.
///
/// # Safety
/// As the MPI call.
unsafe fn plan<A: Abi, S: Arguments<A>, R: Arguments<A>>(
    state: &'static Preload<A>,
    call: &CollectiveCall<A, S, R>,
    purpose: Purpose,
) -> Option<Plan<A>> {
    let CollectiveCall { kind, send, receive, root, comm, .. } = call;
    let (kind, root, comm) = (*kind, *root, *comm);
    let mpi = state.mpi();
    let in_place = |buffer: *mut c_void| buffer.addr() == A::CONSTANTS.in_place.cast_unsigned();
    let send_in_place = in_place(send.buffer());
    let is_blocking = matches!(call.form, Form::Blocking);
    // Packing keeps counts and sizes of elements, but not gaps and extents, and nobody knows
    // whether the other processes pack.
    let fault = match kind {
        Kind::Allgather => Some(Subject::AllgatherWithoutGaps),
        Kind::Allgatherv => Some(Subject::AllgathervOfOtherExtents),
        Kind::Alltoall if R::TYPED && send_in_place && !is_blocking => {
            Some(Subject::UnevenAlltoallwInPlace)
        }
        _ => None,
    };
    if fault.is_some_and(|fault| mpi.may_have(fault)) {
        return None;
    }
    if comm == mpi.handles.comm_null || mpi.is_inter(comm).ok()? {
        return None;
    }
    let place = Place {
        rank: usize::try_from(mpi.rank(comm).ok()?).ok()?,
        ranks: usize::try_from(mpi.size(comm).ok()?).ok()?,
        root: usize::try_from(root).ok(),
        send_in_place,
        receive_in_place: in_place(receive.buffer()),
    };
    let neighbors = match kind {
        Kind::NeighborAllgather | Kind::NeighborAlltoall => mpi.neighbors(comm).ok()?,
        _ => None,
    };
    let (send_role, receive_role) = roles(kind, &place, neighbors.as_ref())?;
    let sides = ((send, send_role), (receive, receive_role));
    let own = neighbors.is_none().then_some(place.rank);
    // SAFETY: the roles are those of the call.
    Some(unsafe { Plan::of(state, sides, own, purpose) })
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

/// The roles of both sides; a side without a role is not looked at, as its arguments mean nothing.
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
        Kind::Allgather | Kind::Allgatherv | Kind::Alltoall => !receive_in_place,
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
        Kind::Allgather | Kind::Allgatherv if send_in_place => (
            None,
            Some(Role { blocks: ranks, before: Pick::Only(rank), after: Pick::AllBut(rank) }),
        ),
        Kind::Allgather | Kind::Allgatherv => (sends(1, Pick::All), receives(ranks, Pick::All)),
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
