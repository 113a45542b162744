//! Layouts as datatypes of the library, and back.

use commloom_layout::{Basic, Type};
use commloom_mpi::{Abi, DEFAULT_BUDGET, EncodeError, Mpi, decode, encode};
use commloom_testkit::{Limits, Rng, corpus, random_type};

use super::packing::assert_same;

const CASES: u64 = 400;
/// Farthest byte from the origin; three elements must fit in the memory of `packing`.
const SPAN: i64 = 20_000;

pub fn check<A: Abi>(mpi: &Mpi<A>) -> String {
    let (mut n, mut refused) = (0, 0);
    for named in corpus::all(200).into_iter().filter(|named| named.ty.ub() < SPAN) {
        assert!(round_trip(mpi, &named.ty, &named.name), "{} refused", named.name);
        n += 1;
    }
    let limits = Limits { span: SPAN, overlaps: false, ..Limits::default() };
    for seed in 0..CASES {
        let layout = random_type(&mut Rng::with_seed(seed), &limits);
        if layout.type_map().all(|e| exists(mpi, e.basic)) {
            let good = round_trip(mpi, &layout, &format!("seed {seed}"));
            *(if good { &mut n } else { &mut refused }) += 1;
        }
    }
    descending_bytes_are_right_or_refused(mpi);
    large_counts(mpi);
    leaves_are_predefined_handles(mpi);
    assert!(n > 20 * refused, "{n} layouts encoded, {refused} refused");
    format!("{n} layouts encoded and decoded ({refused} refused)")
}

/// Whether the library has a basic type; asked by trying, since errors are returned here.
fn exists<A: Abi>(mpi: &Mpi<A>, basic: Basic) -> bool {
    mpi.handles
        .datatype(basic.name())
        .is_some_and(|handle| mpi.type_size(handle).is_ok_and(|size| size == Some(basic.size())))
}

/// `false` where the library itself goes wrong and `encode` saw or knew it.
fn round_trip<A: Abi>(mpi: &Mpi<A>, layout: &Type, what: &str) -> bool {
    let made = match encode(mpi, layout) {
        Ok(made) => made,
        Err(EncodeError::Disagree { .. } | EncodeError::Lossy { .. }) => return false,
        Err(other) => panic!("{what}: {other}: {layout:?}"),
    };
    assert_same(mpi, made.handle(), layout, what);
    let back = decode(mpi, made.handle(), DEFAULT_BUDGET)
        .unwrap_or_else(|e| panic!("{what}: {e}: {layout:?}"));
    assert!(back.type_map().eq(layout.type_map()), "{what}: {layout:?} came back as {back:?}");
    assert_eq!((back.lb(), back.extent()), (layout.lb(), layout.extent()), "{what}");
    made.free().expect("our own");
    true
}

/// Open MPI 4 and 5 make an ascending run of such bytes, and other parts can hide it.
fn descending_bytes_are_right_or_refused<A: Abi>(mpi: &Mpi<A>) {
    let bytes = Type::vec(2, -1, Type::leaf(Basic::BYTE)).expect("two bytes");
    let int = Type::leaf(Basic::INT);
    let hidden = Type::strc(vec![5, 4, -4], vec![bytes.clone(), int, Type::leaf(Basic::BYTE)]);
    for layout in [bytes, hidden.expect("three parts")] {
        round_trip(mpi, &layout, &format!("{layout:?}"));
    }
}

/// Three thousand million bytes: a large-count call, or an error that names the limit.
fn large_counts<A: Abi>(mpi: &Mpi<A>) {
    let layout = Type::vec(3_000_000_000, 1, Type::leaf(Basic::BYTE)).expect("fits");
    match encode(mpi, &layout) {
        Ok(made) => {
            assert!(mpi.own.type_contiguous_c.is_some());
            assert_eq!(mpi.type_size(made.handle()).expect("live"), Some(3_000_000_000));
            let back = decode(mpi, made.handle(), DEFAULT_BUDGET).expect("a contiguous type");
            assert_eq!(back.size(), 3_000_000_000);
        }
        Err(EncodeError::TooLarge { given: 3_000_000_000, .. }) => {
            assert!(mpi.own.type_contiguous_c.is_none());
        }
        Err(other) => panic!("{other}"),
    }
}

fn leaves_are_predefined_handles<A: Abi>(mpi: &Mpi<A>) {
    let made = encode(mpi, &Type::leaf(Basic::INT)).expect("everywhere");
    assert!(!made.is_derived());
    assert_eq!(mpi.handles.name(made.handle()), Some("MPI_INT"));
}
