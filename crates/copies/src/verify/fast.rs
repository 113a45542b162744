//! Tables whose keys are small numbers and names of the text: hashing them shall not take longer
//! than using what is found. Nobody chooses keys that collide: at worst a comparison takes longer.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub(super) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Mixed>>;

/// Multiplies and turns, word by word.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Mixed(u64);

/// Odd, with as many ones as zeros (the golden ratio).
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Mixed {
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(FACTOR);
    }
}

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.word(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.word(n.into());
    }

    fn write_i64(&mut self, n: i64) {
        self.word(n.cast_unsigned());
    }

    fn write_usize(&mut self, n: usize) {
        self.write(&n.to_le_bytes());
    }

    fn finish(&self) -> u64 {
        // The upper bits are the mixed ones; tables look at the lower ones first.
        self.0 ^ (self.0 >> 32)
    }
}
