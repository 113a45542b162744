//! Measured advice comes in the order of what it saves, and what saves nothing is last.

use commloom_advice::{Advice, Language, Measured, Predicted, Spread, by_saving};

fn spread(median: f64) -> Spread {
    Spread { lower_quartile: median, median, upper_quartile: median }
}

/// Advice that is told apart by its messages, with the seconds of one time as messages and with
/// the call.
fn advice(messages: u64, times: u64, measured: Option<(f64, f64)>, given: bool) -> Advice {
    let measured = measured.map(|(messages, call)| Measured {
        library: "none".to_owned(),
        samples: 7,
        messages: spread(messages),
        call: spread(call),
    });
    Advice {
        kind: "bcast",
        processes: 4,
        groups: vec![],
        roots: vec![0],
        times,
        phases: vec![1],
        bytes_each: (8, 8),
        messages,
        bytes: 8,
        sent_there: 3,
        sent: vec![],
        received: vec![],
        language: Language::C,
        code: vec![],
        legend: vec![],
        grid: None,
        predicted: given.then_some(Predicted { messages: 2.0, call: 1.0 }),
        measured,
        conditions: vec![],
        warnings: vec![],
        withheld: (!given).then(|| "not shown".to_owned()),
    }
}

/// In the order in which they are to be shown.
fn sorted() -> Vec<Advice> {
    vec![
        // 10 times 2 seconds are more than once 5.
        advice(1, 10, Some((3.0, 1.0)), true),
        advice(2, 1, Some((6.0, 1.0)), true),
        // Not measured, and withheld: between those that are known to be worth it, or not.
        advice(3, 1, None, true),
        advice(4, 1, None, false),
        // Neither slower nor faster is no gain; then the one that costs most.
        advice(5, 1, Some((1.0, 1.0)), true),
        advice(6, 100, Some((1.0, 2.0)), true),
    ]
}

#[test]
fn what_saves_most_is_first_and_what_saves_nothing_last() {
    let wanted: Vec<u64> = sorted().iter().map(|advice| advice.messages).collect();
    // What was not measured keeps its order, so 3 stays before 4 in all of these.
    for (turn, back) in (0..wanted.len()).flat_map(|turn| [(turn, false), (turn, true)]) {
        let (mut measured, open): (Vec<Advice>, Vec<Advice>) =
            sorted().into_iter().partition(|advice| advice.measured.is_some());
        if back {
            measured.reverse();
        }
        let middle = turn % measured.len();
        measured.rotate_left(middle);
        let place = turn.min(measured.len());
        measured.splice(place..place, open);
        by_saving(&mut measured);
        let found: Vec<u64> = measured.iter().map(|advice| advice.messages).collect();
        assert_eq!(found, wanted, "turn {turn}, backwards: {back}");
    }
}

#[test]
fn only_a_measured_call_that_is_no_faster_is_no_gain() {
    let no_gain: Vec<u64> =
        sorted().iter().filter(|a| a.is_no_gain()).map(|advice| advice.messages).collect();
    assert_eq!(no_gain, [5, 6]);
    let withheld = advice(7, 1, None, false);
    assert_eq!((withheld.saved(), withheld.is_no_gain()), (None, false));
}

#[test]
fn without_measured_times_the_order_stays() {
    let mut all =
        vec![advice(1, 1, None, false), advice(2, 9, None, true), advice(3, 1, None, true)];
    by_saving(&mut all);
    let found: Vec<u64> = all.iter().map(|advice| advice.messages).collect();
    assert_eq!(found, [1, 2, 3]);
}
