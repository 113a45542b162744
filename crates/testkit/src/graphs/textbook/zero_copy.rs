//! Bruck's alltoall without packing (Träff, Rougier, Hunold 2014).

use commloom_commgraph::{Address, Buffer, Bytes, Process};
use commloom_layout::{Basic, Type};

use crate::graphs::site::Site;

/// Blocks of bytes, each at its displacement.
fn blocks(s: &Site, at: u64, displacements: impl Iterator<Item = i64>) -> Buffer {
    let block = Type::vec(s.block, 1, Type::leaf(Basic::BYTE)).expect("in range");
    let ty = Type::idx(displacements.collect::<Vec<_>>(), block).expect("in range");
    Buffer::Typed { at: Address(at), count: 1, ty }
}

/// Bruck's algorithm in which types choose the blocks, so that nothing is packed: Träff, Rougier,
/// Hunold, "Implementing a Classic: Zero-copy All-to-all Communication with MPI Datatypes"
/// (ICS'14).
pub fn bruck(s: &mut Site) {
    let (work, input, output, n, p) = (s.scratch(), s.input(), s.output(), s.block, s.processes);
    let step = n.cast_signed();
    for i in 0..p {
        s.copy(i, s.block_at(input, i), work, u64::from(p - i) * n);
        s.copy(i, input, s.block_at(work, p - i), u64::from(i) * n);
    }
    let mut bit = 1;
    while bit < p {
        let moved = (0..p).filter(|k| k & bit != 0).map(|k| i64::from(k) * step);
        let moved = blocks(s, work, moved);
        for i in 0..p {
            s.send_buffer(i, (i + bit) % p, moved.clone());
        }
        for i in 0..p {
            s.receive_buffer(i, (i + p - bit) % p, moved.clone());
        }
        bit *= 2;
    }
    // Block k is from process i - k: backwards.
    let block = Type::vec(n, 1, Type::leaf(Basic::BYTE)).expect("in range");
    for i in 0..p {
        for (first, from, count) in [(0, i, i + 1), (i + 1, p - 1, p - 1 - i)] {
            let source = (Address(s.block_at(work, first)), Bytes(u64::from(count) * n));
            let ty = Type::vec(count.into(), -step, block.clone()).expect("in range");
            let at = Address(s.block_at(output, from));
            let into = Buffer::Typed { at, count: 1, ty };
            s.builder.copy_buffer(Process(i), source.into(), into).expect("in range");
        }
    }
    s.scratch_is_dead();
}
