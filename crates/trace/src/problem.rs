//! Errors in a file.

use thiserror::Error;

/// Why a file is not read at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// It begins with something else.
    #[error("this is no trace of commloom: it does not begin with `commloom`")]
    NoTrace,
    /// It ends within its header.
    #[error("the file ends before anything was recorded")]
    Cut,
    /// The header makes no sense.
    #[error("the header of the file is damaged")]
    Damaged,
    /// A later version has written it.
    #[error("the file has version {given} of the format; this commloom reads up to {known}")]
    Version {
        /// In the file.
        given: u64,
        /// The last one that is known.
        known: u64,
    },
}

/// A part of a file that was left out. Places are in bytes from the beginning of the file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    /// The file ends within a block: the process was killed, or the disk was full.
    #[error("byte {at}: the file ends within a block; its {missing} last bytes are missing")]
    Cut {
        /// Where the block begins.
        at: u64,
        /// How many bytes of it there are not.
        missing: u64,
    },
    /// Bytes that are no block.
    #[error("byte {at}: {length} bytes are damaged and were left out")]
    Damaged {
        /// Where they begin.
        at: u64,
        /// How many.
        length: u64,
    },
    /// Events are missing between two blocks.
    #[error("byte {at}: events {first} to {last} are missing")]
    Gap {
        /// Where the later block begins.
        at: u64,
        /// Number of the first missing one.
        first: u64,
        /// Number of the last missing one.
        last: u64,
    },
}
