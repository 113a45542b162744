//! Scatters.

use crate::graphs::site::Site;

pub fn linear(s: &mut Site) {
    let (from, to, n) = (s.input(), s.output(), s.block);
    for p in 0..s.processes {
        if p == s.root {
            s.copy(p, s.block_at(from, p), to, n);
        } else {
            s.message((s.root, s.block_at(from, p)), (p, to), n);
        }
    }
}

pub fn binomial(s: &mut Site) {
    let (scratch, n, p) = (s.scratch(), s.block, s.processes);
    // The blocks of the ranks after the root, in their order.
    for v in 0..p {
        s.copy(s.root, s.block_at(s.input(), s.rank(v)), s.block_at(scratch, v), n);
    }
    for (v, parent, subtree) in super::parts::tree_of(p) {
        let here = s.block_at(scratch, v);
        s.message((s.rank(parent), here), (s.rank(v), here), u64::from(subtree) * n);
    }
    for v in 0..p {
        s.copy(s.rank(v), s.block_at(scratch, v), s.output(), n);
    }
    s.scratch_is_dead();
}
