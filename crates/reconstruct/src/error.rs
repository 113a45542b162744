//! Why a layout could not be reconstructed or normalized.

use std::fmt;

use commloom_layout::LayoutError;

use crate::CertifyError;

/// Why there is no result. Every variant carries what was given.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReconstructError {
    /// There are no displacements, so there is no leaf to end in.
    NoDisplacements,
    /// The difference of two displacements does not fit in 64 bits.
    TooWide {
        /// Smallest displacement.
        min: i64,
        /// Largest displacement.
        max: i64,
    },
    /// A cost constant is so large that sums of costs would not fit in 64 bits.
    CostTooLarge {
        /// Name of the constant, e.g. `"vec"`.
        constant: &'static str,
        /// Its value.
        given: u64,
        /// The largest value allowed.
        limit: u64,
    },
    /// A type on the way could not be built, or a cost constant is not positive.
    Layout(LayoutError),
    /// The result is not the layout that was asked for: a bug of this crate, found by its own
    /// check.
    Uncertified(CertifyError),
}

impl fmt::Display for ReconstructError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDisplacements => {
                f.write_str("there are no displacements: at least one is needed")
            }
            Self::TooWide { min, max } => write!(
                f,
                "the displacements from {min} to {max} differ by more than 64 bits can hold"
            ),
            Self::CostTooLarge { constant, given, limit } => {
                write!(f, "the cost constant `{constant}` is {given}, it must be at most {limit}")
            }
            Self::Layout(error) => error.fmt(f),
            Self::Uncertified(error) => write!(f, "internal error, please report: {error}"),
        }
    }
}

impl std::error::Error for ReconstructError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Layout(error) => Some(error),
            Self::Uncertified(error) => Some(error),
            Self::NoDisplacements | Self::TooWide { .. } | Self::CostTooLarge { .. } => None,
        }
    }
}

impl From<LayoutError> for ReconstructError {
    fn from(error: LayoutError) -> Self {
        Self::Layout(error)
    }
}
