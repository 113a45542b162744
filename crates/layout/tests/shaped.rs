//! The bucket type and the triangular type: what their notation expands to, and what they cost.

use commloom_layout::shaped::{MAX_ROWS, bucket, is_bucket, is_triangular, triangular};
use commloom_layout::text::parse;
use commloom_layout::{Basic, CostModel, LayoutError, Type};

fn leaf() -> Type {
    Type::leaf(Basic::INT)
}

#[test]
fn the_notation_expands_to_idxbuc() {
    for (short, long) in [
        ("bucket(100, 4, <3,1,2>, MPI_INT)", "idxbuc(4, <0,100,200>, <3,1,2>, leaf(MPI_INT))"),
        ("bucket(-9, -4, <2>, MPI_INT)", "idxbuc(-4, <0>, <2>, leaf(MPI_INT))"),
        ("bucket(1, 2, <>, MPI_INT)", "idxbuc(2, <>, <>, leaf(MPI_INT))"),
        (
            "triangular(4, 16, 4, 1, 1, MPI_INT)",
            "idxbuc(4, <0,16,32,48>, <1,2,3,4>, leaf(MPI_INT))",
        ),
        ("triangular(3, 20, 4, 5, -2, MPI_INT)", "idxbuc(4, <0,20,40>, <5,3,1>, leaf(MPI_INT))"),
        ("triangular(2, 20, 4, 5, 0, MPI_INT)", "idxbuc(4, <0,20>, <5,5>, leaf(MPI_INT))"),
        ("triangular(0, 20, 4, 0, 0, MPI_INT)", "idxbuc(4, <>, <>, leaf(MPI_INT))"),
    ] {
        assert_eq!(parse(short).unwrap().to_string(), long);
    }
    let nested = "bucket(99, 8, <1,2>, triangular(2, 9, 4, 1, 1, MPI_INT))";
    assert_eq!(parse(nested).unwrap().elements(), 9);
}

#[test]
fn what_cannot_be_is_an_error_with_its_numbers() {
    let range = |what, given, min, max| Err(LayoutError::OutOfRange { what, given, min, max });
    assert_eq!(bucket(8, 4, &[2, 0], leaf()), range("a block of bucket", 0, 1, i64::MAX));
    let falls = triangular(4, 16, 4, 2, -1, leaf());
    assert_eq!(falls, range("a block of triangular", 0, 1, i64::MAX));
    let far_below = triangular(3, 16, 4, 2, i64::MIN, leaf());
    assert_eq!(far_below, range("a block of triangular", i64::MIN + 2, 1, i64::MAX));
    let many = triangular(MAX_ROWS + 1, 16, 4, 1, 0, leaf());
    assert_eq!(many, range("the count of triangular", 1_048_577, 0, 1_048_576));
    assert!(triangular(u64::MAX, 16, 4, 1, 0, leaf()).is_err());
    for overflow in [
        triangular(3, i64::MAX / 2, 4, 1, 0, leaf()),
        triangular(3, i64::MAX, 4, 1, 0, leaf()),
        triangular(3, 4, i64::MAX, 2, 0, leaf()),
        triangular(3, 4, 4, u64::MAX, 1, leaf()),
        bucket(4, 4, &[u64::MAX, u64::MAX], leaf()),
        bucket(i64::MIN, 4, &[1; 3], leaf()),
    ] {
        assert!(matches!(overflow, Err(LayoutError::Overflow { .. })), "{overflow:?}");
    }
}

#[test]
fn the_shapes_are_those_of_their_definition() {
    for (indices, blocks, even, triangle) in [
        (&[][..], &[][..], true, true),
        (&[7], &[9], true, true),
        (&[7, -100], &[9, 1], true, true),
        (&[0, 10, 20], &[1, 2, 3], true, true),
        (&[5, 15, 25], &[3, 2, 1], true, true),
        (&[5, 15, 25], &[2, 2, 2], true, true),
        (&[0, 0, 0], &[1, 3, 5], true, true),
        (&[0, -10, -20, -30], &[1, 2, 3, 5], true, false),
        (&[0, 10, 21], &[1, 2, 3], false, false),
        // A bucket without copies begins nowhere.
        (&[0, 10, 20], &[0, 1, 2], false, false),
        (&[i64::MIN, 0, i64::MAX], &[1, 1, 1], false, false),
    ] {
        assert_eq!(is_bucket(indices, blocks), even, "{indices:?} {blocks:?}");
        assert_eq!(is_triangular(indices, blocks), triangle, "{indices:?} {blocks:?}");
    }
}

#[test]
fn an_idxbuc_costs_the_least_price_that_applies() {
    let price = |text: &str, bucket, triangular| {
        CostModel { bucket, triangular, ..CostModel::default() }.node(&parse(text).unwrap())
    };
    let buckets = "bucket(99, 4, <3,1,4,1,5>, MPI_INT)";
    let triangle = "triangular(5, 99, 4, 1, 1, MPI_INT)";
    let neither = "idxbuc(4, <0,99,200>, <1,2,3>, MPI_INT)";
    let prices =
        [(None, None), (Some(8), None), (None, Some(9)), (Some(1), Some(9)), (Some(50), Some(50))];
    let cost = |text| prices.map(|(b, t)| price(text, b, t));
    assert_eq!(cost(buckets), [16, 13, 16, 6, 16]);
    assert_eq!(cost(triangle), [16, 13, 9, 6, 16]);
    assert_eq!(cost(neither), [12, 12, 12, 12, 12]);
    let lists = CostModel { lookup: 10, bucket: Some(8), ..CostModel::default() };
    assert_eq!(lists.cost(&parse(buckets).unwrap()), 8 + 50 + 6);
}

#[test]
fn constants_are_read_and_set_by_name() {
    let mut model = CostModel::default();
    let names: Vec<&str> = model.constants().map(|(name, _)| name).collect();
    assert_eq!(names, CostModel::NAMES[..6], "the rules are off");
    for (value, name) in (10..).zip(CostModel::NAMES) {
        model.set(name, value).unwrap();
    }
    assert!(model.constants().eq(CostModel::NAMES.into_iter().zip(10..)));
    let before = model;
    assert_eq!(model.set("vec", 0), Err(LayoutError::BadCost { constant: "vec" }));
    assert_eq!(model.set("bucket", 0), Err(LayoutError::BadCost { constant: "bucket" }));
    let unknown = model.set("vek", 1).unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "unknown constant `vek`, expected leaf, vec, idx, idxbuc, strc, lookup, bucket or \
         triangular"
    );
    assert_eq!(model, before);
    let free = CostModel { triangular: Some(0), ..model };
    assert_eq!(free.check(), Err(LayoutError::BadCost { constant: "triangular" }));
}

/// 2^60 nodes, of which 121 are distinct.
#[test]
fn shared_parts_are_priced_once_and_count_as_often_as_they_occur() {
    let (mut ty, mut cost) = (leaf(), 6u64);
    for level in 0..60u32 {
        ty = Type::strc([0, 4 << level.min(20)], [ty.clone(), ty]).unwrap();
        cost = 2 * cost + 10;
        if level < 12 {
            assert_eq!(CostModel::default().cost(&ty), cost);
        }
    }
    assert_eq!(CostModel::default().cost(&ty), cost);
    let dear = CostModel { leaf: 1 << 31, ..CostModel::default() };
    assert_eq!(dear.cost(&ty), u64::MAX);
}
