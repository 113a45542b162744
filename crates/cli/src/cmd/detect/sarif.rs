//! Advice as SARIF 2.1.0 (OASIS standard of 2020): one run, a rule for each kind of operation, a
//! result for each advice, with the lines that send as its locations and those that receive as
//! related ones.

use std::collections::BTreeSet;

use commloom_advice::{Advice, Location, mpi};
use serde_json::{Value, json};

use super::text::{headline, withheld_words};
use crate::failure::Failure;
use crate::sarif;

/// The log file.
///
/// # Errors
/// None that is known.
pub fn log(advice: &[Advice]) -> Result<String, Failure> {
    let kinds: Vec<&str> =
        advice.iter().map(|a| a.kind).collect::<BTreeSet<_>>().into_iter().collect();
    let rules: Vec<Value> = kinds.iter().map(|kind| rule(kind)).collect();
    let results: Vec<Value> = advice.iter().map(|advice| result(advice, &kinds)).collect();
    let log = sarif::log(&rules, &results);
    serde_json::to_string_pretty(&log).map_err(|error| Failure::message(error.to_string()))
}

fn rule(kind: &str) -> Value {
    let name = mpi(kind);
    json!({
        "id": format!("handwritten-{kind}"),
        "shortDescription": {"text": format!("Messages that add up to {name}")},
        "fullDescription": {"text": format!(
            "In a recorded run the data of these sends and receives went where {name} takes it by \
             its definition."
        )},
        "defaultConfiguration": {"level": "note"},
    })
}

fn result(advice: &Advice, kinds: &[&str]) -> Value {
    let code = advice.code.join("\n");
    let notes: String = advice.warnings.iter().map(|w| format!("\nNote: {w}.")).collect();
    let conditions: String =
        advice.conditions.iter().map(|condition| format!("Only if {condition}. ")).collect();
    let legend: String = advice.legend.iter().map(|line| format!("\n{line}")).collect();
    let text = match &advice.withheld {
        Some(reason) => format!("{}. {}.", headline(advice), first_large(&withheld_words(reason))),
        None => format!("{}. {conditions}Write:\n{code}{legend}{notes}", headline(advice)),
    };
    let pays = advice.predicted.is_some_and(|times| times.call < times.messages);
    json!({
        "ruleId": format!("handwritten-{}", advice.kind),
        "ruleIndex": kinds.iter().position(|kind| *kind == advice.kind),
        "level": if pays { "warning" } else { "note" },
        "message": {"text": text},
        "locations": locations(&advice.sent, "sent here"),
        "relatedLocations": locations(&advice.received, "received here"),
        "properties": {
            "times": advice.times,
            "messages": advice.messages,
            "bytes": advice.bytes,
            "predicted": advice.predicted,
            "measured": advice.measured,
            "withheld": advice.withheld,
        },
    })
}

/// A sentence.
fn first_large(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn locations(places: &[Location], what: &str) -> Vec<Value> {
    let of = |(id, place): (usize, &Location)| {
        let frame = place.frames.first();
        let mut location = json!({"id": id, "message": {"text": what}});
        if let Some((file, line)) =
            frame.and_then(|frame| Some((frame.file.as_ref()?, frame.line?)))
        {
            location["physicalLocation"] = json!({
                "artifactLocation": {"uri": sarif::uri(file)},
                "region": {"startLine": line},
            });
        }
        let functions = place.frames.iter().filter_map(|frame| frame.function.as_ref());
        let names: Vec<Value> =
            functions.map(|name| json!({"name": name, "kind": "function"})).collect();
        location["logicalLocations"] = match names.is_empty() {
            true => json!([{"name": place.name, "kind": "function"}]),
            false => json!(names),
        };
        location
    };
    places.iter().enumerate().map(of).collect()
}
