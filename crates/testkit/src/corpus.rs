//! Named layouts that the tests of several crates use.

use commloom_layout::{Basic, Type, mpi};

/// A layout with a name: `count` elements of `ty`, as they would be given to a send.
#[derive(Debug, Clone)]
pub struct Named {
    /// Unique name, words joined by hyphens.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// How many elements make one message.
    pub count: u64,
}

fn named(name: impl Into<String>, ty: Type, count: u64) -> Named {
    Named { name: name.into(), ty, count }
}

/// The whole corpus, each layout with about `elements` basic elements per message.
#[must_use]
pub fn all(elements: u64) -> Vec<Named> {
    let mut all = expectation_layouts(elements);
    all.extend(faces());
    all.extend(papers());
    all
}

/// A layout of two alternating blocks of `a` elements whose starts are `b` elements apart (Carpen-
/// Amarie, Hunold and Träff, section 2.2): tiled, block, bucket and alternating.
#[derive(Debug, Clone, Copy)]
pub struct Periodic {
    /// Name in the paper.
    pub name: &'static str,
    /// Elements in the first and second block.
    pub a: [u64; 2],
    /// Elements from the start of the first and second block to the next start.
    pub b: [i64; 2],
}

impl Periodic {
    /// The four layouts, variants 1 and 2 of table 2, of block size `a` (even).
    #[must_use]
    pub fn variants(a: u64) -> Vec<Periodic> {
        let b = i64::try_from(a).expect("small");
        let p = |name, a, b| Periodic { name, a, b };
        vec![
            p("tiled-1", [a, a], [b + 2, b + 2]),
            p("block-1", [a, a], [b + 1, b + 3]),
            p("bucket-1", [a - 1, a + 1], [b + 2, b + 2]),
            p("alternating-1", [a - 1, a + 1], [b + 1, b + 3]),
            p("tiled-2", [a, a], [3 * b, 3 * b]),
            p("block-2", [a, a], [2 * b, 4 * b]),
            p("bucket-2", [a / 2, 3 * a / 2], [3 * b, 3 * b]),
            p("alternating-2", [a / 2, 3 * a / 2], [2 * b, 4 * b]),
        ]
    }

    /// Whether both blocks are alike.
    #[must_use]
    pub fn is_tiled(&self) -> bool {
        self.a[0] == self.a[1] && self.b[0] == self.b[1]
    }

    /// One period (one block if tiled), resized: the message is `count` of it.
    #[must_use]
    pub fn unit(&self, basic: Basic) -> Type {
        let leaf = Type::leaf(basic);
        let (unit, extent) = if self.is_tiled() {
            (mpi::contiguous(self.a[0], &leaf), self.b[0])
        } else if self.a[0] == self.a[1] {
            (mpi::indexed_block(self.a[0], &[0, self.b[0]], &leaf), self.b[0] + self.b[1])
        } else {
            (mpi::indexed(&self.a, &[0, self.b[0]], &leaf), self.b[0] + self.b[1])
        };
        mpi::resized(0, extent * leaf.extent(), &ok(unit)).expect("small numbers")
    }

    /// Elements in a unit.
    #[must_use]
    pub fn unit_elements(&self) -> u64 {
        if self.is_tiled() { self.a[0] } else { self.a[0] + self.a[1] }
    }

    /// `periods` periods with every block listed (expectation tests 8 and 9).
    #[must_use]
    pub fn indexed(&self, periods: u64, basic: Basic) -> Type {
        let (mut blocks, mut starts, mut at) = (Vec::new(), Vec::new(), 0);
        for _ in 0..periods {
            for k in 0..2 {
                blocks.push(self.a[k]);
                starts.push(at);
                at += self.b[k];
            }
        }
        ok(mpi::indexed(&blocks, &starts, &Type::leaf(basic)))
    }

    /// `blocks` blocks as `MPI_Type_vector` (expectation test 6); tiled layouts only.
    #[must_use]
    pub fn vector(&self, blocks: u64, basic: Basic) -> Type {
        assert!(self.is_tiled(), "only tiled layouts are vectors");
        ok(mpi::vector(blocks, self.a[0], self.b[0], &Type::leaf(basic)))
    }
}

