//! Communicators with neighbours.

use std::ffi::c_int;

use commloom_mpi::{Abi, Mpi};

use crate::native::{errors_return, symbol};
use crate::number::{int, length};

/// A communicator with neighbours: for each rank whom it receives from and sends to, in the order
/// of the blocks of the neighbour collectives.
pub struct Topology<A: Abi> {
    pub name: &'static str,
    pub comm: A::Comm,
    /// For each rank; `None` is `MPI_PROC_NULL`.
    pub sources: Vec<Vec<Option<usize>>>,
    /// As `sources`.
    pub destinations: Vec<Vec<Option<usize>>>,
}

type CartCreate<A> = unsafe extern "C" fn(
    <A as Abi>::Comm,
    c_int,
    *const c_int,
    *const c_int,
    c_int,
    *mut <A as Abi>::Comm,
) -> c_int;

type DistGraphCreateAdjacent<A> = unsafe extern "C" fn(
    <A as Abi>::Comm,
    c_int,
    *const c_int,
    *const c_int,
    c_int,
    *const c_int,
    *const c_int,
    <A as Abi>::Info,
    c_int,
    *mut <A as Abi>::Comm,
) -> c_int;

/// A ring, a line, and a graph where ranks have different numbers of neighbours.
pub fn all<A: Abi>(mpi: &Mpi<A>, base: A::Comm, info: A::Info) -> Vec<Topology<A>> {
    let n = length(mpi.size(base).expect("a valid handle"));
    let rank = length(mpi.rank(base).expect("a valid handle"));
    let left = |r: usize, around: bool| match r {
        0 if around => Some(n - 1),
        0 => None,
        r => Some(r - 1),
    };
    let right = |r: usize, around: bool| match r + 1 {
        next if next < n => Some(next),
        _ if around => Some(0),
        _ => None,
    };
    let mut made = Vec::new();
    for (name, around) in [("ring", true), ("line", false)] {
        // With two ranks both neighbours of a ring are one, and blocks cross (MPI 4.1, 8.6).
        if around && n < 3 {
            continue;
        }
        let comm = cartesian(mpi, base, around);
        let both: Vec<_> = (0..n).map(|r| vec![left(r, around), right(r, around)]).collect();
        made.push(Topology { name, comm, sources: both.clone(), destinations: both });
    }
    // Everybody else sends to rank 0, and rank 0 to all of them. Open MPI 4.1 makes ranks wait
    // for ever for one that has nobody to receive from.
    let mut destinations: Vec<Vec<usize>> = vec![vec![0]; n];
    destinations[0] = (1..n).collect();
    let sources: Vec<Vec<usize>> =
        (0..n).map(|r| (0..n).rev().filter(|&s| destinations[s].contains(&r)).collect()).collect();
    let comm = graph(mpi, (base, info), &sources[rank], &destinations[rank]);
    let some = |lists: Vec<Vec<usize>>| {
        lists.into_iter().map(|l| l.into_iter().map(Some).collect()).collect()
    };
    let (sources, destinations) = (some(sources), some(destinations));
    made.push(Topology { name: "graph", comm, sources, destinations });
    made
}

fn cartesian<A: Abi>(mpi: &Mpi<A>, base: A::Comm, around: bool) -> A::Comm {
    let mut comm = mpi.handles.comm_null;
    let (size, period) = (mpi.size(base).expect("a valid handle"), c_int::from(around));
    // SAFETY: the prototype is that of the call; one dimension.
    let code = unsafe {
        let create = symbol::<CartCreate<A>>(mpi.library(), c"PMPI_Cart_create");
        create(base, 1, &raw const size, &raw const period, 0, &raw mut comm)
    };
    mpi.check("MPI_Cart_create", code).expect("a line of ranks");
    errors_return(mpi, comm);
    comm
}

fn graph<A: Abi>(
    mpi: &Mpi<A>,
    (base, info): (A::Comm, A::Info),
    sources: &[usize],
    destinations: &[usize],
) -> A::Comm {
    let list = |ranks: &[usize]| ranks.iter().map(|&r| int(r)).collect::<Vec<c_int>>();
    let (s, d) = (list(sources), list(destinations));
    let ones = vec![1; s.len().max(d.len())];
    let mut comm = mpi.handles.comm_null;
    // SAFETY: the prototype is that of the call; lists are as long as said.
    let code = unsafe {
        let create =
            symbol::<DistGraphCreateAdjacent<A>>(mpi.library(), c"PMPI_Dist_graph_create_adjacent");
        create(
            base,
            int(s.len()),
            s.as_ptr(),
            ones.as_ptr(),
            int(d.len()),
            d.as_ptr(),
            ones.as_ptr(),
            info,
            0,
            &raw mut comm,
        )
    };
    mpi.check("MPI_Dist_graph_create_adjacent", code).expect("a graph of ranks");
    errors_return(mpi, comm);
    comm
}
