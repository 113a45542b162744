//! Every constructor called natively, and decoded.

use std::ffi::c_int;

use commloom_fuzz_mpi::create::{Form, try_create};
use commloom_layout::mpi::{Distribution, Order};
use commloom_layout::{Basic, Type};
use commloom_mpi::{Abi, Combiner, DEFAULT_BUDGET, Mpi, decode, encode};
use commloom_testkit::oracle::mpi::Call;

use super::packing::assert_same;

/// Makes the call with the library; `None` where it has no large-count form. The caller frees the
/// result. Panics where the library refuses a call that is right.
pub fn create<A: Abi>(
    mpi: &Mpi<A>,
    call: &Call,
    olds: &[A::Datatype],
    form: Form,
) -> Option<A::Datatype> {
    try_create(mpi, call, olds, form)
        .map(|made| made.unwrap_or_else(|e| panic!("{call:?} {form:?}: {e}")))
}

/// One of each constructor, over MPI_INT and over a struct with a gap; with both forms.
pub fn check<A: Abi>(mpi: &Mpi<A>) -> String {
    let int_type = mpi.handles.datatype("MPI_INT").expect("everywhere");
    let char_type = mpi.handles.datatype("MPI_CHAR").expect("everywhere");
    let pair = Call::Struct { blocks: vec![1, 3], displacements: vec![0, 4] };
    let gap = create(mpi, &pair, &[int_type, char_type], Form::Plain).expect("plain");
    let leaf = Type::leaf(Basic::INT);
    let gap_layout = pair.build(&[leaf.clone(), Type::leaf(Basic::CHAR)]).expect("a small struct");

    let mut plain = 0;
    let mut large = 0;
    for call in calls() {
        for form in [Form::Plain, Form::Large] {
            for (old, layout) in [(int_type, &leaf), (gap, &gap_layout)] {
                let olds = vec![old; call.arity()];
                let Some(made) = create(mpi, &call, &olds, form) else { continue };
                *(if form == Form::Plain { &mut plain } else { &mut large }) += 1;
                mpi.type_commit(made).expect("a new type");
                let decoded = decode(mpi, made, DEFAULT_BUDGET)
                    .unwrap_or_else(|e| panic!("{call:?} {form:?}: {e}"));
                let what = format!("{call:?} {form:?}");
                assert_same(mpi, made, &decoded, &what);
                let expected = call.build(&vec![layout.clone(); call.arity()]).expect("valid");
                assert!(decoded.type_map().eq(expected.type_map()), "{what}: {decoded:?}");
                mpi.type_free(made).expect("our own");
            }
        }
    }
    mpi.type_free(gap).expect("our own");
    fortran_by_precision(mpi);
    value_index(mpi);
    markers(mpi);
    empty(mpi);
    format!("{plain} native types and {large} with large counts decoded")
}

/// Types without data.
fn empty<A: Abi>(mpi: &Mpi<A>) {
    let int_type = mpi.handles.datatype("MPI_INT").expect("everywhere");
    for call in [
        Call::Contiguous { count: 0 },
        Call::Vector { count: 4, block: 0, stride: 3 },
        Call::Hindexed { blocks: vec![0, 0], displacements: vec![8, -8] },
        Call::Struct { blocks: vec![], displacements: vec![] },
    ] {
        let olds = vec![int_type; call.arity()];
        let empty = create(mpi, &call, &olds, Form::Plain).expect("plain");
        for call in [Call::Dup, Call::Resized { lb: -4, extent: 12 }] {
            let made = create(mpi, &call, &[empty], Form::Plain).expect("plain");
            mpi.type_commit(made).expect("a new type");
            let decoded = decode(mpi, made, DEFAULT_BUDGET).expect("an empty type");
            assert_same(mpi, made, &decoded, "empty");
            let again = encode(mpi, &decoded).expect("an empty type");
            assert_same(mpi, again.handle(), &decoded, "empty again");
            mpi.type_free(made).expect("our own");
        }
        mpi.type_free(empty).expect("our own");
    }
}

