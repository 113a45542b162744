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
#[allow(clippy::too_many_lines, reason = "one arm per constructor and form")]
pub fn try_create<A: Abi>(
    mpi: &Mpi<A>,
    call: &Call,
    olds: &[A::Datatype],
    form: Form,
) -> Option<Result<A::Datatype, MpiError>> {
    let f = &mpi.own;
    let mut new = mpi.handles.datatype_null;
    let out = &raw mut new;
    let large = form == Form::Large;
    // SAFETY: every list has the length that its call expects, olds are live handles.
    let code = unsafe {
        match call {
            Call::Contiguous { count } if large => {
                (f.type_contiguous_c?)(wide(*count), olds[0], out)
            }
            Call::Contiguous { count } => (f.type_contiguous)(int(*count), olds[0], out),
            Call::Vector { count, block, stride } if large => {
                (f.type_vector_c?)(wide(*count), wide(*block), *stride, olds[0], out)
            }
            Call::Vector { count, block, stride } => {
                (f.type_vector)(int(*count), int(*block), int(*stride), olds[0], out)
            }
            Call::Hvector { count, block, stride } if large => {
                (f.type_create_hvector_c?)(wide(*count), wide(*block), *stride, olds[0], out)
            }
            Call::Hvector { count, block, stride } => {
                let stride = aint(*stride);
                (f.type_create_hvector)(int(*count), int(*block), stride, olds[0], out)
            }
            Call::Indexed { blocks, displacements: at } if large => {
                let (b, n) = (wides(blocks), wide(at.len()));
                (f.type_indexed_c?)(n, b.as_ptr(), at.as_ptr(), olds[0], out)
            }
            Call::Indexed { blocks, displacements } => {
                let (b, at) = (ints(blocks), ints(displacements));
                (f.type_indexed)(int(at.len()), b.as_ptr(), at.as_ptr(), olds[0], out)
            }
            Call::Hindexed { blocks, displacements: at } if large => {
                let (b, n) = (wides(blocks), wide(at.len()));
                (f.type_create_hindexed_c?)(n, b.as_ptr(), at.as_ptr(), olds[0], out)
            }
            Call::Hindexed { blocks, displacements } => {
                let (b, at) = (ints(blocks), aints(displacements));
                (f.type_create_hindexed)(int(at.len()), b.as_ptr(), at.as_ptr(), olds[0], out)
            }
            Call::IndexedBlock { block, displacements: at } if large => {
                let (n, block) = (wide(at.len()), wide(*block));
                (f.type_create_indexed_block_c?)(n, block, at.as_ptr(), olds[0], out)
            }
            Call::IndexedBlock { block, displacements } => {
                let at = ints(displacements);
                let (n, block) = (int(at.len()), int(*block));
                (f.type_create_indexed_block)(n, block, at.as_ptr(), olds[0], out)
            }
            Call::HindexedBlock { block, displacements: at } if large => {
                let (n, block) = (wide(at.len()), wide(*block));
                (f.type_create_hindexed_block_c?)(n, block, at.as_ptr(), olds[0], out)
            }
            Call::HindexedBlock { block, displacements } => {
                let at = aints(displacements);
                let (n, block) = (int(at.len()), int(*block));
                (f.type_create_hindexed_block)(n, block, at.as_ptr(), olds[0], out)
            }
            Call::Struct { blocks, displacements: at } if large => {
                let (b, n) = (wides(blocks), wide(at.len()));
                (f.type_create_struct_c?)(n, b.as_ptr(), at.as_ptr(), olds.as_ptr(), out)
            }
            Call::Struct { blocks, displacements } => {
                let (b, at) = (ints(blocks), aints(displacements));
                let n = int(at.len());
                (f.type_create_struct)(n, b.as_ptr(), at.as_ptr(), olds.as_ptr(), out)
            }
            Call::Subarray { sizes, subsizes, starts, order } if large => {
                let [a, b, c] = [wides(sizes), wides(subsizes), wides(starts)];
                (f.type_create_subarray_c?)(
                    int(sizes.len()),
                    a.as_ptr(),
                    b.as_ptr(),
                    c.as_ptr(),
                    order_of::<A>(*order),
                    olds[0],
                    out,
                )
            }
            Call::Subarray { sizes, subsizes, starts, order } => {
                let [a, b, c] = [ints(sizes), ints(subsizes), ints(starts)];
                (f.type_create_subarray)(
                    int(sizes.len()),
                    a.as_ptr(),
                    b.as_ptr(),
                    c.as_ptr(),
                    order_of::<A>(*order),
                    olds[0],
                    out,
                )
            }
            Call::Darray { size, rank, gsizes, distributions, psizes, order } => {
                let (kinds, arguments): (Vec<c_int>, Vec<c_int>) =
                    distributions.iter().map(|d| distribution_of::<A>(*d)).unzip();
                let psizes = ints(psizes);
                let (size, rank, n) = (int(*size), int(*rank), int(gsizes.len()));
                let (k, a, p) = (kinds.as_ptr(), arguments.as_ptr(), psizes.as_ptr());
                let order = order_of::<A>(*order);
                if large {
                    let g = wides(gsizes);
                    let create = f.type_create_darray_c?;
                    create(size, rank, n, g.as_ptr(), k, a, p, order, olds[0], out)
                } else {
                    let g = ints(gsizes);
                    let create = f.type_create_darray;
                    create(size, rank, n, g.as_ptr(), k, a, p, order, olds[0], out)
                }
            }
            Call::Resized { lb, extent } if large => {
                (f.type_create_resized_c?)(olds[0], *lb, *extent, out)
            }
            Call::Resized { lb, extent } => {
                (f.type_create_resized)(olds[0], aint(*lb), aint(*extent), out)
            }
            Call::Dup if large => return None,
            Call::Dup => (f.type_dup)(olds[0], out),
        }
    };
    Some(mpi.check("a datatype constructor", code).map(|()| new))
}

fn order_of<A: Abi>(order: Order) -> c_int {
    match order {
        Order::C => A::CONSTANTS.order_c,
        Order::Fortran => A::CONSTANTS.order_fortran,
    }
}

fn distribution_of<A: Abi>(distribution: Distribution) -> (c_int, c_int) {
    let c = A::CONSTANTS;
    let argument = |n: Option<u64>| n.map_or(c.distribute_dflt_darg, int);
    match distribution {
        Distribution::None => (c.distribute_none, c.distribute_dflt_darg),
        Distribution::Block(n) => (c.distribute_block, argument(n)),
        Distribution::Cyclic(n) => (c.distribute_cyclic, argument(n)),
    }
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
