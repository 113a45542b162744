//! Exchanges with neighbours: the grid, the types and `MPI_Neighbor_alltoallw` (MPI 4.1, sections
//! 8.5 and 8.6).

use std::collections::{BTreeMap, HashMap};

use commloom_commgraph::recorded::program_address;
use commloom_commgraph::{Grid, Neighbor};

use crate::blocks::{Shape, shape};
use crate::communicator::Comm;
use crate::elements::Elements;
use crate::model::dimensions;
use crate::printed::{Printed, Toward};
use commloom_emit::{Code, Listed};

/// Writes the calls; what the names in them are.
pub fn exchange(
    grid: &Grid,
    neighbors: &[Neighbor],
    elements: &Elements,
    comm: &Comm,
    code: &mut Code,
) -> (Vec<String>, Printed) {
    let dims = grid.dims.len();
    let along_axes = neighbors.iter().all(|n| n.offset.iter().filter(|o| **o != 0).count() == 1)
        && neighbors.iter().all(|n| n.offset.iter().all(|o| (-1..=1).contains(o)));
    let mut legend = Vec::new();
    // On a Cartesian communicator in MPI's order, whether they are there or not.
    let ordered: Vec<Option<&Neighbor>> = if along_axes {
        let directions = (0..dims).flat_map(|dim| [(dim, -1), (dim, 1)]);
        let at = |(dim, step): (usize, i32)| {
            let there = |n: &&Neighbor| {
                n.offset.iter().enumerate().all(|(k, o)| *o == if k == dim { step } else { 0 })
            };
            neighbors.iter().find(there)
        };
        directions.map(at).collect()
    } else {
        neighbors.iter().map(Some).collect()
    };
    if !comm.is_new {
        code.comment("once:");
    }
    let name = if along_axes {
        cartesian(grid, comm, code)
    } else {
        let offsets: Vec<String> = neighbors.iter().map(|n| format!("{:?}", n.offset)).collect();
        code.comment(&format!(
            "processes as a grid of {}; neighbours at {}",
            dimensions(&grid.dims),
            offsets.join(", ")
        ));
        let n = neighbors.len().to_string();
        let arguments = [
            comm.name.clone(),
            n.clone(),
            "sources".to_owned(),
            "MPI_UNWEIGHTED".to_owned(),
            n,
            "destinations".to_owned(),
            "MPI_UNWEIGHTED".to_owned(),
            "MPI_INFO_NULL".to_owned(),
            code.truth(false),
            code.made("neighbours"),
        ];
        code.call("MPI_Dist_graph_create_adjacent", &arguments);
        legend.push(
            "sources, destinations: the ranks of the neighbours there are, in that order"
                .to_owned(),
        );
        "neighbours".to_owned()
    };
    let places = Places::of(grid, neighbors);
    let (mut made, mut derived) = (HashMap::new(), 0_u32);
    let mut sides: [Vec<[String; 3]>; 2] = Default::default();
    let mut printed: [Vec<Toward>; 2] = Default::default();
    for neighbor in &ordered {
        for ((receives, side), written) in
            [false, true].into_iter().zip(&mut sides).zip(&mut printed)
        {
            let Some(neighbor) = neighbor else {
                side.push(["0".to_owned(), code.wide(0), elements.basic.name().to_owned()]);
                continue;
            };
            // What comes from a neighbour is laid out as that one has sent it.
            let opposite =
                |n: &&Neighbor| n.offset.iter().zip(&neighbor.offset).all(|(a, b)| *a == -*b);
            let sender = if receives {
                neighbors.iter().find(opposite).unwrap_or(neighbor)
            } else {
                neighbor
            };
            let offsets = if receives { &sender.pieces.to } else { &sender.pieces.from };
            let length = (0..grid.processes().unwrap_or(0))
                .map(|k| sender.lengths.get(at(k)))
                .max()
                .unwrap_or(0);
            let key = (sender.pieces.count, format!("{offsets:?}"), length);
            let block = made.entry(key).or_insert_with(|| {
                let name = match derived {
                    0 => "border".to_owned(),
                    n => format!("border{n}"),
                };
                let block = shape(&sender.pieces, offsets, length, None, elements, (code, &name));
                derived += u32::from(block.elements.is_none());
                block
            });
            let Shape { count, datatype, block, .. } = block.clone();
            let place = places.get(&neighbor.offset, receives);
            written.push((neighbor.offset.clone(), place, block));
            side.push([count, code.wide(place), datatype]);
        }
    }
    let column =
        |side: &[[String; 3]], k: usize| side.iter().map(|row| row[k].clone()).collect::<Vec<_>>();
    for (prefix, side) in ["send", "recv"].into_iter().zip(&sides) {
        code.list(Listed::Int, &format!("{prefix}counts"), &column(side, 0));
        // The kind is in each number already.
        let displacements = column(side, 1);
        let ty = if code.is_fortran() { Listed::Int } else { Listed::Aint };
        code.list(ty, &format!("{prefix}displs"), &displacements);
        code.list(Listed::Handle, &format!("{prefix}types"), &column(side, 2));
    }
    code.comment("each time:");
    let arguments = [
        "BUFFER",
        "sendcounts",
        "senddispls",
        "sendtypes",
        "BUFFER",
        "recvcounts",
        "recvdispls",
        "recvtypes",
        &name,
    ];
    code.call("MPI_Neighbor_alltoallw", &arguments.map(str::to_owned));
    legend.push("BUFFER: the lowest address that these messages name, at every process".to_owned());
    let [sends, receives] = printed;
    (legend, Printed::Neighbors { sends, receives })
}

