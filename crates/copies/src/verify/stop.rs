//! The ways in which an evaluation ends without a value.

/// Why the interpreter gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// It met something that it does not know.
    Unknown,
    /// The values that were drawn do not lead to the call.
    Elsewhere,
    /// It took too long.
    Limit,
    /// The path ended (`break`, `continue`, `return`).
    Jump,
}