/// Tiled, block, bucket, alternating (unit, vector, indexed), and the layouts of expectation tests
/// 5, 7, 10 and 11, over `MPI_INT`.
#[must_use]
pub fn expectation_layouts(elements: u64) -> Vec<Named> {
    let mut all = Vec::new();
    for a in [2, 10] {
        for p in Periodic::variants(a) {
            let count = (elements / p.unit_elements()).max(1);
            let periods = (elements / (p.a[0] + p.a[1])).max(1);
            let name = |form| format!("{}-a{a}-{form}", p.name);
            all.push(named(name("unit"), p.unit(Basic::INT), count));
            all.push(named(name("contiguous"), ok(mpi::contiguous(count, &p.unit(Basic::INT))), 1));
            all.push(named(name("indexed"), p.indexed(periods, Basic::INT), 1));
            if p.is_tiled() {
                all.push(named(name("vector"), p.vector(2 * periods, Basic::INT), 1));
                all.push(named(name("nested-vector"), nested_vector(&p, periods), 1));
                all.push(named(name("struct"), tiled_struct(&p), (2 * periods / 5).max(1)));
            }
        }
        let periods = elements / (2 * a);
        all.push(named(format!("et10-a{a}-repeated"), et10_unit(a), periods.max(1)));
        all.push(named(format!("et10-a{a}-struct"), et10_struct(a, periods.max(2)), 1));
        let n = elements.max(2 * a);
        for (form, ty) in row_and_column(a, n) {
            all.push(named(format!("row-column-a{a}-{form}"), ty, 1));
        }
    }
    all
}

/// Expectation test 5: a struct of a tiled part of 2 and one of 3 blocks, resized.
fn tiled_struct(p: &Periodic) -> Type {
    let int = Basic::INT;
    let size = 4 * p.b[0];
    let parts = [p.vector(2, int), p.vector(3, int)];
    let both = ok(mpi::structure(&[1, 1], &[0, 2 * size], &parts));
    ok(mpi::resized(0, 5 * size, &both))
}

/// Expectation test 7: vectors of 2 blocks in a vector.
fn nested_vector(p: &Periodic, periods: u64) -> Type {
    let inner = p.vector(2, Basic::INT);
    ok(mpi::hvector(periods, 1, 2 * 4 * p.b[0], &inner))
}

/// Expectation test 10: a second block that touches the next period.
fn et10_unit(a: u64) -> Type {
    let b = i64::try_from(a + 1).expect("small");
    Periodic { name: "et10", a: [a - 1, a + 1], b: [b, b] }.unit(Basic::INT)
}

/// The same layout as first block, strided middle, last block.
fn et10_struct(a: u64, periods: u64) -> Type {
    let leaf = Type::leaf(Basic::INT);
    let b = i64::try_from(a + 1).expect("small");
    let last = i64::try_from(periods - 1).expect("small") * 2 * b + b;
    let middle = ok(mpi::vector(periods - 1, 2 * a, 2 * b, &leaf));
    let parts = [ok(mpi::contiguous(a - 1, &leaf)), middle, ok(mpi::contiguous(a + 1, &leaf))];
    ok(mpi::structure(&[1, 1, 1], &[0, 4 * b, 4 * last], &parts))
}

