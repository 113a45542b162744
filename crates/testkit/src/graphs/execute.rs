//! Runs a graph: operations that are ready complete one at a time, in a random order, and every byte is
//! moved on its own. A byte is the list of the first bytes (process, address) that went into it.

use std::collections::BTreeMap;

use commloom_commgraph::{Action, Graph, Process};

use crate::Rng;

/// What one byte is made of.
pub type Byte = Vec<(u32, u64)>;
/// The bytes that were written, by process and address.
pub type Memory = BTreeMap<(u32, u64), Byte>;

/// What a byte is before anybody writes it.
#[must_use]
pub fn initial(process: u32, address: u64) -> Byte {
    vec![(process, address)]
}

/// Memory after a run of the graph; `None` where it does not end.
///
/// Messages arrive in the order of creation on each channel (source, destination, communicator, tag):
/// the k-th receive there takes the k-th message.
pub fn execute(graph: &Graph, rng: &mut Rng) -> Option<Memory> {
    let operations: Vec<_> = (0..graph.processes()).flat_map(|p| graph.of(Process(p))).collect();
    let place = |process: Process, index: u32| {
        operations.iter().position(|o| (o.process, o.index) == (process, index)).unwrap()
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
        let read = |memory: &Memory, start: u64, length: u64| -> Vec<Byte> {
            let byte = |a| memory.get(&(p, a)).cloned().unwrap_or_else(|| initial(p, a));
            (start..start + length).map(byte).collect()
        };
        match operations[i].action {
            Action::Nothing => {}
            Action::Send { at, length, .. } => {
                messages.insert(channels[i].unwrap(), read(&memory, at.0, length.0));
            }
            Action::Receive { at, .. } => {
                let bytes = messages.remove(&channels[i].unwrap()).unwrap();
                memory.extend((at.0..).zip(bytes).map(|(a, byte)| ((p, a), byte)));
            }
            Action::Copy { from, to, length } => {
                let bytes = read(&memory, from.0, length.0);
                memory.extend((to.0..).zip(bytes).map(|(a, byte)| ((p, a), byte)));
            }
            Action::Reduce { from, into, length, .. } => {
                let bytes = read(&memory, from.0, length.0);
                let old = read(&memory, into.0, length.0);
                for ((a, mut byte), more) in (into.0..).zip(old).zip(bytes) {
                    byte.extend(more);
                    byte.sort_unstable();
                    memory.insert((p, a), byte);
                }
            }
        }
    }
}

fn next<K: Ord>(counts: &mut BTreeMap<K, u32>, key: K) -> u32 {
    let count = counts.entry(key).or_default();
    *count += 1;
    *count
}
