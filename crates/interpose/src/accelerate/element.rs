//! One element of a datatype in packed form, as a datatype.
//!
//! Libraries choose the algorithm of a collective, and where to cut its messages, from the number
//! of elements and the size of one. A process that packs therefore hands over as many elements of
//! the same size as it was given: nothing of it shows on the other processes, and each decides for
//! itself.

use std::sync::OnceLock;

use commloom_layout::{Base, Type};
use commloom_mpi::{Abi, contiguous};

use crate::accelerate::engine::Engine;
use crate::accelerate::made::MadeType;

/// The bytes of one element without its gaps.
pub(crate) struct Element<A: Abi> {
    engine: &'static Engine<A>,
    /// So many of these predefined datatypes make one element.
    parts: (u64, A::Datatype),
    made: OnceLock<Option<MadeType<A>>>,
}

impl<A: Abi> Element<A> {
    /// Of a layout; the datatype is made when somebody asks for it.
    pub fn new(engine: &'static Engine<A>, layout: &Type) -> Self {
        let handles = &engine.mpi().handles;
        let parts = match layout.base() {
            Base::One(basic) => {
                handles.datatype(basic.name()).map(|handle| (layout.elements(), handle))
            }
            _ => None,
        };
        // MPI_PACKED matches every signature (MPI 4.1, section 5.2).
        let parts = parts.unwrap_or((layout.size(), handles.packed));
        Element { engine, parts, made: OnceLock::new() }
    }

    /// The datatype, valid as long as this value; `None` where the library refuses to make it, and
    /// when it ends.
    pub fn handle(&self) -> Option<A::Datatype> {
        self.engine.lives.generation()?;
        let (count, predefined) = self.parts;
        let make = || self.engine.make(|mpi| contiguous(mpi, count, predefined));
        self.made.get_or_init(make).as_ref()?.handle()
    }
}
