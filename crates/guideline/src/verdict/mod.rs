//! Judgements on the times of a campaign: which performance guideline is violated where and what
//! to use instead, and which expectations of the paper hold.
//!
//! ```text
//! results files ─► Study: a Subject for each library
//!                    ├─ judge ─► judgements (GL1 to GL4, commloom against native)
//!                    └─ examine ─► findings (expectation tests 1 to 11)
//! ```

mod expectation;
mod guideline;
mod subject;
mod words;

pub use expectation::{Claim, Finding, Relation, Status, examine};
pub use guideline::{Guideline, Judgement, Side, Verdict, judge};
pub use subject::{Failure, Key, Study, Subject, Timed};
pub use words::{advice, bytes, case_name, factor, mode_name, operation_name, sentence, side_name};
