//! Steps that several algorithms share.

use crate::graphs::site::Site;

pub fn even(p: u32) -> bool {
    p.is_multiple_of(2)
}

/// The parent of each vertex of a binomial tree, and how many it has in its subtree (itself
/// included).
pub fn tree_of(p: u32) -> impl Iterator<Item = (u32, u32, u32)> + Clone {
    (1..p).map(move |v| {
        let low = v & v.wrapping_neg();
        (v, v - low, low.min(p - v))
    })
}

/// `to` gets what `from` has so far, and adds it.
pub fn arrive(s: &mut Site, from: u32, to: u32, at: u64, n: u64) {
    let scratch = s.scratch();
    s.message((from, at), (to, scratch), n);
    s.add(to, scratch, at, n);
}

pub fn start(s: &mut Site, n: u64) {
    for p in 0..s.processes {
        s.copy(p, s.input(), s.output(), n);
    }
    s.scratch_is_dead();
}

/// In the end process i has block i.
pub fn halving_of(s: &mut Site) {
    let mut k = s.processes / 2;
    while k > 0 {
        let n = u64::from(k) * s.block;
        let half = |i: u32| i & !(k - 1);
        for i in 0..s.processes {
            s.send(i, i ^ k, s.block_at(s.output(), half(i ^ k)), n);
        }
        for i in 0..s.processes {
            s.receive(i, i ^ k, s.scratch(), n);
            s.add(i, s.scratch(), s.block_at(s.output(), half(i)), n);
        }
        k /= 2;
    }
}
