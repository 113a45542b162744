//! The layouts that are measured: the table of issue 4, as data.

mod describe;
mod form;

pub use describe::{Description, descriptions};
pub use form::{Element, Field, Form, Order};

use Element::{Byte, Complex, Double, Float, Int, Short};

/// Packed bytes: 100 B, 3.2 kB, 32 kB, 256 kB, 2.56 MB, 64 MB.
pub const SIZES: [i64; 6] = [100, 3_200, 32_000, 256_000, 2_560_000, 64_000_000];

/// The most memory that a layout may span, in bytes.
pub const MOST_MEMORY: i64 = 1 << 30;

/// Most packed bytes of a case.
pub const MOST_PACKED: i64 = 80 << 20;

/// A layout, of any size or of one.
pub struct Layout {
    /// Its place in the table.
    pub index: usize,
    /// Layouts that are reported together.
    pub family: &'static str,
    pub name: String,
    pub form: Form,
    /// The count that makes it what it is (a whole face, a whole matrix), or none: any size will
    /// do.
    pub whole: Option<i64>,
    /// Whether the full campaign measures it at the largest size too.
    pub large: bool,
}

/// A layout of one size.
#[derive(Debug, Clone)]
pub struct Case {
    /// The nearest of [`SIZES`].
    pub size: i64,
    pub n: i64,
    /// Packed bytes.
    pub bytes: usize,
    /// Bytes of memory from the first to the last, at least.
    pub footprint: usize,
    /// Places of a list.
    pub places: Vec<i32>,
}

/// Why a layout is not measured at a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skip {
    /// It has a size of its own, which is nearer to another.
    OtherSize,
    /// Fewer than two of its parts fill the size.
    TooFewParts,
    /// It would span more than [`MOST_MEMORY`].
    TooMuchMemory,
}

impl Layout {
    /// This layout with about `size` packed bytes.
    pub fn case(&self, size: i64, seed: u64) -> Result<Case, Skip> {
        let part = self.form.part();
        let n = match self.whole {
            Some(n) if nearest(n * part) != size => return Err(Skip::OtherSize),
            Some(n) => n,
            None if size / part < 2 => return Err(Skip::TooFewParts),
            None => size / part,
        };
        let (bytes, footprint) = (n * part, self.form.footprint(n));
        if footprint > MOST_MEMORY || bytes > MOST_PACKED {
            return Err(Skip::TooMuchMemory);
        }
        let places = self.form.places(n, seed);
        Ok(Case { size, n, bytes: length(bytes), footprint: length(footprint), places })
    }
}

/// Bytes as a length; the limits above keep them small.
pub fn length(bytes: i64) -> usize {
    usize::try_from(bytes).expect("lengths are not negative")
}

/// The nearest of the sizes, by factor.
fn nearest(bytes: i64) -> i64 {
    let factor = |size: i64| (bytes as f64 / size as f64).ln().abs();
    SIZES.into_iter().min_by(|&x, &y| factor(x).total_cmp(&factor(y))).expect("there are sizes")
}

/// All layouts. Their order is the order of the report.
pub fn table() -> Vec<Layout> {
    let mut table = Table(Vec::new());
    basic(&mut table);
    periods_of_three(&mut table);
    vectors(&mut table);
    arrays(&mut table);
    lists(&mut table);
    structs(&mut table);
    for (index, layout) in table.0.iter_mut().enumerate() {
        layout.index = index;
    }
    table.0
}

/// The four basic layouts of Carpen-Amarie, Hunold and Traeff in both variants: A integers and
/// gaps.
fn basic(table: &mut Table) {
    for a in [1, 2, 3, 5, 10, 100, 1000, 10000] {
        let large = [2, 1000].contains(&a);
        let mut add = |kind: &str, lengths: [i64; 2], strides: [i64; 2]| {
            let name = format!("{kind} A={a}");
            let extent = strides[0] + strides[1];
            if lengths[0] == lengths[1] && strides[0] == strides[1] {
                table.periods("basic", name, Int, strides[0], vec![[0, lengths[0]]], large);
            } else if lengths[0] > 0 {
                let blocks = vec![[0, lengths[0]], [strides[0], lengths[1]]];
                table.periods("basic", name, Int, extent, blocks, large);
            }
        };
        // Variant 1: a gap of two; where blocks are moved, of one and three.
        add("tiled-1", [a, a], [a + 2, a + 2]);
        add("block-1", [a, a], [a + 1, a + 3]);
        add("bucket-1", [a - 1, a + 1], [a + 2, a + 2]);
        add("alternating-1", [a - 1, a + 1], [a + 1, a + 3]);
        // Variant 2: two thirds are gaps.
        add("tiled-2", [a, a], [3 * a, 3 * a]);
        add("block-2", [a, a], [2 * a, 4 * a]);
        add("bucket-2", [a / 2, 2 * a - a / 2], [3 * a, 3 * a]);
        add("alternating-2", [a / 2, 2 * a - a / 2], [2 * a, 4 * a]);
    }
}

/// Three blocks in a period: the components of a cell that some solver keeps together.
fn periods_of_three(table: &mut Table) {
    let mut add = |name: &str, element, extent, blocks: [[i64; 2]; 3]| {
        table.periods("three blocks", name.into(), element, extent, blocks.into(), true);
    };
    add("1+2+3 of 9 ints", Int, 9, [[0, 1], [2, 2], [5, 3]]);
    add("1+1+2 of 7 doubles", Double, 7, [[0, 1], [2, 1], [4, 2]]);
    add("4+4+4 of 20 doubles", Double, 20, [[0, 4], [6, 4], [14, 4]]);
    add("3+5+2 of 16 bytes", Byte, 16, [[0, 3], [5, 5], [12, 2]]);
}

