//! The calls: fifteen collectives in six forms.

use std::ffi::{c_int, c_void};
use std::ptr;

use commloom_mpi::{Abi, Aint, Count};

use super::side::{CollectiveBuffers, Side};
use super::{Form, Plan, Which};
use crate::number::{aint, int, wide};
use crate::session::{Face, Session};

/// The arguments of one call, which live until it is complete.
pub struct Call<A: Abi> {
    send: Arguments<A>,
    recv: Arguments<A>,
    root: c_int,
    comm: A::Comm,
}

/// One buffer as a call gets it.
struct Arguments<A: Abi> {
    buffer: *mut c_void,
    counts: Vec<c_int>,
    places: Vec<c_int>,
    large_counts: Vec<Count>,
    addresses: Vec<Aint>,
    types: Vec<A::Datatype>,
}

impl<A: Abi> Arguments<A> {
    fn new(side: &Side<A>, buffer: *mut c_void) -> Self {
        let blocks = &side.blocks;
        Arguments {
            buffer,
            counts: blocks.iter().map(|b| int(b.count)).collect(),
            places: blocks.iter().map(|b| int(b.displacement)).collect(),
            large_counts: blocks.iter().map(|b| wide(b.count)).collect(),
            addresses: blocks.iter().map(|b| aint(b.displacement)).collect(),
            types: blocks.iter().map(|b| b.specimen.handle).collect(),
        }
    }

    /// Of a rank that has nothing on this side: no call looks at it.
    fn nothing(&mut self, null: A::Datatype) {
        self.buffer = ptr::null_mut();
        self.types = vec![null];
        self.counts = vec![0];
        self.large_counts = vec![0];
    }
}

/// One collective in the form that is wanted: `names` of the plain and large-count functions,
/// blocking, non-blocking and persistent, then their arguments without communicator and what
/// follows it.
macro_rules! collective {
    ($f:expr, $form:expr, $wanted:expr, $end:expr,
     [$b:ident $bc:ident $i:ident $ic:ident $p:ident $pc:ident],
     ($($plain:expr),*), ($($large:expr),*)) => {{
        let (comm, info, request) = $end;
        match $form {
            Form::Blocking => match $f.$bc.filter(|_| $wanted) {
                Some(call) => call($($large,)* comm),
                None => ($f.$b)($($plain,)* comm),
            },
            Form::NonBlocking => match $f.$ic.filter(|_| $wanted) {
                Some(call) => call($($large,)* comm, request),
                None => ($f.$i)($($plain,)* comm, request),
            },
            Form::Persistent => match ($f.$pc.filter(|_| $wanted), $f.$p) {
                (Some(call), _) => call($($large,)* comm, info, request),
                (None, Some(call)) => call($($plain,)* comm, info, request),
                (None, None) => unreachable!("planned where the library has it"),
            },
        }
    }};
}

impl<A: Abi> Call<A> {
    /// The arguments of this rank.
    pub fn new(session: &Session<A>, plan: &Plan<A>, buffers: &mut CollectiveBuffers) -> Self {
        let mine = &plan.ranks[session.rank];
        let is_root = session.rank == plan.root;
        let mut send = Arguments::new(&mine.send, buffers.send.address());
        let mut recv = Arguments::new(&mine.recv, buffers.recv.address());
        if mine.one_array {
            send.buffer = recv.buffer;
        }
        let null = session.mpi.handles.datatype_null;
        let in_place: *mut c_void =
            ptr::without_provenance_mut(A::CONSTANTS.in_place.cast_unsigned());
        match plan.which {
            Which::Gather | Which::Gatherv if !is_root => recv.nothing(null),
            Which::Scatter | Which::Scatterv if !is_root => send.nothing(null),
            // One buffer: the root sends it, the others receive it.
            Which::Bcast if is_root => recv = Arguments::new(&mine.send, buffers.send.address()),
            _ => {}
        }
        if mine.in_place {
            if matches!(plan.which, Which::Scatter | Which::Scatterv) {
                recv.buffer = in_place;
            } else {
                send.buffer = in_place;
            }
        }
        // A rank without neighbours still says how large a block would be.
        for side in [&mut send, &mut recv] {
            if side.types.is_empty() {
                side.types = vec![session.mpi.handles.byte];
                side.counts = vec![0];
                side.large_counts = vec![0];
            }
        }
        let comm = plan.topology.map_or(session.comm, |t| session.topologies[t].comm);
        Call { send, recv, root: int(plan.root), comm }
    }

