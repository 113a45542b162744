//! Writes a trace.

use std::io::{self, Write};

use crate::block;
use crate::event::Event;
use crate::header::Header;
use crate::operation::Encoder;

/// Bytes of events, unpacked, after which a block ends: what a process that is killed loses, and
/// what the writer keeps in memory. Definitions are not counted: each block repeats those that it
/// needs, and short blocks would be full of long layouts.
pub const BLOCK: usize = 1 << 16;
/// Bytes after which a block ends in any case.
const WITH_DEFINITIONS: usize = 1 << 22;

/// Puts events into blocks. Memory: two blocks, and what the events of one share.
pub struct Writer<W: Write> {
    to: W,
    encoder: Encoder,
    raw: Vec<u8>,
    /// Bytes of `raw` that are definitions.
    definitions: usize,
    /// Bytes that were written.
    written: u64,
    /// The number of the first event of the block.
    first: u64,
    events: u32,
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn new(mut to: W, header: &Header) -> io::Result<Self> {
        let header = header.write();
        to.write_all(&header)?;
        to.flush()?;
        Ok(Writer {
            to,
            encoder: Encoder::default(),
            raw: Vec::with_capacity(BLOCK + 512),
            definitions: 0,
            written: length(&header),
            first: 0,
            events: 0,
        })
    }

    /// The number that the next event will have. Events refer to earlier ones by their numbers.
    pub fn next(&self) -> u64 {
        self.first + u64::from(self.events)
    }

    /// Bytes of the file if the block that is being filled were written as it is; packed it is
    /// shorter.
    pub fn bytes(&self) -> u64 {
        self.written.saturating_add(length(&self.raw))
    }

    /// Takes an event; writes a block where one is full. Its time is not before that of the last
    /// one: an earlier one is taken for the same.
    ///
    /// # Errors
    /// Those of the underlying writer. The block is lost then, and its numbers will be missing.
    pub fn push(&mut self, event: &Event) -> io::Result<u64> {
        let number = self.next();
        self.definitions += self.encoder.write(event, &mut self.raw);
        self.events += 1;
        if self.raw.len() - self.definitions >= BLOCK || self.raw.len() >= WITH_DEFINITIONS {
            self.flush()?;
        }
        Ok(number)
    }

    /// Ends the block that is being filled.
    ///
    /// # Errors
    /// Those of the underlying writer.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.events == 0 {
            return Ok(());
        }
        let mut out = Vec::new();
        let made = block::write(self.first, self.events, &self.raw, &mut out);
        self.first = self.next();
        self.events = 0;
        self.definitions = 0;
        self.raw.clear();
        self.encoder.clear();
        made?;
        self.to.write_all(&out)?;
        self.written = self.written.saturating_add(length(&out));
        self.to.flush()
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
