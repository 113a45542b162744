//! One file per subcommand: its arguments, and what it does with them.

pub mod calibrate;
pub mod completions;
pub mod cost;
pub mod detect;
pub mod emit;
pub mod exec;
pub mod flatten;
pub mod guidelines;
pub mod lsp;
pub mod manual;
pub mod normalize;
pub mod plan;
pub mod reconstruct;
pub mod refactor;
pub mod report;
pub mod show;
pub mod trace;
