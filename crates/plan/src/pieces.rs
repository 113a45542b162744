//! [`Pieces`]: the blocks of a period cut into pieces that one load and one store move.

use crate::number::within;

/// One block of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodBlock {
    /// Displacement on side A from the first byte of the period.
    pub a: i64,
    /// Packed position in the period.
    pub b: u64,
    /// Bytes.
    pub length: u64,
}

/// Bytes of the pieces, in the order in which they are kept.
const SIZES: [u64; 7] = [64, 32, 16, 8, 4, 2, 1];

/// A period has at most so many pieces: beyond, its blocks are long enough to be moved one by one.
const MOST: usize = 64;

/// The blocks of a period as pieces of 1 to 64 bytes, by size. The last two pieces of a block may
/// overlap: seven bytes are two words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pieces {
    places: Box<[Place]>,
    /// Where the pieces of each size end.
    ends: [u8; SIZES.len()],
}

/// Where a piece lies, in bytes from the start of the period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// In memory.
    pub a: i64,
    /// In the packed period.
    pub b: u64,
}

impl Pieces {
    /// Number of pieces.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Bytes on the heap.
    pub(crate) fn heap(&self) -> usize {
        size_of_val(&*self.places)
    }

    /// Cuts the blocks of a period; fails where there are too many pieces.
    pub(crate) fn cut(parts: &[PeriodBlock]) -> Option<Pieces> {
        let mut all: Vec<(u64, Place)> = Vec::new();
        for part in parts {
            if part.length > 64 * u64::try_from(MOST).ok()? {
                return None;
            }
            let mut add = |size, at| {
                all.push((size, Place { a: part.a + within(at, 1), b: part.b + at }));
            };
            let whole = part.length / 64;
            (0..whole).for_each(|i| add(64, 64 * i));
            let rest = part.length % 64;
            if rest > 0 {
                // The largest power of two, then the smallest that covers what is left.
                let first = 1 << rest.ilog2();
                add(first, 64 * whole);
                if rest > first {
                    let last = (rest - first).next_power_of_two();
                    add(last, part.length - last);
                }
            }
            if all.len() > MOST {
                return None;
            }
        }
        let mut places = Vec::with_capacity(all.len());
        let ends = SIZES.map(|size| {
            places.extend(all.iter().filter(|piece| piece.0 == size).map(|piece| piece.1));
            u8::try_from(places.len()).expect("at most MOST")
        });
        Some(Pieces { places: places.into(), ends })
    }

    /// The pieces of 64, 32, 16, 8, 4, 2 and 1 bytes (`class` 0 to 6), in packed order.
    #[must_use]
    pub fn class(&self, class: usize) -> &[Place] {
        let start = if class == 0 { 0 } else { self.ends[class - 1] };
        &self.places[start.into()..self.ends[class].into()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_block_cover_it_and_nothing_else() {
        for length in 1..=300 {
            let pieces = Pieces::cut(&[PeriodBlock { a: -7, b: 3, length }]).expect("few pieces");
            let mut covered = vec![false; usize::try_from(length).expect("small")];
            for (class, size) in SIZES.into_iter().enumerate() {
                for place in pieces.class(class) {
                    assert_eq!(within(place.b, 1) - 3, place.a + 7, "the sides of {place:?}");
                    for byte in place.b - 3..place.b - 3 + size {
                        covered[usize::try_from(byte).expect("small")] = true;
                    }
                }
            }
            assert!(covered.iter().all(|&byte| byte), "length {length}: {pieces:?}");
        }
        assert_eq!(Pieces::cut(&[PeriodBlock { a: 0, b: 0, length: 64 * 64 + 1 }]), None);
    }
}
