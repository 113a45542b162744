//! Random layouts from a seed.

mod calls;
mod layouts;
mod records;
mod sequences;
mod types;

pub use calls::random_call;
pub use layouts::{
    Blemish, Shape, alternating_repeated, large_layout, random_layout, row_and_column, two_tiled,
};
pub use records::{Records, random_records};
pub use sequences::{Family, random_sequence};
pub use types::{random_path, random_type};

/// The generator: same seed, same values, on every machine.
pub type Rng = fastrand::Rng;

/// How large random types may become.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Nodes on a path from root to leaf, roughly (an MPI constructor may make several).
    pub depth: usize,
    /// Bytes of data of one element.
    pub bytes: u64,
    /// Bytes between the farthest bounds of one element.
    pub span: i64,
    /// Whether elements of several basic types may be mixed.
    pub mixed: bool,
    /// Whether bytes may lie at the same place (legal in MPI only for sending).
    pub overlaps: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: 4, bytes: 2000, span: 60_000, mixed: true, overlaps: true }
    }
}

/// The type of a seed under the default limits, and its description: for failure messages and for
/// repeating a case by hand.
#[must_use]
pub fn describe(seed: u64) -> String {
    let ty = random_type(&mut Rng::with_seed(seed), &Limits::default());
    format!("seed {seed}: {ty:?}")
}
