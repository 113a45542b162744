//! The families of layouts are what they promise: of the size that was asked for, different from
//! each other, and regular where they say so.

use std::collections::HashSet;

use commloom_testkit::check;
use commloom_testkit::random::{
    Blemish, Shape, alternating_repeated, large_layout, random_layout, row_and_column, two_tiled,
};

/// A crude measure of regularity that needs no description: distinct substrings of five steps.
fn distinct_substrings(layout: &[i64]) -> usize {
    let steps: Vec<i64> = layout.windows(2).map(|w| w[1] - w[0]).collect();
    steps.windows(5).collect::<HashSet<_>>().len()
}

#[test]
fn random_layouts_are_of_the_size_that_was_asked_for() {
    for shape in Shape::ALL {
        for blemish in Blemish::ALL {
            check(300, |rng| {
                let most = rng.usize(1..300);
                let n = random_layout(rng, shape, blemish, most).len();
                assert!((1..=most).contains(&n), "{shape:?} {blemish:?}: {n} of {most}");
            });
        }
    }
}

#[test]
fn most_random_layouts_use_the_room() {
    for shape in Shape::ALL {
        let mut lengths: Vec<usize> = Vec::new();
        for seed in 0..400 {
            let rng = &mut commloom_testkit::Rng::with_seed(seed);
            lengths.push(random_layout(rng, shape, Blemish::None, 256).len());
        }
        lengths.sort_unstable();
        assert!(lengths[100] >= 48 && lengths[300] >= 112, "{shape:?}: {lengths:?}");
    }
}

#[test]
fn large_layouts_have_at_least_half_of_the_elements_that_were_asked_for() {
    for shape in Shape::ALL {
        check(20, |rng| {
            let most = rng.usize(500..50_000);
            let n = large_layout(rng, shape, most).len();
            assert!((most / 2..=most).contains(&n), "{shape:?}: {n} of {most}");
        });
    }
}

#[test]
fn structured_families_repeat_themselves_and_random_ones_do_not() {
    for shape in Shape::ALL {
        let (mut different, mut all) = (0, 0);
        for seed in 0..40 {
            let rng = &mut commloom_testkit::Rng::with_seed(seed);
            let layout = large_layout(rng, shape, 4000);
            different += distinct_substrings(&layout);
            all += layout.len();
        }
        println!("{}: {different} distinct of {all}", shape.name());
        assert_eq!(2 * different < all, shape.is_structured(), "{shape:?}: {different} of {all}");
    }
}

#[test]
fn a_blemish_changes_what_it_says() {
    for shape in Shape::ALL {
        check(100, |rng| {
            let seed = rng.u64(..);
            let of = |blemish| {
                random_layout(&mut commloom_testkit::Rng::with_seed(seed), shape, blemish, 200)
            };
            assert_eq!(of(Blemish::None)[0], 0);
            assert_ne!(of(Blemish::Shifted)[0], 0);
            assert_eq!(of(Blemish::OneChanged).len(), of(Blemish::None).len());
            assert!(of(Blemish::PartialLast).len() < of(Blemish::None).len().max(2));
        });
    }
}

#[test]
fn names_are_unique() {
    let names: HashSet<_> = Shape::ALL.iter().map(|s| s.name()).collect();
    assert_eq!(names.len(), 20);
    let names: HashSet<_> = Blemish::ALL.iter().map(|b| b.name()).collect();
    assert_eq!(names.len(), 6);
}

#[test]
fn the_expectation_layouts_are_those_of_the_paper() {
    assert_eq!(row_and_column(7, 3), [0, 1, 2, 3, 6, 9, 12]);
    assert_eq!(alternating_repeated(2, 1, 3, 3), [0, 3, 4, 5, 6, 9, 10, 11]);
    assert_eq!(two_tiled(8, 2, 4, 4), [0, 1, 4, 5, 8, 9, 12, 13]);
    assert_eq!(two_tiled(8, 2, 3, 4), [0, 1, 3, 4, 6, 7, 10, 11]);
}