    /// Makes the call; its code.
    pub fn make(
        &self,
        session: &Session<A>,
        plan: &Plan<A>,
        face: Face,
        request: *mut A::Request,
    ) -> c_int {
        let f = session.functions(face);
        let large = plan.ranks[session.rank].large;
        let (s, r, root) = (&self.send, &self.recv, self.root);
        let (sb, rb) = (s.buffer.cast_const(), r.buffer);
        let (st, rt, sn, rn) = (s.types[0], r.types[0], s.counts[0], r.counts[0]);
        let (sl, rl) = (s.large_counts[0], r.large_counts[0]);
        let (sc, rc) = (s.counts.as_ptr(), r.counts.as_ptr());
        let (sp, rp) = (s.places.as_ptr(), r.places.as_ptr());
        let (slc, rlc) = (s.large_counts.as_ptr(), r.large_counts.as_ptr());
        let (sa, ra) = (s.addresses.as_ptr(), r.addresses.as_ptr());
        let (sts, rts) = (s.types.as_ptr(), r.types.as_ptr());
        let (form, end) = (plan.form, (self.comm, session.info_null(), request));
        // SAFETY: buffers hold all blocks, lists are as long as the calls expect, all live until
        // the call is complete.
        unsafe {
            match plan.which {
                Which::Bcast => collective!(f, form, large, end,
                    [bcast bcast_c ibcast ibcast_c bcast_init bcast_init_c],
                    (rb, rn, rt, root), (rb, rl, rt, root)),
                Which::Gather => collective!(f, form, large, end,
                    [gather gather_c igather igather_c gather_init gather_init_c],
                    (sb, sn, st, rb, rn, rt, root), (sb, sl, st, rb, rl, rt, root)),
                Which::Gatherv => collective!(f, form, large, end,
                    [gatherv gatherv_c igatherv igatherv_c gatherv_init gatherv_init_c],
                    (sb, sn, st, rb, rc, rp, rt, root), (sb, sl, st, rb, rlc, ra, rt, root)),
                Which::Scatter => collective!(f, form, large, end,
                    [scatter scatter_c iscatter iscatter_c scatter_init scatter_init_c],
                    (sb, sn, st, rb, rn, rt, root), (sb, sl, st, rb, rl, rt, root)),
                Which::Scatterv => collective!(f, form, large, end,
                    [scatterv scatterv_c iscatterv iscatterv_c scatterv_init scatterv_init_c],
                    (sb, sc, sp, st, rb, rn, rt, root), (sb, slc, sa, st, rb, rl, rt, root)),
                Which::Allgather => collective!(f, form, large, end,
                    [allgather allgather_c iallgather iallgather_c allgather_init
                     allgather_init_c],
                    (sb, sn, st, rb, rn, rt), (sb, sl, st, rb, rl, rt)),
                Which::Allgatherv => collective!(f, form, large, end,
                    [allgatherv allgatherv_c iallgatherv iallgatherv_c allgatherv_init
                     allgatherv_init_c],
                    (sb, sn, st, rb, rc, rp, rt), (sb, sl, st, rb, rlc, ra, rt)),
                Which::Alltoall => collective!(f, form, large, end,
                    [alltoall alltoall_c ialltoall ialltoall_c alltoall_init alltoall_init_c],
                    (sb, sn, st, rb, rn, rt), (sb, sl, st, rb, rl, rt)),
                Which::Alltoallv => collective!(f, form, large, end,
                    [alltoallv alltoallv_c ialltoallv ialltoallv_c alltoallv_init
                     alltoallv_init_c],
                    (sb, sc, sp, st, rb, rc, rp, rt), (sb, slc, sa, st, rb, rlc, ra, rt)),
                Which::Alltoallw => collective!(f, form, large, end,
                    [alltoallw alltoallw_c ialltoallw ialltoallw_c alltoallw_init
                     alltoallw_init_c],
                    (sb, sc, sp, sts, rb, rc, rp, rts), (sb, slc, sa, sts, rb, rlc, ra, rts)),
                Which::NeighborAllgather => collective!(f, form, large, end,
                    [neighbor_allgather neighbor_allgather_c ineighbor_allgather
                     ineighbor_allgather_c neighbor_allgather_init neighbor_allgather_init_c],
                    (sb, sn, st, rb, rn, rt), (sb, sl, st, rb, rl, rt)),
                Which::NeighborAllgatherv => collective!(f, form, large, end,
                    [neighbor_allgatherv neighbor_allgatherv_c ineighbor_allgatherv
                     ineighbor_allgatherv_c neighbor_allgatherv_init neighbor_allgatherv_init_c],
                    (sb, sn, st, rb, rc, rp, rt), (sb, sl, st, rb, rlc, ra, rt)),
                Which::NeighborAlltoall => collective!(f, form, large, end,
                    [neighbor_alltoall neighbor_alltoall_c ineighbor_alltoall
                     ineighbor_alltoall_c neighbor_alltoall_init neighbor_alltoall_init_c],
                    (sb, sn, st, rb, rn, rt), (sb, sl, st, rb, rl, rt)),
                Which::NeighborAlltoallv => collective!(f, form, large, end,
                    [neighbor_alltoallv neighbor_alltoallv_c ineighbor_alltoallv
                     ineighbor_alltoallv_c neighbor_alltoallv_init neighbor_alltoallv_init_c],
                    (sb, sc, sp, st, rb, rc, rp, rt), (sb, slc, sa, st, rb, rlc, ra, rt)),
                Which::NeighborAlltoallw => collective!(f, form, large, end,
                    [neighbor_alltoallw neighbor_alltoallw_c ineighbor_alltoallw
                     ineighbor_alltoallw_c neighbor_alltoallw_init neighbor_alltoallw_init_c],
                    (sb, sc, sa, sts, rb, rc, ra, rts), (sb, slc, sa, sts, rb, rlc, ra, rts)),
            }
        }
    }
}
