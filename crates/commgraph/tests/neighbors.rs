//! Halo exchanges on grids of one to three dimensions: found as one operation, the grid as it was.

use commloom_commgraph::{
    Address, Analysis, Blocks, Builder, Bytes, Communicator, Dataflow, Dependencies, Graph, Grid,
    Kind, Matching, Options, Order, Process, Tag, analyse,
};
use commloom_testkit::{Rng, check};

/// A field of one double for each cell, with a halo of one cell around it, at every process.
struct Field {
    /// Cells of a process, without the halo.
    cells: Vec<u64>,
    at: u64,
    /// Messages between neighbours: one for each run of cells, or a message for all of it, packed.
    packed: bool,
}

impl Field {
    /// The address of a cell; the halo is at 0 and at cells + 1.
    fn address(&self, place: &[u64]) -> u64 {
        let wide = self.cells.iter().zip(place);
        self.at + 8 * wide.fold(0, |sum, (n, x)| sum * (n + 2) + x)
    }

    /// The runs of cells in one direction: those inside, or those of the halo.
    fn runs(&self, offset: &[i32], halo: bool) -> Vec<(u64, u64)> {
        let mut places: Vec<Vec<u64>> = vec![vec![]];
        for (n, step) in self.cells.iter().zip(offset) {
            let range = match (step, halo) {
                (0, _) => 1..=*n,
                (-1, false) => 1..=1,
                (-1, true) => 0..=0,
                (_, false) => *n..=*n,
                (_, true) => n + 1..=n + 1,
            };
            let longer =
                |v: &Vec<u64>| range.clone().map(|x| [&v[..], &[x]].concat()).collect::<Vec<_>>();
            places = places.iter().flat_map(longer).collect();
        }
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for place in places {
            let here = self.address(&place);
            match runs.last_mut() {
                Some((start, n)) if *start + *n == here => *n += 8,
                _ => runs.push((here, 8)),
            }
        }
        runs
    }
}

fn offsets(dims: usize, diagonal: bool) -> Vec<Vec<i32>> {
    let mut all: Vec<Vec<i32>> = vec![vec![]];
    for _ in 0..dims {
        let longer = |v: &Vec<i32>| [-1, 0, 1].map(|step| [&v[..], &[step]].concat());
        all = all.iter().flat_map(longer).collect();
    }
    let steps = |v: &Vec<i32>| v.iter().filter(|step| **step != 0).count();
    all.retain(|v| steps(v) == 1 || (diagonal && steps(v) > 1));
    all
}

/// Every process sends the cells at its border to its neighbours.
fn add(b: &mut Builder, grid: &Grid, field: &Field, diagonal: bool, tag: i32) {
    let (tag, comm) = (Tag(tag), Communicator(0));
    for rank in 0..grid.processes().unwrap() {
        for offset in offsets(grid.dims.len(), diagonal) {
            let Some(to) = grid.neighbor(rank, &offset) else { continue };
            let opposite: Vec<i32> = offset.iter().map(|step| -step).collect();
            let (from, into) = (field.runs(&offset, false), field.runs(&opposite, true));
            if field.packed {
                // A buffer of its own for each neighbour.
                let place = |offset: &[i32]| {
                    offset.iter().fold(0, |k, step| k * 3 + u64::try_from(step + 1).unwrap())
                };
                let n = from.iter().map(|(_, n)| n).sum();
                let out = Address(field.at + 4096 * place(&offset));
                let into = Address(field.at + 200_000 + 4096 * place(&opposite));
                b.send(Process(rank), (out, Bytes(n)), Process(to), tag, comm).unwrap();
                b.receive(Process(to), (into, Bytes(n)), Process(rank), tag, comm).unwrap();
                continue;
            }
            for ((a, n), (z, m)) in from.into_iter().zip(into) {
                assert_eq!(n, m);
                b.send(Process(rank), (Address(a), Bytes(n)), Process(to), tag, comm).unwrap();
                b.receive(Process(to), (Address(z), Bytes(m)), Process(rank), tag, comm).unwrap();
            }
        }
    }
}

fn found(graph: &Graph) -> Analysis {
    let analysis = analyse(graph, Options::default()).unwrap();
    // Replayed, it is what the messages do.
    let matching = Matching::of(graph).unwrap();
    let order = Order::of(graph, &matching).unwrap();
    let flow = Dataflow::of(graph, &matching, &order).unwrap();
    let bytes = |t: commloom_commgraph::Transfer| {
        (0..t.length).map(move |i| {
            (t.destination, t.destination_address + i, t.source, t.source_address + i)
        })
    };
    let mut wanted: Vec<_> = flow.transfers().into_iter().flat_map(bytes).collect();
    let mut all: Vec<_> = analysis.detection.left.iter().copied().flat_map(bytes).collect();
    analysis.detection.collectives.iter().for_each(|c| c.replay(|t| all.extend(bytes(t))));
    wanted.sort_unstable();
    all.sort_unstable();
    assert!(wanted == all, "{:?}", analysis.detection);
    analysis
}

