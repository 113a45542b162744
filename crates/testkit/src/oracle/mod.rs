//! Layouts straight from their definitions: lists of elements, copied byte by byte.

mod map;
pub mod mpi;

pub use map::{Item, Map};

use commloom_layout::{Basic, Type};

/// The type map, bounds markers left out.
#[must_use]
pub fn type_map(ty: &Type) -> Vec<(Basic, i64)> {
    Map::of(ty).elements().collect()
}

/// The displacements of the type map, in order.
#[must_use]
pub fn displacements(ty: &Type) -> Vec<i64> {
    type_map(ty).into_iter().map(|(_, d)| d).collect()
}

/// Lower and upper bound in bytes (MPI 4.1, section 5.1.7).
#[must_use]
pub fn bounds(ty: &Type) -> (i64, i64) {
    Map::of(ty).bounds()
}

/// Lowest byte and one past the highest byte; (0, 0) when there is none.
#[must_use]
pub fn true_bounds(ty: &Type) -> (i64, i64) {
    let bytes = byte_map(ty, 1);
    match (bytes.iter().min(), bytes.iter().max()) {
        (Some(&low), Some(&high)) => (low, high + 1),
        _ => (0, 0),
    }
}

/// Displacement of every byte of `count` elements of `ty`, in packed order.
#[must_use]
pub fn byte_map(ty: &Type, count: u64) -> Vec<i64> {
    let map = Map::of(ty);
    let extent = map.extent();
    let mut bytes = Vec::new();
    for k in 0..signed(count) {
        for (basic, d) in map.elements() {
            for byte in 0..signed(basic.size()) {
                bytes.push(k * extent + d + byte);
            }
        }
    }
    bytes
}

/// Maximal runs of bytes of one element, adjacent in memory and in order: (displacement, length).
#[must_use]
pub fn runs(ty: &Type) -> Vec<(i64, u64)> {
    let mut runs: Vec<(i64, u64)> = Vec::new();
    for byte in byte_map(ty, 1) {
        match runs.last_mut() {
            Some((start, length)) if *start + signed(*length) == byte => *length += 1,
            _ => runs.push((byte, 1)),
        }
    }
    runs
}

/// Whether two bytes of `count` elements lie at the same place: such a type may not be received
/// into, and the result of unpacking depends on the order.
#[must_use]
pub fn overlaps(ty: &Type, count: u64) -> bool {
    let mut bytes = byte_map(ty, count);
    bytes.sort_unstable();
    bytes.windows(2).any(|w| w[0] == w[1])
}

/// Packs `count` elements; `origin` is the index of displacement 0 in `memory`.
#[must_use]
pub fn pack(ty: &Type, count: u64, memory: &[u8], origin: usize) -> Vec<u8> {
    byte_map(ty, count).into_iter().map(|d| memory[at(origin, d)]).collect()
}

/// Unpacks into `count` elements, in order; stops where `packed` ends.
pub fn unpack(ty: &Type, count: u64, packed: &[u8], memory: &mut [u8], origin: usize) {
    for (d, &byte) in byte_map(ty, count).into_iter().zip(packed) {
        memory[at(origin, d)] = byte;
    }
}

fn at(origin: usize, displacement: i64) -> usize {
    origin
        .checked_add_signed(isize::try_from(displacement).expect("64-bit machine"))
        .expect("inside the memory")
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).expect("small")
}
