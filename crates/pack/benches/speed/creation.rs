//! The time to make plans.

use std::hint::black_box;
use std::time::Instant;

use commloom_layout::{Basic, LayoutError, Type};
use commloom_measure::statistics::median;
use commloom_pack::Plan;
use commloom_plan::Target;

/// Enough to see the median, and calls in each for a few milliseconds in all.
const ROUNDS: usize = 15;

/// One line: nanoseconds to make a plan, for types of several sizes.
///
/// # Errors
/// None that can happen: the types are valid.
pub fn creation(target: &Target) -> Result<String, LayoutError> {
    let double = Type::leaf(Basic::DOUBLE);
    let vector = Type::vec(12, 16, double.clone())?;
    let mut times = vec![time("a vector", &vector, 1000, target)];
    let mut nested = vector;
    for level in 0..8 {
        let (index, stride) = (8 * i64::from(level), nested.extent() + 8);
        let pair = Type::strc([0, index + 4], [Type::leaf(Basic::INT), nested])?;
        nested = if level % 2 == 0 { pair } else { Type::vec(3, 2 * stride, pair)? };
        if [2, 7].contains(&level) {
            times.push(time(&format!("{} nodes", nested.nodes()), &nested, 300, target));
        }
    }
    for entries in [100, 320_000] {
        let list =
            Type::idx((0..entries).map(|i| 16 * i + i % 3).collect::<Vec<_>>(), double.clone())?;
        let calls = u32::try_from(320_000 / entries).unwrap_or(1);
        times.push(time(&format!("a list of {entries}"), &list, calls, target));
    }
    Ok(format!("Making a plan: {}.", times.join(", ")))
}

fn time(name: &str, ty: &Type, calls: u32, target: &Target) -> String {
    let sample = |_| {
        let start = Instant::now();
        for _ in 0..calls {
            drop(black_box(Plan::packed(black_box(ty), 3, target)));
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
    };
    let median = median((0..ROUNDS).map(sample)).expect("there are rounds");
    format!("{name} {median:.0} ns")
}
