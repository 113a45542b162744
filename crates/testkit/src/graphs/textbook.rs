//! Every textbook algorithm of the collective operations, as sends and receives.
//!
//! T: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH" (2005).

use commloom_commgraph::Kind;

use super::site::Site;

/// An algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Algorithm {
    /// Its name in the literature.
    pub name: &'static str,
    /// What it does.
    pub kind: Kind,
    /// Adds its operations.
    pub build: fn(&mut Site),
    /// For which numbers of processes it works.
    pub works_for: fn(u32) -> bool,
}

fn any(_: u32) -> bool {
    true
}

fn power(p: u32) -> bool {
    p.is_power_of_two()
}

fn even(p: u32) -> bool {
    p.is_multiple_of(2)
}

macro_rules! algorithms {
    ($($kind:ident { $($build:path, $works:ident;)* })*) => {
        /// All of them.
        pub const ALGORITHMS: &[Algorithm] = &[$($(Algorithm {
            name: stringify!($build),
            kind: Kind::$kind,
            build: $build,
            works_for: $works,
        }),*),*];
    };
}

algorithms! {
    Bcast {
        bcast::linear, any; bcast::binomial, any; bcast::pipelined_chain, any;
        bcast::scatter_allgather, any; bcast::two_trees, any; bcast::binary, any;
    }
    Scatter { scatter::linear, any; scatter::binomial, any; }
    Gather { gather::linear, any; gather::binomial, any; }
    Allgather {
        allgather::linear, any; allgather::ring, any; allgather::recursive_doubling, power;
        allgather::bruck, any; allgather::neighbour_exchange, even; allgather::gather_bcast, any;
    }
    Alltoall {
        alltoall::linear, any; alltoall::pairwise, any; alltoall::exclusive_or, power;
        alltoall::bruck, any; zero_copy::bruck, any;
    }
    Barrier {
        barrier::dissemination, any; barrier::linear, any; barrier::tree, any;
        barrier::recursive_doubling, power;
    }
    Reduce {
        reduce::linear, any; reduce::binomial, any; reduce::chain, any;
        reduce::pipelined_chain, any; reduce::two_trees, any; reduce::rabenseifner, power;
    }
    Allreduce {
        allreduce::linear, any; allreduce::tree, any; allreduce::recursive_doubling, power;
        allreduce::ring, any; allreduce::rabenseifner, power; allreduce::everybody, any;
        allreduce::two_trees, any; allreduce::pipelined_chain, any;
    }
    ReduceScatterBlock {
        reduce_scatter::pairwise, any; reduce_scatter::ring, any;
        reduce_scatter::recursive_halving, power; reduce_scatter::reduce_then_scatter, any;
    }
    Scan { scan::linear, any; scan::recursive_doubling, any; }
    Exscan {
        exscan::linear, any; exscan::everybody, any; exscan::recursive_doubling, any;
    }
}

/// The parent of each vertex of a binomial tree, and how many it has in its subtree (itself included).
fn tree_of(p: u32) -> impl Iterator<Item = (u32, u32, u32)> + Clone {
    (1..p).map(move |v| {
        let low = v & v.wrapping_neg();
        (v, v - low, low.min(p - v))
    })
}

mod bcast {
    use super::{Site, tree_of};

    pub fn linear(s: &mut Site) {
        let (at, n) = (s.input(), s.block);
        for v in 1..s.processes {
            s.message((s.root, at), (s.rank(v), at), n);
        }
    }

    pub fn binomial_of(s: &mut Site, at: u64, n: u64) {
        for (v, parent, _) in tree_of(s.processes) {
            s.message((s.rank(parent), at), (s.rank(v), at), n);
        }
    }

    pub fn binomial(s: &mut Site) {
        binomial_of(s, s.input(), s.block);
    }

    pub fn binary(s: &mut Site) {
        let (at, n) = (s.input(), s.block);
        for v in 1..s.processes {
            s.message((s.rank((v - 1) / 2), at), (s.rank(v), at), n);
        }
    }

    pub fn pipelined_chain(s: &mut Site) {
        chain_of(s, s.input());
    }

    pub fn chain_of(s: &mut Site, area: u64) {
        for (at, n) in segments(s, area) {
            for v in 1..s.processes {
                s.message((s.rank(v - 1), at), (s.rank(v), at), n);
            }
        }
    }

