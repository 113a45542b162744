//! Bytes that tell where they come from, and whether they arrived.

use std::ops::Range;

use commloom_layout::{LayoutError, Type};

/// Between the data of outgoing memory: a gap that travels is noticed.
pub const OUTGOING_GAP: u8 = 0xC3;
/// Between the data of incoming memory: must stay.
pub const INCOMING_GAP: u8 = 0x3C;

/// The data of a process, in the order of the message, for one of several rounds: unlike those of
/// other processes and rounds.
#[must_use]
pub fn stream(bytes: usize, process: usize, round: u64) -> Vec<u8> {
    let process = u64::try_from(process).unwrap_or(u64::MAX);
    let mut state =
        process.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ round.wrapping_mul(0xD1B5_4A32_D192_ED03);
    let mut stream = Vec::with_capacity(bytes.next_multiple_of(8));
    while stream.len() < bytes {
        // SplitMix64 (Steele, Lea and Flood 2014).
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        stream.extend_from_slice(&(z ^ (z >> 31)).to_ne_bytes());
    }
    stream.truncate(bytes);
    stream
}

/// Where the data of a message lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// From where to where in memory, in the order of the message: bytes.
    runs: Vec<Range<usize>>,
    bytes: usize,
}

impl Places {
    /// Those of `count` elements. Time and space are linear in the runs.
    ///
    /// # Errors
    /// The elements span more than 64 bits can hold, or begin before the memory.
    pub fn new(element: &Type, count: u64) -> Result<Places, LayoutError> {
        let outside = LayoutError::Overflow { what: "the place of a byte in memory" };
        let message = message(element, count)?;
        let mut runs = Vec::new();
        for run in message.byte_runs() {
            let start = usize::try_from(run.displacement).map_err(|_| outside.clone())?;
            let length = usize::try_from(run.length).map_err(|_| outside.clone())?;
            runs.push(start..start.checked_add(length).ok_or(outside.clone())?);
        }
        let bytes = usize::try_from(message.size()).map_err(|_| outside)?;
        Ok(Places { runs, bytes })
    }

    /// Data bytes of the message.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Fills memory with gaps and data; what of the data lies outside the memory is left out.
    pub fn fill(&self, memory: &mut [u8], stream: &[u8], gap: u8) {
        memory.fill(gap);
        let mut rest = stream;
        for run in &self.runs {
            let (data, after) = rest.split_at(run.len().min(rest.len()));
            rest = after;
            if let Some(place) = memory.get_mut(run.start..run.start + data.len()) {
                place.copy_from_slice(data);
            }
        }
    }
}

/// `count` elements, one extent apart.
///
/// # Errors
/// They span more than 64 bits can hold.
pub fn message(element: &Type, count: u64) -> Result<Type, LayoutError> {
    match count {
        1 => Ok(element.clone()),
        _ => Type::vec(count, element.extent(), element.clone()),
    }
}

/// A byte that is not what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wrong {
    /// From the start of the memory.
    pub at: usize,
    /// The right value.
    pub expected: u8,
    /// The value in memory.
    pub found: u8,
}

/// The first byte in which memory differs from what is expected; `None` where there is none.
#[must_use]
pub fn first_wrong(expected: &[u8], found: &[u8]) -> Option<Wrong> {
    if expected == found {
        return None;
    }
    let mut both = expected.iter().zip(found).enumerate();
    both.find_map(|(at, (&expected, &found))| {
        (expected != found).then_some(Wrong { at, expected, found })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::text;

    #[test]
    fn data_stand_in_their_places_and_gaps_between() {
        let element = text::parse("resized(0, 4, idx(<2,0>, leaf(MPI_CHAR)))").unwrap();
        let places = Places::new(&element, 2).unwrap();
        assert_eq!(places.bytes(), 4);
        let mut memory = [0; 9];
        places.fill(&mut memory, &[1, 2, 3, 4], 9);
        assert_eq!(memory, [2, 9, 1, 9, 4, 9, 3, 9, 9]);
        let mut short = [0; 5];
        places.fill(&mut short, &[1, 2, 3, 4], 9);
        assert_eq!(short, [2, 9, 1, 9, 4]);
    }

    #[test]
    fn streams_of_processes_and_rounds_differ_everywhere() {
        let streams = [stream(801, 0, 1), stream(801, 1, 1), stream(801, 0, 2), stream(801, 1, 2)];
        for (k, a) in streams.iter().enumerate() {
            assert_eq!(a.len(), 801);
            for b in &streams[..k] {
                let same = a.iter().zip(b).filter(|(a, b)| a == b).count();
                assert!(same < 20, "{same} of 801 bytes are the same");
            }
        }
    }

    #[test]
    fn the_first_wrong_byte_is_found() {
        assert_eq!(first_wrong(&[1, 2, 3], &[1, 2, 3]), None);
        let wrong = Wrong { at: 1, expected: 2, found: 7 };
        assert_eq!(first_wrong(&[1, 2, 3], &[1, 7, 8]), Some(wrong));
    }
}
