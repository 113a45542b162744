//! Runs a graph: operations that are ready complete one at a time, in a random order, and every
//! byte is moved on its own, those of a typed buffer in the order of its type map. A byte is the
//! list of the first bytes (process, address) that went into it.

use std::collections::BTreeMap;

use commloom_commgraph::{Action, Address, Bytes, Graph, LayoutId, Process};

use crate::{Rng, oracle};

/// The contributions to one byte.
pub type Byte = Vec<(u32, u64)>;
/// The bytes that were written, by process and address.
pub type Memory = BTreeMap<(u32, u64), Byte>;

/// The content of a byte before anybody writes it.
#[must_use]
pub fn initial(process: u32, address: u64) -> Byte {
    vec![(process, address)]
}

/// Memory after a run of the graph; `None` where it does not end.
///
/// Messages arrive in the order of creation on each channel (source, destination, communicator,
/// tag): the k-th receive there takes the k-th message.
pub fn execute(graph: &Graph, rng: &mut Rng) -> Option<Memory> {
    let operations: Vec<_> = (0..graph.processes()).flat_map(|p| graph.of(Process(p))).collect();
    // The operations of a process follow each other.
    let place = |process: Process, index: u32| {
        let first = operations.partition_point(|o| o.process < process);
        first + usize::try_from(index).unwrap()
    };
    let before: Vec<Vec<usize>> = operations
        .iter()
        .map(|o| graph.waits_for(o.process, o.index).map(|i| place(o.process, i)).collect())
        .collect();
    // The number of each message on its channel.
    let mut sent = BTreeMap::new();
    let mut received = BTreeMap::new();
    let channels: Vec<_> = operations
        .iter()
        .map(|o| match o.action {
            Action::Send { to, tag, communicator, .. } => {
                let channel = (o.process, to, communicator, tag);
                Some((channel, next(&mut sent, channel)))
            }
            Action::Receive { from, tag, communicator, .. } => {
                let channel = (from, o.process, communicator, tag);
                Some((channel, next(&mut received, channel)))
            }
            _ => None,
        })
        .collect();

    let mut memory = Memory::new();
    let mut messages: BTreeMap<_, Vec<Byte>> = BTreeMap::new();
    let mut done = vec![false; operations.len()];
    loop {
        let ready: Vec<usize> = (0..operations.len())
            .filter(|i| !done[*i] && before[*i].iter().all(|on| done[*on]))
            .filter(|i| {
                let waits = matches!(operations[*i].action, Action::Receive { .. });
                !waits || messages.contains_key(&channels[*i].unwrap())
            })
            .collect();
        if ready.is_empty() {
            return done.iter().all(|d| *d).then_some(memory);
        }
        let i = ready[rng.usize(0..ready.len())];
        done[i] = true;
        let p = operations[i].process.0;
        let read = |memory: &Memory, addresses: &[u64]| -> Vec<Byte> {
            let byte = |a: &u64| memory.get(&(p, *a)).cloned().unwrap_or_else(|| initial(p, *a));
            addresses.iter().map(byte).collect()
        };
        let addresses = |at, length, layout| addresses(graph, at, length, layout);
        match operations[i].action {
            Action::Nothing => {}
            Action::Send { at, length, layout, .. } => {
                let bytes = read(&memory, &addresses(at, length, layout));
                messages.insert(channels[i].unwrap(), bytes);
            }
            Action::Receive { at, length, layout, .. } => {
                let bytes = messages.remove(&channels[i].unwrap()).unwrap();
                let to = addresses(at, length, layout);
                memory.extend(to.into_iter().zip(bytes).map(|(a, byte)| ((p, a), byte)));
            }
            Action::Copy { from, to, length, layouts } => {
                let bytes = read(&memory, &addresses(from, length, layouts.from));
                let to = addresses(to, length, layouts.into);
                memory.extend(to.into_iter().zip(bytes).map(|(a, byte)| ((p, a), byte)));
            }
            Action::Reduce { from, into, length, layouts, .. } => {
                let bytes = read(&memory, &addresses(from, length, layouts.from));
                let into = addresses(into, length, layouts.into);
                let old = read(&memory, &into);
                for ((a, mut byte), more) in into.into_iter().zip(old).zip(bytes) {
                    byte.extend(more);
                    byte.sort_unstable();
                    memory.insert((p, a), byte);
                }
            }
        }
    }
}

/// The addresses of a buffer, in the order of the message.
#[must_use]
pub fn addresses(graph: &Graph, at: Address, length: Bytes, layout: Option<LayoutId>) -> Vec<u64> {
    let Some(id) = layout else { return (at.0..at.0 + length.0).collect() };
    let layout = graph.layout(id).expect("a layout of this graph");
    let map = oracle::byte_map(layout.ty(), layout.count());
    map.into_iter().map(|d| at.0.checked_add_signed(d).expect("a valid address")).collect()
}

fn next<K: Ord>(counts: &mut BTreeMap<K, u32>, key: K) -> u32 {
    let count = counts.entry(key).or_default();
    *count += 1;
    *count
}
