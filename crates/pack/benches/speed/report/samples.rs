//! Every sample as JSON.

use serde_json::{Map, Value, json};

use super::Campaign;
use crate::cell::{Cell, Outcome};
use crate::number::whole;

/// One line for each cell, so that differences can be read.
pub fn json(campaign: &Campaign) -> String {
    let environment: Map<String, Value> =
        campaign.environment.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let cells: Vec<String> = campaign.cells.iter().map(|c| cell(campaign, c).to_string()).collect();
    format!(
        "{{\"unit\":\"nanoseconds of one call\",\n\"environment\":{},\n\"cells\":[\n{}\n]}}\n",
        Value::Object(environment),
        cells.join(",\n")
    )
}

fn cell(campaign: &Campaign, cell: &Cell) -> Value {
    let layout = campaign.layout(cell);
    let results: Vec<Value> = cell.results.iter().map(|o| outcome(campaign, o)).collect();
    json!({
        "family": layout.family,
        "layout": layout.name,
        "size": cell.size,
        "direction": if cell.packing { "pack" } else { "unpack" },
        "bytes": cell.bytes,
        "footprint": cell.footprint,
        "lines": cell.lines,
        "runs": cell.runs,
        "results": results,
    })
}

fn outcome(campaign: &Campaign, outcome: &Outcome) -> Value {
    let mut result = json!({ "who": campaign.name(&outcome.who) });
    if let Some(description) = outcome.description {
        result["description"] = json!(description);
    }
    match &outcome.wrong {
        Some(reason) => result["wrong"] = json!(reason),
        None => {
            let samples: Vec<Value> = outcome.samples.iter().map(|&t| rounded(t)).collect();
            result["samples"] = json!(samples);
        }
    }
    result
}

/// Four digits are more than a sample has.
fn rounded(time: f64) -> Value {
    let unit = 10f64.powf(time.max(1.0).log10().floor() - 3.0);
    let rounded = (time / unit).round() * unit;
    if rounded >= 1000.0 {
        return json!(whole(rounded));
    }
    json!((rounded * 1e3).round() / 1e3)
}
