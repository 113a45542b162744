//! Collective operations: their names, communicators, roots and bytes.

use std::ffi::{c_int, c_void};

use commloom_mpi::Abi;
use commloom_trace::{Action, Collective};

use super::messages::in_world;
use super::recorder::{Inside, Recorder};
use super::requests::Template;
use crate::runtime::collective_arguments::{
    CollectiveCall, CollectiveLayer, Counts, Equal, Form, Kind, ReductionCall, ReductionLayer,
    Typed, Varying,
};
use crate::runtime::count::Integer;

/// The arguments of one side.
pub(super) trait Side<A: Abi>: Copy {
    /// Where the buffer is, perhaps `MPI_IN_PLACE`; `None` where there is no such side.
    fn buffer(&self) -> Option<*mut c_void>;

    /// The bytes of so many blocks. The argument of a datatype is its size.
    ///
    /// # Safety
    /// Its lists are as long as that.
    unsafe fn bytes(&self, blocks: usize, size: impl Fn(A::Datatype) -> u64) -> u64;
}

fn times<N: Integer>(count: N, size: u64) -> u64 {
    size.saturating_mul(u64::try_from(count.wide()).unwrap_or(0))
}

impl<A: Abi> Side<A> for () {
    fn buffer(&self) -> Option<*mut c_void> {
        None
    }

    unsafe fn bytes(&self, _blocks: usize, _size: impl Fn(A::Datatype) -> u64) -> u64 {
        0
    }
}

impl<A: Abi, N: Integer> Side<A> for Equal<A, N> {
    fn buffer(&self) -> Option<*mut c_void> {
        Some(self.buffer)
    }

    unsafe fn bytes(&self, blocks: usize, size: impl Fn(A::Datatype) -> u64) -> u64 {
        let blocks = u64::try_from(blocks).unwrap_or(u64::MAX);
        times(self.count, size(self.datatype)).saturating_mul(blocks)
    }
}

impl<A: Abi, N: Integer, D: Copy> Side<A> for Varying<A, N, D> {
    fn buffer(&self) -> Option<*mut c_void> {
        Some(self.buffer)
    }

    unsafe fn bytes(&self, blocks: usize, size: impl Fn(A::Datatype) -> u64) -> u64 {
        let size = size(self.datatype);
        // SAFETY: inside the list.
        (0..blocks).map(|at| times(unsafe { *self.counts.add(at) }, size)).sum()
    }
}

impl<A: Abi, N: Integer, D: Copy> Side<A> for Typed<A, N, D> {
    fn buffer(&self) -> Option<*mut c_void> {
        Some(self.buffer)
    }

    unsafe fn bytes(&self, blocks: usize, size: impl Fn(A::Datatype) -> u64) -> u64 {
        // SAFETY: inside the lists.
        let block = |at| unsafe { times(*self.counts.add(at), size(*self.datatypes.add(at))) };
        (0..blocks).map(block).sum()
    }
}

impl<A: Abi, S: Side<A>, R: Side<A>> CollectiveLayer<A, S, R> for &'static Recorder<A> {
    unsafe fn collective(
        self,
        call: CollectiveCall<A, S, R>,
        next: impl FnOnce(S, R) -> c_int,
    ) -> c_int {
        // SAFETY: the arguments are those of the program's call.
        let find = |inside: &Inside<A>| unsafe { inside.moving(&call) };
        // SAFETY: `next` makes the request of the call.
        unsafe { recorded(self, call.form, find, || next(call.send, call.receive)) }
    }
}

impl<A: Abi> ReductionLayer<A> for &'static Recorder<A> {
    unsafe fn reduction<N: Integer>(
        self,
        call: ReductionCall<A, N>,
        next: impl FnOnce() -> c_int,
    ) -> c_int {
        // SAFETY: the arguments are those of the program's call.
        let find = |inside: &Inside<A>| unsafe { inside.computing(&call) };
        // SAFETY: `next` makes the request of the call.
        unsafe { recorded(self, call.form, find, next) }
    }
}

/// Runs a collective. A persistent one is recorded whenever it is started.
///
/// # Safety
/// As the MPI call.
unsafe fn recorded<A: Abi>(
    recorder: &'static Recorder<A>,
    form: Form<A>,
    find: impl FnOnce(&Inside<A>) -> Option<Collective>,
    call: impl FnOnce() -> c_int,
) -> c_int {
    if let Form::Persistent(request) = form {
        let template = |inside: &Inside<A>| find(inside).map(Template::Collective);
        // SAFETY: the call makes this request.
        return unsafe { recorder.making(request, call, template) };
    }
    let Some(inside) = recorder.enter_active() else { return call() };
    inside.shield(|| {
        let collective = find(&inside)?;
        inside.begins(collective)
    });
    call()
}

