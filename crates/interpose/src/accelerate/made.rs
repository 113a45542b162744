//! Datatypes of our own. They are freed outside of MPI's callbacks, and before the library ends:
//! some libraries warn of what is left, and the handles mean something else in the library's [next
//! life](crate::runtime::lives).

use std::collections::BTreeSet;
use std::sync::Mutex;

use commloom_mpi::{Abi, EncodeError, Mpi, OwnedDatatype, RawHandle};

use crate::runtime::lives::Lives;
use crate::runtime::making::making;
use crate::runtime::sync::lock;

/// All datatypes of ours of one generation.
pub(crate) struct MadeTypes<A: Abi>(Mutex<MadeLists<A>>);

struct MadeLists<A: Abi> {
    /// Bits of the handles that are in use.
    live: BTreeSet<usize>,
    /// Handles that nobody uses any more.
    retired: Vec<A::Datatype>,
}

impl<A: Abi> MadeTypes<A> {
    pub const fn new() -> Self {
        MadeTypes(Mutex::new(MadeLists { live: BTreeSet::new(), retired: Vec::new() }))
    }

    /// Makes a datatype; `None` where the library refuses, and when it ends.
    pub fn make(
        &'static self,
        lives: &'static Lives<A>,
        mpi: &'static Mpi<A>,
        make: impl FnOnce(&'static Mpi<A>) -> Result<OwnedDatatype<'static, A>, EncodeError>,
    ) -> Option<MadeType<A>> {
        let generation = lives.generation()?;
        let owned = making(|| make(mpi)).ok()?;
        let is_derived = owned.is_derived();
        let datatype = owned.into_handle();
        let made = MadeType { all: self, lives, datatype, is_derived, generation };
        let mut lists = lock(&self.0);
        let datatype = made.handle()?;
        if is_derived {
            lists.live.insert(datatype.to_bits());
        }
        drop(lists);
        Some(made)
    }

    /// Frees what nobody uses any more.
    pub fn free_retired(&self, mpi: &Mpi<A>) {
        let retired = std::mem::take(&mut lock(&self.0).retired);
        for datatype in retired {
            // A handle that MPI does not take back is lost, not worse.
            let _ = mpi.type_free(datatype);
        }
    }

    /// All that are there, which whoever takes them frees.
    pub fn take_all(&self) -> Vec<A::Datatype> {
        let mut lists = lock(&self.0);
        let mut all = std::mem::take(&mut lists.retired);
        all.extend(std::mem::take(&mut lists.live).into_iter().map(A::Datatype::from_bits));
        all
    }
}

/// A datatype that was made for a message. Nobody gets its handle in another generation than its
/// own.
pub(crate) struct MadeType<A: Abi> {
    all: &'static MadeTypes<A>,
    lives: &'static Lives<A>,
    datatype: A::Datatype,
    /// It is to be freed.
    is_derived: bool,
    generation: u64,
}

impl<A: Abi> MadeType<A> {
    /// The handle, as long as the library lives in which it was made.
    #[inline]
    pub fn handle(&self) -> Option<A::Datatype> {
        (self.lives.generation() == Some(self.generation)).then_some(self.datatype)
    }
}

impl<A: Abi> Drop for MadeType<A> {
    /// May be called inside a callback of the library, which shall not be called from there.
    fn drop(&mut self) {
        if !self.is_derived {
            return;
        }
        let mut lists = lock(&self.all.0);
        if self.handle().is_some() && lists.live.remove(&self.datatype.to_bits()) {
            lists.retired.push(self.datatype);
        }
    }
}
