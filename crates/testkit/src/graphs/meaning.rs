//! The effect of a graph on memory as an analysis describes it, byte by byte: to compare with
//! [`execute`](super::execute).

use commloom_commgraph::{
    Blocks, Collective, Dataflow, Detection, Kind, Process, Reduced, Transfer,
};

use super::execute::{Byte, Memory, initial};

/// The bytes that the dataflow says were changed.
///
/// # Panics
/// Where a byte is written twice.
#[must_use]
pub fn of_dataflow(flow: &Dataflow) -> Memory {
    let mut memory = Written::default();
    flow.transfers().into_iter().for_each(|t| memory.transfer(t));
    flow.reduced().for_each(|r| memory.reduced(&r));
    memory.0
}

/// The bytes that are changed by the operations found, by their definitions in MPI, and by what is
/// left. Those that too much went into for the detectors are made of nothing.
///
/// # Panics
/// Where a byte is written twice.
#[must_use]
pub fn of_detection(detection: &Detection) -> Memory {
    let mut memory = Written::default();
    for collective in &detection.collectives {
        collective.replay(|t| memory.transfer(t));
        memory.reduction(collective);
    }
    detection.left.iter().for_each(|t| memory.transfer(*t));
    detection.left_reduced.iter().for_each(|r| memory.reduced(r));
    memory.0
}

/// Memory without the bytes that are what they were.
#[must_use]
pub fn without_identity(memory: Memory) -> Memory {
    memory.into_iter().filter(|((p, a), byte)| *byte != initial(*p, *a)).collect()
}

#[derive(Default)]
struct Written(Memory);

impl Written {
    fn write(&mut self, p: u32, a: u64, byte: Byte) {
        assert!(self.0.insert((p, a), byte).is_none(), "byte {a} of process {p} is written twice");
    }

    fn transfer(&mut self, t: Transfer) {
        for i in 0..t.length {
            let byte = initial(t.source, t.source_address + i);
            self.write(t.destination, t.destination_address + i, byte);
        }
    }

    fn reduced(&mut self, r: &Reduced) {
        let terms = r.contributions.as_ref().map_or(&[][..], |c| &c.memory);
        for i in 0..r.length {
            let byte = terms.iter().map(|(p, a)| (*p, a + i)).collect();
            self.write(r.destination, r.address + i, byte);
        }
    }

    /// A reduction (MPI 4.1, section 6.9 to 6.11): who contributes to whose result.
    fn reduction(&mut self, c: &Collective) {
        let Blocks::Reduced { from, to, lengths, offsets, .. } = &c.blocks else { return };
        let index = |rank: u32| usize::try_from(rank).expect("32 bits fit");
        let size = c.group.size();
        for rank in 0..size {
            let process = c.group.process(rank).expect("a rank of the group");
            let of = match c.kind {
                Kind::Reduce if c.root != Some(process) => continue,
                Kind::Scan => 0..rank + 1,
                Kind::Exscan => 0..rank,
                _ => 0..size,
            };
            // What only one contributes to is a transfer, and replayed as one.
            if of.len() < 2 {
                continue;
            }
            let offset = match c.kind {
                Kind::ReduceScatter | Kind::ReduceScatterBlock => offsets.get(index(rank)),
                _ => 0,
            };
            let Process(p) = process;
            for i in 0..lengths.get(index(rank)) {
                let term = |r| {
                    let Process(q) = c.group.process(r).expect("a rank of the group");
                    // Modulo 2^64: blocks may lie before that of rank 0.
                    let at = from.get(index(r)).wrapping_add(offset);
                    (q, at.wrapping_add(i))
                };
                let mut byte: Byte = of.clone().map(term).collect();
                byte.sort_unstable();
                let at = to.get(index(rank)) + i;
                if byte != initial(p, at) {
                    self.write(p, at, byte);
                }
            }
        }
    }
}