    /// A block in four.
    pub fn segments(s: &Site, area: u64) -> Vec<(u64, u64)> {
        let segment = s.block.div_ceil(4).max(1);
        let starts = (0..4).map(|k| k * segment).take_while(|from| *from < s.block);
        starts.map(|from| (area + from, segment.min(s.block - from))).collect()
    }

    /// Van de Geijn: T section 4.3. The blocks are those of the ranks after the root.
    pub fn scatter_allgather(s: &mut Site) {
        let (at, p) = (s.input(), s.processes);
        for (v, parent, subtree) in tree_of(p) {
            let here = s.block_at(at, v);
            s.message((s.rank(parent), here), (s.rank(v), here), u64::from(subtree) * s.block);
        }
        for step in 0..p - 1 {
            for v in 0..p {
                let here = s.block_at(at, (v + p - step) % p);
                let next = (v + 1) % p;
                // The root has everything, and nobody sends a subtree what it has.
                if next != 0 {
                    s.message((s.rank(v), here), (s.rank(next), here), s.block);
                }
            }
        }
    }

    /// Sanders, Speck, Träff 2009: one half along each of two binary trees.
    pub fn two_trees(s: &mut Site) {
        trees_of(s, s.input());
    }

    pub fn trees_of(s: &mut Site, area: u64) {
        for (mirrored, at, n) in halves(s, area) {
            for k in 1..s.processes {
                let (from, to) = edge(s.processes, mirrored, k);
                s.message((s.rank(from), at), (s.rank(to), at), n);
            }
        }
    }

    /// Whether the tree is the mirrored one, and its half of a block.
    pub fn halves(s: &Site, area: u64) -> [(bool, u64, u64); 2] {
        let half = s.block / 2;
        [(false, area, half), (true, area + half, s.block - half)]
    }

    /// Parent and child number `k` of a tree.
    pub fn edge(p: u32, mirrored: bool, k: u32) -> (u32, u32) {
        let place = |k: u32| if k == 0 || !mirrored { k } else { p - k };
        (place(if k == 1 { 0 } else { k / 2 }), place(k))
    }
}

mod scatter {
    use super::Site;

    pub fn linear(s: &mut Site) {
        let (from, to, n) = (s.input(), s.output(), s.block);
        for p in 0..s.processes {
            if p == s.root {
                s.copy(p, s.block_at(from, p), to, n);
            } else {
                s.message((s.root, s.block_at(from, p)), (p, to), n);
            }
        }
    }

    pub fn binomial(s: &mut Site) {
        let (scratch, n, p) = (s.scratch(), s.block, s.processes);
        // The blocks of the ranks after the root, in their order.
        for v in 0..p {
            s.copy(s.root, s.block_at(s.input(), s.rank(v)), s.block_at(scratch, v), n);
        }
        for (v, parent, subtree) in super::tree_of(p) {
            let here = s.block_at(scratch, v);
            s.message((s.rank(parent), here), (s.rank(v), here), u64::from(subtree) * n);
        }
        for v in 0..p {
            s.copy(s.rank(v), s.block_at(scratch, v), s.output(), n);
        }
        s.scratch_is_dead();
    }
}

mod gather {
    use super::Site;

    pub fn linear(s: &mut Site) {
        let (from, to, n) = (s.input(), s.output(), s.block);
        for p in 0..s.processes {
            if p == s.root {
                s.copy(p, from, s.block_at(to, p), n);
            } else {
                s.message((p, from), (s.root, s.block_at(to, p)), n);
            }
        }
    }

    pub fn binomial(s: &mut Site) {
        let (scratch, n, p) = (s.scratch(), s.block, s.processes);
        for v in 0..p {
            s.copy(s.rank(v), s.input(), s.block_at(scratch, v), n);
        }
        let tree: Vec<_> = super::tree_of(p).collect();
        for (v, parent, subtree) in tree.into_iter().rev() {
            let here = s.block_at(scratch, v);
            s.message((s.rank(v), here), (s.rank(parent), here), u64::from(subtree) * n);
        }
        for v in 0..p {
            s.copy(s.root, s.block_at(scratch, v), s.block_at(s.output(), s.rank(v)), n);
        }
        s.scratch_is_dead();
    }
}

mod allgather {
    use super::{Site, even};

    fn own(s: &mut Site) {
        for p in 0..s.processes {
            s.copy(p, s.input(), s.block_at(s.output(), p), s.block);
        }
    }

