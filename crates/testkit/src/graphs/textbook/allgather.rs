//! Allgathers.

use super::parts::even;
use crate::graphs::site::Site;

fn own(s: &mut Site) {
    for p in 0..s.processes {
        s.copy(p, s.input(), s.block_at(s.output(), p), s.block);
    }
}

pub fn linear(s: &mut Site) {
    own(s);
    for i in 0..s.processes {
        for j in (0..s.processes).filter(|j| i != *j) {
            let to = s.block_at(s.output(), i);
            s.message((i, s.input()), (j, to), s.block);
        }
    }
}

pub fn ring(s: &mut Site) {
    own(s);
    ring_of(s, s.output());
}

/// Passes the blocks around: process `i` has block `i`.
pub fn ring_of(s: &mut Site, area: u64) {
    let p = s.processes;
    for step in 0..p - 1 {
        for i in 0..p {
            let here = s.block_at(area, (i + p - step) % p);
            s.message((i, here), ((i + 1) % p, here), s.block);
        }
    }
}

pub fn recursive_doubling(s: &mut Site) {
    own(s);
    doubling_of(s, s.output());
}

pub fn doubling_of(s: &mut Site, area: u64) {
    let mut k = 1;
    while k < s.processes {
        for i in 0..s.processes {
            let here = s.block_at(area, i & !(k - 1));
            s.send(i, i ^ k, here, u64::from(k) * s.block);
        }
        for i in 0..s.processes {
            let there = s.block_at(area, (i ^ k) & !(k - 1));
            s.receive(i, i ^ k, there, u64::from(k) * s.block);
        }
        k *= 2;
    }
}

/// T section 4.1.
pub fn bruck(s: &mut Site) {
    let (scratch, p) = (s.scratch(), s.processes);
    for i in 0..p {
        s.copy(i, s.input(), scratch, s.block);
    }
    let mut k = 1;
    while k < p {
        let n = u64::from(k.min(p - k)) * s.block;
        for i in 0..p {
            s.message((i, scratch), ((i + p - k) % p, s.block_at(scratch, k)), n);
        }
        k *= 2;
    }
    for i in 0..p {
        let own = s.block_at(s.output(), i);
        s.copy(i, scratch, own, u64::from(p - i) * s.block);
        s.copy(i, s.block_at(scratch, p - i), s.output(), u64::from(i) * s.block);
    }
    s.scratch_is_dead();
}

/// Chen et al. 2005, for even p: pairs exchange two blocks with alternating neighbours.
pub fn neighbour_exchange(s: &mut Site) {
    own(s);
    let (area, p) = (s.output(), s.processes);
    for i in 0..p {
        let here = s.block_at(area, i);
        s.message((i, here), (i ^ 1, here), s.block);
    }
    // The pair of blocks that each process got last.
    let mut last: Vec<u32> = (0..p).map(|i| i & !1).collect();
    for step in 1..p / 2 {
        let to = |i: u32| match (step % 2 == 1) == even(i) {
            true => (i + p - 1) % p,
            false => (i + 1) % p,
        };
        let sent = last.clone();
        for i in 0..p {
            let pair = sent[usize::try_from(i).unwrap()];
            let here = s.block_at(area, pair);
            s.message((i, here), (to(i), here), 2 * s.block);
            last[usize::try_from(to(i)).unwrap()] = pair;
        }
    }
}

pub fn gather_bcast(s: &mut Site) {
    let to = s.output();
    own(s);
    for p in (0..s.processes).filter(|p| *p != s.root).collect::<Vec<_>>() {
        s.message((p, s.input()), (s.root, s.block_at(to, p)), s.block);
    }
    super::bcast::binomial_of(s, to, u64::from(s.processes) * s.block);
}
