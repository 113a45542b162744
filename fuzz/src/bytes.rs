//! Numbers, lists and choices out of a string of bytes.

/// Reads from the front; past the end everything is zero.
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Bytes(data)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&first, rest)) => {
                self.0 = rest;
                first
            }
            None => 0,
        }
    }

    fn word(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A number below `n`, for small `n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    /// A displacement or stride: mostly small, as layouts have them, now and then at the ends of the
    /// 64-bit range.
    pub fn int(&mut self) -> i64 {
        const EXTREMES: [i64; 6] =
            [i64::MIN, i64::MAX, i64::MIN / 2, i64::MAX / 2, 1 << 40, -(1 << 31)];
        match self.byte() {
            kind @ 0..=127 => i64::from(kind % 32),
            128..=175 => i64::from(i8::from_le_bytes([self.byte()])),
            176..=207 => 4 * i64::from(self.byte()),
            208..=231 => i64::from(i16::from_le_bytes([self.byte(), self.byte()])),
            232..=247 => {
                let extreme = EXTREMES[self.below(EXTREMES.len())];
                extreme.wrapping_add(i64::from(i8::from_le_bytes([self.byte()])))
            }
            248..=255 => i64::from_le_bytes(self.word().to_le_bytes()),
        }
    }

    /// A number of copies: mostly small, now and then huge.
    pub fn count(&mut self) -> u64 {
        match self.byte() {
            kind @ 0..=199 => u64::from(kind % 12),
            200..=239 => u64::from(self.byte()),
            240..=250 => 1 << (self.byte() % 64),
            251..=255 => self.word(),
        }
    }

    /// Displacements: listed one by one, or regular with at most one exception.
    pub fn list(&mut self) -> Vec<i64> {
        let kind = self.byte();
        let n = usize::from(kind / 4 % 24);
        if kind % 4 < 2 {
            return (0..n).map(|_| self.int()).collect();
        }
        let (first, step) = (self.int(), self.int());
        let steps = std::iter::successors(Some(first), |at| Some(at.wrapping_add(step)));
        let mut list: Vec<i64> = steps.take(n).collect();
        if kind % 4 == 3 && n > 0 {
            let k = self.below(n);
            list[k] = list[k].wrapping_add(self.int());
        }
        list
    }
}
