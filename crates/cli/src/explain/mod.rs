//! Plans in words and as JSON.

mod json;
mod reasons;

pub use json::{node, target};
pub use reasons::reasons;
