//! Buffers with known bytes in and around the data.

use std::ffi::c_void;

use commloom_testkit::memory::MARGIN;

use crate::number::{length, wide};

/// A buffer whose every byte follows from a seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    bytes: Vec<u8>,
    /// Index of displacement 0.
    origin: usize,
}

impl Memory {
    /// Memory that holds all `places` (displacements of bytes) with a margin around them.
    pub fn holding<'p>(places: impl IntoIterator<Item = &'p [i64]>, seed: u64) -> Memory {
        Memory::with_room(places, 0, seed)
    }

    /// The same with so many bytes more behind it.
    pub fn with_room<'p>(
        places: impl IntoIterator<Item = &'p [i64]>,
        room: usize,
        seed: u64,
    ) -> Memory {
        let (mut low, mut high) = (0, 0);
        for place in places.into_iter().flatten() {
            low = low.min(*place);
            high = high.max(*place + 1);
        }
        // Aligned as far as the allocator aligns: displacements decide about the rest.
        let origin = (length(-low) + MARGIN).next_multiple_of(64);
        let mut memory = Memory { bytes: vec![0; origin + length(high) + room + MARGIN], origin };
        memory.fill(seed);
        memory
    }

    /// All of it.
    pub fn all(&self) -> &[u8] {
        &self.bytes
    }

    /// All of it, to write to.
    pub fn all_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// The index of displacement 0, a multiple of 64.
    pub fn origin(&self) -> usize {
        self.origin
    }

    /// Writes the noise of a seed everywhere.
    pub fn fill(&mut self, seed: u64) {
        let mut state = seed;
        for chunk in self.bytes.chunks_mut(8) {
            let noise = splitmix(&mut state).to_ne_bytes();
            chunk.copy_from_slice(&noise[..chunk.len()]);
        }
    }

    /// Takes over the bytes of another buffer of this size; the address stays.
    pub fn assign(&mut self, other: &Memory) {
        self.bytes.copy_from_slice(&other.bytes);
    }

    /// The address of displacement 0.
    pub fn address(&mut self) -> *mut c_void {
        self.bytes[self.origin..].as_mut_ptr().cast()
    }

    /// The bytes at these displacements, in this order.
    pub fn gather(&self, places: &[i64]) -> Vec<u8> {
        places.iter().map(|&place| self.bytes[self.index(place)]).collect()
    }

    /// Writes bytes to these displacements, in this order; stops where `bytes` ends.
    pub fn scatter(&mut self, places: &[i64], bytes: &[u8]) {
        for (&place, &byte) in places.iter().zip(bytes) {
            let index = self.index(place);
            self.bytes[index] = byte;
        }
    }

    /// Where two buffers of the same size differ first: displacement and both bytes.
    pub fn difference(&self, other: &Memory) -> Option<(i64, u8, u8)> {
        self.difference_but(other, |_| false)
    }

    /// The same, but for the indices of bytes that may differ.
    pub fn difference_but(
        &self,
        other: &Memory,
        mut may: impl FnMut(usize) -> bool,
    ) -> Option<(i64, u8, u8)> {
        if self.bytes == other.bytes {
            return None;
        }
        let mut pairs = self.bytes.iter().zip(&other.bytes).enumerate();
        let (at, (a, b)) = pairs.find(|(at, (a, b))| a != b && !may(*at))?;
        Some((wide(at) - wide(self.origin), *a, *b))
    }

    /// Whether two buffers of the same size have the same byte there.
    pub fn agrees_at(&self, other: &Memory, index: usize) -> bool {
        self.bytes[index] == other.bytes[index]
    }

    fn index(&self, place: i64) -> usize {
        length(wide(self.origin) + place)
    }
}

/// Blocks of the heap that [`soil`] fills, and their size at most.
const SOILED: usize = 12;
const LARGEST: usize = 1 << 16;

/// Leaves free memory behind that is not 0, as in a program that has run for a while: what nobody
/// wrote is then read as an address that is none.
pub fn soil(rng: &mut commloom_testkit::Rng) {
    let blocks: Vec<Vec<u8>> = (0..SOILED).map(|_| vec![0xA5; rng.usize(16..LARGEST)]).collect();
    // Not before all of them are there, and not for the optimizer to see.
    drop(std::hint::black_box(blocks));
}

/// The next number of Vigna's splitmix64.
pub fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A seed from several numbers.
pub fn mix(parts: &[u64]) -> u64 {
    let mut state = 0;
    for &part in parts {
        state ^= part;
        state = splitmix(&mut state);
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_where_they_were_put_and_the_rest_stays() {
        let places = [-9, 4, 0, 17];
        let mut memory = Memory::holding([places.as_slice()], 7);
        let before = memory.clone();
        assert_eq!(memory.difference(&before), None);
        memory.scatter(&places, b"abc");
        assert_eq!(&memory.gather(&places)[..3], b"abc");
        assert_eq!(memory.gather(&places[3..]), before.gather(&places[3..]));
        assert_eq!(memory.difference(&before).map(|d| d.0), Some(-9));
    }

    #[test]
    fn seeds_depend_on_every_part_and_on_the_order() {
        let mut all = vec![mix(&[1, 2])];
        // Neighbouring seeds and numbers do not meet.
        for seed in 0..20 {
            all.extend((0..20).map(|number| mix(&[seed, number, 3])));
        }
        for (i, a) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|b| a != b));
        }
    }
}
