//! Overflow of 64 bits is an error at every constructor, and the largest legal values work.

use commloom_layout::{Basic, LayoutError, MAX_DEPTH, Type, mpi};

const MAX: i64 = i64::MAX;
const MIN: i64 = i64::MIN;

fn int() -> Type {
    Type::leaf(Basic::INT)
}

fn overflows(built: Result<Type, LayoutError>) {
    assert!(matches!(built, Err(LayoutError::Overflow { .. })), "{built:?}");
}

#[test]
fn core_constructors_refuse_what_does_not_fit() {
    overflows(Type::vec(u64::MAX, 4, int()));
    overflows(Type::vec(1 << 62, 4, int()));
    overflows(Type::vec(3, MAX / 2 + 1, int()));
    overflows(Type::vec(3, MIN, int()));
    overflows(Type::vec(2, MIN, Type::vec(2, -1, int()).unwrap()));
    overflows(Type::vec(1 << 61, 0, int()));
    overflows(Type::idx([MAX], int()));
    overflows(Type::idx([MAX - 3], int()));
    overflows(Type::idx([MIN, 0], int()));
    overflows(Type::idxbuc(4, [MAX - 8], [3], int()));
    overflows(Type::idxbuc(4, [0], [u64::MAX], int()));
    overflows(Type::idxbuc(MAX, [0], [3], int()));
    overflows(Type::strc([0, MAX], [int(), int()]));
    overflows(Type::strc([MIN, 0], [int(), int()]));
    overflows(Type::resized(MAX, 1, int()));
    overflows(Type::resized(MIN, -1, int()));
    overflows(Type::vec(4, 0, Type::vec(1 << 61, 0, Type::leaf(Basic::BYTE)).unwrap()));
}

#[test]
fn mpi_constructors_refuse_what_does_not_fit() {
    let far = Type::resized(0, MAX / 2, int()).unwrap();
    overflows(mpi::contiguous(4, &far));
    overflows(mpi::contiguous(u64::MAX, &int()));
    overflows(mpi::vector(2, 1, MAX / 2, &int()));
    overflows(mpi::vector(2, 1, 3, &far));
    overflows(mpi::hvector(3, 1, MAX, &int()));
    overflows(mpi::indexed(&[1, 2], &[0, MAX / 2], &int()));
    overflows(mpi::hindexed(&[1, 2], &[0, MAX - 4], &int()));
    overflows(mpi::indexed_block(1, &[MAX / 2], &int()));
    overflows(mpi::hindexed_block(2, &[MAX - 5], &int()));
    overflows(mpi::structure(&[1, 4], &[0, 0], &[int(), far.clone()]));
    overflows(mpi::resized(MAX, MAX, &int()));
    let cube = [1 << 21, 1 << 21, 1 << 21];
    overflows(mpi::subarray(&cube, &[1; 3], &[0; 3], mpi::Order::C, &int()));
    overflows(mpi::darray(
        1,
        0,
        &cube,
        &[mpi::Distribution::Block(None); 3],
        &[1; 3],
        mpi::Order::Fortran,
        &int(),
    ));
}

#[test]
fn the_farthest_legal_displacements_work() {
    let end = Type::idx([MAX - 4], int()).unwrap();
    assert_eq!((end.true_lb(), end.true_ub()), (MAX - 4, MAX));
    let start = Type::idx([MIN], int()).unwrap();
    assert_eq!((start.true_lb(), start.extent()), (MIN, 4));
    let large = Type::vec(1 << 60, 4, int()).unwrap();
    assert_eq!((large.size(), large.runs(), large.extent()), (1 << 62, 1, 1 << 62));
    assert!(large.is_contiguous(1));
}

#[test]
fn empty_parts_may_stand_anywhere_but_their_markers_count() {
    let nothing = Type::vec(0, 1, int()).unwrap();
    let copies = Type::vec(u64::MAX, MAX, nothing.clone());
    assert!(copies.is_err() || copies.unwrap().size() == 0);
    let marked = Type::resized(0, 8, nothing.clone()).unwrap();
    assert_eq!(Type::vec(3, 8, marked.clone()).unwrap().extent(), 24);
    overflows(Type::idx([MAX], marked));
    assert_eq!(Type::idx([MAX], nothing).unwrap().size(), 0);
}

#[test]
fn a_tree_of_the_largest_depth_is_built_walked_compared_and_dropped() {
    let build =
        || (1..MAX_DEPTH).fold(int(), |t, k| Type::idx([i64::from(k % 2 == 0)], t).unwrap());
    let (a, b) = (build(), build());
    assert_eq!(a.depth(), MAX_DEPTH);
    assert_eq!(a, b);
    assert_eq!(a.type_map().count(), 1);
    assert_eq!(
        Type::idx([0], a).err(),
        Some(LayoutError::TooDeep { given: MAX_DEPTH + 1, limit: MAX_DEPTH })
    );
}

#[test]
fn equality_is_that_of_the_description() {
    let a = Type::vec(2, 4, int()).unwrap();
    assert_eq!(a, Type::vec(2, 4, int()).unwrap());
    assert_ne!(a, Type::idx([0, 4], int()).unwrap());
    assert_ne!(a, Type::vec(2, 4, Type::leaf(Basic::FLOAT)).unwrap());
    assert_ne!(int(), Type::leaf(Basic::INTEGER));
}