/// A grid where nobody is next to everybody: there, some messages are a scatter and a gather.
fn random_grid(rng: &mut Rng, most: u32, diagonal: bool) -> Grid {
    loop {
        let dims: Vec<u32> = (0..rng.usize(1..=3)).map(|_| rng.u32(2..=most)).collect();
        let periodic = dims.iter().map(|n| *n > 2 && rng.bool()).collect();
        let grid = Grid { dims, periodic };
        let p = grid.processes().unwrap();
        let is_hub = |rank: u32| {
            let near = offsets(grid.dims.len(), diagonal);
            let mut near: Vec<_> = near.iter().filter_map(|o| grid.neighbor(rank, o)).collect();
            near.sort_unstable();
            near.dedup();
            near.len() + 1 >= p as usize
        };
        // Along such dimensions all are next to all: with diagonals, two of them can change
        // places.
        let whole = |(n, periodic): (&u32, &bool)| *n == 2 || (*n == 3 && *periodic);
        let whole = grid.dims.iter().zip(&grid.periodic).filter(|d| whole(*d)).count();
        if !(0..p).any(is_hub) && (whole < 2 || !diagonal) {
            return grid;
        }
    }
}

fn assert_found(analysis: &Analysis, grid: &Grid, diagonal: bool, what: &str) {
    let [only] = &analysis.detection.collectives[..] else {
        panic!("{what}: {:#?}", analysis.detection);
    };
    let Blocks::Neighbors { grid: inferred, neighbors } = &only.blocks else {
        panic!("{what}: {only:?}");
    };
    assert_eq!(inferred, grid, "{what}");
    assert_eq!(neighbors.len(), offsets(grid.dims.len(), diagonal).len(), "{what}");
}

#[test]
fn halo_exchanges_are_found_with_their_grid() {
    check(100, |rng| {
        let diagonal = rng.bool();
        let grid = random_grid(rng, 6, diagonal);
        let packed = rng.bool();
        let cells: Vec<u64> = grid.dims.iter().map(|_| rng.u64(2..5)).collect();
        let what = format!("{grid:?}, {cells:?} cells, diagonal {diagonal}, packed {packed}");
        let field = Field { cells, at: 64, packed };
        let mut b = Builder::new(grid.processes().unwrap(), Dependencies::Automatic);
        add(&mut b, &grid, &field, diagonal, 0);
        let analysis = found(&b.finish().unwrap());
        assert_found(&analysis, &grid, diagonal, &what);
        assert_eq!(analysis.detection.left, [], "{what}");
        assert_eq!(analysis.notes, [], "{what}");
        let one = &analysis.detection.collectives[0];
        let dims = grid.dims.len();
        let equal = field.cells.iter().all(|n| *n == field.cells[0]);
        let kind = match () {
            () if diagonal && dims > 1 => Kind::NeighborAlltoallw,
            () if !packed && dims > 1 => Kind::NeighborAlltoallw,
            () if dims == 1 || equal => Kind::NeighborAlltoall,
            () => Kind::NeighborAlltoallv,
        };
        assert_eq!(one.kind, kind, "{what}");
    });
}

#[test]
fn halo_exchanges_are_found_among_random_messages() {
    check(60, |rng| {
        let diagonal = rng.bool();
        let grid = random_grid(rng, 6, diagonal);
        let p = grid.processes().unwrap();
        // The messages of few processes may be a gather.
        if p < 8 {
            return;
        }
        let cells = grid.dims.iter().map(|_| rng.u64(2..5)).collect();
        let field = Field { cells, at: 64, packed: rng.bool() };
        let mut b = Builder::new(p, Dependencies::Automatic);
        add(&mut b, &grid, &field, diagonal, 0);
        for i in 0..p {
            let (from, n) = (Address(1_000_000), Bytes(1000 + u64::from(i)));
            let to = Address(2_000_000 + 2000 * u64::from(i));
            let (peer, tag) = (Process((i + rng.u32(1..p)) % p), Tag(7));
            b.send(Process(i), (from, n), peer, tag, Communicator(0)).unwrap();
            b.receive(peer, (to, n), Process(i), tag, Communicator(0)).unwrap();
        }
        let what =
            format!("{grid:?}, {:?} cells, {} diagonal {diagonal}", field.cells, field.packed);
        let analysis = found(&b.finish().unwrap());
        assert_found(&analysis, &grid, diagonal, &what);
        assert_eq!(analysis.detection.left.len(), p as usize, "{what}");
    });
}

#[test]
fn a_halo_exchange_that_lacks_a_message_is_none() {
    check(30, |rng| {
        let grid = random_grid(rng, 6, false);
        let p = grid.processes().unwrap();
        let cells = grid.dims.iter().map(|_| rng.u64(2..5)).collect();
        let field = Field { cells, at: 64, packed: true };
        let mut b = Builder::new(p, Dependencies::Automatic);
        add(&mut b, &grid, &field, false, 0);
        // What comes from the first neighbour of the first process is overwritten by its own
        // memory.
        let first = &offsets(grid.dims.len(), false)[0];
        let opposite: Vec<i32> = first.iter().map(|step| -step).collect();
        let offset = if grid.neighbor(0, first).is_some() { first } else { &opposite };
        let place = offset.iter().fold(0, |k, step| k * 3 + u64::try_from(step + 1).unwrap());
        let into = Address(field.at + 200_000 + 4096 * place);
        b.copy(Process(0), Address(9_000_000), into, Bytes(4096)).unwrap();
        let analysis = found(&b.finish().unwrap());
        // Without what goes around, it may be one on a grid that is not periodic.
        let whole = |blocks: &Blocks| match blocks {
            Blocks::Neighbors { grid: inferred, .. } => *inferred == grid,
            _ => false,
        };
        assert!(!analysis.detection.collectives.iter().any(|c| whole(&c.blocks)), "{grid:?}");
    });
}
