//! Errors of layouts, with the numbers that were wrong.

use std::fmt;

/// The names of the constants of a cost model.
pub(crate) const CONSTANTS: [&str; 8] =
    ["leaf", "vec", "idx", "idxbuc", "strc", "lookup", "bucket", "triangular"];

/// Why a type could not be built. Every variant carries what was given and what was allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LayoutError {
    /// A displacement, bound, size or number of elements does not fit in 64 bits.
    Overflow {
        /// The computation that failed, e.g. `"size of vec"`.
        what: &'static str,
    },
    /// Two lists that must have the same length have not.
    LengthMismatch {
        /// Which constructor and which lists.
        what: &'static str,
        /// Length of the first list.
        left: usize,
        /// Length of the second list.
        right: usize,
    },
    /// The tree would be deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    TooDeep {
        /// Depth of the tree asked for.
        given: usize,
        /// The limit.
        limit: usize,
    },
    /// A number is outside the range that the constructor allows.
    OutOfRange {
        /// Which argument of which constructor.
        what: &'static str,
        /// The number given.
        given: i64,
        /// Smallest number allowed.
        min: i64,
        /// Largest number allowed.
        max: i64,
    },
    /// No MPI basic type has this name.
    UnknownBasic {
        /// The name given.
        name: String,
    },
    /// A cost constant is zero or negative.
    BadCost {
        /// Name of the constant, e.g. `"vec"`.
        constant: &'static str,
    },
    /// The cost model has no constant of this name.
    UnknownConstant {
        /// The name given.
        name: String,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overflow { what } => write!(f, "{what} does not fit in 64 bits"),
            Self::LengthMismatch { what, left, right } => {
                write!(f, "{what} differ in length: {left} and {right}")
            }
            Self::TooDeep { given, limit } => {
                write!(f, "the type is nested {given} levels deep, the limit is {limit}")
            }
            Self::OutOfRange { what, given, min, max } => {
                write!(f, "{what} is {given}, it must be from {min} to {max}")
            }
            Self::UnknownBasic { name } => write!(f, "unknown MPI basic type `{name}`"),
            Self::BadCost { constant } => {
                write!(f, "the cost constant `{constant}` must be positive")
            }
            Self::UnknownConstant { name } => {
                let [names @ .., last] = CONSTANTS;
                write!(f, "unknown constant `{name}`, expected {} or {last}", names.join(", "))
            }
        }
    }
}

impl std::error::Error for LayoutError {}
