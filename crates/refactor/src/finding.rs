//! Calls with packed buffers, and how each is rewritten or why not.

use commloom_copies::verify::Sample;
use commloom_program::fact::Premise;
use commloom_program::refusal::Refusal;
use commloom_proof::SizeTest;
use commloom_source::Span;

use crate::explain::Explanation;

/// A call whose buffer is packed or unpacked by hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The call.
    pub site: Span,
    /// The name of the callee.
    pub function: String,
    /// The buffer that would not be needed any more.
    pub buffer: String,
    /// How it is rewritten, or why not.
    pub outcome: Result<Change, Refusal>,
    /// Facts that a person has vouched for, or that the program's own words say, as far as they
    /// were needed.
    pub assumed: Vec<Premise>,
    /// Relations of sizes without which it must stay as it is.
    pub(crate) tests: Vec<SizeTest>,
}

/// A call and, if it is asked for, how it came to its outcome.
pub(crate) type Reported = (Finding, Option<Explanation>);

/// How a call is rewritten.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// In the order of the text; they do not overlap.
    pub edits: Vec<Edit>,
    /// The datatype: `vector(N, 3, 3*M) of MPI_DOUBLE`.
    pub summary: String,
    /// Facts that were assumed, and all else that is good to know.
    pub notes: Vec<String>,
    /// The datatype at sizes as programs have them, for what it costs; none where it cannot be
    /// evaluated.
    pub sample: Option<Sample>,
}

/// Text that takes the place of other text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The place of the old text.
    pub span: Span,
    /// The new text.
    pub text: String,
}
