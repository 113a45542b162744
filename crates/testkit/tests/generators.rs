//! The generators make what they promise: a property test over them is not vacuous.

use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};

use commloom_layout::{Base, Kind, Type};
use commloom_testkit::random::{Family, random_call, random_records, random_sequence};
use commloom_testkit::{Limits, Rng, check, corpus, memory_for, oracle, random_path, random_type};

/// Everything worth meeting that is in this type.
fn features(ty: &Type, seen: &mut BTreeSet<&'static str>) {
    let negative = |list: &[i64]| list.iter().any(|&i| i < 0);
    match ty.kind() {
        Kind::Leaf(_) => seen.insert("leaf"),
        Kind::Vec { count: 0, .. } => seen.insert("empty vec"),
        Kind::Vec { stride: 0, .. } => seen.insert("vec in place"),
        Kind::Vec { stride, .. } if *stride < 0 => seen.insert("backward vec"),
        Kind::Vec { .. } => seen.insert("forward vec"),
        Kind::Idx { indices, .. } if indices.is_empty() => seen.insert("empty idx"),
        Kind::Idx { indices, .. } if negative(indices) => seen.insert("backward idx"),
        Kind::Idx { .. } => seen.insert("forward idx"),
        Kind::IdxBuc { blocks, .. } if blocks.contains(&0) => seen.insert("empty bucket"),
        Kind::IdxBuc { .. } => seen.insert("idxbuc"),
        Kind::Strc { children, .. } if children.is_empty() => seen.insert("empty strc"),
        Kind::Strc { .. } => seen.insert("strc"),
        Kind::Resized { extent, .. } if *extent < 0 => seen.insert("negative extent"),
        Kind::Resized { .. } => seen.insert("resized"),
    };
    ty.children().iter().for_each(|c| features(c, seen));
}

#[test]
fn random_types_meet_every_node_in_every_shape() {
    let mut seen = BTreeSet::new();
    for seed in 0..3000 {
        let ty = random_type(&mut Rng::with_seed(seed), &Limits::default());
        features(&ty, &mut seen);
        seen.insert(match ty.base() {
            Base::Empty => "no elements",
            Base::One(_) => "homogeneous",
            Base::Mixed => "mixed",
        });
        seen.insert(if ty.size() > 500 { "large" } else { "small" });
        seen.insert(if ty.runs() > 1 { "gaps" } else { "contiguous" });
        seen.insert(if oracle::overlaps(&ty, 1) { "overlaps" } else { "no overlaps" });
    }
    let all = [
        "backward idx",
        "backward vec",
        "contiguous",
        "empty bucket",
        "empty idx",
        "empty strc",
        "empty vec",
        "forward idx",
        "forward vec",
        "gaps",
        "homogeneous",
        "idxbuc",
        "large",
        "leaf",
        "mixed",
        "negative extent",
        "no elements",
        "no overlaps",
        "overlaps",
        "resized",
        "small",
        "strc",
        "vec in place",
    ];
    assert_eq!(seen, BTreeSet::from(all));
}

#[test]
fn random_calls_meet_every_constructor() {
    let mut rng = Rng::with_seed(0);
    let old = "MPI_INT".parse().unwrap();
    let calls: HashSet<_> =
        (0..2000).map(|_| std::mem::discriminant(&random_call(&mut rng, &old))).collect();
    assert_eq!(calls.len(), 12);
}

#[test]
fn limits_are_kept() {
    let limits = Limits { depth: 3, bytes: 64, span: 500, mixed: false, overlaps: false };
    check(3000, |rng| {
        for ty in [random_type(rng, &limits), random_path(rng, &limits)] {
            assert!(ty.size() <= 64 && ty.lb() > -500 && ty.ub() < 500, "{ty}");
            assert_ne!(ty.base(), Base::Mixed, "{ty}");
        }
        let ty = random_type(rng, &limits);
        assert!(!oracle::overlaps(&ty, 1), "{ty}");
    });
}