fn cartesian(grid: &Grid, comm: &Comm, code: &mut Code) -> String {
    let dims: Vec<String> = grid.dims.iter().map(ToString::to_string).collect();
    let periods: Vec<String> = grid.periodic.iter().map(|p| code.truth(*p)).collect();
    code.list(Listed::Int, "dims", &dims);
    code.list(Listed::Int, "periods", &periods);
    let arguments = [
        comm.name.clone(),
        dims.len().to_string(),
        "dims".to_owned(),
        "periods".to_owned(),
        code.truth(false),
        code.made("grid"),
    ];
    code.call("MPI_Cart_create", &arguments);
    "grid".to_owned()
}

/// How far the block for each neighbour, and of each, is from a place that all processes have. Not
/// every process has all neighbours: what they have in common joins them.
struct Places(BTreeMap<End, i64>);

/// A neighbour, by how far it is, and whether it is received from.
type End = (Vec<i32>, bool);

impl Places {
    fn of(grid: &Grid, neighbors: &[Neighbor]) -> Places {
        let ranks = grid.processes().unwrap_or(0);
        let mut open: Vec<Vec<(End, i64)>> = (0..ranks)
            .map(|rank| {
                let there = neighbors.iter().filter(|n| grid.neighbor(rank, &n.offset).is_some());
                let ends = there.flat_map(|n| {
                    let (from, to) = (n.from.get(at(rank)), n.to.get(at(rank)));
                    [(false, from), (true, to)].map(|(receives, address)| {
                        ((n.offset.clone(), receives), program_address(address).cast_signed())
                    })
                });
                ends.collect()
            })
            .collect();
        open.sort_by_key(|own| std::cmp::Reverse(own.len()));
        let mut known: BTreeMap<End, i64> = BTreeMap::new();
        if let Some(most) = open.first() {
            known.extend(most.iter().cloned());
        }
        let mut grew = true;
        while grew {
            grew = false;
            for own in &open {
                let shift = own.iter().find_map(|(key, place)| Some(known.get(key)? - place));
                let Some(shift) = shift else { continue };
                for (key, place) in own {
                    grew |= !known.contains_key(key);
                    known.entry(key.clone()).or_insert(place + shift);
                }
            }
        }
        let lowest = known.values().copied().min().unwrap_or(0);
        Places(known.into_iter().map(|(key, place)| (key, place - lowest)).collect())
    }

    fn get(&self, offset: &[i32], receives: bool) -> i64 {
        self.0.get(&(offset.to_vec(), receives)).copied().unwrap_or(0)
    }
}

fn at(rank: u32) -> usize {
    usize::try_from(rank).unwrap_or(usize::MAX)
}
