//! Algorithms of the common collectives on GPUs, as MSCCL's users write them.

mod allreduce;
mod rooted;

use super::{Chunk, Writer};
use rooted::{broadcast, gather, reduce, scatter};

/// An algorithm.
#[derive(Debug, Clone, Copy)]
pub struct MscclAlgorithm {
    /// Its name.
    pub name: &'static str,
    /// MSCCL's `coll`.
    pub coll: &'static str,
    /// Numbers of GPUs to build it for.
    pub gpus: &'static [u32],
    /// Whether input and output are one buffer.
    pub in_place: bool,
    /// Adds its steps.
    pub build: fn(&mut Writer),
}

impl MscclAlgorithm {
    /// The algorithm for so many GPUs.
    pub fn writer(&self, gpus: u32) -> Writer {
        let sizes = match self.coll {
            "allgather" | "gather" => (1, gpus),
            "reduce_scatter" | "scatter" => (gpus, 1),
            _ => (gpus, gpus),
        };
        let mut writer = Writer::new(self.name, self.coll, gpus, sizes, self.in_place);
        (self.build)(&mut writer);
        writer
    }
}

macro_rules! algorithms {
    ($($name:literal $coll:literal $place:ident $gpus:tt $build:path;)*) => {
        /// All of them.
        pub const ALGORITHMS: &[MscclAlgorithm] = &[$(MscclAlgorithm {
            name: $name,
            coll: $coll,
            gpus: &$gpus,
            in_place: $place,
            build: $build,
        }),*];
    };
}

const HERE: bool = true;
const APART: bool = false;

algorithms! {
    "allreduce_ring" "allreduce" HERE [4, 8, 64] allreduce::ring;
    "allreduce_ring_plain" "allreduce" HERE [4, 7] allreduce::plain_ring;
    "allreduce_allpairs" "allreduce" HERE [4, 8] allreduce::all_pairs;
    "allreduce_one_step" "allreduce" APART [4, 8] allreduce::one_step;
    "allreduce_recursive_doubling" "allreduce" HERE [4, 16] allreduce::recursive_doubling;
    "allreduce_halving_doubling" "allreduce" HERE [8, 32] allreduce::halving_doubling;
    "allreduce_tree" "allreduce" HERE [4, 12, 16] allreduce::tree;
    "allreduce_hierarchical" "allreduce" HERE [8, 16, 64] allreduce::hierarchical;
    "allgather_ring" "allgather" APART [4, 8, 64] allgather::ring;
    "allgather_recursive_doubling" "allgather" HERE [4, 16] allgather::recursive_doubling;
    "allgather_allpairs" "allgather" APART [4, 8] allgather::all_pairs;
    "allgather_hierarchical" "allgather" HERE [8, 16] allgather::hierarchical;
    "reduce_scatter_ring" "reduce_scatter" APART [4, 8, 64] reduce_scatter::ring;
    "reduce_scatter_halving" "reduce_scatter" HERE [4, 16] reduce_scatter::recursive_halving;
    "reduce_scatter_allpairs" "reduce_scatter" APART [4, 8] reduce_scatter::all_pairs;
    "reduce_scatter_hierarchical" "reduce_scatter" HERE [8, 16] reduce_scatter::hierarchical;
    "alltoall_direct" "alltoall" APART [4, 8, 32] alltoall::direct;
    "alltoall_two_step" "alltoall" APART [8, 16] alltoall::two_step;
    "broadcast_chain" "broadcast" HERE [4, 8] broadcast::chain;
    "broadcast_tree" "broadcast" APART [4, 16, 64] broadcast::tree;
    "broadcast_hierarchical" "broadcast" HERE [8, 32] broadcast::hierarchical;
    "broadcast_scatter_allgather" "broadcast" HERE [4, 8] broadcast::scatter_allgather;
    "reduce_chain" "reduce" APART [4, 8] reduce::chain;
    "reduce_tree" "reduce" HERE [4, 16] reduce::tree;
    "gather_direct" "gather" APART [4, 8] gather::direct;
    "gather_tree" "gather" HERE [4, 16] gather::tree;
    "scatter_direct" "scatter" APART [4, 8] scatter::direct;
    "scatter_tree" "scatter" HERE [4, 16] scatter::tree;
}

/// GPUs of a node, for hierarchical algorithms.
const NODE: u32 = 4;

/// The parent of each vertex of a binomial tree and the size of its subtree, parents first.
fn tree_of(n: u32) -> Vec<(u32, u32, u32)> {
    (1..n)
        .map(|v| {
            let low = v & v.wrapping_neg();
            (v, v - low, low.min(n - v))
        })
        .collect()
}

mod allgather {
    use super::{NODE, Writer};

    pub fn ring(w: &mut Writer) {
        let n = w.gpus;
        for g in 0..n {
            w.copy((g, 'i', 0), (g, 'o', g), 1);
        }
        for t in 0..n {
            for g in 0..n {
                let block = (i64::from((g + 1) % n), i64::from((g + n - 1) % n), 0);
                let c = (g, 'o', (g + n - t) % n);
                let kind = match t {
                    0 => "s",
                    _ if t < n - 1 => "rcs",
                    _ => "r",
                };
                let from = if t == 0 { (g, 'i', 0) } else { c };
                w.step(g, block, kind, from, c, 1);
            }
        }
    }

