//! The cost of a collective call: the best algorithm that MPI libraries have for it.
//!
//! Thakur, Rabenseifner, Gropp: "Optimization of Collective Communication Operations in MPICH"
//! (2005), with LogGP's constants.

use super::LogGp;
use crate::detect::Kind;

/// The bytes of a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Blocks {
    /// Of the longest block.
    pub longest: f64,
    /// Of all blocks that the busiest rank sends or receives.
    pub busiest: f64,
    /// The number of blocks that the busiest rank sends or receives, and that are not empty.
    pub messages: f64,
}

/// The time of a call of `ranks` ranks, in seconds.
pub(crate) fn call(machine: &LogGp, kind: Kind, ranks: f64, blocks: Blocks) -> f64 {
    if ranks < 2.0 {
        return blocks.busiest * machine.copy_per_byte;
    }
    let LogGp { per_byte, reduce_per_byte, copy_per_byte, .. } = *machine;
    let rounds = ranks.log2().ceil();
    let start = machine.message(0.0);
    let others = ranks - 1.0;
    let share = others / ranks;
    let n = blocks.longest;
    // One message after the other at one rank; each costs it so many overheads.
    let one_by_one = |messages: f64, bytes: f64, overheads: f64| {
        let each = bytes / messages.max(1.0) * per_byte;
        let apart = machine.gap.max(overheads * machine.overhead).max(each);
        start + (messages - 1.0).max(0.0) * apart + each
    };
    let linear = |messages: f64, bytes: f64| one_by_one(messages, bytes, 1.0);
    let exchange = |messages: f64, bytes: f64| one_by_one(messages, bytes, 2.0);
    match kind {
        Kind::Barrier => rounds * start,
        Kind::Bcast => {
            let tree = rounds * machine.message(n);
            let scattered = (rounds + others) * start + 2.0 * share * n * per_byte;
            tree.min(scattered).min(linear(others, others * n))
        }
        Kind::Scatter | Kind::Gather => {
            let tree = rounds * start + others * n * per_byte;
            tree.min(linear(others, others * n))
        }
        Kind::Allgather => {
            let doubling = rounds * start + others * n * per_byte;
            doubling.min(exchange(others, others * n))
        }
        Kind::Alltoall => {
            let moved = ranks / 2.0 * n * per_byte;
            let bruck = rounds * (start + moved) + 2.0 * ranks * n * copy_per_byte;
            bruck.min(exchange(others, others * n))
        }
        Kind::Reduce | Kind::Allreduce => {
            let back = if kind == Kind::Reduce { 0.0 } else { linear(others, others * n) };
            let root = linear(others, others * n) + others * n * reduce_per_byte + back;
            let tree = rounds * (machine.message(n) + n * reduce_per_byte);
            let halves = 2.0 * (rounds * start + share * n * per_byte);
            // Everybody gets all contributions.
            let all = match kind {
                Kind::Reduce => f64::INFINITY,
                _ => exchange(others, others * n) + others * n * reduce_per_byte,
            };
            tree.min(halves + share * n * reduce_per_byte).min(root).min(all)
        }
        Kind::ReduceScatterBlock | Kind::ReduceScatter => {
            rounds * start + share * blocks.busiest * (per_byte + reduce_per_byte)
        }
        Kind::Scan | Kind::Exscan => rounds * (machine.message(n) + 2.0 * n * reduce_per_byte),
        Kind::Scatterv | Kind::Gatherv => linear(blocks.messages, blocks.busiest),
        Kind::Allgatherv => rounds * start + blocks.busiest * per_byte,
        Kind::Alltoallv
        | Kind::NeighborAlltoall
        | Kind::NeighborAlltoallv
        | Kind::NeighborAlltoallw => exchange(blocks.messages, blocks.busiest),
    }
}
