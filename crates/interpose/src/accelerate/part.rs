//! The part that a message has in an exchange, and what the program wants it for.

use commloom_choice::Operation;

use crate::runtime::files::Coordination;

/// Whether a block of a collective is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InCollective {
    Packed,
    Native,
    /// There is nothing to pack; it goes like the blocks beside it.
    Contiguous,
}

/// The part of a message in an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Sent,
    Received,
    Collective,
    Broadcast,
    /// Memory of an access to a file.
    File(FilePart),
    /// A put into a window of another process.
    Put,
}

/// The part of the memory of an access to a file. What is faster for one is not for another:
/// libraries have code of its own for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilePart {
    pub is_read: bool,
    pub coordination: Coordination,
    /// Another call ends the access.
    pub is_split: bool,
}

impl Part {
    /// How many there are.
    pub const NUMBER: usize = 13;

    /// As the report calls it.
    pub fn name(self) -> &'static str {
        match self {
            Part::Sent => "send",
            Part::Received => "receive",
            Part::Collective => "collective",
            Part::Broadcast => "broadcast",
            Part::File(file) if file.is_read => "file read",
            Part::File(_) => "file write",
            Part::Put => "put",
        }
    }

    /// Whether it is sent or received in a call of its own.
    pub fn is_message(self) -> bool {
        matches!(self, Part::Sent | Part::Received)
    }

    /// Its number, from 0 on.
    pub fn index(self) -> usize {
        match self {
            Part::Sent => 0,
            Part::Received => 1,
            Part::Collective => 2,
            Part::Broadcast => 3,
            Part::File(FilePart { is_read, coordination, is_split }) => {
                let is_collective = coordination == Coordination::Collective;
                4 + usize::from(is_read)
                    + 2 * usize::from(is_collective)
                    + 4 * usize::from(is_split)
            }
            Part::Put => 12,
        }
    }
}

/// The purpose of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To send or receive it.
    Transfer,
    /// To send or receive it again and again: its type is worth a look at once.
    Persistent,
    /// `MPI_Pack` or `MPI_Unpack`.
    Packing,
    /// To send or receive it in a collective.
    Collective,
    /// To broadcast it.
    Broadcast,
    /// To broadcast it again and again.
    PersistentBroadcast,
    /// To write it to a file, or to read it.
    File,
    /// To put it into a window.
    Put,
}

impl Purpose {
    /// Whether its type is worth a look at once.
    pub fn is_persistent(self) -> bool {
        matches!(self, Purpose::Persistent | Purpose::PersistentBroadcast)
    }

    /// The operation whose times in the model hold for it.
    pub fn operation(self) -> Operation {
        match self {
            Purpose::Broadcast | Purpose::PersistentBroadcast => Operation::Broadcast,
            Purpose::Transfer
            | Purpose::Persistent
            | Purpose::Packing
            | Purpose::Collective
            | Purpose::File
            | Purpose::Put => Operation::Message,
        }
    }
}