    pub fn linear(s: &mut Site) {
        own(s);
        for i in 0..s.processes {
            for j in (0..s.processes).filter(|j| i != *j) {
                let to = s.block_at(s.output(), i);
                s.message((i, s.input()), (j, to), s.block);
            }
        }
    }

    pub fn ring(s: &mut Site) {
        own(s);
        ring_of(s, s.output());
    }

    /// Passes the blocks around: process `i` has block `i`.
    pub fn ring_of(s: &mut Site, area: u64) {
        let p = s.processes;
        for step in 0..p - 1 {
            for i in 0..p {
                let here = s.block_at(area, (i + p - step) % p);
                s.message((i, here), ((i + 1) % p, here), s.block);
            }
        }
    }

    pub fn recursive_doubling(s: &mut Site) {
        own(s);
        doubling_of(s, s.output());
    }

    pub fn doubling_of(s: &mut Site, area: u64) {
        let mut k = 1;
        while k < s.processes {
            for i in 0..s.processes {
                let here = s.block_at(area, i & !(k - 1));
                s.send(i, i ^ k, here, u64::from(k) * s.block);
            }
            for i in 0..s.processes {
                let there = s.block_at(area, (i ^ k) & !(k - 1));
                s.receive(i, i ^ k, there, u64::from(k) * s.block);
            }
            k *= 2;
        }
    }

    /// T section 4.1.
    pub fn bruck(s: &mut Site) {
        let (scratch, p) = (s.scratch(), s.processes);
        for i in 0..p {
            s.copy(i, s.input(), scratch, s.block);
        }
        let mut k = 1;
        while k < p {
            let n = u64::from(k.min(p - k)) * s.block;
            for i in 0..p {
                s.message((i, scratch), ((i + p - k) % p, s.block_at(scratch, k)), n);
            }
            k *= 2;
        }
        for i in 0..p {
            let own = s.block_at(s.output(), i);
            s.copy(i, scratch, own, u64::from(p - i) * s.block);
            s.copy(i, s.block_at(scratch, p - i), s.output(), u64::from(i) * s.block);
        }
        s.scratch_is_dead();
    }

    /// Chen et al. 2005, for even p: pairs exchange two blocks with alternating neighbours.
    pub fn neighbour_exchange(s: &mut Site) {
        own(s);
        let (area, p) = (s.output(), s.processes);
        for i in 0..p {
            let here = s.block_at(area, i);
            s.message((i, here), (i ^ 1, here), s.block);
        }
        // The pair of blocks that each process got last.
        let mut last: Vec<u32> = (0..p).map(|i| i & !1).collect();
        for step in 1..p / 2 {
            let to = |i: u32| match (step % 2 == 1) == even(i) {
                true => (i + p - 1) % p,
                false => (i + 1) % p,
            };
            let sent = last.clone();
            for i in 0..p {
                let pair = sent[usize::try_from(i).unwrap()];
                let here = s.block_at(area, pair);
                s.message((i, here), (to(i), here), 2 * s.block);
                last[usize::try_from(to(i)).unwrap()] = pair;
            }
        }
    }

    pub fn gather_bcast(s: &mut Site) {
        let to = s.output();
        own(s);
        for p in (0..s.processes).filter(|p| *p != s.root).collect::<Vec<_>>() {
            s.message((p, s.input()), (s.root, s.block_at(to, p)), s.block);
        }
        super::bcast::binomial_of(s, to, u64::from(s.processes) * s.block);
    }
}

mod alltoall {
    use super::Site;

    fn own(s: &mut Site) {
        for p in 0..s.processes {
            s.copy(p, s.block_at(s.input(), p), s.block_at(s.output(), p), s.block);
        }
    }

    fn exchange(s: &mut Site, i: u32, j: u32) {
        let (from, to) = (s.block_at(s.input(), j), s.block_at(s.output(), i));
        s.message((i, from), (j, to), s.block);
    }

    pub fn linear(s: &mut Site) {
        own(s);
        for i in 0..s.processes {
            (0..s.processes).filter(|j| i != *j).for_each(|j| exchange(s, i, j));
        }
    }

    pub fn pairwise(s: &mut Site) {
        own(s);
        for k in 1..s.processes {
            (0..s.processes).for_each(|i| exchange(s, i, (i + k) % s.processes));
        }
    }

