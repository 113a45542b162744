//! The same as JSON.

use commloom_refactor::explain::{Array, Copied, Turn};
use serde_json::{Value, json};

use super::Site;
use crate::cmd::refactor::json::{identifiers, one, place};

/// All calls, each with its finding as `--json` has it.
pub fn sites(sites: &[Site<'_>]) -> Value {
    json!({ "sites": sites.iter().map(site).collect::<Vec<_>>() })
}

fn site(site: &Site<'_>) -> Value {
    let explanation = site.explanation;
    let mut value = one(site.project, site.finding);
    if site.finding.outcome.is_ok() {
        value["change"]["cost"] = site.cost.1.clone();
    }
    let statements: Vec<Value> =
        explanation.statements.iter().map(|span| place(site.project, *span)).collect();
    let copies: Vec<Value> = explanation.copies.iter().map(|c| copied(site, c)).collect();
    let steps: Vec<Value> = explanation
        .steps
        .iter()
        .map(|step| {
            json!({ "pass": step.pass.map(|p| p.name()), "times": step.times, "type": step.ty })
        })
        .collect();
    let conditions: Vec<Value> = explanation
        .conditions
        .iter()
        .map(|judged| {
            let assumed: Vec<String> = judged.assumed.iter().map(ToString::to_string).collect();
            json!({
                "condition": judged.condition.text(), "holds": judged.holds,
                "assumed": assumed, "assumed_ids": identifiers(&judged.assumed),
            })
        })
        .collect();
    let example = explanation.example.as_ref().map(|example| {
        let sizes: serde_json::Map<String, Value> =
            example.sizes.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({ "sizes": sizes, "arrays": example.arrays.iter().map(array).collect::<Vec<_>>() })
    });
    value["explanation"] = json!({
        "statements": statements, "copies": copies, "bytes": explanation.length, "steps": steps,
        "begin": explanation.begin, "conditions": conditions, "example": example,
        "settings": explanation.settings,
    });
    value
}

fn copied(site: &Site<'_>, copied: &Copied) -> Value {
    let turn = |t: &Turn| {
        json!({
            "variable": t.variable, "first": t.first, "last": t.last, "step": t.step,
        })
    };
    json!({
        "box": copied.loops.iter().map(turn).collect::<Vec<_>>(), "condition": copied.condition,
        "buffer": copied.buffer, "memory": copied.memory, "bytes": copied.bytes,
        "at": place(site.project, copied.span),
    })
}

/// Cells: their numbers in the order of the buffer, 0 for those that are not copied.
fn array(array: &Array) -> Value {
    let planes: Vec<Value> = array
        .planes
        .iter()
        .map(|plane| {
            let cells: Vec<usize> = plane.cells.iter().map(|cell| cell.unwrap_or(0)).collect();
            json!({ "name": plane.name, "cells": cells })
        })
        .collect();
    let first = array.rows.map_or(1, |(first, ..)| first);
    json!({
        "name": array.name, "cell_bytes": array.cell, "row": array.row, "first_row": first,
        "planes": planes,
    })
}
