//! Handles: C integers or pointers, made distinct types so that they cannot be mixed up.

use std::ffi::c_int;
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;

/// The kinds of MPI objects; only used as type arguments of [`Handle`].
pub mod kind {
    macro_rules! kinds {
        ($($name:ident $mpi:literal),*) => {
            $(
                #[doc = concat!("`", $mpi, "`.")]
                #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
                pub enum $name {}
            )*
        };
    }
    kinds!(
        Datatype "MPI_Datatype", Comm "MPI_Comm", Request "MPI_Request",
        Message "MPI_Message", Errhandler "MPI_Errhandler", Info "MPI_Info",
        Group "MPI_Group", Op "MPI_Op", Session "MPI_Session", Win "MPI_Win", File "MPI_File"
    );
}

/// An MPI handle of representation `R` for an object of kind `K`, passed to C as a plain `R`.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Handle<R, K>(R, PhantomData<K>);

/// The operations on a handle that generic code may use: copy, compare, hash, and turn it into
/// bits and back.
pub trait RawHandle: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static {
    /// The handle with these bits. Integer handles use the low 32 bits.
    fn from_bits(bits: usize) -> Self;
    /// The bits of the handle, zero-extended: for maps, logs and messages.
    fn to_bits(self) -> usize;
}

/// Bounds that every kind of [`kind`] meets.
trait Kind: Copy + Eq + Hash + Send + Sync + 'static {}
impl<K: Copy + Eq + Hash + Send + Sync + 'static> Kind for K {}

/// MPICH: handles are C integers.
impl<K: Kind> RawHandle for Handle<c_int, K> {
    fn from_bits(bits: usize) -> Self {
        let low = u32::try_from(bits & 0xffff_ffff).unwrap_or(0);
        Handle(low.cast_signed(), PhantomData)
    }

    fn to_bits(self) -> usize {
        // Lossless: this crate builds for 64-bit systems only.
        usize::try_from(self.0.cast_unsigned()).unwrap_or(0)
    }
}

/// Open MPI and the standard ABI: handles are pointers. They are never followed here, so they are
/// held as addresses, which C passes in the same way.
impl<K: Kind> RawHandle for Handle<usize, K> {
    fn from_bits(bits: usize) -> Self {
        Handle(bits, PhantomData)
    }

    fn to_bits(self) -> usize {
        self.0
    }
}

impl<R, K> fmt::Debug for Handle<R, K>
where
    Handle<R, K>: RawHandle,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.to_bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_survive_a_round_trip_and_handles_are_as_wide_as_in_c() {
        let mpich = Handle::<c_int, kind::Datatype>::from_bits(0x8c00_0001);
        assert_eq!(mpich.to_bits(), 0x8c00_0001);
        assert_eq!(format!("{mpich:?}"), "0x8c000001");
        assert_eq!(size_of_val(&mpich), 4);
        let pointer = Handle::<usize, kind::Comm>::from_bits(usize::MAX);
        assert_eq!(pointer.to_bits(), usize::MAX);
        assert_eq!(size_of_val(&pointer), 8);
    }
}