fn calls() -> Vec<Call> {
    let order = [Order::C, Order::Fortran];
    let mut calls = vec![
        Call::Contiguous { count: 5 },
        Call::Vector { count: 3, block: 2, stride: 5 },
        Call::Vector { count: 3, block: 2, stride: -5 },
        Call::Hvector { count: 3, block: 2, stride: 37 },
        Call::Indexed { blocks: vec![2, 0, 1], displacements: vec![7, 1, -3] },
        Call::Hindexed { blocks: vec![2, 0, 1], displacements: vec![70, 1, -30] },
        Call::IndexedBlock { block: 2, displacements: vec![7, 1, -3] },
        Call::HindexedBlock { block: 2, displacements: vec![70, 1, -30] },
        Call::Struct { blocks: vec![2, 1], displacements: vec![40, 0] },
        Call::Resized { lb: -8, extent: 48 },
        Call::Dup,
    ];
    for order in order {
        calls.push(Call::Subarray {
            sizes: vec![5, 4, 3],
            subsizes: vec![2, 3, 1],
            starts: vec![1, 0, 2],
            order,
        });
        for rank in 0..6 {
            calls.push(Call::Darray {
                size: 6,
                rank,
                gsizes: vec![5, 7, 2],
                distributions: vec![
                    Distribution::Block(None),
                    Distribution::Cyclic(Some(2)),
                    Distribution::None,
                ],
                psizes: vec![2, 3, 1],
                order,
            });
        }
    }
    calls
}

/// `MPI_Type_create_f90_*`: predefined, unnamed, never freed.
fn fortran_by_precision<A: Abi>(mpi: &Mpi<A>) {
    let f = &mpi.own;
    let made = |create: &dyn Fn(*mut A::Datatype) -> c_int| {
        let mut new = mpi.handles.datatype_null;
        // A library without Fortran has none: then there is nothing to decode.
        (create(&raw mut new) == A::CONSTANTS.success && new != mpi.handles.datatype_null)
            .then_some(new)
    };
    // SAFETY: `new` is writable.
    let real = made(&|new| unsafe { (f.type_create_f90_real)(15, 300, new) });
    // SAFETY: `new` is writable, and the other arguments are numbers.
    let complex = made(&|new| unsafe { (f.type_create_f90_complex)(6, 30, new) });
    // SAFETY: `new` is writable, and the other argument is a number.
    let integer = made(&|new| unsafe { (f.type_create_f90_integer)(9, new) });
    for (datatype, basic) in
        [(real, Basic::REAL8), (complex, Basic::COMPLEX8), (integer, Basic::INTEGER4)]
    {
        let Some(datatype) = datatype else { continue };
        let decoded = decode(mpi, datatype, DEFAULT_BUDGET).expect("a predefined type");
        assert_eq!(decoded.size(), basic.size());
        // Inside another type, where decoding gets it as contents and must not free it.
        let call = Call::Vector { count: 2, block: 1, stride: 3 };
        for _ in 0..3 {
            let vector = create(mpi, &call, &[datatype], Form::Plain).expect("plain");
            mpi.type_commit(vector).expect("a new type");
            let decoded = decode(mpi, vector, DEFAULT_BUDGET).expect("a vector");
            assert_same(mpi, vector, &decoded, basic.name());
            mpi.type_free(vector).expect("our own");
        }
    }
}

/// `MPI_Type_get_value_index` (MPI 4.1), where the library has it.
fn value_index<A: Abi>(mpi: &Mpi<A>) {
    let Some(get) = mpi.own.type_get_value_index else { return };
    for (value, index) in [("MPI_DOUBLE", "MPI_SHORT"), ("MPI_FLOAT", "MPI_LONG")] {
        let [value, index] = [value, index].map(|n| mpi.handles.datatype(n).expect("everywhere"));
        let mut pair = mpi.handles.datatype_null;
        // SAFETY: live handles, `pair` is writable.
        let code = unsafe { get(value, index, &raw mut pair) };
        if code != A::CONSTANTS.success || pair == mpi.handles.datatype_null {
            continue;
        }
        let decoded = decode(mpi, pair, DEFAULT_BUDGET).expect("a pair");
        assert_eq!(mpi.type_combiner(pair).expect("a pair"), Combiner::ValueIndex);
        assert_same(mpi, pair, &decoded, "value and index");
    }
}

/// `MPI_LB` and `MPI_UB`, which MPICH still has although MPI 3.0 removed them.
fn markers<A: Abi>(mpi: &Mpi<A>) {
    if A::KIND != commloom_mpi::AbiKind::Mpich {
        return;
    }
    let [lb, int_type, ub] =
        ["MPI_LB", "MPI_INT", "MPI_UB"].map(|n| mpi.handles.datatype(n).expect("in MPICH"));
    let mut made = mpi.handles.datatype_null;
    let olds = [lb, int_type, ub];
    // SAFETY: three entries each.
    let code = unsafe {
        let create = mpi.own.type_create_struct;
        create(3, [1, 1, 1].as_ptr(), [-8, 4, 24].as_ptr(), olds.as_ptr(), &raw mut made)
    };
    if code != A::CONSTANTS.success {
        return;
    }
    mpi.type_commit(made).expect("a new type");
    let decoded = decode(mpi, made, DEFAULT_BUDGET).expect("a struct with markers");
    assert_same(mpi, made, &decoded, "struct with markers");
    mpi.type_free(made).expect("our own");
}
