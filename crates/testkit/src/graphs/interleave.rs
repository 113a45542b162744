//! Several graphs as one, their operations mixed.

use commloom_commgraph::{
    Action, Address, Buffer, Builder, Bytes, Graph, Handle, LayoutId, Process,
};

use crate::Rng;

/// Adds the operations of graphs to one, those of each process in a random order that keeps that
/// of each graph, with what they wait for and the memory that is dead.
///
/// # Panics
/// Where the graph cannot have them.
pub fn add(builder: &mut Builder, graphs: &[Graph], rng: &mut Rng) {
    let processes = graphs.iter().map(Graph::processes).max().unwrap_or(0);
    for process in (0..processes).map(Process) {
        let mut operations: Vec<_> = graphs.iter().map(|g| g.of(process).peekable()).collect();
        let mut handles: Vec<Vec<Handle>> = vec![Vec::new(); graphs.len()];
        loop {
            let open: Vec<usize> =
                (0..graphs.len()).filter(|k| operations[*k].peek().is_some()).collect();
            if open.is_empty() {
                break;
            }
            let k = open[rng.usize(0..open.len())];
            let named = operations[k].next().expect("it is open");
            let handle = copy(builder, &graphs[k], process, named.action);
            for on in graphs[k].waits_for(process, named.index) {
                let on = handles[k][usize::try_from(on).expect("32 bits fit")];
                builder.depend(handle, on).expect("the same process");
            }
            handles[k].push(handle);
        }
        for (start, length) in graphs.iter().flat_map(|g| g.dead(process)) {
            builder.dead(process, start, length).expect("in range");
        }
    }
}

fn copy(builder: &mut Builder, graph: &Graph, process: Process, action: Action) -> Handle {
    let buffer = |at: Address, length: Bytes, layout: Option<LayoutId>| match layout
        .and_then(|id| graph.layout(id))
    {
        Some(layout) => Buffer::Typed { at, count: layout.count(), ty: layout.ty().clone() },
        None => Buffer::Range(at, length),
    };
    let handle = match action {
        Action::Send { at, length, layout, to, tag, communicator } => {
            builder.send(process, buffer(at, length, layout), to, tag, communicator)
        }
        Action::Receive { at, length, layout, from, tag, communicator } => {
            builder.receive(process, buffer(at, length, layout), from, tag, communicator)
        }
        Action::Copy { from, to, length, layouts } => {
            let (from, to) = (buffer(from, length, layouts.from), buffer(to, length, layouts.into));
            builder.copy_buffer(process, from, to)
        }
        Action::Reduce { from, into, length, layouts, reduction } => {
            let from = buffer(from, length, layouts.from);
            builder.reduce_buffer(process, from, buffer(into, length, layouts.into), reduction)
        }
        Action::Nothing => builder.nothing(process),
    };
    handle.expect("it was valid")
}
