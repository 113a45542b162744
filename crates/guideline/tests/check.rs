//! Campaigns held against a baseline.

mod common;

use commloom_guideline::check::check;
use commloom_guideline::results::Mode;
use common::{break_launch, campaign, fair, unfair};

#[test]
fn nothing_got_worse_where_nothing_changed() {
    let (then, now) = (campaign("MPICH", "4.0.2", 5, fair), campaign("MPICH", "4.0.2", 6, fair));
    let check = check(&then, &now, 2.5);
    assert!(!check.is_worse(), "{}", check.text());
    assert!(check.compared > 100 && check.missing == 0 && check.untrusted == 0, "{check:?}");
    assert!(check.doubts.is_empty());
}

#[test]
fn what_is_slower_is_found_and_listed() {
    // The machine changes its speed between launches, by up to a factor of two: that is more than
    // a little.
    let very_unfair: common::Speed = |case, operation, method, mode| {
        let slow = case.description == "Tiled-vector" && mode == Mode::Native;
        fair(case, operation, method, mode) * if slow { 8.0 } else { 1.0 }
    };
    let then = campaign("MPICH", "4.0.2", 5, fair);
    let now = campaign("MPICH", "4.1", 6, very_unfair);
    let worse = check(&then, &now, 1.1);
    assert!(worse.is_worse());
    assert_eq!(worse.slower.len(), 8, "{}", worse.text());
    let text = worse.text();
    assert!(
        text.contains("slower: MPICH 4.1 (before: 4.0.2): Tiled-vector: Tiled, variant 1, A=2"),
        "{text}"
    );
    let better = check(&now, &then, 1.1);
    assert!(!better.is_worse() && better.faster.len() == 8, "{}", better.text());
}

#[test]
fn what_fails_now_is_worse_and_what_failed_already_is_not() {
    let good = campaign("MPICH", "4.0.2", 5, fair);
    let mut bad = good.clone();
    break_launch(&mut bad, "Vector-tiled", 2, "rank 1 died");
    let broken = check(&good, &bad, 1.1);
    assert!(broken.is_worse());
    assert!(broken.text().contains("rank 1 died"), "{}", broken.text());
    assert!(!check(&bad, &bad, 1.1).is_worse());
}

#[test]
fn comparisons_that_mean_little_say_so() {
    let then = campaign("MPICH", "4.0.2", 3, unfair);
    let mut now = campaign("Open MPI", "4.1.4", 3, fair);
    now.environment.cpu = "another CPU".into();
    let other = check(&then, &now, 1.1);
    assert_eq!((other.compared, other.is_worse()), (0, false));
    let doubts = other.doubts.join("\n");
    for words in ["no Open MPI", "MPICH 4.0.2 of the baseline", "processor differs"] {
        assert!(doubts.contains(words), "{doubts}");
    }
    let few = check(&then, &campaign("MPICH", "4.0.2", 3, unfair), 1.1);
    assert!(!few.is_worse() && few.untrusted == few.compared, "{}", few.text());
}
