//! The table against the paper: what is the same is the same, and is as long as the paper says.

use super::*;
use crate::results::Mode;
use commloom_layout::text;

fn options(tests: &[u32]) -> Options {
    Options {
        mpi: vec!["mpich".into()],
        tests: tests.to_vec(),
        operations: None,
        processes: 2,
        runs: 5,
        bases: vec!["MPI_INT".into()],
        sizes: None,
        blocks: None,
        modes: vec![Mode::Native, Mode::Commloom],
        quick: false,
        threshold: 1.1,
    }
}

fn all() -> Options {
    options(&(1..=11).collect::<Vec<_>>())
}

fn layout_of(plan: &Plan, case: usize) -> Type {
    let element = plan.datatype(case).and_then(|datatype| Ok(datatype.layout()?));
    let element = element.unwrap_or_else(|e| panic!("{}: {e}", plan.cases[case].case.id));
    crate::pattern::message(&element, plan.cases[case].case.count).expect("small")
}

/// Of some sizes and blocks, odd ones too.
fn small() -> Plan {
    let mut options = all();
    options.bases.push("MPI_DOUBLE".into());
    options.sizes = Some(vec![400, 1000, 3200]);
    options.blocks = Some(vec![2, 3, 5, 10, 25, 100]);
    Plan::new(&options).expect("there are such messages")
}

#[test]
fn all_descriptions_of_a_group_are_the_same_bytes_in_the_same_order() {
    let plan = small();
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (k, planned) in plan.cases.iter().enumerate() {
        groups.entry(&planned.case.group).or_default().push(k);
    }
    for (group, cases) in &groups {
        let maps: Vec<Vec<_>> =
            cases.iter().map(|&k| layout_of(&plan, k).type_map().collect()).collect();
        for (map, &k) in maps.iter().zip(cases) {
            assert_eq!(map, &maps[0], "{group}: {}", plan.cases[k].case.description);
        }
        let contiguous = plan.cases[cases[0]].case.role == Role::Contiguous;
        assert!(contiguous && cases.len() == 1 || !contiguous && cases.len() >= 2, "{group}");
    }
    assert!(groups.len() > 300, "{}", groups.len());
}

#[test]
fn the_text_of_every_type_is_read_back_as_its_layout() {
    let plan = small();
    for k in 0..plan.cases.len() {
        if let Datatype::Constructed(made) = plan.datatype(k).expect("small") {
            let parsed = text::parse(&made.to_string());
            assert_eq!(parsed, Ok(made.layout().expect("small")), "{}", plan.cases[k].case.id);
        }
    }
}

#[test]
fn messages_are_as_long_as_their_cases_say_and_their_data_begin_at_0() {
    let plan = Plan::new(&all()).expect("the tests of the paper");
    for (k, Planned { case, .. }) in plan.cases.iter().enumerate() {
        let layout = layout_of(&plan, k);
        assert_eq!(layout.size(), case.bytes, "{}", case.id);
        assert_eq!(layout.true_lb(), 0, "{}", case.id);
        let elements = case.bytes / plan.cases[k].recipe.base.size();
        if case.role == Role::Contiguous {
            assert_eq!((case.count, layout.runs()), (elements, 1), "{}", case.id);
        }
    }
}

/// "All Variant 1 layouts have the same total extent of n + 2n/A, and all Variant 2 layouts have
/// the same total extent of 3n" (section 2.4), in elements.
#[test]
fn the_basic_layouts_have_the_extents_of_the_paper() {
    let plan = Plan::new(&options(&[1])).expect("a test of the paper");
    let mut seen = BTreeSet::new();
    for (k, Planned { case, .. }) in plan.cases.iter().enumerate() {
        let Some(variant) = case.variant else { continue };
        let (n, extent) = (case.bytes / 4, layout_of(&plan, k).extent());
        let expected = if variant == 1 { n + 2 * n / case.parameters["A"] } else { 3 * n };
        assert_eq!(extent, i64::try_from(4 * expected).expect("small"), "{}", case.id);
        seen.insert((case.layout.clone(), variant));
    }
    assert_eq!(seen.len(), 8, "four layouts in two variants");
}