    pub fn exclusive_or(s: &mut Site) {
        own(s);
        for k in 1..s.processes {
            (0..s.processes).for_each(|i| exchange(s, i, i ^ k));
        }
    }

    /// T section 4.2: blocks are packed at the output before each step.
    pub fn bruck(s: &mut Site) {
        let (work, packed, n, p) = (s.scratch(), s.output(), s.block, s.processes);
        for i in 0..p {
            for k in 0..p {
                s.copy(i, s.block_at(s.input(), (i + k) % p), s.block_at(work, k), n);
            }
        }
        let mut bit = 1;
        while bit < p {
            let moved: Vec<u32> = (0..p).filter(|k| k & bit != 0).collect();
            let length = n * u64::try_from(moved.len()).unwrap();
            for i in 0..p {
                for (slot, k) in (0..).zip(&moved) {
                    s.copy(i, s.block_at(work, *k), s.block_at(packed, slot), n);
                }
                s.send(i, (i + bit) % p, packed, length);
            }
            for i in 0..p {
                s.receive(i, (i + p - bit) % p, packed, length);
                for (slot, k) in (0..).zip(&moved) {
                    s.copy(i, s.block_at(packed, slot), s.block_at(work, *k), n);
                }
            }
            bit *= 2;
        }
        for i in 0..p {
            for k in 0..p {
                let to = s.block_at(s.output(), (i + p - k) % p);
                s.copy(i, s.block_at(work, k), to, n);
            }
        }
        s.scratch_is_dead();
    }
}

mod zero_copy {
    use commloom_commgraph::{Address, Buffer, Bytes, Process};
    use commloom_layout::{Basic, Type};

    use super::Site;

    /// Blocks of bytes, each at its displacement.
    fn blocks(s: &Site, at: u64, displacements: impl Iterator<Item = i64>) -> Buffer {
        let block = Type::vec(s.block, 1, Type::leaf(Basic::BYTE)).expect("in range");
        let ty = Type::idx(displacements.collect::<Vec<_>>(), block).expect("in range");
        Buffer::Typed { at: Address(at), count: 1, ty }
    }

    /// Bruck's algorithm in which types choose the blocks, so that nothing is packed: Träff, Rougier, Hunold,
    /// "Implementing a Classic: Zero-copy All-to-all Communication with MPI Datatypes" (ICS'14).
    pub fn bruck(s: &mut Site) {
        let (work, input, output, n, p) =
            (s.scratch(), s.input(), s.output(), s.block, s.processes);
        let step = n.cast_signed();
        for i in 0..p {
            s.copy(i, s.block_at(input, i), work, u64::from(p - i) * n);
            s.copy(i, input, s.block_at(work, p - i), u64::from(i) * n);
        }
        let mut bit = 1;
        while bit < p {
            let moved = (0..p).filter(|k| k & bit != 0).map(|k| i64::from(k) * step);
            let moved = blocks(s, work, moved);
            for i in 0..p {
                s.send_buffer(i, (i + bit) % p, moved.clone());
            }
            for i in 0..p {
                s.receive_buffer(i, (i + p - bit) % p, moved.clone());
            }
            bit *= 2;
        }
        // Block k is from process i - k: backwards.
        let block = Type::vec(n, 1, Type::leaf(Basic::BYTE)).expect("in range");
        for i in 0..p {
            for (first, from, count) in [(0, i, i + 1), (i + 1, p - 1, p - 1 - i)] {
                let source = (Address(s.block_at(work, first)), Bytes(u64::from(count) * n));
                let ty = Type::vec(count.into(), -step, block.clone()).expect("in range");
                let at = Address(s.block_at(output, from));
                let into = Buffer::Typed { at, count: 1, ty };
                s.builder.copy_buffer(Process(i), source.into(), into).expect("in range");
            }
        }
        s.scratch_is_dead();
    }
}

mod barrier {
    use super::{Site, tree_of};

    /// A message without bytes. Those that a process sends wait for those that it received.
    fn signal(s: &mut Site, last: &mut [Option<super::Wait>], from: u32, to: u32) {
        let (send, receive) = s.message((from, 0), (to, 0), 0);
        let place = |p: u32| usize::try_from(p).unwrap();
        for on in last[place(from)].iter().flatten() {
            s.builder.depend(send, *on).unwrap();
        }
        last[place(to)].get_or_insert_default().push(receive);
    }