impl<A: Abi> Inside<A> {
    /// Records that a collective begins.
    pub(super) fn begins(&self, collective: Collective) -> Option<u64> {
        let site = self.site();
        let mut inner = self.lock();
        inner.turn_ends(site.as_ref());
        inner.push(site, Action::Collective(collective))
    }

    fn size(&self, datatype: A::Datatype) -> u64 {
        let mpi = self.runtime.mpi();
        if datatype == mpi.handles.datatype_null {
            return 0;
        }
        mpi.type_size(datatype).ok().flatten().unwrap_or(0)
    }

    /// # Safety
    /// As the MPI call.
    unsafe fn moving<S: Side<A>, R: Side<A>>(
        &self,
        call: &CollectiveCall<A, S, R>,
    ) -> Option<Collective> {
        let &CollectiveCall { name, kind, send, receive, root, comm, .. } = call;
        let mpi = self.runtime.mpi();
        let communicator = self.communicator(comm)?;
        let is_inter = !communicator.remote.is_empty();
        let peers = if is_inter { communicator.remote.len() } else { communicator.members.len() };
        let rooted = matches!(kind, Kind::Bcast | Kind::Gather | Kind::Scatter);
        // In an intercommunicator the root says MPI_ROOT, the others of its group MPI_PROC_NULL.
        let is_root = rooted
            && if is_inter { root == A::CONSTANTS.root } else { mpi.rank(comm).ok()? == root };
        let is_idle = rooted && is_inter && root == A::CONSTANTS.proc_null;
        let neighbors = match kind {
            Kind::NeighborAllgather | Kind::NeighborAlltoall => mpi.neighbors(comm).ok()?,
            _ => None,
        };
        let (sources, destinations) =
            neighbors.map_or((peers, peers), |found| (found.sources.len(), found.destinations));
        // Blocks that this process gives and gets.
        let (gives, gets) = match kind {
            _ if is_idle => (0, 0),
            Kind::Bcast => (0, 1),
            Kind::Gather => (usize::from(!(is_root && is_inter)), if is_root { peers } else { 0 }),
            Kind::Scatter => (if is_root { peers } else { 0 }, usize::from(!(is_root && is_inter))),
            Kind::Allgather | Kind::Allgatherv | Kind::NeighborAllgather => (1, sources),
            Kind::Alltoall | Kind::NeighborAlltoall => (destinations, sources),
        };
        let in_place = |buffer: Option<*mut c_void>| {
            buffer.is_some_and(|b| b.addr() == A::CONSTANTS.in_place.cast_unsigned())
        };
        let size = |datatype| self.size(datatype);
        // SAFETY: the lists are as long as the blocks.
        let (mut gives, mut gets) = unsafe {
            let sends = if in_place(send.buffer()) { 0 } else { gives };
            let receives = if in_place(receive.buffer()) { 0 } else { gets };
            (send.bytes(sends, size), receive.bytes(receives, size))
        };
        if kind == Kind::Bcast && is_root {
            (gives, gets) = (gets, 0);
        }
        let root = rooted.then(|| self.root(&communicator, root, comm)).flatten();
        let name = self.lock().name(name);
        Some(Collective { name, communicator, root, gives, gets })
    }

    /// # Safety
    /// As the MPI call.
    unsafe fn computing<N: Integer>(&self, call: &ReductionCall<A, N>) -> Option<Collective> {
        let &ReductionCall { name, counts, datatype, root, comm, .. } = call;
        let communicator = self.communicator(comm)?;
        let members = communicator.members.len();
        let size = datatype.map_or(0, |datatype| self.size(datatype));
        let is_root = || self.runtime.mpi().rank(comm).is_ok_and(|rank| Some(rank) == root);
        let (gives, gets) = match counts {
            Counts::None => (0, 0),
            Counts::List(list) => {
                // SAFETY: the list is as long as the group.
                let count = |at| unsafe { times(*list.add(at), size) };
                let mine = usize::try_from(self.runtime.mpi().rank(comm).ok()?).ok()?;
                ((0..members).map(count).sum(), count(mine))
            }
            Counts::Each(count) => {
                let bytes = times(count, size);
                let all = bytes.saturating_mul(u64::try_from(members).unwrap_or(u64::MAX));
                match name {
                    _ if name.contains("educe_scatter_block") => (all, bytes),
                    _ if root.is_some() && !is_root() => (bytes, 0),
                    _ => (bytes, bytes),
                }
            }
        };
        let root = root.and_then(|root| self.root(&communicator, root, comm));
        let name = self.lock().name(name);
        Some(Collective { name, communicator, root, gives, gets })
    }

    /// The rank in the world of a root.
    fn root(
        &self,
        communicator: &commloom_trace::Communicator,
        root: c_int,
        comm: A::Comm,
    ) -> Option<u32> {
        if root == A::CONSTANTS.root {
            let rank = usize::try_from(self.runtime.mpi().rank(comm).ok()?).ok()?;
            return communicator.members.get(rank).copied();
        }
        in_world(communicator, root)
    }
}
