//! Prefix sums without one's own.

use crate::graphs::site::Site;

pub fn linear(s: &mut Site) {
    let (scratch, n) = (s.scratch(), s.block);
    s.scratch_is_dead();
    s.copy(0, s.input(), scratch, n);
    for i in 1..s.processes {
        s.message((i - 1, scratch), (i, s.output()), n);
        s.copy(i, s.output(), scratch, n);
        s.add(i, s.input(), scratch, n);
    }
}

pub fn everybody(s: &mut Site) {
    s.scratch_is_dead();
    for i in 1..s.processes {
        s.message((0, s.input()), (i, s.output()), s.block);
        for j in 1..i {
            s.message((j, s.input()), (i, s.scratch()), s.block);
            s.add(i, s.scratch(), s.output(), s.block);
        }
    }
}

/// Hillis and Steele 1986: besides the result, each process has the sum that includes its own.
pub fn recursive_doubling(s: &mut Site) {
    let (n, sum, other) = (s.block, s.scratch(), s.block_at(s.scratch(), 1));
    s.scratch_is_dead();
    for i in 0..s.processes {
        s.copy(i, s.input(), sum, n);
    }
    let mut k = 1;
    while k < s.processes {
        for i in k..s.processes {
            s.send(i - k, i, sum, n);
        }
        for i in k..s.processes {
            s.receive(i, i - k, other, n);
            match k {
                1 => s.copy(i, other, s.output(), n),
                _ => s.add(i, other, s.output(), n),
            }
            s.add(i, other, sum, n);
        }
        k *= 2;
    }
}
