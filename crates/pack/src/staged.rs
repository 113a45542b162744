//! Copies between two layouts that have nothing in common: by way of a small packed buffer that
//! stays in the first-level cache, or by the long runs of one side.

use std::mem::MaybeUninit;
use std::ops::Range;

use commloom_plan::{Node, Piece, Shape, Stage};

use crate::execute;
use crate::kernels::Kernels;
use crate::moves::{Pack, Unpack};
use crate::number::{distance, length};

#[allow(clippy::cast_possible_truncation)]
const LARGEST: usize = Stage::LARGEST as usize;

/// A packed piece, never read where it was not written.
#[repr(align(64))]
struct Buffer(MaybeUninit<[u8; LARGEST]>);

/// Copies the packed bytes `range` of the first node, whose first byte lies at `src`, to the
/// second at `dst`.
///
/// # Safety
/// - The bytes of the range are valid for reads in the source, for writes in the destination.
/// - The two do not overlap, and nobody else writes them meanwhile (or reads the destination).
/// - The processor has the instructions of `kernels`.
pub(crate) unsafe fn staged(
    kernels: &'static Kernels,
    (source, destination): (&Node, &Node),
    stage: Stage,
    (src, dst): (*mut u8, *mut u8),
    range: Range<u64>,
) {
    // SAFETY: the caller vouches for the range on both sides, and the pieces are parts of it; in
    // each the middle is either the buffer, with as many bytes as were packed to it, or a run of
    // one side.
    unsafe {
        match stage {
            Stage::Buffer { piece } => {
                let piece = piece.clamp(1, Stage::LARGEST);
                let mut buffer = Buffer(MaybeUninit::uninit());
                let buffer = buffer.0.as_mut_ptr().cast::<u8>();
                let mut at = range.start;
                while at < range.end {
                    let end = range.end.min((at / piece + 1).saturating_mul(piece));
                    execute::node::<Pack>(kernels, source, src, buffer, at..end);
                    execute::node::<Unpack>(kernels, destination, dst, buffer, at..end);
                    at = end;
                }
            }
            Stage::SourceRuns => {
                let mut at = range.start;
                runs(source, src, range, &mut |run, bytes| {
                    let end = at + bytes;
                    execute::node::<Unpack>(kernels, destination, dst, run, at..end);
                    at = end;
                });
            }
            Stage::DestinationRuns => {
                let mut at = range.start;
                runs(destination, dst, range, &mut |run, bytes| {
                    let end = at + bytes;
                    execute::node::<Pack>(kernels, source, src, run, at..end);
                    at = end;
                });
            }
        }
    }
}

/// Shows the blocks of the packed bytes `range` of a node, in order: place and bytes.
fn runs(node: &Node, memory: *mut u8, range: Range<u64>, show: &mut impl FnMut(*mut u8, u64)) {
    node.cut(0, range, &mut |piece| match piece {
        Piece::Bytes { a, length } => show(memory.wrapping_offset(distance(a)), length),
        Piece::Copies { node, a, copies } => {
            blocks(node, memory.wrapping_offset(distance(a)), copies, show);
        }
    });
}

/// Shows the blocks of some copies.
fn blocks(node: &Node, memory: *mut u8, copies: Range<u64>, show: &mut impl FnMut(*mut u8, u64)) {
    let mut inside = |body: &Node, at: i64| {
        blocks(body, memory.wrapping_offset(distance(at)), 0..body.copies(), show);
    };
    match node.shape() {
        Shape::Block => show(memory, node.bytes()),
        Shape::Loop { stride, body, .. } => {
            for i in copies {
                inside(body, i.cast_signed().wrapping_mul(*stride));
            }
        }
        Shape::List { offsets, body } => {
            for i in copies {
                inside(body, offsets.at(length(i)));
            }
        }
        Shape::Buckets { offsets, copies: before, stride, body } => {
            for i in copies {
                let bucket = before.partition_point(|&before| before <= i) - 1;
                let within = (i - before[bucket]).cast_signed().wrapping_mul(*stride);
                inside(body, offsets.at(bucket).wrapping_add(within));
            }
        }
        Shape::Runs { offsets, starts } => {
            for i in copies {
                let i = length(i);
                let place = memory.wrapping_offset(distance(offsets.at(i)));
                show(place, starts[i + 1] - starts[i]);
            }
        }
        Shape::Seq(steps) => {
            for step in &steps[length(copies.start)..length(copies.end)] {
                inside(&step.node, step.a);
            }
        }
    }
}
