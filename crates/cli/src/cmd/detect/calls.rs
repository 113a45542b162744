//! Collective operations as calls of MPI, arguments by name.

use commloom_advice::mpi;
use commloom_commgraph::{Addresses, Blocks, Collective, Group, Kind};

use super::case::Case;

/// Numbers of a list that are shown.
const SHOWN: usize = 6;

/// The call that replaces what was found. Addresses are those of the process with rank `rank` in
/// the group.
pub fn call(case: &Case, c: &Collective) -> String {
    let arguments: Vec<String> =
        arguments(case, c).into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{}({})", mpi(c.kind.name()), arguments.join(", "))
}

/// How large it is, in words: `8 bytes`, `3 pieces of 8 bytes`, `up to 8 bytes a block`.
pub fn size(case: &Case, c: &Collective) -> String {
    let length = case.unit(c.length.0);
    match c.kind {
        Kind::Barrier => String::new(),
        _ if is_vector(c.kind) => format!("up to {length} a block"),
        _ if c.pieces.count > 1 => format!("{} pieces of {length}", c.pieces.count),
        _ => length,
    }
}

fn is_vector(kind: Kind) -> bool {
    use Kind::{
        Allgatherv, Alltoallv, Gatherv, NeighborAlltoallv, NeighborAlltoallw, ReduceScatter,
        Scatterv,
    };
    matches!(
        kind,
        Scatterv
            | Gatherv
            | Allgatherv
            | Alltoallv
            | ReduceScatter
            | NeighborAlltoallv
            | NeighborAlltoallw
    )
}

fn arguments(case: &Case, c: &Collective) -> Vec<(&'static str, String)> {
    let mut all = buffers(case, c);
    if c.kind != Kind::Barrier {
        let count =
            if is_vector(c.kind) { format!("up to {}", c.length) } else { c.length.to_string() };
        all.push(("count", count));
        all.push(match c.pieces.count {
            1 => ("datatype", case.datatype().to_owned()),
            pieces => ("datatype", format!("{pieces} pieces of {}", case.unit(c.length.0))),
        });
    }
    if let Some(root) = c.root {
        all.push(("root", root.to_string()));
    }
    if let Some(members) = c.group.members() {
        let members: Vec<u64> = members.iter().map(|p| u64::from(p.0)).collect();
        all.push(("group", list(&members, ToString::to_string)));
    }
    all
}

/// The arguments that say where the data is.
fn buffers(case: &Case, c: &Collective) -> Vec<(&'static str, String)> {
    let n = c.group.size();
    let row = |addresses: &Addresses| numbers(case, c, n, &|rank| addresses.get(place(rank)));
    let rows = |rows: &[Addresses]| {
        numbers(case, c, n, &|rank| rows.get(place(rank)).map_or(0, |r| r.get(0)))
    };
    let at_root = |address: u64| case.address(root_of(c), address);
    let in_place = || "MPI_IN_PLACE".to_owned();
    let in_place_at_root = |a: &Addresses| format!("{} (root: {})", row(a), in_place());
    let root = c.root.and_then(|root| c.group.rank(root)).map_or(0, place);
    let [send, receive] = match &c.blocks {
        Blocks::None => return Vec::new(),
        Blocks::Rooted { from, to, .. } if c.kind == Kind::Bcast => {
            return vec![("buf", broadcast(case, c, from, to))];
        }
        Blocks::Rooted { from, to, .. } => {
            let others = |a: &Addresses| if c.own { row(a) } else { in_place_at_root(a) };
            match c.kind {
                Kind::Gather | Kind::Gatherv => [others(from), at_root(to.get(0))],
                _ => [at_root(from.get(0)), others(to)],
            }
        }
        Blocks::Gathered { from, to, .. } => [if c.own { row(from) } else { in_place() }, rows(to)],
        Blocks::Exchanged { from, to, .. } => [rows(from), rows(to)],
        Blocks::Reduced { from, to, .. } if c.root.is_some() => {
            let is_there = from.get(root) == to.get(root);
            let send = if is_there { in_place_at_root(from) } else { row(from) };
            [send, at_root(to.get(root))]
        }
        Blocks::Reduced { from, to, .. } => {
            let is_same = (0..n).all(|rank| from.get(place(rank)) == to.get(place(rank)));
            [if is_same { in_place() } else { row(from) }, row(to)]
        }
        Blocks::Neighbors { grid, neighbors } => {
            let dims: Vec<String> = grid.dims.iter().map(ToString::to_string).collect();
            return vec![("grid", dims.join(" x ")), ("neighbors", neighbors.len().to_string())];
        }
    };
    vec![("sendbuf", send), ("recvbuf", receive)]
}

/// The buffer of a broadcast: the address at the root, and the one that all others have.
fn broadcast(case: &Case, c: &Collective, from: &Addresses, to: &Addresses) -> String {
    let n = c.group.size();
    let root = c.root.and_then(|root| c.group.rank(root)).unwrap_or(0);
    let other = u32::from(root == 0);
    let (source, there) = (from.get(place(root)), to.get(place(other)));
    let is_same = (0..n).all(|rank| rank == root || to.get(place(rank)) == there);
    if is_same && there != source {
        let there = case.address(c.group.process(other).map_or(0, |p| p.0), there);
        return format!("{there} (root: {})", case.address(root_of(c), source));
    }
    numbers(case, c, n, &|rank| if rank == root { source } else { to.get(place(rank)) })
}

fn root_of(c: &Collective) -> u32 {
    c.root.map_or(0, |root| root.0)
}

fn place(rank: u32) -> usize {
    usize::try_from(rank).unwrap_or(usize::MAX)
}

/// An address for each rank: one, a formula, or a list.
fn numbers(case: &Case, c: &Collective, ranks: u32, of: &dyn Fn(u32) -> u64) -> String {
    let name = |rank: u32, address: u64| case.address(process(&c.group, rank), address);
    let first = of(0);
    let step = if ranks > 1 { of(1).wrapping_sub(first) } else { 0 };
    let regular =
        (0..ranks).all(|rank| of(rank) == first.wrapping_add(step.wrapping_mul(u64::from(rank))));
    if regular && step == 0 {
        return name(0, first);
    }
    if regular && step < 1 << 63 {
        return case.addresses(process(&c.group, 0), first, step);
    }
    let all: Vec<u64> = (0..ranks).map(of).collect();
    let mut rank = 0;
    list(&all, |address| {
        rank += 1;
        name(rank - 1, *address)
    })
}

fn process(group: &Group, rank: u32) -> u32 {
    group.process(rank).map_or(rank, |p| p.0)
}

fn list<T>(all: &[T], mut name: impl FnMut(&T) -> String) -> String {
    let shown: Vec<String> = all.iter().take(SHOWN).map(&mut name).collect();
    match all.len().saturating_sub(SHOWN) {
        0 => format!("{{{}}}", shown.join(", ")),
        more => format!("{{{}, {more} more}}", shown.join(", ")),
    }
}
