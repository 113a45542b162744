//! Text in, text out: what is replaced, and all else as it was.

mod change;
mod columns;
mod diff;
mod line;
mod place;
mod rewrite;

#[cfg(test)]
mod tests;

pub use change::{Change, Overlap, apply};
pub use columns::without_cards;
pub use diff::diff;
pub use place::functions_at;
pub use rewrite::{CallPlace, EditError, Rewrite, is_directive, remove, rewrite};
