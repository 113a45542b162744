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
    if !comm.is_new {
        code.comment("once:");
    }
    let mut legend = Vec::new();
    let (name, ordered) = if let Some(ordered) = along_axes(grid, neighbors) {
        (cartesian(grid, comm, code), ordered)
    } else {
        legend.push(
            "sources, destinations: the ranks of the neighbours there are, in that order"
                .to_owned(),
        );
        (adjacent(grid, neighbors, comm, code), neighbors.iter().map(Some).collect())
    };
    let places = Places::of(grid, neighbors);
    let mut borders = Borders { grid, neighbors, elements, made: HashMap::new(), derived: 0 };
    let mut sides: [Side; 2] = Default::default();
    for neighbor in ordered {
        for (receives, side) in [false, true].into_iter().zip(&mut sides) {
            let (count, place, datatype) = match neighbor {
                Some(neighbor) => {
                    let Shape { count, datatype, block, .. } =
                        borders.shape(neighbor, receives, code);
                    let place = places.get(&neighbor.offset, receives);
                    side.printed.push((neighbor.offset.clone(), place, block));
                    (count, place, datatype)
                }
                None => ("0".to_owned(), 0, elements.basic.name().to_owned()),
            };
            side.counts.push(count);
            // The kind is in each number already.
            side.displacements.push(code.wide(place));
            side.types.push(datatype);
        }
    }
    for (prefix, side) in ["send", "recv"].into_iter().zip(&sides) {
        code.list(Listed::Int, &format!("{prefix}counts"), &side.counts);
        let ty = if code.is_fortran() { Listed::Int } else { Listed::Aint };
        code.list(ty, &format!("{prefix}displs"), &side.displacements);
        code.list(Listed::Handle, &format!("{prefix}types"), &side.types);
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
        name,
    ];
    code.call("MPI_Neighbor_alltoallw", &arguments.map(str::to_owned));
    legend.push(
        "BUFFER: at every process the lowest address that these messages name, and where it has no \
         neighbour there, the place that the block for it would have"
            .to_owned(),
    );
    let [sends, receives] = sides.map(|side| side.printed);
    (legend, Printed::Neighbors { sends, receives })
}

/// The neighbours on a Cartesian communicator in MPI's order, whether they are there or not;
/// `None` where one is not along an axis.
fn along_axes<'a>(grid: &Grid, neighbors: &'a [Neighbor]) -> Option<Vec<Option<&'a Neighbor>>> {
    let is_along = |n: &Neighbor| {
        n.offset.iter().filter(|o| **o != 0).count() == 1
            && n.offset.iter().all(|o| (-1..=1).contains(o))
    };
    let at = |(dim, step): (usize, i32)| {
        let there = |n: &&Neighbor| {
            n.offset.iter().enumerate().all(|(k, o)| *o == if k == dim { step } else { 0 })
        };
        neighbors.iter().find(there)
    };
    let directions = (0..grid.dims.len()).flat_map(|dim| [(dim, -1), (dim, 1)]);
    neighbors.iter().all(is_along).then(|| directions.map(at).collect())
}

/// The arguments of one side of the call.
#[derive(Default)]
struct Side {
    counts: Vec<String>,
    displacements: Vec<String>,
    types: Vec<String>,
    printed: Vec<Toward>,
}

/// The blocks for the neighbours: equal ones have the same type.
struct Borders<'a> {
    grid: &'a Grid,
    neighbors: &'a [Neighbor],
    elements: &'a Elements,
    /// By number, offsets and length of the pieces.
    made: HashMap<(u32, String, u64), Shape>,
    /// How many types there are so far.
    derived: u32,
}

impl Borders<'_> {
    fn shape(&mut self, neighbor: &Neighbor, receives: bool, code: &mut Code) -> Shape {
        let opposite =
            |n: &&Neighbor| n.offset.iter().zip(&neighbor.offset).all(|(a, b)| *a == -*b);
        // What comes from a neighbour is laid out as that one has sent it.
        let sender = match self.neighbors.iter().find(opposite) {
            Some(sender) if receives => sender,
            _ => neighbor,
        };
        let pieces = &sender.pieces;
        let offsets = if receives { &pieces.to } else { &pieces.from };
        let ranks = 0..self.grid.processes().unwrap_or(0);
        let length = ranks.map(|k| sender.lengths.get(at(k))).max().unwrap_or(0);
        let made = self.made.entry((pieces.count, format!("{offsets:?}"), length));
        made.or_insert_with(|| {
            let name = match self.derived {
                0 => "border".to_owned(),
                n => format!("border{n}"),
            };
            let shape = shape(pieces, offsets, length, None, self.elements, (code, &name));
            self.derived += u32::from(shape.elements.is_none());
            shape
        })
        .clone()
    }
}

fn adjacent(grid: &Grid, neighbors: &[Neighbor], comm: &Comm, code: &mut Code) -> &'static str {
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
    "neighbours"
}

fn cartesian(grid: &Grid, comm: &Comm, code: &mut Code) -> &'static str {
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
    "grid"
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
