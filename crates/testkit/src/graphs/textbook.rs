//! Every textbook algorithm of the collective operations, as sends and receives.
//!
//! T: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH"
//! (2005).

mod allgather;
mod allreduce;
mod alltoall;
mod barrier;
mod bcast;
mod exscan;
mod gather;
mod parts;
mod reduce;
mod reduce_scatter;
mod scan;
mod scatter;
mod zero_copy;

use commloom_commgraph::Kind;

use self::parts::even;
use super::site::Site;

/// An algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Algorithm {
    /// Its name in the literature.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// Adds its operations.
    pub build: fn(&mut Site),
    /// For which numbers of processes it works.
    pub works_for: fn(u32) -> bool,
}

fn any(_: u32) -> bool {
    true
}

fn power(p: u32) -> bool {
    p.is_power_of_two()
}

macro_rules! algorithms {
    ($($kind:ident { $($build:path, $works:ident;)* })*) => {
        /// All of them.
        pub const ALGORITHMS: &[Algorithm] = &[$($(Algorithm {
            name: stringify!($build),
            kind: Kind::$kind,
            build: $build,
            works_for: $works,
        }),*),*];
    };
}

algorithms! {
    Bcast {
        bcast::linear, any; bcast::binomial, any; bcast::pipelined_chain, any;
        bcast::scatter_allgather, any; bcast::two_trees, any; bcast::binary, any;
    }
    Scatter { scatter::linear, any; scatter::binomial, any; }
    Gather { gather::linear, any; gather::binomial, any; }
    Allgather {
        allgather::linear, any; allgather::ring, any; allgather::recursive_doubling, power;
        allgather::bruck, any; allgather::neighbour_exchange, even; allgather::gather_bcast, any;
    }
    Alltoall {
        alltoall::linear, any; alltoall::pairwise, any; alltoall::exclusive_or, power;
        alltoall::bruck, any; zero_copy::bruck, any;
    }
    Barrier {
        barrier::dissemination, any; barrier::linear, any; barrier::tree, any;
        barrier::recursive_doubling, power;
    }
    Reduce {
        reduce::linear, any; reduce::binomial, any; reduce::chain, any;
        reduce::pipelined_chain, any; reduce::two_trees, any; reduce::rabenseifner, power;
    }
    Allreduce {
        allreduce::linear, any; allreduce::tree, any; allreduce::recursive_doubling, power;
        allreduce::ring, any; allreduce::rabenseifner, power; allreduce::everybody, any;
        allreduce::two_trees, any; allreduce::pipelined_chain, any;
    }
    ReduceScatterBlock {
        reduce_scatter::pairwise, any; reduce_scatter::ring, any;
        reduce_scatter::recursive_halving, power; reduce_scatter::reduce_then_scatter, any;
    }
    Scan { scan::linear, any; scan::recursive_doubling, any; }
    Exscan {
        exscan::linear, any; exscan::everybody, any; exscan::recursive_doubling, any;
    }
}
