//! Random graphs.

use commloom_commgraph::{
    Address, Builder, Bytes, Combine, Communicator, Dependencies, Graph, Handle, Process,
    Reduction, Tag,
};
use commloom_layout::Basic;

use crate::Rng;

/// What a random graph may have.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Processes.
    pub processes: u32,
    /// Messages and local operations together.
    pub steps: u32,
    /// Bytes of memory of each process.
    pub memory: u64,
    /// Whether there are reductions.
    pub reductions: bool,
    /// Where dependencies come from. Explicit ones are drawn at random and need not suffice.
    pub dependencies: Dependencies,
}

/// A graph that ends: its operations were created in an order in which they can complete.
pub fn graph(rng: &mut Rng, shape: Shape) -> Graph {
    let Shape { processes, memory, .. } = shape;
    let mut builder = Builder::new(processes, shape.dependencies);
    let mut of: Vec<Vec<Handle>> = vec![Vec::new(); usize::try_from(processes).unwrap()];
    for _ in 0..shape.steps {
        let process = Process(rng.u32(0..processes));
        let length = rng.u64(0..=memory / 2);
        let (a, b) = apart(rng, length, memory);
        let mut added = Vec::new();
        match rng.u32(0..if shape.reductions { 6 } else { 5 }) {
            0..=3 => {
                let to = Process(rng.u32(0..processes));
                let (tag, comm) = (Tag(rng.i32(0..2)), Communicator(rng.u32(0..2)));
                let room = Bytes(length + rng.u64(0..=memory - b - length));
                added.push((process, builder.send(process, (a, Bytes(length)), to, tag, comm)));
                added.push((to, builder.receive(to, (Address(b), room), process, tag, comm)));
            }
            4 => added.push((process, builder.copy(process, a, Address(b), Bytes(length)))),
            _ => {
                let reduction = Reduction { combine: Combine::Sum, element: Basic::BYTE };
                let into = Address(b);
                added.push((process, builder.reduce(process, a, into, Bytes(length), reduction)));
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

/// Two places for buffers of this length that do not overlap.
fn apart(rng: &mut Rng, length: u64, memory: u64) -> (Address, u64) {
    let low = rng.u64(0..=memory - 2 * length);
    let high = rng.u64(low + length..=memory - length);
    if rng.bool() { (Address(low), high) } else { (Address(high), low) }
}
