//! Datatypes of which MPICH 4.0 loses bytes.
//!
//! Where it packs a contiguous derived datatype (`MPI_Pack`, buffered sends,
//! `MPI_Sendrecv_replace`), it packs whole basic elements only, and takes bits 8 to 15 of the
//! *derived* handle for their size (`tests/c/many_types.c`). Handles number the types, so from the
//! 513th live one on five bytes are packed as four. The program may be near that number, and our
//! own handles count too.

use commloom_mpi::{Abi, AbiKind, RawHandle, SHORT, Subject};

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::committed::Found;
use crate::accelerate::part::Purpose;
use crate::runtime::count::CallCount;

/// Where the elements go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stays {
    /// To or from another process.
    Moves,
    /// Into a buffer of this process, or out of one.
    Here,
}

impl<A: Abi> Accelerator<A> {
    /// The same elements under a predefined datatype, where the library would lose some of their
    /// bytes: for a message, or for bytes that stay here. One comparison otherwise.
    #[inline]
    pub(crate) fn spared<N: CallCount>(
        &'static self,
        count: N,
        datatype: A::Datatype,
        stays: Stays,
    ) -> Option<(N, A::Datatype)> {
        if !may_be_lossy::<A>(datatype) {
            return None;
        }
        if !self.mpi().may_have(Subject::ManyHandles) {
            return None;
        }
        let Found::This(message) = self.message(datatype, count.wide(), Purpose::Persistent) else {
            return None;
        };
        // Several basic types are bytes then, and the library takes no long messages of bytes for
        // them.
        if stays == Stays::Moves && !message.takes_packed() && message.bytes() > SHORT {
            return None;
        }
        let (count, datatype) = message.as_contiguous()?;
        Some((N::narrow(count)?, datatype))
    }
}

/// Whether MPICH 4.0 may lose bytes of this datatype.
#[inline]
pub(crate) fn may_be_lossy<A: Abi>(datatype: A::Datatype) -> bool {
    A::KIND == AbiKind::Mpich && assumed_size(datatype.to_bits()) >= 2
}

/// Size of a basic element of this datatype as MPICH 4.0 takes it, in bytes; 0 and 1 do no
/// harm.
fn assumed_size(handle: usize) -> usize {
    const IN_BLOCKS: usize = 0b11;
    if handle >> 30 & 0b11 == IN_BLOCKS { handle >> 8 & 0xff } else { 0 }
}
