//! Which part of the shared memory is whose. Parts are kept by size and used again last in, first
//! out, so that they stay in the caches.

/// Parts are multiples of this many bytes, and begin at one.
const GRAIN: u64 = 4096;
/// Of each power of two so many sizes: at most a quarter is left over.
const STEPS: u64 = 4;
/// Sizes in all: up to some 2^40 bytes.
const SIZES: usize = 160;

/// The parts of `bytes` bytes.
#[derive(Debug)]
pub(super) struct Slots {
    idle: Vec<Vec<u64>>,
    /// Behind all parts that were ever given out.
    end: u64,
    bytes: u64,
}

impl Slots {
    pub fn new(bytes: u64) -> Slots {
        Slots { idle: vec![Vec::new(); SIZES], end: 0, bytes }
    }

    /// A part of at least so many bytes; where it starts. `None` where there is no room.
    pub fn take(&mut self, bytes: u64) -> Option<u64> {
        let (size, length) = class(bytes)?;
        if let Some(start) = self.idle.get_mut(size)?.pop() {
            return Some(start);
        }
        let start = self.end;
        self.end = start.checked_add(length).filter(|&end| end <= self.bytes)?;
        Some(start)
    }

    /// Gives back what [`Slots::take`] has given for so many bytes.
    pub fn put(&mut self, start: u64, bytes: u64) {
        if let Some(idle) = class(bytes).and_then(|(size, _)| self.idle.get_mut(size)) {
            idle.push(start);
        }
    }
}

/// The number of the size that so many bytes get, and its bytes.
fn class(bytes: u64) -> Option<(usize, u64)> {
    let grains = bytes.div_ceil(GRAIN).max(1);
    if grains <= STEPS {
        return Some((usize::try_from(grains).ok()?, grains * GRAIN));
    }
    // Between 2^k and 2^(k+1) grains: steps of 2^(k-2).
    let power = (grains - 1).ilog2();
    let step = 1_u64 << (power - STEPS.ilog2());
    let steps = grains.div_ceil(step);
    let size = u64::from(power) * STEPS + steps;
    Some((usize::try_from(size).ok()?, steps.checked_mul(step)?.checked_mul(GRAIN)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_gets_a_size_that_holds_it_and_wastes_a_quarter_at_most() {
        let mut sizes = std::collections::BTreeMap::new();
        for bytes in (1..200_000).step_by(37).chain((1..100).map(|k| k * 1_234_567)) {
            let (size, length) = class(bytes).unwrap();
            assert!(size < SIZES && length >= bytes, "{bytes}");
            assert!(length - bytes < bytes / 4 + GRAIN, "{bytes}: {length}");
            assert_eq!(*sizes.entry(size).or_insert(length), length, "{bytes}");
        }
    }

    #[test]
    fn parts_never_overlap_and_come_back() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut slots = Slots::new(8 << 20);
        let mut live: Vec<(u64, u64)> = Vec::new();
        for _ in 0..20_000 {
            if random.bool() && !live.is_empty() {
                let (start, bytes) = live.swap_remove(random.usize(..live.len()));
                slots.put(start, bytes);
            } else {
                let bytes = random.u64(1..300_000);
                let Some(start) = slots.take(bytes) else { continue };
                assert!(start + bytes <= 8 << 20);
                for (other, length) in &live {
                    assert!(start + bytes <= *other || other + length <= start);
                }
                live.push((start, bytes));
            }
        }
        let start = slots.take(100).unwrap();
        slots.put(start, 100);
        assert_eq!(slots.take(100), Some(start), "the last one first");
        assert_eq!(slots.take(9 << 20), None);
    }
}
