//! Broadcasts.

use super::parts::tree_of;
use crate::graphs::site::Site;

pub fn linear(s: &mut Site) {
    let (at, n) = (s.input(), s.block);
    for v in 1..s.processes {
        s.message((s.root, at), (s.rank(v), at), n);
    }
}

pub fn binomial_of(s: &mut Site, at: u64, n: u64) {
    for (v, parent, _) in tree_of(s.processes) {
        s.message((s.rank(parent), at), (s.rank(v), at), n);
    }
}

pub fn binomial(s: &mut Site) {
    binomial_of(s, s.input(), s.block);
}

pub fn binary(s: &mut Site) {
    let (at, n) = (s.input(), s.block);
    for v in 1..s.processes {
        s.message((s.rank((v - 1) / 2), at), (s.rank(v), at), n);
    }
}

pub fn pipelined_chain(s: &mut Site) {
    chain_of(s, s.input());
}

pub fn chain_of(s: &mut Site, area: u64) {
    for (at, n) in segments(s, area) {
        for v in 1..s.processes {
            s.message((s.rank(v - 1), at), (s.rank(v), at), n);
        }
    }
}

/// A block in four.
pub fn segments(s: &Site, area: u64) -> Vec<(u64, u64)> {
    let segment = s.block.div_ceil(4).max(1);
    let starts = (0..4).map(|k| k * segment).take_while(|from| *from < s.block);
    starts.map(|from| (area + from, segment.min(s.block - from))).collect()
}

/// Van de Geijn: T section 4.3. The blocks are those of the ranks after the root.
pub fn scatter_allgather(s: &mut Site) {
    let (at, p) = (s.input(), s.processes);
    for (v, parent, subtree) in tree_of(p) {
        let here = s.block_at(at, v);
        s.message((s.rank(parent), here), (s.rank(v), here), u64::from(subtree) * s.block);
    }
    for step in 0..p - 1 {
        for v in 0..p {
            let here = s.block_at(at, (v + p - step) % p);
            let next = (v + 1) % p;
            // The root has everything, and nobody sends a subtree what it has.
            if next != 0 {
                s.message((s.rank(v), here), (s.rank(next), here), s.block);
            }
        }
    }
}

/// Sanders, Speck, Träff 2009: one half along each of two binary trees.
pub fn two_trees(s: &mut Site) {
    trees_of(s, s.input());
}

pub fn trees_of(s: &mut Site, area: u64) {
    for (mirrored, at, n) in halves(s, area) {
        for k in 1..s.processes {
            let (from, to) = edge(s.processes, mirrored, k);
            s.message((s.rank(from), at), (s.rank(to), at), n);
        }
    }
}

/// Whether the tree is the mirrored one, and its half of a block.
pub fn halves(s: &Site, area: u64) -> [(bool, u64, u64); 2] {
    let half = s.block / 2;
    [(false, area, half), (true, area + half, s.block - half)]
}

/// Parent and child number `k` of a tree.
pub fn edge(p: u32, mirrored: bool, k: u32) -> (u32, u32) {
    let place = |k: u32| if k == 0 || !mirrored { k } else { p - k };
    (place(if k == 1 { 0 } else { k / 2 }), place(k))
}
