//! How copies became a datatype, pass by pass.

use commloom_program::refusal::Refusal;
use commloom_source::symbols::Symbols;

use crate::Packing;

use super::lower::passed;
use super::{Datatype, Pass};

/// A datatype on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The pass from the one before; none for the copies as they come, in structs.
    pub pass: Option<Pass>,
    /// How often, one after the other.
    pub times: usize,
    /// The datatype after it.
    pub datatype: Datatype,
}

/// The initial datatype, and what it was after each pass. The last one is what
/// [`datatype`](super::datatype) gives.
///
/// Time: that of the whole for each step; equal passes that follow each other are one step.
///
/// # Errors
/// As there.
pub fn steps(symbols: &dyn Symbols, packing: &Packing, element: u64) -> Result<Vec<Step>, Refusal> {
    let after = |passes: usize| passed(symbols, packing, element, passes);
    let (_, passes) = after(usize::MAX)?;
    let mut steps = vec![Step { pass: None, times: 1, datatype: after(0)?.0 }];
    let mut made = 0;
    for same in passes.chunk_by(|a, b| a == b) {
        made += same.len();
        let datatype = after(made)?.0;
        steps.push(Step { pass: same.first().copied(), times: same.len(), datatype });
    }
    Ok(steps)
}
