//! A block: a header of 36 bytes that can be found and checked by itself, then zstd.

/// A block that was found.
pub(crate) struct Block<'a> {
    /// Number of its first event.
    pub first: u64,
    pub events: u32,
    /// Length of the events, unpacked, in bytes.
    length: u32,
    packed: &'a [u8],
    check: u32,
}

/// The result of a search for a block.
pub(crate) enum Found<'a> {
    /// A block, and where it ends.
    Whole(Block<'a>, usize),
    /// A header without all of its data: so many bytes are missing.
    Cut(usize),
    /// Something else.
    None,
}

const MAGIC: [u8; 4] = *b"\xC1oom";
const HEADER: usize = 36;
/// Of compression: the fastest, since a program waits for it.
const LEVEL: i32 = 1;
/// Longest block that is unpacked, in bytes: a damaged file may not take all memory.
const LONGEST: u32 = 1 << 26;

/// Appends a block.
pub(crate) fn write(first: u64, events: u32, raw: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
    let packed = zstd::bulk::compress(raw, LEVEL)?;
    let too_long = |_| std::io::Error::other("a block of 4 GB");
    let start = out.len();
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&first.to_le_bytes());
    out.extend_from_slice(&events.to_le_bytes());
    out.extend_from_slice(&u32::try_from(raw.len()).map_err(too_long)?.to_le_bytes());
    out.extend_from_slice(&u64::try_from(packed.len()).unwrap_or(u64::MAX).to_le_bytes());
    out.extend_from_slice(&crc32fast::hash(&packed).to_le_bytes());
    let check = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&check.to_le_bytes());
    out.extend_from_slice(&packed);
    Ok(())
}

/// The block at the beginning of `bytes`.
pub(crate) fn find(bytes: &[u8]) -> Found<'_> {
    let Some(header) = bytes.get(..HEADER) else {
        let is_start = MAGIC.starts_with(&bytes[..bytes.len().min(4)]);
        return if is_start && !bytes.is_empty() {
            Found::Cut(HEADER - bytes.len())
        } else {
            Found::None
        };
    };
    let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
    let long = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
    if header[..4] != MAGIC || word(32) != crc32fast::hash(&header[..32]) {
        return Found::None;
    }
    let Ok(packed) = usize::try_from(long(20)) else { return Found::None };
    let there = bytes.len() - HEADER;
    if packed > there {
        return Found::Cut(packed - there);
    }
    let end = HEADER + packed;
    let packed = &bytes[HEADER..end];
    let (first, events, length, check) = (long(4), word(12), word(16), word(28));
    Found::Whole(Block { first, events, length, packed, check }, end)
}

/// Where the next block may begin in `bytes`, after the first byte.
pub(crate) fn next(bytes: &[u8]) -> Option<usize> {
    let found = bytes.get(1..)?.windows(MAGIC.len()).position(|window| window == MAGIC)?;
    Some(found + 1)
}

impl Block<'_> {
    /// The bytes of the events. `None` where they are not those that were written.
    pub fn unpack(&self) -> Option<Vec<u8>> {
        if crc32fast::hash(self.packed) != self.check || self.length > LONGEST {
            return None;
        }
        let length = usize::try_from(self.length).ok()?;
        zstd::bulk::decompress(self.packed, length).ok()
    }
}
