//! Numbers for communicators: the same at all of their processes, given when the communicator is
//! made, because then all of them are in that call and nothing of the program's is under way on
//! it.
//!
//! Communicators that are made in other ways than by `MPI_Comm_dup`, `MPI_Comm_split` and
//! `MPI_Cart_create` have none, and nothing on them is replaced; nor on those past the first
//! [`COMMUNICATORS`](super::comm::COMMUNICATORS), because a library has only so many.

use std::sync::{Arc, Mutex};

use commloom_mpi::graphs::{Context, GraphsError};
use commloom_mpi::{Abi, MpiError};

use super::comm::{Comm, GROUPS, SharedContext};
use super::replacement::{Replace, Replacement};

impl<A: Abi> Replacement<A> {
    /// A communicator was made: all of its processes are in the call that made it.
    pub(crate) fn identify(&'static self, comm: A::Comm) {
        if let Some(replace) = self.get()
            && comm != replace.mpi.handles.comm_null
        {
            // Without a number nothing is replaced there.
            let _: Option<Result<(), MpiError>> = replace.runtime.shield(|| replace.identify(comm));
        }
    }
}

impl<A: Abi> Replace<A> {
    /// The number of a communicator: the place of the first of its ballots.
    pub(super) fn number(&self, comm: A::Comm) -> Option<usize> {
        self.mpi.comm_attribute(comm, self.keyval).ok()?
    }

    fn identify(&self, comm: A::Comm) -> Result<(), MpiError> {
        let mpi = self.mpi;
        let size = mpi.size(comm)?;
        let all_are_in_the_world = || Ok(mpi.members(comm)?.local.iter().all(Option::is_some));
        if size < 2 || mpi.is_inter(comm)? || !all_are_in_the_world()? {
            return Ok(());
        }
        let mut number = [-1_i64];
        let rank = mpi.rank(comm)?;
        if rank == 0
            && let Some(first) = self.shared.take(GROUPS)
        {
            number = [i64::try_from(first).unwrap_or(-1)];
        }
        let (at, bytes) = (number.as_mut_ptr().cast(), 8);
        // SAFETY: so many bytes can be written there; all processes of the communicator are here.
        let code = unsafe { (mpi.own.bcast)(at, bytes, mpi.handles.byte, 0, comm) };
        mpi.check("MPI_Bcast", code)?;
        let Ok(number) = usize::try_from(number[0]) else { return Ok(()) };
        let mut own = mpi.handles.comm_null;
        // Not a duplicate: that would call the program's functions for attributes.
        // SAFETY: the place is writable; all processes of the communicator are here.
        let code = unsafe { (mpi.own.comm_split)(comm, 0, rank, &raw mut own) };
        mpi.check("MPI_Comm_split", code)?;
        let (rank, size) = (u32::try_from(rank).unwrap_or(0), u64::try_from(size).unwrap_or(0));
        let made = Comm { rank, size, groups: 0, own, context: None };
        self.lock().comms.insert(number, made);
        // SAFETY: the functions of the keyval take any value.
        unsafe { mpi.comm_set_attr(comm, self.keyval, std::ptr::without_provenance_mut(number)) }
    }

    /// Where graphs of the processes of a communicator are compiled and run. Collective over them
    /// the first time.
    pub(super) fn context(&self, number: usize) -> Result<SharedContext<A>, GraphsError> {
        let missing = || GraphsError::Unsupported { what: "this communicator".to_owned() };
        let own = {
            let inner = self.lock();
            let comm = inner.comms.get(&number).ok_or_else(missing)?;
            if let Some(context) = &comm.context {
                return Ok(context.clone());
            }
            comm.own
        };
        let context = Arc::new(Mutex::new(Context::new(self.mpi, own)?));
        if let Some(comm) = self.lock().comms.get_mut(&number) {
            comm.context = Some(context.clone());
        }
        Ok(context)
    }

    /// MPI ends: everything of ours is freed, which is collective, by all processes in the same
    /// order.
    pub(super) fn free(&self) {
        let (mut comms, mut groups) = {
            let mut inner = self.lock();
            let comms: Vec<_> = inner.comms.drain().collect();
            (comms, std::mem::take(&mut inner.groups))
        };
        comms.sort_by_key(|(number, _)| *number);
        groups.sort_by_key(|exchange| exchange.place);
        for (number, mut comm) in comms {
            groups.retain(|exchange| exchange.comm != number);
            drop(comm.context);
            // SAFETY: the communicator is ours; nothing is under way on it.
            let _ = unsafe { (self.mpi.own.comm_free)(&raw mut comm.own) };
        }
        let mut world = self.world;
        // SAFETY: the copy of the world is ours; nothing is under way on it.
        let _ = unsafe { (self.mpi.own.comm_free)(&raw mut world) };
    }
}
