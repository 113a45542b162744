//! Reductions of which everybody gets a block.

use super::parts::{halving_of, start};
use crate::graphs::site::Site;

/// All but block `k` of what is half done is of no use.
fn keep(s: &mut Site, block_of: impl Fn(u32) -> u32) {
    use commloom_commgraph::{Address, Bytes, Process};
    for p in 0..s.processes {
        for k in (0..s.processes).filter(|k| *k != block_of(p)) {
            let (at, n) = (Address(s.block_at(s.output(), k)), Bytes(s.block));
            s.builder.dead(Process(p), at, n).unwrap();
        }
    }
}

pub fn pairwise(s: &mut Site) {
    let (n, p) = (s.block, s.processes);
    s.scratch_is_dead();
    for i in 0..p {
        s.copy(i, s.block_at(s.input(), i), s.output(), n);
    }
    for k in 1..p {
        for i in 0..p {
            let to = (i + k) % p;
            s.message((i, s.block_at(s.input(), to)), (to, s.scratch()), n);
            s.add(to, s.scratch(), s.output(), n);
        }
    }
}

/// In the end process i has block i + 1.
pub fn ring_of(s: &mut Site) {
    let (p, n) = (s.processes, s.block);
    for step in 0..p - 1 {
        let blocks = |i: u32| (i + p - step) % p;
        for i in 0..p {
            s.send(i, (i + 1) % p, s.block_at(s.output(), blocks(i)), n);
        }
        for i in 0..p {
            let before = (i + p - 1) % p;
            s.receive(i, before, s.scratch(), n);
            s.add(i, s.scratch(), s.block_at(s.output(), blocks(before)), n);
        }
    }
}

pub fn ring(s: &mut Site) {
    let p = s.processes;
    start(s, u64::from(p) * s.block);
    ring_of(s);
    keep(s, |i| (i + 1) % p);
}

pub fn reduce_then_scatter(s: &mut Site) {
    let all = u64::from(s.processes) * s.block;
    start(s, all);
    super::reduce::tree(s, s.output(), all);
    for p in (0..s.processes).filter(|p| *p != s.root).collect::<Vec<_>>() {
        let here = s.block_at(s.output(), p);
        s.message((s.root, here), (p, here), s.block);
    }
    keep(s, |i| i);
}

pub fn recursive_halving(s: &mut Site) {
    start(s, u64::from(s.processes) * s.block);
    halving_of(s);
    keep(s, |i| i);
}
