//! Collective operations as calls of MPI, arguments by name.

use commloom_advice::mpi;
use commloom_commgraph::{Addresses, Blocks, Collective, Group, Kind};

use super::case::Case;

/// Numbers of a list that are shown.
const SHOWN: usize = 6;

/// The call that replaces what was found. Addresses are those of the process with rank `rank` in the group.
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
    let n = c.group.size();
    let mut all = Vec::new();
    let mut add = |name: &'static str, value: String| all.push((name, value));
    let row = |addresses: &Addresses| numbers(case, c, n, &|rank| addresses.get(place(rank)));
    let rows = |rows: &[Addresses]| {
        numbers(case, c, n, &|rank| rows.get(place(rank)).map_or(0, |r| r.get(0)))
    };
    let in_place = || "MPI_IN_PLACE".to_owned();
    match &c.blocks {
        Blocks::None => {}
        Blocks::Rooted { from, to, .. } if c.kind == Kind::Bcast => {
            let root = c.root.and_then(|root| c.group.rank(root)).map_or(0, place);
            let source = from.get(root);
            let other = usize::from(root == 0);
            let same = (0..place(n)).all(|rank| rank == root || to.get(rank) == to.get(other));
            let everywhere =
                |rank: u32| if place(rank) == root { source } else { to.get(place(rank)) };
            let buffer = match same && to.get(other) != source {
                true => {
                    let there = case.address(
                        c.group.process(u32::from(root == 0)).map_or(0, |p| p.0),
                        to.get(other),
                    );
                    format!("{there} (root: {})", case.address(root_of(c), source))
                }
                false => numbers(case, c, n, &everywhere),
            };
            add("buf", buffer);
        }
        Blocks::Rooted { from, to, .. } => {
            let gathers = matches!(c.kind, Kind::Gather | Kind::Gatherv);
            let at_root = |a: &Addresses| case.address(root_of(c), a.get(0));
            let others = |a: &Addresses| match c.own {
                true => row(a),
                false => format!("{} (root: {})", row(a), in_place()),
            };
            let (send, receive) = match gathers {
                true => (others(from), at_root(to)),
                false => (at_root(from), others(to)),
            };
            add("sendbuf", send);
            add("recvbuf", receive);
        }
        Blocks::Gathered { from, to, .. } => {
            add("sendbuf", if c.own { row(from) } else { in_place() });
            add("recvbuf", rows(to));
        }
        Blocks::Exchanged { from, to, .. } => {
            add("sendbuf", rows(from));
            add("recvbuf", rows(to));
        }
        Blocks::Reduced { from, to, .. } => {
            let same = (0..n).all(|rank| from.get(place(rank)) == to.get(place(rank)));
            let root = c.root.and_then(|root| c.group.rank(root)).map_or(0, place);
            let there = from.get(root) == to.get(root);
            match c.root {
                Some(_) => {
                    add(
                        "sendbuf",
                        if there {
                            format!("{} (root: {})", row(from), in_place())
                        } else {
                            row(from)
                        },
                    );
                    add("recvbuf", case.address(root_of(c), to.get(root)));
                }
                None => {
                    add("sendbuf", if same { in_place() } else { row(from) });
                    add("recvbuf", row(to));
                }
            }
        }
        Blocks::Neighbors { grid, neighbors } => {
            let dims: Vec<String> = grid.dims.iter().map(ToString::to_string).collect();
            add("grid", dims.join(" x "));
            add("neighbors", neighbors.len().to_string());
        }
    }
    if c.kind != Kind::Barrier {
        let count =
            if is_vector(c.kind) { format!("up to {}", c.length) } else { c.length.to_string() };
        add("count", count);
        match c.pieces.count {
            1 => add("datatype", case.datatype().to_owned()),
            pieces => add("datatype", format!("{pieces} pieces of {}", case.unit(c.length.0))),
        }
    }
    if let Some(root) = c.root {
        add("root", root.to_string());
    }
    if let Some(members) = c.group.members() {
        let members: Vec<u64> = members.iter().map(|p| u64::from(p.0)).collect();
        add("group", list(&members, ToString::to_string));
    }
    all
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
