//! Operations that may have made a result besides the one that is asked about.

use commloom_trace::Operator;

use super::element::Element;

/// An operation besides the one that is asked about.
pub(super) enum Rival {
    Known(Operator),
    /// On each byte.
    Bits(fn(u8, u8) -> u8),
}

impl Element {
    /// Other operations that may have made a result: the recorder's, and those on the bits of
    /// integers.
    pub(super) fn rivals(self, operator: Operator) -> Vec<Rival> {
        let others = self.operators().iter().filter(|other| **other != operator);
        let bits: [fn(u8, u8) -> u8; 3] = [|x, y| x | y, |x, y| x ^ y, |x, y| x & y];
        let bits = bits.into_iter().filter(|_| !self.is_float()).map(Rival::Bits);
        others.map(|other| Rival::Known(*other)).chain(bits).collect()
    }

    /// Whether an operation makes this of these values.
    pub(super) fn makes(self, rival: &Rival, values: &[&[u8]], result: &[u8]) -> bool {
        let Some((first, rest)) = values.split_first() else { return false };
        let mut made = first.to_vec();
        for value in rest {
            match rival {
                Rival::Known(operator) => self.combine(*operator, &mut made, value),
                Rival::Bits(of) => made.iter_mut().zip(*value).for_each(|(x, y)| *x = of(*x, *y)),
            }
        }
        made == result
    }
}