    fn nobody(s: &Site) -> Vec<Option<super::Wait>> {
        vec![None; usize::try_from(s.processes).unwrap()]
    }

    pub fn dissemination(s: &mut Site) {
        let mut last = nobody(s);
        let mut k = 1;
        while k < s.processes {
            let mut next = last.clone();
            for i in 0..s.processes {
                let to = (i + k) % s.processes;
                let (send, receive) = s.message((i, 0), (to, 0), 0);
                let waits = last[usize::try_from(i).unwrap()].iter().flatten();
                waits.for_each(|on| s.builder.depend(send, *on).unwrap());
                next[usize::try_from(to).unwrap()].get_or_insert_default().push(receive);
            }
            last = next;
            k *= 2;
        }
    }

    pub fn recursive_doubling(s: &mut Site) {
        let mut last = nobody(s);
        let mut k = 1;
        while k < s.processes {
            let before = last.clone();
            for i in 0..s.processes {
                let (send, receive) = s.message((i, 0), (i ^ k, 0), 0);
                let waits = before[usize::try_from(i).unwrap()].iter().flatten();
                waits.for_each(|on| s.builder.depend(send, *on).unwrap());
                last[usize::try_from(i ^ k).unwrap()].get_or_insert_default().push(receive);
            }
            k *= 2;
        }
    }

    pub fn linear(s: &mut Site) {
        let mut last = nobody(s);
        (1..s.processes).for_each(|v| signal(s, &mut last, s.rank(v), s.root));
        (1..s.processes).for_each(|v| signal(s, &mut last, s.root, s.rank(v)));
    }

    pub fn tree(s: &mut Site) {
        let mut last = nobody(s);
        let tree: Vec<_> = tree_of(s.processes).collect();
        for (v, parent, _) in tree.iter().rev() {
            signal(s, &mut last, s.rank(*v), s.rank(*parent));
        }
        for (v, parent, _) in tree {
            signal(s, &mut last, s.rank(parent), s.rank(v));
        }
    }
}

/// What a process received so far.
type Wait = Vec<commloom_commgraph::Handle>;

mod reduce {
    use super::Site;

    /// `to` gets what `from` has so far, and adds it.
    pub fn arrive(s: &mut Site, from: u32, to: u32, at: u64, n: u64) {
        let scratch = s.scratch();
        s.message((from, at), (to, scratch), n);
        s.add(to, scratch, at, n);
    }

    pub fn start(s: &mut Site, n: u64) {
        for p in 0..s.processes {
            s.copy(p, s.input(), s.output(), n);
        }
        s.scratch_is_dead();
    }

    /// What is half done at the others is of no use.
    fn only_the_root(s: &mut Site) {
        only_the_root_of(s, s.block);
    }

    fn only_the_root_of(s: &mut Site, n: u64) {
        use commloom_commgraph::{Address, Bytes, Process};
        for v in 1..s.processes {
            let (at, n) = (Address(s.output()), Bytes(n));
            s.builder.dead(Process(s.rank(v)), at, n).unwrap();
        }
    }

    pub fn linear(s: &mut Site) {
        start(s, s.block);
        (1..s.processes).for_each(|v| arrive(s, s.rank(v), s.root, s.output(), s.block));
        only_the_root(s);
    }

    pub fn tree(s: &mut Site, at: u64, n: u64) {
        let tree: Vec<_> = super::tree_of(s.processes).collect();
        for (v, parent, _) in tree.into_iter().rev() {
            arrive(s, s.rank(v), s.rank(parent), at, n);
        }
    }

    pub fn binomial(s: &mut Site) {
        start(s, s.block);
        tree(s, s.output(), s.block);
        only_the_root(s);
    }

    pub fn chain(s: &mut Site) {
        start(s, s.block);
        for v in (1..s.processes).rev() {
            arrive(s, s.rank(v), s.rank(v - 1), s.output(), s.block);
        }
        only_the_root(s);
    }

    pub fn chain_of(s: &mut Site) {
        for (at, n) in super::bcast::segments(s, s.output()) {
            for v in (1..s.processes).rev() {
                arrive(s, s.rank(v), s.rank(v - 1), at, n);
            }
        }
    }

    pub fn pipelined_chain(s: &mut Site) {
        start(s, s.block);
        chain_of(s);
        only_the_root(s);
    }

