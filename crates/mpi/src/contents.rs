//! Envelope and contents of a datatype (MPI 4.1, section 5.1.13), from whichever pair of calls the
//! library has, brought into one shape.
//!
//! A type that was made by a large-count constructor can only be read with the `_c` calls; these
//! read every type, so they are used where they exist.

use std::ffi::c_int;

use crate::abi::{Abi, Combiner};
use crate::error::DecodeError;
use crate::functions::{Aint, Count};
use crate::mpi::Mpi;
use crate::number::{length, wide};

/// The answer of `MPI_Type_get_envelope`: the constructor and the lengths of its argument lists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Envelope {
    pub combiner: Combiner,
    integers: usize,
    addresses: usize,
    counts: usize,
    datatypes: usize,
}

impl Envelope {
    /// Arguments of the constructor, of all kinds together.
    pub fn arguments(&self) -> usize {
        let Envelope { combiner: _, integers, addresses, counts, datatypes } = *self;
        integers.saturating_add(addresses).saturating_add(counts).saturating_add(datatypes)
    }

    /// The envelope of a datatype. Names in the table are not asked of the library.
    pub fn of<A: Abi>(mpi: &Mpi<A>, datatype: A::Datatype) -> Result<Self, DecodeError> {
        if datatype == mpi.handles.datatype_null {
            return Err(DecodeError::Null);
        }
        if mpi.handles.name(datatype).is_some() {
            let combiner = Combiner::Named;
            return Ok(Envelope { combiner, integers: 0, addresses: 0, counts: 0, datatypes: 0 });
        }
        let mut value: c_int = 0;
        let lengths = match (mpi.own.type_get_envelope_c, mpi.own.type_get_contents_c) {
            (Some(envelope), Some(_)) => {
                let mut n: [Count; 4] = [0; 4];
                let [i, a, c, d] = &mut n;
                // SAFETY: five writable places; the caller of `Mpi::new` answers for the handle.
                let code = unsafe { envelope(datatype, i, a, c, d, &raw mut value) };
                mpi.check("MPI_Type_get_envelope_c", code)?;
                n
            }
            _ => {
                let mut n: [c_int; 3] = [0; 3];
                let [i, a, d] = &mut n;
                // SAFETY: four writable places; the caller of `Mpi::new` answers for the handle.
                let code =
                    unsafe { (mpi.own.type_get_envelope)(datatype, i, a, d, &raw mut value) };
                mpi.check("MPI_Type_get_envelope", code)?;
                [wide(n[0]), wide(n[1]), 0, wide(n[2])]
            }
        };
        let combiner =
            Combiner::from_value(A::KIND, value).ok_or(DecodeError::UnknownCombiner { value })?;
        let list =
            |what, given| length(given).ok_or(DecodeError::BadContents { combiner, what, given });
        Ok(Envelope {
            combiner,
            integers: list("the number of integers", lengths[0])?,
            addresses: list("the number of addresses", lengths[1])?,
            counts: list("the number of large counts", lengths[2])?,
            datatypes: list("the number of datatypes", lengths[3])?,
        })
    }

    /// Entries in all lists together.
    pub fn entries(&self) -> usize {
        [self.integers, self.addresses, self.counts, self.datatypes]
            .into_iter()
            .fold(0, usize::saturating_add)
    }
}

/// The arguments of the constructor, in the order of the constructor without `_c`.
pub(crate) struct Contents<'m, A: Abi> {
    /// Counts, blocklengths, sizes, displacements in elements, orders.
    pub values: Vec<i64>,
    /// Strides, displacements and bounds in bytes.
    pub addresses: Vec<i64>,
    /// The old types.
    pub parts: Parts<'m, A>,
}

impl<'m, A: Abi> Contents<'m, A> {
    /// The contents of a type that is not predefined.
    pub fn of(
        mpi: &'m Mpi<A>,
        datatype: A::Datatype,
        envelope: Envelope,
    ) -> Result<Self, DecodeError> {
        let mut integers: Vec<c_int> = vec![0; envelope.integers];
        let mut addresses: Vec<Aint> = vec![0; envelope.addresses];
        let mut counts: Vec<Count> = vec![0; envelope.counts];
        let mut datatypes = vec![mpi.handles.datatype_null; envelope.datatypes];
        match (mpi.own.type_get_envelope_c, mpi.own.type_get_contents_c) {
            (Some(_), Some(contents)) => {
                // SAFETY: every list has the length passed with it; the caller of `Mpi::new`
                // answers for the handle.
                let code = unsafe {
                    contents(
                        datatype,
                        wide(integers.len()),
                        wide(addresses.len()),
                        wide(counts.len()),
                        wide(datatypes.len()),
                        integers.as_mut_ptr(),
                        addresses.as_mut_ptr(),
                        counts.as_mut_ptr(),
                        datatypes.as_mut_ptr(),
                    )
                };
                mpi.check("MPI_Type_get_contents_c", code)?;
            }
            _ => {
                // The envelope told these lengths as C ints.
                let int = |n: usize| c_int::try_from(n).unwrap_or(c_int::MAX);
                // SAFETY: the lists are as long as the numbers given; the caller of `Mpi::new`
                // answers for the handle.
                let code = unsafe {
                    (mpi.own.type_get_contents)(
                        datatype,
                        int(integers.len()),
                        int(addresses.len()),
                        int(datatypes.len()),
                        integers.as_mut_ptr(),
                        addresses.as_mut_ptr(),
                        datatypes.as_mut_ptr(),
                    )
                };
                mpi.check("MPI_Type_get_contents", code)?;
            }
        }
        let parts = Parts::new(mpi, datatypes);
        let integers: Vec<i64> = integers.into_iter().map(wide).collect();
        let addresses = addresses.into_iter().map(wide).collect();
        let (values, addresses) = one_shape(envelope.combiner, integers, addresses, counts);
        Ok(Contents { values, addresses, parts })
    }
}

