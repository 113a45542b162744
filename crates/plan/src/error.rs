//! Why a plan could not be made.

use std::fmt;

use commloom_layout::LayoutError;

/// Why there is no plan for a type and a count.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// `count` copies of the type are not a layout themselves (sizes or bounds overflow).
    Count {
        /// The count asked for.
        count: u64,
        /// The number that does not fit.
        source: LayoutError,
    },
    /// The two sides of a copy hold different numbers of bytes.
    Sizes {
        /// Packed bytes of the source.
        from: u64,
        /// Packed bytes of the destination.
        to: u64,
    },
    /// A distance between two bytes of the layout does not fit in 64 bits.
    Overflow {
        /// The computation that failed.
        what: &'static str,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { count, source } => {
                write!(f, "{count} copies of the type cannot be laid out: {source}")
            }
            Self::Sizes { from, to } => {
                write!(f, "the source has {from} bytes, the destination {to}")
            }
            Self::Overflow { what } => write!(f, "{what} does not fit in 64 bits"),
        }
    }
}

impl std::error::Error for PlanError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Count { source, .. } => Some(source),
            Self::Sizes { .. } | Self::Overflow { .. } => None,
        }
    }
}
