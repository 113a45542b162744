//! Random calls of the MPI constructors.

use commloom_layout::Type;
use commloom_layout::mpi::{Distribution, Order};

use super::Rng;
use crate::oracle::mpi::Call;

/// A random valid call, with arguments that suit `old` (all of them, where it takes several).
pub fn random_call(rng: &mut Rng, old: &Type) -> Call {
    let blocks = |rng: &mut Rng| -> Vec<u64> {
        let (n, same) = (rng.usize(0..6), rng.u32(0..3) == 0);
        let block = rng.u64(0..5);
        (0..n).map(|_| if same { block } else { rng.u64(0..5) }).collect()
    };
    let in_extents = |rng: &mut Rng, n: usize| -> Vec<i64> {
        let mut at = rng.i64(-3..4);
        let jump = rng.bool();
        (0..n)
            .map(|_| {
                at += if jump { rng.i64(-9..10) } else { rng.i64(0..6) };
                at
            })
            .collect()
    };
    let in_bytes =
        |rng: &mut Rng, n: usize| -> Vec<i64> { (0..n).map(|_| random_step(rng, old)).collect() };
    match rng.u32(0..12) {
        0 => Call::Contiguous { count: rng.u64(0..9) },
        1 => Call::Vector { count: rng.u64(0..7), block: rng.u64(0..5), stride: rng.i64(-6..9) },
        2 => Call::Hvector {
            count: rng.u64(0..7),
            block: rng.u64(0..5),
            stride: random_step(rng, old),
        },
        3 => {
            let blocks = blocks(rng);
            Call::Indexed { displacements: in_extents(rng, blocks.len()), blocks }
        }
        4 => {
            let blocks = blocks(rng);
            Call::Hindexed { displacements: in_bytes(rng, blocks.len()), blocks }
        }
        5 => {
            let n = rng.usize(0..6);
            Call::IndexedBlock { block: rng.u64(0..5), displacements: in_extents(rng, n) }
        }
        6 => {
            let n = rng.usize(0..6);
            Call::HindexedBlock { block: rng.u64(0..5), displacements: in_bytes(rng, n) }
        }
        7 => {
            let blocks = blocks(rng);
            Call::Struct { displacements: in_bytes(rng, blocks.len()), blocks }
        }
        8 => random_subarray(rng),
        9 => random_darray(rng),
        10 => Call::Resized { lb: rng.i64(-40..40), extent: random_step(rng, old) },
        _ => Call::Dup,
    }
}

fn random_order(rng: &mut Rng) -> Order {
    if rng.bool() { Order::C } else { Order::Fortran }
}

fn random_subarray(rng: &mut Rng) -> Call {
    let dimensions = rng.usize(1..4);
    let sizes: Vec<u64> = (0..dimensions).map(|_| rng.u64(1..7)).collect();
    let subsizes: Vec<u64> = sizes.iter().map(|&n| rng.u64(1..=n)).collect();
    let starts = sizes.iter().zip(&subsizes).map(|(&n, &s)| rng.u64(0..=n - s)).collect();
    Call::Subarray { sizes, subsizes, starts, order: random_order(rng) }
}

fn random_darray(rng: &mut Rng) -> Call {
    let dimensions = rng.usize(1..4);
    let gsizes: Vec<u64> = (0..dimensions).map(|_| rng.u64(1..10)).collect();
    let (mut distributions, mut psizes) = (Vec::new(), Vec::new());
    for &gsize in &gsizes {
        let processes = rng.u64(1..5);
        let (distribution, processes) = match rng.u32(0..5) {
            0 => (Distribution::None, 1),
            1 => (Distribution::Block(None), processes),
            2 => {
                let least = gsize.div_ceil(processes);
                (Distribution::Block(Some(least + rng.u64(0..3))), processes)
            }
            3 => (Distribution::Cyclic(None), processes),
            _ => (Distribution::Cyclic(Some(rng.u64(1..4))), processes),
        };
        distributions.push(distribution);
        psizes.push(processes);
    }
    let size: u64 = psizes.iter().product();
    let rank = rng.u64(0..size);
    Call::Darray { size, rank, gsizes, distributions, psizes, order: random_order(rng) }
}

/// A stride or displacement in bytes: touching, extent, beyond, anything.
pub(super) fn random_step(rng: &mut Rng, child: &Type) -> i64 {
    let sign = if rng.u32(0..4) == 0 { -1 } else { 1 };
    sign * match rng.u32(0..8) {
        0 => 0,
        1 => child.extent(),
        2 => i64::try_from(child.size()).expect("small"),
        3 => child.true_extent(),
        4 => rng.i64(-20..20),
        _ => child.true_extent() + rng.i64(1..9) * align(child),
    }
}

pub(super) fn align(ty: &Type) -> i64 {
    i64::try_from(ty.align()).expect("at most 16")
}