/// Brings the lists of large-count types, and of the removed `*_INTEGER` combiners, into the shape
/// of the plain constructors: (values, addresses).
fn one_shape(
    combiner: Combiner,
    integers: Vec<i64>,
    addresses: Vec<i64>,
    counts: Vec<i64>,
) -> (Vec<i64>, Vec<i64>) {
    // MPI 4.1, section 5.1.13: only subarray and darray keep integers beside large counts.
    let fixed = match combiner {
        Combiner::Subarray => 1,
        Combiner::Darray => 3,
        _ => 0,
    };
    let mut values = integers;
    let at = fixed.min(values.len());
    values.splice(at..at, counts);
    if !addresses.is_empty() {
        return (values, addresses);
    }
    let n = values.first().copied().and_then(length).unwrap_or(0);
    let tail = match combiner {
        Combiner::Hvector | Combiner::HvectorInteger => 1,
        Combiner::Hindexed
        | Combiner::HindexedInteger
        | Combiner::HindexedBlock
        | Combiner::Struct
        | Combiner::StructInteger => n,
        Combiner::Resized => 2,
        _ => 0,
    };
    let addresses = values.split_off(values.len().saturating_sub(tail));
    (values, addresses)
}

/// The old types of a datatype. Each derived one is a new reference and freed on drop; predefined
/// ones must not be freed (MPI 4.1, section 5.1.13).
pub(crate) struct Parts<'m, A: Abi> {
    mpi: &'m Mpi<A>,
    handles: Vec<A::Datatype>,
}

impl<'m, A: Abi> Parts<'m, A> {
    fn new(mpi: &'m Mpi<A>, handles: Vec<A::Datatype>) -> Self {
        Parts { mpi, handles }
    }

    /// The handles; valid as long as this value.
    pub fn handles(&self) -> &[A::Datatype] {
        &self.handles
    }
}

impl<A: Abi> Drop for Parts<'_, A> {
    fn drop(&mut self) {
        for &handle in &self.handles {
            // What cannot be told to be derived is leaked rather than freed by mistake.
            let combiner = Envelope::of(self.mpi, handle).map(|e| e.combiner);
            if combiner.is_ok_and(|combiner| !combiner.is_predefined()) {
                // Nobody is there to be told of an error.
                let _ = self.mpi.type_free(handle);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(c: Combiner, i: &[i64], a: &[i64], l: &[i64]) -> (Vec<i64>, Vec<i64>) {
        one_shape(c, i.to_vec(), a.to_vec(), l.to_vec())
    }

    #[test]
    fn large_count_contents_take_the_shape_of_the_plain_constructor() {
        use Combiner::*;
        let same = |c, plain: (&[i64], &[i64]), large: (&[i64], &[i64])| {
            let plain = shape(c, plain.0, plain.1, &[]);
            assert_eq!(plain, shape(c, large.0, &[], large.1), "{c}");
        };
        same(Contiguous, (&[7], &[]), (&[], &[7]));
        same(Vector, (&[2, 3, 4], &[]), (&[], &[2, 3, 4]));
        same(Hvector, (&[2, 3], &[40]), (&[], &[2, 3, 40]));
        same(Indexed, (&[2, 1, 1, 5, 9], &[]), (&[], &[2, 1, 1, 5, 9]));
        same(Hindexed, (&[2, 1, 1], &[5, 9]), (&[], &[2, 1, 1, 5, 9]));
        same(IndexedBlock, (&[2, 3, 5, 9], &[]), (&[], &[2, 3, 5, 9]));
        same(HindexedBlock, (&[2, 3], &[5, 9]), (&[], &[2, 3, 5, 9]));
        same(Struct, (&[2, 1, 1], &[5, 9]), (&[], &[2, 1, 1, 5, 9]));
        same(Subarray, (&[1, 9, 4, 2, 56], &[]), (&[1, 56], &[9, 4, 2]));
        same(Darray, (&[4, 0, 1, 9, 121, 3, 4, 56], &[]), (&[4, 0, 1, 121, 3, 4, 56], &[9]));
        same(Resized, (&[], &[-4, 16]), (&[], &[-4, 16]));
    }

    #[test]
    fn removed_integer_combiners_take_the_shape_of_their_successors() {
        use Combiner::*;
        let hindexed = shape(Hindexed, &[2, 1, 1], &[5, 9], &[]);
        assert_eq!(shape(HindexedInteger, &[2, 1, 1, 5, 9], &[], &[]), hindexed);
        assert_eq!(shape(StructInteger, &[2, 1, 1, 5, 9], &[], &[]), hindexed);
        assert_eq!(shape(HvectorInteger, &[2, 3, 40], &[], &[]), (vec![2, 3], vec![40]));
    }
}
