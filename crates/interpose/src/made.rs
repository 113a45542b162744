//! Datatypes of our own. They are freed outside of MPI's callbacks, and before the library ends: some libraries warn
//! of what is left, and the handles mean something else in the library's [next life](crate::lives).

use std::collections::BTreeSet;
use std::sync::Mutex;

use commloom_mpi::{Abi, EncodeError, Mpi, OwnedDatatype, RawHandle};

use crate::state::{Preload, lock};

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

    /// All that are there, which whoever takes them frees.
    pub fn take_all(&self) -> Vec<A::Datatype> {
        let mut lists = lock(&self.0);
        let mut all = std::mem::take(&mut lists.retired);
        all.extend(std::mem::take(&mut lists.live).into_iter().map(A::Datatype::from_bits));
        all
    }
}

/// A datatype that was made for a message. Nobody gets its handle in another generation than its own.
pub(crate) struct MadeType<A: Abi> {
    state: &'static Preload<A>,
    datatype: A::Datatype,
    /// It is to be freed.
    is_derived: bool,
    generation: u64,
}

impl<A: Abi> MadeType<A> {
    /// The handle, as long as the library lives in which it was made.
    #[inline]
    pub fn handle(&self) -> Option<A::Datatype> {
        (self.state.lives.generation() == Some(self.generation)).then_some(self.datatype)
    }
}

impl<A: Abi> Drop for MadeType<A> {
    /// May be called inside a callback of the library, which shall not be called from there.
    fn drop(&mut self) {
        if !self.is_derived {
            return;
        }
        let mut lists = lock(&self.state.made.0);
        if self.handle().is_some() && lists.live.remove(&self.datatype.to_bits()) {
            lists.retired.push(self.datatype);
        }
    }
}

impl<A: Abi> Preload<A> {
    /// Makes a datatype; `None` where the library refuses, and when it ends.
    pub(crate) fn make(
        &'static self,
        make: impl FnOnce(&'static Mpi<A>) -> Result<OwnedDatatype<'static, A>, EncodeError>,
    ) -> Option<MadeType<A>> {
        let generation = self.lives.generation()?;
        let owned = make(self.mpi()).ok()?;
        let is_derived = owned.is_derived();
        let made = MadeType { state: self, datatype: owned.into_handle(), is_derived, generation };
        let mut lists = lock(&self.made.0);
        let datatype = made.handle()?;
        if is_derived {
            lists.live.insert(datatype.to_bits());
        }
        drop(lists);
        Some(made)
    }

    /// Frees what nobody uses any more.
    pub(crate) fn free_retired(&self) {
        let retired = std::mem::take(&mut lock(&self.made.0).retired);
        for datatype in retired {
            // A handle that MPI does not take back is lost, not worse.
            let _ = self.mpi().type_free(datatype);
        }
    }
}