/// One element of every `stride`: a column of a row-major matrix of that width.
fn vectors(table: &mut Table) {
    for element in [Byte, Short, Int, Double, Complex] {
        for stride in
            [2, 3, 4, 5, 8, 10, 16, 32, 64, 100, 512, 1000, 4096, 10_000, 100_000, 1_000_000]
        {
            let name = format!("{} bytes, stride {stride}", element.bytes());
            let large = [2, 8].contains(&stride);
            table.periods("vector", name, element, stride, vec![[0, 1]], large);
        }
    }
}

/// Parts of arrays: faces of cubes, subarrays, rows and columns, transposes.
fn arrays(table: &mut Table) {
    for edge in [64, 128, 130, 256, 512] {
        let mut add = |face: &str, loops: Vec<[i64; 2]>, block| {
            table.whole("face", format!("{face} of {edge}^3"), Double, loops, block);
        };
        let (row, plane) = (edge, edge * edge);
        add("x face", vec![[edge, plane], [edge, row]], 1);
        add("x face, 2 thick,", vec![[edge, plane], [edge, row]], 2);
        add("y face", vec![[edge, plane]], edge);
        add("z face", vec![[edge, row]], edge);
    }
    // Lattices of 16^3 and 32 doubles in the fastest dimensions; n in the slowest.
    for (name, edge, part) in
        [("8^3 of 16^3", 16, 8), ("2^3 of 16^3", 16, 2), ("30^3 of 32^3", 32, 30)]
    {
        let loops = vec![[0, edge * edge * edge], [part, edge * edge], [part, edge]];
        table.nest("subarray 4-D", format!("n x {name}"), Double, loops, part);
    }
    table.nest("row and column", "rows of 1000 doubles".into(), Double, vec![[0, 1000]], 1000);
    table.nest("row and column", "900 of 1000 doubles".into(), Double, vec![[0, 1000]], 900);
    table.nest("row and column", "column of 1000 doubles".into(), Double, vec![[0, 1000]], 1);
    table.nest("row and column", "3 columns of 1000 ints".into(), Int, vec![[0, 1000]], 3);
    for element in [Double, Float, Byte] {
        for edge in [20, 64, 180, 512, 1000, 2000] {
            let name = format!("{edge}^2 of {} bytes", element.bytes());
            table.whole("transpose", name, element, vec![[edge, 1], [edge, edge]], 1);
        }
    }
}

/// Index lists: elements of an unstructured mesh, sorted or as they came.
fn lists(table: &mut Table) {
    for (order, name) in [(Order::Sorted, "sorted"), (Order::Random, "random")] {
        for element in [Int, Double] {
            for block in [1, 2, 3, 5] {
                let name = format!("{name}, {block} x {} bytes", element.bytes());
                let form = Form::List { element, block, order };
                table.0.push(Layout {
                    index: 0,
                    family: "list",
                    name,
                    form,
                    whole: None,
                    large: block == 1,
                });
            }
        }
    }
}

/// Arrays of structs with members of different types.
fn structs(table: &mut Table) {
    let field = |offset, element, count| Field { offset, element, count };
    let mut add = |name: &str, extent, fields: Vec<Field>| {
        let form = Form::Fields { extent, fields };
        table.0.push(Layout {
            index: 0,
            family: "struct",
            name: name.into(),
            form,
            whole: None,
            large: true,
        });
    };
    // struct { double x; int id; char kind; }
    let small = [field(0, Double, 1), field(8, Int, 1), field(12, Byte, 1)];
    add("{double, int, char}: all", 16, small.into());
    add("{double, int, char}: double, char", 16, vec![small[0], small[2]]);
    // struct { double x[3]; float charge; int id; double v[3]; short cell[3]; char kind; }
    let particle = [
        field(0, Double, 3),
        field(24, Float, 1),
        field(28, Int, 1),
        field(32, Double, 3),
        field(56, Short, 3),
        field(62, Byte, 1),
    ];
    add("particle: all", 64, particle.into());
    add("particle: x, id", 64, vec![particle[0], particle[2]]);
    add("particle: charge, kind", 64, vec![particle[1], particle[5]]);
}

struct Table(Vec<Layout>);

impl Table {
    fn periods(
        &mut self,
        family: &'static str,
        name: String,
        element: Element,
        extent: i64,
        blocks: Vec<[i64; 2]>,
        large: bool,
    ) {
        let form = Form::Periods { element, extent, blocks };
        self.0.push(Layout { index: 0, family, name, form, whole: None, large });
    }

    /// A nest of any outermost count.
    fn nest(
        &mut self,
        family: &'static str,
        name: String,
        element: Element,
        loops: Vec<[i64; 2]>,
        block: i64,
    ) {
        let form = Form::Nest { element, loops, block };
        self.0.push(Layout { index: 0, family, name, form, whole: None, large: true });
    }

    /// A nest that is measured as it stands.
    fn whole(
        &mut self,
        family: &'static str,
        name: String,
        element: Element,
        loops: Vec<[i64; 2]>,
        block: i64,
    ) {
        let whole = Some(loops[0][0]);
        let form = Form::Nest { element, loops, block };
        self.0.push(Layout { index: 0, family, name, form, whole, large: true });
    }
}
