//! Writes a trace.

use std::io::{self, Write};

use crate::block;
use crate::event::Event;
use crate::header::Header;
use crate::operation::Encoder;

/// Bytes of events, unpacked, after which a block ends. What a process that is killed loses, and what the writer
/// keeps in memory.
pub const BLOCK: usize = 1 << 16;

/// Puts events into blocks. Memory: two blocks, and what the events of one share.
pub struct Writer<W: Write> {
    to: W,
    encoder: Encoder,
    raw: Vec<u8>,
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
        to.write_all(&header.write())?;
        to.flush()?;
        let encoder = Encoder::default();
        Ok(Writer { to, encoder, raw: Vec::with_capacity(BLOCK + 512), first: 0, events: 0 })
    }

    /// The number that the next event will have. Events refer to earlier ones by their numbers.
    pub fn next(&self) -> u64 {
        self.first + u64::from(self.events)
    }

    /// Takes an event; writes a block where one is full. Its time is not before that of the last one: an earlier
    /// one is taken for the same.
    ///
    /// # Errors
    /// Those of the underlying writer. The block is lost then, and its numbers will be missing.
    pub fn push(&mut self, event: &Event) -> io::Result<u64> {
        let number = self.next();
        self.encoder.write(event, &mut self.raw);
        self.events += 1;
        if self.raw.len() >= BLOCK {
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
        self.raw.clear();
        self.encoder.clear();
        made?;
        self.to.write_all(&out)?;
        self.to.flush()
    }
}