    pub fn trees_of(s: &mut Site) {
        for (mirrored, at, n) in super::bcast::halves(s, s.output()) {
            for k in (1..s.processes).rev() {
                let (to, from) = super::bcast::edge(s.processes, mirrored, k);
                arrive(s, s.rank(from), s.rank(to), at, n);
            }
        }
    }

    pub fn two_trees(s: &mut Site) {
        start(s, s.block);
        trees_of(s);
        only_the_root(s);
    }

    /// Reduce_scatter by recursive halving, then a gather: T section 4.4.
    pub fn rabenseifner(s: &mut Site) {
        let all = u64::from(s.processes) * s.block;
        start(s, all);
        super::reduce_scatter::halving_of(s);
        for p in (0..s.processes).filter(|p| *p != s.root).collect::<Vec<_>>() {
            let here = s.block_at(s.output(), p);
            s.message((p, here), (s.root, here), s.block);
        }
        only_the_root_of(s, all);
    }
}

mod allreduce {
    use super::Site;

    pub fn two_trees(s: &mut Site) {
        start(s, s.block);
        super::reduce::trees_of(s);
        super::bcast::trees_of(s, s.output());
    }

    pub fn pipelined_chain(s: &mut Site) {
        start(s, s.block);
        super::reduce::chain_of(s);
        super::bcast::chain_of(s, s.output());
    }

    use super::reduce::{arrive, start, tree as reduce_tree};

    pub fn linear(s: &mut Site) {
        start(s, s.block);
        (1..s.processes).for_each(|v| arrive(s, s.rank(v), s.root, s.output(), s.block));
        for v in 1..s.processes {
            s.message((s.root, s.output()), (s.rank(v), s.output()), s.block);
        }
    }

    pub fn tree(s: &mut Site) {
        start(s, s.block);
        reduce_tree(s, s.output(), s.block);
        super::bcast::binomial_of(s, s.output(), s.block);
    }

    pub fn recursive_doubling(s: &mut Site) {
        start(s, s.block);
        let (at, scratch, n) = (s.output(), s.scratch(), s.block);
        let mut k = 1;
        while k < s.processes {
            for i in 0..s.processes {
                s.send(i, i ^ k, at, n);
            }
            for i in 0..s.processes {
                s.receive(i, i ^ k, scratch, n);
                s.add(i, scratch, at, n);
            }
            k *= 2;
        }
    }

    /// Everybody reads everybody's contribution, as in the first example of co-array Fortran.
    pub fn everybody(s: &mut Site) {
        start(s, s.block);
        for i in 0..s.processes {
            for j in (0..s.processes).filter(|j| *j != i) {
                s.message((j, s.input()), (i, s.scratch()), s.block);
                s.add(i, s.scratch(), s.output(), s.block);
            }
        }
    }

    pub fn ring(s: &mut Site) {
        let p = s.processes;
        start(s, u64::from(p) * s.block);
        super::reduce_scatter::ring_of(s);
        // Process i has block i + 1.
        for step in 0..p - 1 {
            for i in 0..p {
                let here = s.block_at(s.output(), (i + 1 + p - step) % p);
                s.message((i, here), ((i + 1) % p, here), s.block);
            }
        }
    }

    /// Reduce_scatter by recursive halving, allgather by recursive doubling: T section 4.5.
    pub fn rabenseifner(s: &mut Site) {
        start(s, u64::from(s.processes) * s.block);
        super::reduce_scatter::halving_of(s);
        super::allgather::doubling_of(s, s.output());
    }
}

mod reduce_scatter {
    use super::Site;
    use super::reduce::start;

    /// All but block `k` of what is half done is of no use.
    fn keep(s: &mut Site, block_of: impl Fn(u32) -> u32) {
        use commloom_commgraph::{Address, Bytes, Process};
        for p in 0..s.processes {
            for k in (0..s.processes).filter(|k| *k != block_of(p)) {
                let (at, n) = (Address(s.block_at(s.output(), k)), Bytes(s.block));
                s.builder.dead(Process(p), at, n).unwrap();
            }
        }
    }

    pub fn pairwise(s: &mut Site) {
        let (n, p) = (s.block, s.processes);
        s.scratch_is_dead();
        for i in 0..p {
            s.copy(i, s.block_at(s.input(), i), s.output(), n);
        }
        for k in 1..p {
            for i in 0..p {
                let to = (i + k) % p;
                s.message((i, s.block_at(s.input(), to)), (to, s.scratch()), n);
                s.add(to, s.scratch(), s.output(), n);
            }
        }
    }

