//! Gathers.

use crate::graphs::site::Site;

pub fn linear(s: &mut Site) {
    let (from, to, n) = (s.input(), s.output(), s.block);
    for p in 0..s.processes {
        if p == s.root {
            s.copy(p, from, s.block_at(to, p), n);
        } else {
            s.message((p, from), (s.root, s.block_at(to, p)), n);
        }
    }
}

pub fn binomial(s: &mut Site) {
    let (scratch, n, p) = (s.scratch(), s.block, s.processes);
    for v in 0..p {
        s.copy(s.rank(v), s.input(), s.block_at(scratch, v), n);
    }
    let tree: Vec<_> = super::parts::tree_of(p).collect();
    for (v, parent, subtree) in tree.into_iter().rev() {
        let here = s.block_at(scratch, v);
        s.message((s.rank(v), here), (s.rank(parent), here), u64::from(subtree) * n);
    }
    for v in 0..p {
        s.copy(s.root, s.block_at(scratch, v), s.block_at(s.output(), s.rank(v)), n);
    }
    s.scratch_is_dead();
}
