//! The large-tree method on its own against the exact one, on random layouts of all families: a
//! small version of `make gaps`, which writes `book/src/tables/tree-gaps.md`.

#[path = "../examples/gaps/measure.rs"]
#[allow(dead_code, missing_docs)]
mod measure;

use measure::{Measured, measure_all};

/// [`measure::measure`] flattens and compares every result, and compares costs and bounds.
#[test]
fn on_1500_random_layouts_no_cost_is_below_the_optimum_and_no_bound_above() {
    let all = measure_all(0..1500);
    let structured: Vec<&Measured> = all.iter().filter(|m| m.case.shape.is_structured()).collect();
    let count = |p: fn(&Measured) -> bool| structured.iter().filter(|m| p(m)).count();
    let (optimal, hard) = (count(Measured::is_optimal), count(Measured::is_hard));
    println!("{optimal} of {} structured layouts are optimal, {hard} are hard", structured.len());
    assert!(hard * 5 > structured.len(), "too many of the cases are easy");
    assert!(optimal * 100 >= structured.len() * 99, "{optimal} of {} optimal", structured.len());
}
