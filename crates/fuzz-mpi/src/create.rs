//! The MPI constructors as calls of a library.

use std::ffi::c_int;

use commloom_layout::mpi::{Distribution, Order};
use commloom_mpi::{Abi, Mpi, MpiError};
use commloom_testkit::oracle::mpi::Call;

use crate::number::{aint, int, wide};

/// Whether a constructor is called with C ints or with large counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `MPI_Type_vector`.
    Plain,
    /// `MPI_Type_vector_c`.
    Large,
}

/// Makes the call with the library; `None` where it has no such form. The caller frees the result.
///
/// # Errors
/// The library's.
pub fn try_create<A: Abi>(
    mpi: &Mpi<A>,
    call: &Call,
    olds: &[A::Datatype],
    form: Form,
) -> Option<Result<A::Datatype, MpiError>> {
    let mut new = mpi.handles.datatype_null;
    let code = match form {
        Form::Plain => plain(mpi, call, olds, &mut new),
        Form::Large => large(mpi, call, olds, &mut new)?,
    };
    Some(mpi.check("a datatype constructor", code).map(|()| new))
}

/// The call with C ints.
fn plain<A: Abi>(mpi: &Mpi<A>, call: &Call, olds: &[A::Datatype], new: &mut A::Datatype) -> c_int {
    let f = &mpi.own;
    // SAFETY: every list has the length that its call expects, olds are live handles.
    unsafe {
        match call {
            Call::Contiguous { count } => (f.type_contiguous)(int(*count), olds[0], new),
            Call::Vector { count, block, stride } => {
                (f.type_vector)(int(*count), int(*block), int(*stride), olds[0], new)
            }
            Call::Hvector { count, block, stride } => {
                let stride = aint(*stride);
                (f.type_create_hvector)(int(*count), int(*block), stride, olds[0], new)
            }
            Call::Indexed { blocks, displacements } => {
                let (b, at) = (ints(blocks), ints(displacements));
                (f.type_indexed)(int(at.len()), b.as_ptr(), at.as_ptr(), olds[0], new)
            }
            Call::Hindexed { blocks, displacements } => {
                let (b, at) = (ints(blocks), aints(displacements));
                (f.type_create_hindexed)(int(at.len()), b.as_ptr(), at.as_ptr(), olds[0], new)
            }
            Call::IndexedBlock { block, displacements } => {
                let at = ints(displacements);
                let (n, block) = (int(at.len()), int(*block));
                (f.type_create_indexed_block)(n, block, at.as_ptr(), olds[0], new)
            }
            Call::HindexedBlock { block, displacements } => {
                let at = aints(displacements);
                let (n, block) = (int(at.len()), int(*block));
                (f.type_create_hindexed_block)(n, block, at.as_ptr(), olds[0], new)
            }
            Call::Struct { blocks, displacements } => {
                let (b, at) = (ints(blocks), aints(displacements));
                let n = int(at.len());
                (f.type_create_struct)(n, b.as_ptr(), at.as_ptr(), olds.as_ptr(), new)
            }
            Call::Subarray { sizes, subsizes, starts, order } => {
                let [a, b, c] = [ints(sizes), ints(subsizes), ints(starts)];
                let (n, a, b, c) = (int(sizes.len()), a.as_ptr(), b.as_ptr(), c.as_ptr());
                (f.type_create_subarray)(n, a, b, c, order_of::<A>(*order), olds[0], new)
            }
            Call::Darray { size, rank, gsizes, distributions, psizes, order } => {
                let (kinds, arguments) = distributions_of::<A>(distributions);
                let (g, p) = (ints(gsizes), ints(psizes));
                let (size, rank, n) = (int(*size), int(*rank), int(gsizes.len()));
                let (g, k, a, p) = (g.as_ptr(), kinds.as_ptr(), arguments.as_ptr(), p.as_ptr());
                let order = order_of::<A>(*order);
                (f.type_create_darray)(size, rank, n, g, k, a, p, order, olds[0], new)
            }
            Call::Resized { lb, extent } => {
                (f.type_create_resized)(olds[0], aint(*lb), aint(*extent), new)
            }
            Call::Dup => (f.type_dup)(olds[0], new),
        }
    }
}