    /// In the end process i has block i + 1.
    pub fn ring_of(s: &mut Site) {
        let (p, n) = (s.processes, s.block);
        for step in 0..p - 1 {
            let blocks = |i: u32| (i + p - step) % p;
            for i in 0..p {
                s.send(i, (i + 1) % p, s.block_at(s.output(), blocks(i)), n);
            }
            for i in 0..p {
                let before = (i + p - 1) % p;
                s.receive(i, before, s.scratch(), n);
                s.add(i, s.scratch(), s.block_at(s.output(), blocks(before)), n);
            }
        }
    }

    pub fn ring(s: &mut Site) {
        let p = s.processes;
        start(s, u64::from(p) * s.block);
        ring_of(s);
        keep(s, |i| (i + 1) % p);
    }

    /// In the end process i has block i.
    pub fn halving_of(s: &mut Site) {
        let mut k = s.processes / 2;
        while k > 0 {
            let n = u64::from(k) * s.block;
            let half = |i: u32| i & !(k - 1);
            for i in 0..s.processes {
                s.send(i, i ^ k, s.block_at(s.output(), half(i ^ k)), n);
            }
            for i in 0..s.processes {
                s.receive(i, i ^ k, s.scratch(), n);
                s.add(i, s.scratch(), s.block_at(s.output(), half(i)), n);
            }
            k /= 2;
        }
    }

    pub fn reduce_then_scatter(s: &mut Site) {
        let all = u64::from(s.processes) * s.block;
        start(s, all);
        super::reduce::tree(s, s.output(), all);
        for p in (0..s.processes).filter(|p| *p != s.root).collect::<Vec<_>>() {
            let here = s.block_at(s.output(), p);
            s.message((s.root, here), (p, here), s.block);
        }
        keep(s, |i| i);
    }

    pub fn recursive_halving(s: &mut Site) {
        start(s, u64::from(s.processes) * s.block);
        halving_of(s);
        keep(s, |i| i);
    }
}

mod scan {
    use super::Site;
    use super::reduce::{arrive, start};

    pub fn linear(s: &mut Site) {
        start(s, s.block);
        (1..s.processes).for_each(|i| arrive(s, i - 1, i, s.output(), s.block));
    }

    /// Hillis and Steele 1986.
    pub fn recursive_doubling(s: &mut Site) {
        start(s, s.block);
        let mut k = 1;
        while k < s.processes {
            for i in k..s.processes {
                s.send(i - k, i, s.output(), s.block);
            }
            for i in k..s.processes {
                s.receive(i, i - k, s.scratch(), s.block);
                s.add(i, s.scratch(), s.output(), s.block);
            }
            k *= 2;
        }
    }
}

mod exscan {
    use super::Site;

    pub fn linear(s: &mut Site) {
        let (scratch, n) = (s.scratch(), s.block);
        s.scratch_is_dead();
        s.copy(0, s.input(), scratch, n);
        for i in 1..s.processes {
            s.message((i - 1, scratch), (i, s.output()), n);
            s.copy(i, s.output(), scratch, n);
            s.add(i, s.input(), scratch, n);
        }
    }

    pub fn everybody(s: &mut Site) {
        s.scratch_is_dead();
        for i in 1..s.processes {
            s.message((0, s.input()), (i, s.output()), s.block);
            for j in 1..i {
                s.message((j, s.input()), (i, s.scratch()), s.block);
                s.add(i, s.scratch(), s.output(), s.block);
            }
        }
    }

    /// Hillis and Steele 1986: besides the result, each process has the sum that includes its own.
    pub fn recursive_doubling(s: &mut Site) {
        let (n, sum, other) = (s.block, s.scratch(), s.block_at(s.scratch(), 1));
        s.scratch_is_dead();
        for i in 0..s.processes {
            s.copy(i, s.input(), sum, n);
        }
        let mut k = 1;
        while k < s.processes {
            for i in k..s.processes {
                s.send(i - k, i, sum, n);
            }
            for i in k..s.processes {
                s.receive(i, i - k, other, n);
                match k {
                    1 => s.copy(i, other, s.output(), n),
                    _ => s.add(i, other, s.output(), n),
                }
                s.add(i, other, sum, n);
            }
            k *= 2;
        }
    }
}
