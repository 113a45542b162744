//! Every GPU gets the sum of all.

use super::{Chunk, NODE, Writer, tree_of};

/// One thread block a GPU, every step fused.
pub fn ring(w: &mut Writer) {
    let n = w.gpus;
    for t in 0..2 * n - 1 {
        for g in 0..n {
            let c: Chunk = (g, 'i', (g + 2 * n - t) % n);
            let kind = match t {
                0 => "s",
                _ if t < n - 1 => "rrs",
                _ if t == n - 1 => "rrcs",
                _ if t < 2 * n - 2 => "rcs",
                _ => "r",
            };
            let block = (i64::from((g + 1) % n), i64::from((g + n - 1) % n), 0);
            w.step(g, block, kind, c, c, 1);
        }
    }
}

/// Send and receive apart.
pub fn plain_ring(w: &mut Writer) {
    let n = w.gpus;
    for t in 0..2 * (n - 1) {
        for g in 0..n {
            let (next, c) = ((g + 1) % n, (g + 2 * n - t) % n);
            match t < n - 1 {
                true => w.send_and_add((g, 'i', c), (next, 'i', c), 1),
                false => w.send((g, 'i', c), (next, 'i', c), 1),
            }
        }
    }
}

pub fn all_pairs(w: &mut Writer) {
    let n = w.gpus;
    for g in 0..n {
        for other in (0..n).filter(|o| *o != g) {
            w.send((other, 'i', g), (g, 's', other), 1);
        }
        for other in (0..n).filter(|o| *o != g) {
            w.add((g, 's', other), (g, 'i', g), 1);
        }
    }
    for g in 0..n {
        for other in (0..n).filter(|o| *o != g) {
            w.send((g, 'i', g), (other, 'i', g), 1);
        }
    }
}

pub fn one_step(w: &mut Writer) {
    let n = w.gpus;
    for g in 0..n {
        w.copy((g, 'i', 0), (g, 'o', 0), n);
        for other in (0..n).filter(|o| *o != g) {
            w.send((other, 'i', 0), (g, 's', n * other), n);
            w.add((g, 's', n * other), (g, 'o', 0), n);
        }
    }
}

pub fn recursive_doubling(w: &mut Writer) {
    let n = w.gpus;
    let mut bit = 1;
    while bit < n {
        for g in 0..n {
            w.send((g, 'i', 0), (g ^ bit, 's', n * bit), n);
        }
        for g in 0..n {
            w.add((g, 's', n * bit), (g, 'i', 0), n);
        }
        bit *= 2;
    }
}

/// Rabenseifner.
pub fn halving_doubling(w: &mut Writer) {
    super::reduce_scatter::recursive_halving(w);
    let n = w.gpus;
    let mut bit = 1;
    while bit < n {
        for g in 0..n {
            let first = g & !(bit - 1);
            w.send((g, 'i', first), (g ^ bit, 'i', first), bit);
        }
        bit *= 2;
    }
}

pub fn tree(w: &mut Writer) {
    let n = w.gpus;
    for (v, parent, _) in tree_of(n).into_iter().rev() {
        w.send_and_add((v, 'i', 0), (parent, 'i', 0), n);
    }
    for (v, parent, _) in tree_of(n) {
        w.send((parent, 'i', 0), (v, 'i', 0), n);
    }
}

/// Reduce_scatter in each node, allreduce between those of one place in their nodes, allgather
/// in each node.
pub fn hierarchical(w: &mut Writer) {
    let (n, nodes) = (w.gpus, w.gpus / NODE);
    // GPU k of a node has n / NODE chunks.
    let part = n / NODE;
    for node in 0..nodes {
        let gpu = |k: u32| node * NODE + k;
        for t in 0..NODE - 1 {
            for k in 0..NODE {
                let c = (k + 2 * NODE - t - 1) % NODE * part;
                w.send_and_add((gpu(k), 'i', c), (gpu((k + 1) % NODE), 'i', c), part);
            }
        }
    }
    for k in 0..NODE {
        for node in (1..nodes).rev() {
            w.send_and_add(
                (node * NODE + k, 'i', k * part),
                ((node - 1) * NODE + k, 'i', k * part),
                part,
            );
        }
        for node in 1..nodes {
            w.send(((node - 1) * NODE + k, 'i', k * part), (node * NODE + k, 'i', k * part), part);
        }
    }
    for node in 0..nodes {
        for k in 0..NODE {
            for other in (0..NODE).filter(|o| *o != k) {
                let c = k * part;
                w.send((node * NODE + k, 'i', c), (node * NODE + other, 'i', c), part);
            }
        }
    }
}