/// The call with large counts, where the library has it.
fn large<A: Abi>(
    mpi: &Mpi<A>,
    call: &Call,
    olds: &[A::Datatype],
    new: &mut A::Datatype,
) -> Option<c_int> {
    let f = &mpi.own;
    // SAFETY: every list has the length that its call expects, olds are live handles.
    let code = unsafe {
        match call {
            Call::Contiguous { count } => (f.type_contiguous_c?)(wide(*count), olds[0], new),
            Call::Vector { count, block, stride } => {
                (f.type_vector_c?)(wide(*count), wide(*block), *stride, olds[0], new)
            }
            Call::Hvector { count, block, stride } => {
                (f.type_create_hvector_c?)(wide(*count), wide(*block), *stride, olds[0], new)
            }
            Call::Indexed { blocks, displacements: at } => {
                let (b, n) = (wides(blocks), wide(at.len()));
                (f.type_indexed_c?)(n, b.as_ptr(), at.as_ptr(), olds[0], new)
            }
            Call::Hindexed { blocks, displacements: at } => {
                let (b, n) = (wides(blocks), wide(at.len()));
                (f.type_create_hindexed_c?)(n, b.as_ptr(), at.as_ptr(), olds[0], new)
            }
            Call::IndexedBlock { block, displacements: at } => {
                let (n, block) = (wide(at.len()), wide(*block));
                (f.type_create_indexed_block_c?)(n, block, at.as_ptr(), olds[0], new)
            }
            Call::HindexedBlock { block, displacements: at } => {
                let (n, block) = (wide(at.len()), wide(*block));
                (f.type_create_hindexed_block_c?)(n, block, at.as_ptr(), olds[0], new)
            }
            Call::Struct { blocks, displacements: at } => {
                let (b, n) = (wides(blocks), wide(at.len()));
                (f.type_create_struct_c?)(n, b.as_ptr(), at.as_ptr(), olds.as_ptr(), new)
            }
            Call::Subarray { sizes, subsizes, starts, order } => {
                let [a, b, c] = [wides(sizes), wides(subsizes), wides(starts)];
                let (n, a, b, c) = (int(sizes.len()), a.as_ptr(), b.as_ptr(), c.as_ptr());
                (f.type_create_subarray_c?)(n, a, b, c, order_of::<A>(*order), olds[0], new)
            }
            Call::Darray { size, rank, gsizes, distributions, psizes, order } => {
                let (kinds, arguments) = distributions_of::<A>(distributions);
                let (g, p) = (wides(gsizes), ints(psizes));
                let (size, rank, n) = (int(*size), int(*rank), int(gsizes.len()));
                let (g, k, a, p) = (g.as_ptr(), kinds.as_ptr(), arguments.as_ptr(), p.as_ptr());
                let order = order_of::<A>(*order);
                (f.type_create_darray_c?)(size, rank, n, g, k, a, p, order, olds[0], new)
            }
            Call::Resized { lb, extent } => (f.type_create_resized_c?)(olds[0], *lb, *extent, new),
            Call::Dup => return None,
        }
    };
    Some(code)
}

fn order_of<A: Abi>(order: Order) -> c_int {
    match order {
        Order::C => A::CONSTANTS.order_c,
        Order::Fortran => A::CONSTANTS.order_fortran,
    }
}

/// The kinds and their arguments.
fn distributions_of<A: Abi>(all: &[Distribution]) -> (Vec<c_int>, Vec<c_int>) {
    let c = A::CONSTANTS;
    let argument = |n: &Option<u64>| n.map_or(c.distribute_dflt_darg, int);
    let one = |distribution: &Distribution| match distribution {
        Distribution::None => (c.distribute_none, c.distribute_dflt_darg),
        Distribution::Block(n) => (c.distribute_block, argument(n)),
        Distribution::Cyclic(n) => (c.distribute_cyclic, argument(n)),
    };
    all.iter().map(one).unzip()
}

fn ints<T: Copy + TryInto<c_int>>(list: &[T]) -> Vec<c_int> {
    list.iter().map(|&n| int(n)).collect()
}

fn wides(list: &[u64]) -> Vec<i64> {
    list.iter().map(|&n| wide(n)).collect()
}

fn aints(list: &[i64]) -> Vec<isize> {
    list.iter().map(|&n| aint(n)).collect()
}
