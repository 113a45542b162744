//! A [`Construction`] as a datatype: every call of it is made, and no other.

use std::ffi::c_int;

use commloom_layout::mpi::Construction;

use crate::abi::Abi;
use crate::encode::check_against_library;
use crate::error::EncodeError;
use crate::mpi::Mpi;
use crate::number::aint;
use crate::owned::OwnedDatatype;

/// The datatype that the calls make, not committed. Where the library gives it another extent than
/// the layout has (alignment of structs is up to the library), it is resized.
///
/// # Errors
/// See [`EncodeError`]; of a list of numbers past those of a C `int` the first is named, and no
/// call with large counts is tried.
pub fn construct<'m, A: Abi>(
    mpi: &'m Mpi<A>,
    construction: &Construction,
) -> Result<OwnedDatatype<'m, A>, EncodeError> {
    let layout = construction.layout().map_err(EncodeError::Layout)?;
    let mut made = node(mpi, construction)?;
    let has = mpi.type_bounds(made.handle())?;
    if (has.lb, has.extent) != (layout.lb(), layout.extent()) {
        made = make(mpi, "MPI_Type_create_resized", |new| {
            // SAFETY: `new` is writable, the handle is live.
            unsafe {
                let (lb, extent) = (aint(layout.lb()), aint(layout.extent()));
                (mpi.own.type_create_resized)(made.handle(), lb, extent, new)
            }
        })?;
    }
    check_against_library(mpi, made.handle(), &layout)?;
    Ok(made)
}

fn node<'m, A: Abi>(
    mpi: &'m Mpi<A>,
    construction: &Construction,
) -> Result<OwnedDatatype<'m, A>, EncodeError> {
    let own = &mpi.own;
    // SAFETY (all calls): `new` is writable, old handles are live, lists are as long as the count
    // says.
    #[allow(clippy::undocumented_unsafe_blocks, reason = "one comment for all, just above")]
    match construction {
        Construction::Basic(basic) => {
            let missing = EncodeError::NoSuchBasic { name: basic.name(), size: basic.size() };
            let handle = mpi.handles.datatype(basic.name()).ok_or(missing)?;
            Ok(OwnedDatatype::predefined(mpi, handle))
        }
        Construction::Contiguous { count, old } => {
            let call = "MPI_Type_contiguous";
            let (count, old) = (int(call, *count)?, node(mpi, old)?);
            make(mpi, call, |new| unsafe { (own.type_contiguous)(count, old.handle(), new) })
        }
        Construction::Vector { count, blocklength, stride, old } => {
            let call = "MPI_Type_vector";
            let (count, block) = (int(call, *count)?, int(call, *blocklength)?);
            let (stride, old) = (int(call, *stride)?, node(mpi, old)?);
            make(mpi, call, |new| unsafe {
                (own.type_vector)(count, block, stride, old.handle(), new)
            })
        }
        Construction::Hvector { count, blocklength, stride, old } => {
            let call = "MPI_Type_create_hvector";
            let (count, block) = (int(call, *count)?, int(call, *blocklength)?);
            let (stride, old) = (aint(*stride), node(mpi, old)?);
            make(mpi, call, |new| unsafe {
                (own.type_create_hvector)(count, block, stride, old.handle(), new)
            })
        }
        Construction::Indexed { blocklengths, displacements, old } => {
            let call = "MPI_Type_indexed";
            let (blocks, places) = (ints(call, blocklengths)?, ints(call, displacements)?);
            let (count, old) = (int(call, places.len())?, node(mpi, old)?);
            make(mpi, call, |new| unsafe {
                (own.type_indexed)(count, blocks.as_ptr(), places.as_ptr(), old.handle(), new)
            })
        }
        Construction::IndexedBlock { blocklength, displacements, old } => {
            let call = "MPI_Type_create_indexed_block";
            let (block, places) = (int(call, *blocklength)?, ints(call, displacements)?);
            let (count, old) = (int(call, places.len())?, node(mpi, old)?);
            make(mpi, call, |new| unsafe {
                (own.type_create_indexed_block)(count, block, places.as_ptr(), old.handle(), new)
            })
        }
        Construction::Struct { blocklengths, displacements, olds } => {
            let call = "MPI_Type_create_struct";
            let blocks = ints(call, blocklengths)?;
            let places: Vec<isize> = displacements.iter().map(|&d| aint(d)).collect();
            let olds = olds.iter().map(|old| node(mpi, old)).collect::<Result<Vec<_>, _>>()?;
            let handles: Vec<_> = olds.iter().map(OwnedDatatype::handle).collect();
            let count = int(call, places.len())?;
            make(mpi, call, |new| unsafe {
                let (blocks, places) = (blocks.as_ptr(), places.as_ptr());
                (own.type_create_struct)(count, blocks, places, handles.as_ptr(), new)
            })
        }
        Construction::Resized { lb, extent, old } => {
            let (lb, extent, old) = (aint(*lb), aint(*extent), node(mpi, old)?);
            make(mpi, "MPI_Type_create_resized", |new| unsafe {
                (own.type_create_resized)(old.handle(), lb, extent, new)
            })
        }
    }
}

fn make<'m, A: Abi>(
    mpi: &'m Mpi<A>,
    call: &'static str,
    create: impl FnOnce(*mut A::Datatype) -> c_int,
) -> Result<OwnedDatatype<'m, A>, EncodeError> {
    let mut new = mpi.handles.datatype_null;
    let code = create(&raw mut new);
    mpi.check(call, code)?;
    Ok(OwnedDatatype::derived(mpi, new))
}

fn int<T: Copy>(call: &'static str, n: T) -> Result<c_int, EncodeError>
where
    c_int: TryFrom<T>,
    u64: TryFrom<T>,
{
    c_int::try_from(n).map_err(|_| EncodeError::TooLarge {
        what: "an argument",
        given: u64::try_from(n).unwrap_or(u64::MAX),
        limit: i64::from(c_int::MAX),
        call,
    })
}

fn ints<T: Copy>(call: &'static str, list: &[T]) -> Result<Vec<c_int>, EncodeError>
where
    c_int: TryFrom<T>,
    u64: TryFrom<T>,
{
    list.iter().map(|&n| int(call, n)).collect()
}