    pub fn recursive_doubling(w: &mut Writer) {
        let n = w.gpus;
        let mut bit = 1;
        while bit < n {
            for g in 0..n {
                let first = g & !(bit - 1);
                w.send((g, 'o', first), (g ^ bit, 'o', first), bit);
            }
            bit *= 2;
        }
    }

    pub fn all_pairs(w: &mut Writer) {
        for g in 0..w.gpus {
            w.copy((g, 'i', 0), (g, 'o', g), 1);
            for other in (0..w.gpus).filter(|o| *o != g) {
                w.send((g, 'i', 0), (other, 'o', g), 1);
            }
        }
    }

    /// Between the nodes, then in each node.
    pub fn hierarchical(w: &mut Writer) {
        let nodes = w.gpus / NODE;
        for g in 0..w.gpus {
            for node in (0..nodes).filter(|node| *node != g / NODE) {
                w.send((g, 'o', g), (node * NODE + g % NODE, 'o', g), 1);
            }
        }
        for g in 0..w.gpus {
            for other in (0..NODE).filter(|k| *k != g % NODE) {
                for node in 0..nodes {
                    let c = node * NODE + g % NODE;
                    w.send((g, 'o', c), (g / NODE * NODE + other, 'o', c), 1);
                }
            }
        }
    }
}

mod reduce_scatter {
    use super::{NODE, Writer};

    pub fn ring(w: &mut Writer) {
        let n = w.gpus;
        for t in 0..n {
            for g in 0..n {
                let block = (i64::from((g + 1) % n), i64::from((g + n - 1) % n), 0);
                let c = (g, 'i', (g + 2 * n - t - 1) % n);
                let (kind, to) = match t {
                    0 => ("s", c),
                    _ if t < n - 1 => ("rrs", c),
                    _ => ("rrc", (g, 'o', 0)),
                };
                w.step(g, block, kind, c, to, 1);
            }
        }
    }

    pub fn recursive_halving(w: &mut Writer) {
        let n = w.gpus;
        let mut bit = n / 2;
        while bit > 0 {
            for g in 0..n {
                let other = g ^ bit;
                let first = other & !(bit - 1);
                w.send((g, 'i', first), (other, 's', first), bit);
            }
            for g in 0..n {
                let first = g & !(bit - 1);
                w.add((g, 's', first), (g, 'i', first), bit);
            }
            bit /= 2;
        }
    }

    pub fn all_pairs(w: &mut Writer) {
        let n = w.gpus;
        for g in 0..n {
            w.copy((g, 'i', g), (g, 'o', 0), 1);
            for other in (0..n).filter(|o| *o != g) {
                w.send((other, 'i', g), (g, 's', other), 1);
                w.add((g, 's', other), (g, 'o', 0), 1);
            }
        }
    }

    /// In each node, then between the nodes.
    pub fn hierarchical(w: &mut Writer) {
        let (n, nodes) = (w.gpus, w.gpus / NODE);
        for g in 0..n {
            let (node, k) = (g / NODE, g % NODE);
            for other in (0..NODE).filter(|o| *o != k) {
                for target in 0..nodes {
                    let c = target * NODE + k;
                    w.send_and_add((node * NODE + other, 'i', c), (g, 'i', c), 1);
                }
            }
        }
        for g in 0..n {
            for other in (0..nodes).filter(|o| *o != g / NODE) {
                w.send_and_add((other * NODE + g % NODE, 'i', g), (g, 'i', g), 1);
            }
        }
    }
}

mod alltoall {
    use super::{NODE, Writer};

    pub fn direct(w: &mut Writer) {
        for g in 0..w.gpus {
            w.copy((g, 'i', g), (g, 'o', g), 1);
            for other in (0..w.gpus).filter(|o| *o != g) {
                w.send((g, 'i', other), (other, 'o', g), 1);
            }
        }
    }

    /// To the GPU of the own node that has the place of the receiver in its node; from there in
    /// one message a node.
    pub fn two_step(w: &mut Writer) {
        let (n, nodes) = (w.gpus, w.gpus / NODE);
        for g in 0..n {
            let (node, k) = (g / NODE, g % NODE);
            for to in 0..n {
                let (target, place) = (to / NODE, to % NODE);
                let relay = node * NODE + place;
                match (target == node, relay == g) {
                    (true, true) => w.copy((g, 'i', to), (g, 'o', g), 1),
                    (true, false) => w.send((g, 'i', to), (to, 'o', g), 1),
                    (false, true) => w.copy((g, 'i', to), (g, 's', target * NODE + k), 1),
                    (false, false) => w.send((g, 'i', to), (relay, 's', target * NODE + k), 1),
                }
            }
        }
        for g in 0..n {
            for target in (0..nodes).filter(|t| *t != g / NODE) {
                let to = target * NODE + g % NODE;
                w.send((g, 's', target * NODE), (to, 'o', g / NODE * NODE), NODE);
            }
        }
    }
}
