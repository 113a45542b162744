//! The processes of a communicator, by their ranks in `MPI_COMM_WORLD` (MPI 4.1, section 7.3).

use std::ffi::c_int;

use crate::abi::{Abi, RawHandle};
use crate::error::MpiError;
use crate::functions::Functions;
use crate::mpi::Mpi;
use crate::number::length;

/// Who is in a communicator. A process that is not in the world has no rank there, and is left as
/// `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members {
    /// Ranks in the world, by rank in the communicator.
    pub local: Vec<Option<u32>>,
    /// The other group of an intercommunicator; else empty.
    pub remote: Vec<Option<u32>>,
}

/// A function that makes a group of a communicator.
type MakeGroup<A> = unsafe extern "C-unwind" fn(<A as Abi>::Comm, *mut <A as Abi>::Group) -> c_int;

impl<A: Abi> Mpi<A> {
    /// The processes of a communicator. No communication; linear in their number.
    ///
    /// # Errors
    /// As MPI.
    pub fn members(&self, comm: A::Comm) -> Result<Members, MpiError> {
        let Functions { comm_group, comm_remote_group, .. } = self.own;
        let local = self.in_world("MPI_Comm_group", comm_group, comm)?;
        let remote = match self.is_inter(comm)? {
            true => self.in_world("MPI_Comm_remote_group", comm_remote_group, comm)?,
            false => Vec::new(),
        };
        Ok(Members { local, remote })
    }

    /// The processes of a group, by their ranks in the world.
    ///
    /// # Errors
    /// As MPI.
    pub fn group_members(&self, group: A::Group) -> Result<Vec<Option<u32>>, MpiError> {
        let world = self.group("MPI_Comm_group", self.own.comm_group, self.handles.comm_world)?;
        let ranks = self.translated(group, world);
        self.free_group(world);
        ranks
    }

    fn in_world(
        &self,
        call: &'static str,
        make: MakeGroup<A>,
        comm: A::Comm,
    ) -> Result<Vec<Option<u32>>, MpiError> {
        let group = self.group(call, make, comm)?;
        let ranks = self.group_members(group);
        self.free_group(group);
        ranks
    }

    fn group(
        &self,
        call: &'static str,
        make: MakeGroup<A>,
        comm: A::Comm,
    ) -> Result<A::Group, MpiError> {
        let mut group = A::Group::from_bits(0);
        // SAFETY: the place is writable; the caller of `new` answers for the handle.
        self.check(call, unsafe { make(comm, &raw mut group) })?;
        Ok(group)
    }

    fn free_group(&self, mut group: A::Group) {
        // A handle that MPI does not take back is lost, not worse.
        // SAFETY: the group is ours.
        let _ = unsafe { (self.own.group_free)(&raw mut group) };
    }

    fn translated(&self, group: A::Group, world: A::Group) -> Result<Vec<Option<u32>>, MpiError> {
        // SAFETY: neither group is freed.
        let size =
            self.int("MPI_Group_size", |size| unsafe { (self.own.group_size)(group, size) })?;
        let ranks: Vec<c_int> = (0..size).collect();
        let mut found = vec![A::CONSTANTS.undefined; length(size.into()).unwrap_or(0)];
        // SAFETY: both lists have so many ranks.
        let code = unsafe {
            (self.own.group_translate_ranks)(group, size, ranks.as_ptr(), world, found.as_mut_ptr())
        };
        self.check("MPI_Group_translate_ranks", code)?;
        // MPI_UNDEFINED is negative in every ABI.
        Ok(found.into_iter().map(|rank| u32::try_from(rank).ok()).collect())
    }
}
