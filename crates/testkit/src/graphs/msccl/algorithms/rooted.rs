//! From one GPU to all, or from all to one.

pub mod broadcast {
    use super::super::{NODE, Writer, tree_of};

    /// Chunk after chunk along all GPUs.
    pub fn chain(w: &mut Writer) {
        let n = w.gpus;
        for c in 0..n {
            for g in 0..n {
                let (next, kind) = match g {
                    0 => (1, "s"),
                    _ if g < n - 1 => (i64::from(g) + 1, "rcs"),
                    _ => (-1, "r"),
                };
                w.step(g, (next, i64::from(g) - 1, 0), kind, (g, 'i', c), (g, 'i', c), 1);
            }
        }
    }

    pub fn tree(w: &mut Writer) {
        let n = w.gpus;
        w.copy((0, 'i', 0), (0, 'o', 0), n);
        for (v, parent, _) in tree_of(n) {
            let from = if parent == 0 { 'i' } else { 'o' };
            w.send((parent, from, 0), (v, 'o', 0), n);
        }
    }

    pub fn hierarchical(w: &mut Writer) {
        let n = w.gpus;
        for node in 1..n / NODE {
            w.send((0, 'i', 0), (node * NODE, 'i', 0), n);
        }
        for g in (0..n).filter(|g| g % NODE != 0) {
            w.send((g / NODE * NODE, 'i', 0), (g, 'i', 0), n);
        }
    }

    /// Van de Geijn.
    pub fn scatter_allgather(w: &mut Writer) {
        let n = w.gpus;
        for g in 1..n {
            w.send((0, 'i', g), (g, 'i', g), 1);
        }
        for t in 0..n - 1 {
            for g in 0..n {
                let (next, c) = ((g + 1) % n, (g + n - t) % n);
                if next != 0 {
                    w.send((g, 'i', c), (next, 'i', c), 1);
                }
            }
        }
    }
}

pub mod reduce {
    use super::super::{Writer, tree_of};

    pub fn chain(w: &mut Writer) {
        let n = w.gpus;
        for c in 0..n {
            for g in (0..n).rev() {
                let (next, recv) = (i64::from(g) - 1, i64::from(g) + 1);
                let (kind, recv, to) = match g {
                    0 => ("rrc", 1, (0, 'o', c)),
                    _ if g < n - 1 => ("rrs", recv, (g, 'i', c)),
                    _ => ("s", -1, (g, 'i', c)),
                };
                w.step(g, (next, recv, 0), kind, (g, 'i', c), to, 1);
            }
        }
    }

    pub fn tree(w: &mut Writer) {
        let n = w.gpus;
        for (v, parent, _) in tree_of(n).into_iter().rev() {
            w.send_and_add((v, 'i', 0), (parent, 'i', 0), n);
        }
    }
}

pub mod gather {
    use super::super::{Writer, tree_of};

    pub fn direct(w: &mut Writer) {
        w.copy((0, 'i', 0), (0, 'o', 0), 1);
        for g in 1..w.gpus {
            w.send((g, 'i', 0), (0, 'o', g), 1);
        }
    }

    pub fn tree(w: &mut Writer) {
        for (v, parent, subtree) in tree_of(w.gpus).into_iter().rev() {
            w.send((v, 'o', v), (parent, 'o', v), subtree);
        }
    }
}

pub mod scatter {
    use super::super::{Writer, tree_of};

    pub fn direct(w: &mut Writer) {
        w.copy((0, 'i', 0), (0, 'o', 0), 1);
        for g in 1..w.gpus {
            w.send((0, 'i', g), (g, 'o', 0), 1);
        }
    }

    pub fn tree(w: &mut Writer) {
        for (v, parent, subtree) in tree_of(w.gpus) {
            w.send((parent, 'i', v), (v, 'i', v), subtree);
        }
    }
}
