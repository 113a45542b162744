//! Reductions to all.

use crate::graphs::site::Site;

pub fn two_trees(s: &mut Site) {
    start(s, s.block);
    super::reduce::trees_of(s);
    super::bcast::trees_of(s, s.output());
}

pub fn pipelined_chain(s: &mut Site) {
    start(s, s.block);
    super::reduce::chain_of(s);
    super::bcast::chain_of(s, s.output());
}

use super::parts::{arrive, start};
use super::reduce::tree as reduce_tree;

pub fn linear(s: &mut Site) {
    start(s, s.block);
    (1..s.processes).for_each(|v| arrive(s, s.rank(v), s.root, s.output(), s.block));
    for v in 1..s.processes {
        s.message((s.root, s.output()), (s.rank(v), s.output()), s.block);
    }
}

pub fn tree(s: &mut Site) {
    start(s, s.block);
    reduce_tree(s, s.output(), s.block);
    super::bcast::binomial_of(s, s.output(), s.block);
}

pub fn recursive_doubling(s: &mut Site) {
    start(s, s.block);
    let (at, scratch, n) = (s.output(), s.scratch(), s.block);
    let mut k = 1;
    while k < s.processes {
        for i in 0..s.processes {
            s.send(i, i ^ k, at, n);
        }
        for i in 0..s.processes {
            s.receive(i, i ^ k, scratch, n);
            s.add(i, scratch, at, n);
        }
        k *= 2;
    }
}

/// Everybody reads everybody's contribution, as in the first example of co-array Fortran.
pub fn everybody(s: &mut Site) {
    start(s, s.block);
    for i in 0..s.processes {
        for j in (0..s.processes).filter(|j| *j != i) {
            s.message((j, s.input()), (i, s.scratch()), s.block);
            s.add(i, s.scratch(), s.output(), s.block);
        }
    }
}

pub fn ring(s: &mut Site) {
    let p = s.processes;
    start(s, u64::from(p) * s.block);
    super::reduce_scatter::ring_of(s);
    // Process i has block i + 1.
    for step in 0..p - 1 {
        for i in 0..p {
            let here = s.block_at(s.output(), (i + 1 + p - step) % p);
            s.message((i, here), ((i + 1) % p, here), s.block);
        }
    }
}

/// Reduce_scatter by recursive halving, allgather by recursive doubling: T section 4.5.
pub fn rabenseifner(s: &mut Site) {
    start(s, u64::from(s.processes) * s.block);
    super::parts::halving_of(s);
    super::allgather::doubling_of(s, s.output());
}
