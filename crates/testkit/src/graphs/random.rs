//! Random graphs.

use commloom_commgraph::{
    Address, Buffer, Builder, Bytes, Combine, Communicator, Dependencies, Graph, Handle, Process,
    Reduction, Tag,
};
use commloom_layout::{Basic, Type};

use crate::Rng;

/// The features that a random graph may have.
#[derive(Debug, Clone, Copy)]
pub struct GraphShape {
    /// Processes.
    pub processes: u32,
    /// Messages and local operations together.
    pub steps: u32,
    /// Bytes of memory of each process.
    pub memory: u64,
    /// Whether there are reductions.
    pub reductions: bool,
    /// Whether buffers may have layouts.
    pub typed: bool,
    /// Where dependencies come from. Explicit ones are drawn at random and need not suffice.
    pub dependencies: Dependencies,
}

/// A graph that ends: its operations were created in an order in which they can complete.
pub fn graph(rng: &mut Rng, shape: GraphShape) -> Graph {
    let GraphShape { processes, .. } = shape;
    let mut builder = Builder::new(processes, shape.dependencies);
    let mut of: Vec<Vec<Handle>> = vec![Vec::new(); usize::try_from(processes).unwrap()];
    for _ in 0..shape.steps {
        let process = Process(rng.u32(0..processes));
        let mut added = Vec::new();
        match rng.u32(0..if shape.reductions { 6 } else { 5 }) {
            0..=3 => {
                let to = Process(rng.u32(0..processes));
                let (tag, comm) = (Tag(rng.i32(0..2)), Communicator(rng.u32(0..2)));
                let (from, into) = buffers(rng, shape, true);
                added.push((process, builder.send(process, from, to, tag, comm)));
                added.push((to, builder.receive(to, into, process, tag, comm)));
            }
            4 => {
                let (from, into) = buffers(rng, shape, false);
                added.push((process, builder.copy_buffer(process, from, into)));
            }
            _ => {
                let reduction = Reduction { combine: Combine::Sum, element: Basic::BYTE };
                let (from, into) = buffers(rng, shape, false);
                added.push((process, builder.reduce_buffer(process, from, into, reduction)));
            }
        }
        for (process, handle) in added {
            let handle = handle.expect("a valid operation");
            let earlier = &mut of[usize::try_from(process.0).unwrap()];
            for _ in 0..rng.u32(0..3) {
                if shape.dependencies == Dependencies::Explicit && !earlier.is_empty() {
                    let on = earlier[rng.usize(0..earlier.len())];
                    builder.depend(handle, on).expect("the same process");
                }
            }
            earlier.push(handle);
        }
    }
    builder.finish().expect("a valid graph")
}

/// A source and a destination. They do not overlap, and have as many bytes; that of a message may
/// have more.
fn buffers(rng: &mut Rng, shape: GraphShape, message: bool) -> (Buffer, Buffer) {
    let GraphShape { memory, .. } = shape;
    if shape.typed && rng.bool() {
        let low = rng.bool();
        let bytes = rng.u64(0..=memory / 3);
        // A message may be in any order everywhere; a local operation keeps to its half.
        let area = |upper: bool| match (message, upper) {
            (true, _) => (0, memory),
            (false, false) => (0, memory / 2),
            (false, true) => (memory / 2, memory),
        };
        let more = if message { rng.u64(0..=memory / 3 - bytes) } else { 0 };
        let twice = rng.u32(0..4) == 0;
        let from = pieces(rng, area(low), bytes, twice);
        let into = pieces(rng, area(!low), bytes + more, false);
        return (from, into);
    }
    let length = rng.u64(0..=memory / 2);
    let (a, b) = apart(rng, length, memory);
    let more = if message { rng.u64(0..=memory - b - length) } else { 0 };
    ((a, Bytes(length)).into(), (Address(b), Bytes(length + more)).into())
}

/// A typed buffer of so many bytes, or fewer where the area is too small: bytes at random
/// distances, or rows. `twice`: a byte may be there more than once.
fn pieces(rng: &mut Rng, (start, end): (u64, u64), bytes: u64, twice: bool) -> Buffer {
    let byte = Type::leaf(Basic::BYTE);
    let bytes = bytes.min(end - start);
    let at = rng.u64(0..=end);
    let displacement = |address: u64| address.cast_signed() - at.cast_signed();
    let mut free: Vec<u64> = (start..end).collect();
    if bytes > 0 && rng.bool() {
        // Rows of a matrix, or its columns from the last to the first.
        let count = rng.u64(1..=bytes);
        let length = bytes / count;
        let most = (end - start - length) / count.max(2);
        let stride = rng.u64(length.min(most)..=most.max(length.min(most)));
        if stride >= length && length * count == bytes {
            let row = Type::vec(length, 1, byte.clone()).expect("small");
            let span = stride * (count - 1) + length;
            let first = rng.u64(start..=end - span);
            let (first, stride) = match rng.bool() {
                true => (first, stride.cast_signed()),
                false => (first + stride * (count - 1), -stride.cast_signed()),
            };
            let (count, ty) = match rng.bool() {
                true => (1, Type::vec(count, stride, row)),
                false => (count, Type::resized(0, stride, row)),
            };
            return Buffer::Typed { at: Address(first), count, ty: ty.expect("small") };
        }
    }
    let mut list = Vec::new();
    for _ in 0..bytes {
        let pick = rng.usize(0..free.len());
        // What follows the last byte, often.
        let next = list.last().and_then(|l| free.iter().position(|a| displacement(*a) == l + 1));
        let pick = next.filter(|_| rng.bool()).unwrap_or(pick);
        list.push(displacement(free[pick]));
        if !twice {
            free.remove(pick);
        }
    }
    let ty = Type::idx(list, byte).expect("small");
    Buffer::Typed { at: Address(at), count: 1, ty }
}

/// Two places for buffers of this length that do not overlap.
fn apart(rng: &mut Rng, length: u64, memory: u64) -> (Address, u64) {
    let low = rng.u64(0..=memory - 2 * length);
    let high = rng.u64(low + length..=memory - length);
    if rng.bool() { (Address(low), high) } else { (Address(high), low) }
}
