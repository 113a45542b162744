//! The operations of a graph for Graphviz.

use std::fmt::Write as _;

use commloom_commgraph::{Action, Matching, Named, Process};

use super::case::Case;
use crate::failure::Failure;

/// A digraph: a cluster for each process, thin edges for dependencies, bold ones for messages.
///
/// # Errors
/// Messages without a partner.
pub fn graph(case: &Case) -> Result<String, Failure> {
    let graph = &case.program.graph;
    let matching = Matching::of(graph).map_err(|error| case.failure(&error))?;
    let mut out = String::from(
        "digraph operations {\n  rankdir=LR;\n  bgcolor=transparent;\n  node [shape=box, \
         style=\"rounded,filled\", fillcolor=white, fontname=sans, fontsize=10];\n  \
         edge [color=gray50, arrowsize=0.6];\n",
    );
    for process in (0..graph.processes()).map(Process) {
        let _ = writeln!(
            out,
            "  subgraph cluster_{process} {{\n    label=\"process {process}\"; fontname=sans; \
             color=gray60;"
        );
        for operation in graph.of(process) {
            let _ = writeln!(
                out,
                "    {} [label=\"{}\", fillcolor=\"{}\"];",
                node(&operation),
                label(case, &operation),
                fill(&operation)
            );
        }
        out.push_str("  }\n");
        for operation in graph.of(process) {
            for on in graph.waits_for(process, operation.index) {
                let _ = writeln!(out, "  p{process}_{on} -> {};", node(&operation));
            }
        }
    }
    for (send, receive) in matching.pairs(graph) {
        let _ = writeln!(
            out,
            "  {} -> {} [color=\"#2266aa\", penwidth=1.8, constraint=true];",
            node(&send),
            node(&receive)
        );
    }
    out.push_str("}\n");
    Ok(out)
}

fn node(operation: &Named) -> String {
    format!("p{}_{}", operation.process, operation.index)
}

fn label(case: &Case, operation: &Named) -> String {
    let place = |at: u64| case.address(operation.process.0, at);
    match operation.action {
        Action::Send { at, length, to, .. } => {
            format!("send {} at {} to {to}", case.unit(length.0), place(at.0))
        }
        Action::Receive { at, length, from, .. } => {
            format!("receive {} at {} from {from}", case.unit(length.0), place(at.0))
        }
        Action::Copy { from, to, length, .. } => {
            format!("copy {} from {} to {}", case.unit(length.0), place(from.0), place(to.0))
        }
        Action::Reduce { from, into, length, .. } => {
            format!("reduce {} from {} into {}", case.unit(length.0), place(from.0), place(into.0))
        }
        Action::Nothing => "nothing".to_owned(),
    }
}

fn fill(operation: &Named) -> &'static str {
    match operation.action {
        Action::Send { .. } => "#d6e6f7",
        Action::Receive { .. } => "#e0f2e0",
        Action::Copy { .. } => "#f4ecd6",
        Action::Reduce { .. } => "#f7ddd6",
        Action::Nothing => "#eeeeee",
    }
}
