//! Reductions to a root.

use super::parts::{arrive, start};
use crate::graphs::site::Site;

/// A half-done result at the others is of no use.
fn only_the_root(s: &mut Site) {
    only_the_root_of(s, s.block);
}

fn only_the_root_of(s: &mut Site, n: u64) {
    use commloom_commgraph::{Address, Bytes, Process};
    for v in 1..s.processes {
        let (at, n) = (Address(s.output()), Bytes(n));
        s.builder.dead(Process(s.rank(v)), at, n).unwrap();
    }
}

pub fn linear(s: &mut Site) {
    start(s, s.block);
    (1..s.processes).for_each(|v| arrive(s, s.rank(v), s.root, s.output(), s.block));
    only_the_root(s);
}

pub fn tree(s: &mut Site, at: u64, n: u64) {
    let tree: Vec<_> = super::parts::tree_of(s.processes).collect();
    for (v, parent, _) in tree.into_iter().rev() {
        arrive(s, s.rank(v), s.rank(parent), at, n);
    }
}

pub fn binomial(s: &mut Site) {
    start(s, s.block);
    tree(s, s.output(), s.block);
    only_the_root(s);
}

pub fn chain(s: &mut Site) {
    start(s, s.block);
    for v in (1..s.processes).rev() {
        arrive(s, s.rank(v), s.rank(v - 1), s.output(), s.block);
    }
    only_the_root(s);
}

pub fn chain_of(s: &mut Site) {
    for (at, n) in super::bcast::segments(s, s.output()) {
        for v in (1..s.processes).rev() {
            arrive(s, s.rank(v), s.rank(v - 1), at, n);
        }
    }
}

pub fn pipelined_chain(s: &mut Site) {
    start(s, s.block);
    chain_of(s);
    only_the_root(s);
}

pub fn trees_of(s: &mut Site) {
    for (mirrored, at, n) in super::bcast::halves(s, s.output()) {
        for k in (1..s.processes).rev() {
            let (to, from) = super::bcast::edge(s.processes, mirrored, k);
            arrive(s, s.rank(from), s.rank(to), at, n);
        }
    }
}

pub fn two_trees(s: &mut Site) {
    start(s, s.block);
    trees_of(s);
    only_the_root(s);
}

/// Reduce_scatter by recursive halving, then a gather: T section 4.4.
pub fn rabenseifner(s: &mut Site) {
    let all = u64::from(s.processes) * s.block;
    start(s, all);
    super::parts::halving_of(s);
    for p in (0..s.processes).filter(|p| *p != s.root).collect::<Vec<_>>() {
        let here = s.block_at(s.output(), p);
        s.message((p, here), (s.root, here), s.block);
    }
    only_the_root_of(s, all);
}
