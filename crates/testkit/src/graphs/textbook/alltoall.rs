//! Alltoalls.

use crate::graphs::site::Site;

fn own(s: &mut Site) {
    for p in 0..s.processes {
        s.copy(p, s.block_at(s.input(), p), s.block_at(s.output(), p), s.block);
    }
}

fn exchange(s: &mut Site, i: u32, j: u32) {
    let (from, to) = (s.block_at(s.input(), j), s.block_at(s.output(), i));
    s.message((i, from), (j, to), s.block);
}

pub fn linear(s: &mut Site) {
    own(s);
    for i in 0..s.processes {
        (0..s.processes).filter(|j| i != *j).for_each(|j| exchange(s, i, j));
    }
}

pub fn pairwise(s: &mut Site) {
    own(s);
    for k in 1..s.processes {
        (0..s.processes).for_each(|i| exchange(s, i, (i + k) % s.processes));
    }
}

pub fn exclusive_or(s: &mut Site) {
    own(s);
    for k in 1..s.processes {
        (0..s.processes).for_each(|i| exchange(s, i, i ^ k));
    }
}

/// T section 4.2: blocks are packed at the output before each step.
pub fn bruck(s: &mut Site) {
    let (work, packed, n, p) = (s.scratch(), s.output(), s.block, s.processes);
    for i in 0..p {
        for k in 0..p {
            s.copy(i, s.block_at(s.input(), (i + k) % p), s.block_at(work, k), n);
        }
    }
    let mut bit = 1;
    while bit < p {
        let moved: Vec<u32> = (0..p).filter(|k| k & bit != 0).collect();
        let length = n * u64::try_from(moved.len()).unwrap();
        for i in 0..p {
            for (slot, k) in (0..).zip(&moved) {
                s.copy(i, s.block_at(work, *k), s.block_at(packed, slot), n);
            }
            s.send(i, (i + bit) % p, packed, length);
        }
        for i in 0..p {
            s.receive(i, (i + p - bit) % p, packed, length);
            for (slot, k) in (0..).zip(&moved) {
                s.copy(i, s.block_at(packed, slot), s.block_at(work, *k), n);
            }
        }
        bit *= 2;
    }
    for i in 0..p {
        for k in 0..p {
            let to = s.block_at(s.output(), (i + p - k) % p);
            s.copy(i, s.block_at(work, k), to, n);
        }
    }
    s.scratch_is_dead();
}
