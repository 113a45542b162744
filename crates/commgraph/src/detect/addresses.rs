//! Numbers in a row, in little memory where they are regular.

/// For each index a number: an address, or a length, in bytes.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Addresses {
    /// Number `k` is `start + k * step`, modulo 2^64.
    Affine {
        /// Number 0.
        start: u64,
        /// The distance to the next.
        step: u64,
    },
    /// One after the other.
    Listed(Vec<u64>),
}

impl Addresses {
    /// Number `k`.
    #[must_use]
    pub fn get(&self, k: usize) -> u64 {
        match self {
            Addresses::Affine { start, step } => affine(*start, *step, k),
            Addresses::Listed(all) => all.get(k).copied().unwrap_or_default(),
        }
    }

    /// The numbers given; those that are not may be anything. `step` is what is assumed where only
    /// one is given.
    pub(crate) fn collect(numbers: impl Iterator<Item = Option<u64>>, step: u64) -> Addresses {
        let mut first: Option<(usize, u64)> = None;
        let mut known: Option<u64> = None;
        let mut numbers = numbers.enumerate();
        while let Some((k, number)) = numbers.next() {
            let Some(number) = number else { continue };
            let Some((k0, start)) = first else {
                first = Some((k, number));
                continue;
            };
            let apart = u64::try_from(k - k0).expect("64 bits");
            let difference = number.wrapping_sub(start);
            let step =
                known.or_else(|| difference.is_multiple_of(apart).then(|| difference / apart));
            let step = match step {
                Some(step) if affine(start, step, k - k0) == number => step,
                broken => {
                    let start = start.wrapping_sub(affine(0, broken.unwrap_or(0), k0));
                    let mut all: Vec<u64> =
                        (0..k).map(|k| affine(start, broken.unwrap_or(0), k)).collect();
                    if broken.is_none() {
                        all[k0] = first.map_or(0, |(_, number)| number);
                    }
                    all.push(number);
                    all.extend(numbers.map(|(_, number)| number.unwrap_or_default()));
                    return Addresses::Listed(all);
                }
            };
            known = Some(step);
        }
        let step = known.unwrap_or(step);
        let (k0, number) = first.unwrap_or((0, 0));
        Addresses::Affine { start: number.wrapping_sub(affine(0, step, k0)), step }
    }

    /// Whether the numbers are regular.
    #[must_use]
    pub fn is_affine(&self) -> bool {
        matches!(self, Addresses::Affine { .. })
    }

    /// The same numbers, each larger by `n`.
    pub(crate) fn plus(&self, n: u64) -> Addresses {
        match self {
            Addresses::Affine { start, step } => {
                Addresses::Affine { start: start.wrapping_add(n), step: *step }
            }
            Addresses::Listed(all) => {
                Addresses::Listed(all.iter().map(|a| a.wrapping_add(n)).collect())
            }
        }
    }
}

fn affine(start: u64, step: u64, k: usize) -> u64 {
    start.wrapping_add(step.wrapping_mul(u64::try_from(k).expect("64 bits")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_comes_back() {
        for seed in 0..2000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (start, step) = (random.u64(0..9), random.u64(0..3).wrapping_sub(1));
            let numbers: Vec<Option<u64>> = (0..random.u64(0..7))
                .map(|k| match random.u8(0..8) {
                    0 => None,
                    1 => Some(random.u64(0..9)),
                    _ => Some(start.wrapping_add(k.wrapping_mul(step))),
                })
                .collect();
            let addresses = Addresses::collect(numbers.iter().copied(), 1);
            for (k, number) in numbers.iter().enumerate() {
                assert!(number.is_none_or(|n| addresses.get(k) == n), "seed {seed}: {numbers:?}");
            }
        }
    }
}
