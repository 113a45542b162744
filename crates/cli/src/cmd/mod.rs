//! One file per subcommand: its arguments, and what it does with them.

use std::io::IsTerminal;

pub mod calibrate;
pub mod completions;
pub mod cost;
pub mod detect;
pub mod emit;
pub mod exec;
pub mod flatten;
pub mod guidelines;
#[cfg(not(all(feature = "lsp", feature = "refactor")))]
pub mod left_out;
#[cfg(feature = "lsp")]
pub mod lsp;
pub mod manual;
pub mod normalize;
pub mod plan;
pub mod reconstruct;
#[cfg(feature = "refactor")]
pub mod refactor;
pub mod report;
pub mod show;
pub mod trace;

/// Whether to write colours there: on a terminal, where `NO_COLOR` is not set (no-color.org).
fn takes_colours(out: &impl IsTerminal) -> bool {
    out.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
