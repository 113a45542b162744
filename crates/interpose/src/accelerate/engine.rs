//! [`Engine`]: what is needed to handle one message.

use std::ops::Deref;
use std::sync::OnceLock;

use commloom_mpi::{Abi, EncodeError, Mpi, OwnedDatatype};
use commloom_plan::PlanCache;

use crate::accelerate::made::{MadeType, MadeTypes};
use crate::accelerate::tally::Tally;
use crate::node::neighbours::Neighbours;
use crate::runtime::pool::Pool;
use crate::runtime::process::Runtime;

/// Memory of the plans that are kept for later messages.
const PLAN_BYTES: usize = 2 << 20;

/// Buffers, plans and datatypes of ours.
pub struct Engine<A: Abi> {
    runtime: Runtime<A>,
    pub(crate) pool: Pool,
    /// Of messages in normal form: descriptions and counts that mean the same share one.
    pub(crate) plans: PlanCache,
    /// Datatypes of ours.
    pub(crate) made: MadeTypes<A>,
    /// The other processes of this machine.
    pub(crate) neighbours: Neighbours<A>,
    /// Messages of types of which nothing is known.
    unseen: OnceLock<Tally>,
}

impl<A: Abi> Engine<A> {
    pub(crate) const fn new() -> Self {
        Engine {
            runtime: Runtime::new(),
            pool: Pool::new(),
            plans: PlanCache::new(PLAN_BYTES),
            made: MadeTypes::new(),
            neighbours: Neighbours::new(),
            unseen: OnceLock::new(),
        }
    }

    /// Makes a datatype; `None` where the library refuses, and when it ends.
    pub(crate) fn make(
        &'static self,
        make: impl FnOnce(&'static Mpi<A>) -> Result<OwnedDatatype<'static, A>, EncodeError>,
    ) -> Option<MadeType<A>> {
        self.made.make(&self.runtime.lives, self.runtime.mpi(), make)
    }

    pub(crate) fn unseen(&self) -> &Tally {
        self.unseen.get_or_init(|| Tally::new(self.config().report.is_some()))
    }
}

/// A layer has what those below it have.
impl<A: Abi> Deref for Engine<A> {
    type Target = Runtime<A>;

    fn deref(&self) -> &Runtime<A> {
        &self.runtime
    }
}
