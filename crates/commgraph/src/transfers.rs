//! The effects of a graph on memory, in single static transfer (SST) form: every byte is written
//! once.

/// `length` bytes of one process, as they were before the graph ran, come to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transfer {
    /// The process that they come to.
    pub destination: u32,
    /// Where they come to, in bytes.
    pub destination_address: u64,
    /// The process that they come from.
    pub source: u32,
    /// Where they come from, in bytes.
    pub source_address: u64,
    /// How many bytes.
    pub length: u64,
}

impl Transfer {
    /// The bytes `from..to` of the transfer.
    #[must_use]
    pub fn part(&self, from: u64, to: u64) -> Transfer {
        Transfer {
            destination_address: self.destination_address + from,
            source_address: self.source_address + from,
            length: to - from,
            ..*self
        }
    }

    /// Adds a transfer of the bytes that follow at both ends, if `next` is one.
    pub(crate) fn absorb(&mut self, next: &Transfer) -> bool {
        let follows = self.destination == next.destination
            && self.source == next.source
            && self.destination_address + self.length == next.destination_address
            && self.source_address.checked_add(self.length) == Some(next.source_address);
        if follows {
            self.length += next.length;
        }
        follows
    }
}