/// Table: test, its layouts and their variants, block sizes of the large message, data sizes.
#[test]
fn every_test_has_the_blocks_and_sizes_of_the_paper() {
    let basic: &[u64] = &[2, 10, 100, 1000, 1024, 10_000];
    for (test, sizes, blocks, layouts) in [
        (1, &[3200, 2_560_000][..], basic, 8),
        (2, &[48_000, 1_500_000], &[2, 6, 8, 10, 16, 100, 128, 200], 1),
        (3, &[64_000, 640_000, 2_560_000], &[2, 10, 10_000], 4),
        (4, &[2000, 2_560_000], basic, 4),
        (5, &[2000, 2_560_000], basic, 1),
        (6, &[2000, 2_560_000], basic, 1),
        (7, &[2000, 2_560_000], basic, 1),
        (8, &[3200, 2_560_000], basic, 1),
        (9, &[3200, 2_560_000], basic, 1),
        (10, &[3200, 2_560_000], basic, 1),
        (11, &[400, 40_960], &[2, 10, 100, 128, 512, 1000, 1024, 5000, 10_000], 1),
    ] {
        let plan = Plan::new(&options(&[test])).expect("a test of the paper");
        let references: Vec<&Case> =
            plan.cases.iter().map(|p| &p.case).filter(|c| c.role == Role::Reference).collect();
        let largest = *sizes.last().expect("one");
        for case in &references {
            // One unit of the layouts is at most 20 blocks of its basic type.
            let unit = 20 * case.parameters["A"] * 4;
            let size = sizes.iter().find(|&&size| size >= case.bytes).expect("none is larger");
            assert!(size - case.bytes < unit, "{}: {} of {size}", case.id, case.bytes);
        }
        let of_largest: BTreeSet<u64> = references
            .iter()
            .filter(|case| sizes.iter().find(|&&size| size >= case.bytes) == Some(&largest))
            .map(|case| case.parameters["A"])
            .collect();
        assert_eq!(of_largest, blocks.iter().copied().collect(), "test {test}");
        let kinds: BTreeSet<_> = references.iter().map(|c| (&c.layout, c.variant)).collect();
        assert_eq!(kinds.len(), layouts, "test {test}");
    }
}

#[test]
fn a_case_of_several_tests_is_measured_once() {
    let plan = Plan::new(&all()).expect("the tests of the paper");
    let ids: BTreeSet<&str> = plan.cases.iter().map(|planned| planned.case.id.as_str()).collect();
    assert_eq!(ids.len(), plan.cases.len());
    let tiled = plan.cases.iter().find(|p| p.case.id == "tiled/v1/A=2/tiled/MPI_INT/2560000");
    assert_eq!(tiled.expect("it is there").case.tests, [1, 3, 4, 5, 6, 7]);
}

#[test]
fn the_order_is_random_by_launch_and_keeps_the_measurements_of_a_case_together() {
    let plan = Plan::new(&options(&[3, 6])).expect("tests of the paper");
    let order = plan.order(1, 0);
    let mut sorted = order.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..plan.measurements.len()).collect::<Vec<_>>());
    assert_eq!(order, plan.order(1, 0));
    assert!(order != plan.order(1, 1) && order != plan.order(2, 0));
    let mut cases: Vec<usize> = order.iter().map(|&k| plan.measurements[k].case).collect();
    cases.dedup();
    assert_eq!(cases.len(), plan.cases.len());
}

#[test]
fn what_is_not_there_is_refused() {
    let error = Plan::new(&options(&[12])).expect_err("there are 11");
    assert_eq!(error, PlanError::NoSuchTest { given: 12, last: 11 });
    let none = Options { bases: vec!["INT".into()], ..options(&[1]) };
    assert_eq!(Plan::new(&none).expect_err("no name"), PlanError::NoSuchBase("INT".into()));
    let none = Options { sizes: Some(vec![64]), blocks: Some(vec![1000]), ..options(&[1]) };
    let error = Plan::new(&none).expect_err("too short").to_string();
    assert_eq!(error, "no message of [64] bytes has a block of [1000] elements");
}

#[test]
fn a_quick_plan_is_small() {
    let plan = Plan::new(&Options { quick: true, ..all() }).expect("it is there");
    let tests: BTreeSet<u32> = plan.cases.iter().flat_map(|p| p.case.tests.clone()).collect();
    assert_eq!(tests.len(), 11);
    assert!(plan.cases.iter().all(|p| p.case.bytes <= 64_000));
    assert!(plan.measurements.len() < 350, "{}", plan.measurements.len());
}
