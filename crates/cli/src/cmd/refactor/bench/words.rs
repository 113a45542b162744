//! Tables of what was measured.

use std::fmt::Write;

use commloom_measure::statistics::Quartiles;
use commloom_refactor::copies::Direction;
use commloom_refactor::verify::Sample;
use serde_json::{Value, json};

use super::Measured;
use crate::cmd::refactor::cost::{amount, micro};

fn work(direction: Direction) -> &'static str {
    match direction {
        Direction::Pack => "packing",
        Direction::Unpack => "unpacking",
    }
}

/// A few lines for one site: each way with its time, and how much of the loop's time that is.
pub fn table(sample: &Sample, measured: &Measured) -> String {
    let mut text = format!(
        "    {} {}: us, median of {} (half of them are between)\n",
        work(sample.direction),
        amount(sample),
        super::ROUNDS
    );
    let name = |name: &str, direction| match (name, direction) {
        ("commloom", _) => "commloom".to_owned(),
        (name, _) if name.starts_with("loop") => name.to_owned(),
        (name, Direction::Pack) => format!("{name}, MPI_Pack"),
        (name, Direction::Unpack) => format!("{name}, MPI_Unpack"),
    };
    let rows: Vec<(String, Result<Quartiles, &str>)> = measured
        .ways
        .iter()
        .map(|(way, samples)| {
            let samples = samples.as_ref().map_err(String::as_str);
            let samples = samples.and_then(|samples| Quartiles::of(samples).ok_or("not measured"));
            (name(way, sample.direction), samples)
        })
        .collect();
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let first = rows.first().and_then(|(_, samples)| samples.ok());
    for (name, samples) in rows {
        let _ = match samples {
            Ok(Quartiles { median, low, high, .. }) => {
                let factor = first.map_or_else(String::new, |first| {
                    format!("  {:>6.2} of the loop", median / first.median)
                });
                let between = format!("({} to {})", micro(low), micro(high));
                writeln!(text, "      {name:<width$}  {:>6}  {between:<17}{factor}", micro(median))
            }
            Err(reason) => writeln!(text, "      {name:<width$}  {reason}"),
        };
    }
    text
}

/// The same for scripts.
pub fn json(sample: &Sample, measured: &Measured) -> Value {
    let ways: Vec<Value> = measured
        .ways
        .iter()
        .map(|(name, samples)| match samples.as_ref().map(|samples| Quartiles::of(samples)) {
            Ok(Some(Quartiles { median, low, high, .. })) => json!({
                "name": name, "median_us": median / 1e3, "quartiles_us": [low / 1e3, high / 1e3],
            }),
            Ok(None) => json!({ "name": name, "error": "not measured" }),
            Err(reason) => json!({ "name": name, "error": reason }),
        })
        .collect();
    json!({ "work": work(sample.direction), "rounds": super::ROUNDS, "ways": ways })
}