/// Expectation test 11: first row and rest of the first column of an (n + 1 - a) x a matrix.
#[must_use]
pub fn row_and_column(a: u64, n: u64) -> [(&'static str, Type); 3] {
    let leaf = Type::leaf(Basic::INT);
    let (width, rest) = (i64::try_from(a).expect("small"), n - a);
    let column: Vec<i64> = (1..=i64::try_from(rest).expect("small")).map(|k| k * width).collect();
    let every: Vec<i64> = (0..width).chain(column.iter().copied()).collect();
    let starts: Vec<i64> = std::iter::once(0).chain(column.iter().copied()).collect();
    let mut blocks = vec![1; starts.len()];
    blocks[0] = a;
    let parts = [ok(mpi::contiguous(a, &leaf)), ok(mpi::vector(rest, 1, width, &leaf))];
    [
        ("fully-indexed", ok(mpi::indexed_block(1, &every, &leaf))),
        ("contiguous-and-indexed", ok(mpi::indexed(&blocks, &starts, &leaf))),
        ("struct", ok(mpi::structure(&[1, 1], &[0, 4 * width], &parts))),
    ]
}

/// The six faces of a 10 x 8 x 6 array of doubles with a halo of 1, as subarray and nested
/// hvector.
#[must_use]
pub fn faces() -> Vec<Named> {
    let double = Type::leaf(Basic::DOUBLE);
    let sizes = [10, 8, 6];
    let mut all = Vec::new();
    for d in 0..3 {
        for (side, start) in [("low", 1), ("high", sizes[d] - 2)] {
            let (mut subsizes, mut starts) = (sizes.map(|n| n - 2), [1; 3]);
            (subsizes[d], starts[d]) = (1, start);
            let ty = mpi::subarray(&sizes, &subsizes, &starts, mpi::Order::C, &double);
            all.push(named(format!("face-{d}-{side}-subarray"), ok(ty), 1));
            let row = ok(mpi::contiguous(subsizes[2], &double));
            let plane = ok(mpi::hvector(subsizes[1], 1, 6 * 8, &row));
            let cuboid = ok(mpi::hvector(subsizes[0], 1, 8 * 6 * 8, &plane));
            all.push(named(format!("face-{d}-{side}-hvector"), cuboid, 1));
        }
    }
    let particle = mpi::structure(
        &[3, 1, 2],
        &[0, 24, 32],
        &[double.clone(), Type::leaf(Basic::INT), Type::leaf(Basic::FLOAT)],
    );
    all.push(named("particle", ok(particle), 7));
    let cell = ok(mpi::contiguous(4, &double));
    all.push(named("face-of-structs", ok(mpi::vector(9, 1, 7, &cell)), 2));
    all
}

/// Displacements of figure 1 of Kalany and Träff (2015): optimum 22.
#[must_use]
pub fn figure_1() -> Vec<i64> {
    (0..4).flat_map(|k| [0, 2, 3, 5].map(|d| 10 * k + d)).collect()
}

/// Displacements of figure 2 of Kalany and Träff: optimum 42 as a path, 38 with idxbuc, 34 as
/// tree.
#[must_use]
pub fn figure_2() -> Vec<i64> {
    (0..18).chain((100..=122).step_by(2)).collect()
}

/// The sequence on which the paper's repeated-prefix algorithm misses the optimum 22.
#[must_use]
pub fn triple_vector() -> Type {
    let inner = ok(Type::vec(2, 13, Type::leaf(Basic::CHAR)));
    ok(Type::vec(9, 110_000, ok(Type::vec(2, 200, inner))))
}

/// `7 + 100 i + j` for i in 0..50 and j in {0, 2}: the optimum of 20 has its shift inside.
#[must_use]
pub fn shifted_pairs() -> Type {
    ok(Type::vec(50, 100, ok(Type::idx([7, 9], Type::leaf(Basic::CHAR)))))
}

/// The figures of the papers and of book/src/explanation/reconstruction.md.
#[must_use]
pub fn papers() -> Vec<Named> {
    let list = |d: Vec<i64>| ok(Type::idx(d, Type::leaf(Basic::CHAR)));
    let two_tiles = ok(Type::vec(3, 12, ok(Type::idx([0, 5, 6], Type::leaf(Basic::INT)))));
    vec![
        named("figure-1-list", list(figure_1()), 1),
        named(
            "figure-1",
            ok(Type::vec(4, 10, ok(Type::idx([0, 2, 3, 5], Type::leaf(Basic::CHAR))))),
            3,
        ),
        named("figure-2-list", list(figure_2()), 1),
        named("triple-vector", triple_vector(), 1),
        named("shifted-pairs", shifted_pairs(), 1),
        named("overlapping-tiles", two_tiles, 1),
    ]
}

fn ok(built: Result<Type, commloom_layout::LayoutError>) -> Type {
    built.expect("the corpus is valid")
}
