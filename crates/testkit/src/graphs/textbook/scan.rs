//! Prefix sums.

use super::parts::{arrive, start};
use crate::graphs::site::Site;

pub fn linear(s: &mut Site) {
    start(s, s.block);
    (1..s.processes).for_each(|i| arrive(s, i - 1, i, s.output(), s.block));
}

/// Hillis and Steele 1986.
pub fn recursive_doubling(s: &mut Site) {
    start(s, s.block);
    let mut k = 1;
    while k < s.processes {
        for i in k..s.processes {
            s.send(i - k, i, s.output(), s.block);
        }
        for i in k..s.processes {
            s.receive(i, i - k, s.scratch(), s.block);
            s.add(i, s.scratch(), s.output(), s.block);
        }
        k *= 2;
    }
}
