//! Numbers of variable length, and strings: seven bits a byte, the lowest first, the highest bit
//! set where more follow.

/// Appends.
pub(crate) struct Out<'a>(pub &'a mut Vec<u8>);

impl Out<'_> {
    pub fn number(&mut self, mut value: u64) {
        let mut bytes = [0; 10];
        let mut length = 1;
        for byte in &mut bytes {
            *byte = low(value);
            value >>= 7;
            if value == 0 {
                break;
            }
            *byte |= 0x80;
            length += 1;
        }
        self.0.extend_from_slice(&bytes[..length]);
    }

    /// Small in size, whatever its sign.
    pub fn signed(&mut self, value: i64) {
        self.number((value << 1 ^ value >> 63).cast_unsigned());
    }

    pub fn string(&mut self, text: &str) {
        self.length(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    pub fn length(&mut self, length: usize) {
        self.number(u64::try_from(length).unwrap_or(u64::MAX));
    }

    /// All eight bytes: for hashes, which are never small.
    pub fn fixed(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }
}

fn low(value: u64) -> u8 {
    value.to_le_bytes()[0] & 0x7f
}

/// Takes away from the front. `None` where the bytes end, or are none that [`Out`] writes.
pub(crate) struct In<'a>(pub &'a [u8]);

impl<'a> In<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        if first < 0x80 {
            self.0 = rest;
            return Some(first.into());
        }
        self.longer()
    }

    /// Of more bytes than one.
    fn longer(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    #[inline]
    pub fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    pub fn signed(&mut self) -> Option<i64> {
        let coded = self.number()?;
        Some((coded >> 1).cast_signed() ^ -(coded & 1).cast_signed())
    }

    pub fn string(&mut self) -> Option<&'a str> {
        let length = self.small()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    pub fn fixed(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A length that as many bytes can still follow: no memory is asked for by a damaged number.
    pub fn length(&mut self) -> Option<usize> {
        let length = self.small()?;
        (length <= self.0.len()).then_some(length)
    }

    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(front)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            Out(&mut bytes).number(value);
            assert_eq!(In(&bytes).number(), Some(value));
            for signed in [value.cast_signed(), value.cast_signed().wrapping_neg()] {
                let mut bytes = Vec::new();
                Out(&mut bytes).signed(signed);
                assert_eq!(In(&bytes).signed(), Some(signed));
            }
        }
    }

    #[test]
    fn what_is_cut_or_too_long_is_no_number() {
        assert_eq!(In(&[0x80]).number(), None);
        assert_eq!(In(&[0xff; 11]).number(), None);
        assert_eq!(
            In(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]).number(),
            None
        );
    }
}