#[test]
fn the_same_seed_gives_the_same_type() {
    let one = |seed| random_type(&mut Rng::with_seed(seed), &Limits::default());
    (0..200).for_each(|seed| assert_eq!(one(seed), one(seed)));
}

#[test]
fn sequences_are_not_empty_and_no_longer_than_asked() {
    check(500, |rng| {
        for family in Family::ALL {
            for most in [1, 2, 7, 60] {
                let n = random_sequence(rng, family, most).len();
                assert!((1..=most.max(2)).contains(&n), "{family:?}: {n} of {most}");
            }
        }
    });
}

#[test]
fn memory_holds_every_byte_with_a_margin_and_unpacking_undoes_packing() {
    let limits = Limits { overlaps: false, ..Limits::default() };
    check(500, |rng| {
        let ty = random_type(rng, &limits);
        let (memory, origin) = memory_for(&ty, 1);
        let packed = oracle::pack(&ty, 1, &memory, origin);
        assert_eq!(packed.len() as u64, ty.size());
        let mut target = vec![0; memory.len()];
        oracle::unpack(&ty, 1, &packed, &mut target, origin);
        assert_eq!(oracle::pack(&ty, 1, &target, origin), packed, "{ty}");
        let margin = commloom_testkit::memory::MARGIN;
        assert!(target[..margin].iter().chain(&target[target.len() - margin..]).all(|&b| b == 0));
    });
}

#[test]
fn names_of_the_corpus_are_unique_and_its_descriptions_of_one_layout_agree() {
    let all = corpus::all(200);
    let names: HashSet<&str> = all.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(names.len(), all.len());
    let bytes = |name: &str| {
        let named = all.iter().find(|n| n.name == name).unwrap_or_else(|| panic!("{name}"));
        oracle::byte_map(&named.ty, named.count)
    };
    let same = |names: &[String]| {
        for name in &names[1..] {
            assert_eq!(bytes(&names[0]), bytes(name), "{name} against {}", names[0]);
        }
    };
    for a in [2, 10] {
        for p in corpus::Periodic::variants(a) {
            let form = |form| format!("{}-a{a}-{form}", p.name);
            same(&["unit", "contiguous", "indexed"].map(form));
            if p.is_tiled() {
                same(&["unit", "vector", "nested-vector", "struct"].map(form));
            }
        }
        same(&["repeated", "struct"].map(|form| format!("et10-a{a}-{form}")));
        same(
            &["fully-indexed", "contiguous-and-indexed", "struct"]
                .map(|form| format!("row-column-a{a}-{form}")),
        );
    }
    for d in 0..3 {
        for side in ["low", "high"] {
            let start = bytes(&format!("face-{d}-{side}-subarray"));
            let moved: Vec<i64> = start.iter().map(|b| b - start[0]).collect();
            assert_eq!(moved, bytes(&format!("face-{d}-{side}-hvector")));
        }
    }
}

#[test]
fn records_have_the_elements_of_their_dense_form_and_begin_above_0_now_and_then() {
    let (above, touching, long) = (Cell::new(0), Cell::new(0), Cell::new(0));
    check(300, |rng| {
        let records = random_records(rng, 40_000);
        let kinds = |ty: &Type| -> Vec<_> {
            oracle::type_map(ty).into_iter().map(|(basic, _)| basic).collect()
        };
        assert_eq!(kinds(&records.layout), kinds(&records.dense));
        assert!(!oracle::overlaps(&records.layout, 1), "{records:?}");
        assert!(records.layout.size() <= 40_000 + 8 * 40_000, "{records:?}");
        let dense = oracle::byte_map(&records.dense, 1);
        assert!(dense.iter().copied().eq(0..i64::try_from(dense.len()).unwrap()));
        above.set(above.get() + i32::from(records.layout.true_lb() > 0));
        touching.set(touching.get() + i32::from(records.fields.len() > 1));
        long.set(long.get() + i32::from(records.layout.size() > 8192));
    });
    let seen = [above, touching, long].map(Cell::into_inner);
    assert!(seen.iter().all(|&n| n > 50), "{seen:?}");
}
