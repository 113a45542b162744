//! The layouts of DESIGN.md section 5, as data: what commloom and the C generator read.

use commloom_layout::{Basic, Type, mpi};

/// A layout of any size.
pub struct Layout {
    pub name: String,
    pub form: Form,
}

/// Sizes and strides in elements of `width` bytes.
#[derive(Clone, Copy)]
pub enum Form {
    /// Blocks of `a[0]` and `a[1]`, their starts `b[0]` and `b[1]` from the next start.
    Periodic { a: [usize; 2], b: [usize; 2] },
    /// Elements `stride` apart, of `width` bytes.
    Column { width: usize, stride: usize },
    /// Elements of `width` bytes in blocks of `block` at random places.
    List { width: usize, block: usize },
    /// The z-y-x cube of doubles of this edge, the face x = 1, thickness `thick`.
    Face { thick: usize },
}

/// A layout of one size.
pub struct Case {
    pub ty: Type,
    pub count: u64,
    /// How often the C loop runs.
    pub periods: usize,
    /// Places in elements, for lists.
    pub list: Vec<i32>,
}

pub fn all() -> Vec<Layout> {
    let mut all = Vec::new();
    let mut add = |name: String, form| all.push(Layout { name, form });
    for a in [2usize, 10] {
        let p = |a, b| Form::Periodic { a, b };
        add(format!("tiled-1 A={a}"), p([a, a], [a + 2, a + 2]));
        add(format!("block-1 A={a}"), p([a, a], [a + 1, a + 3]));
        add(format!("bucket-1 A={a}"), p([a - 1, a + 1], [a + 2, a + 2]));
        add(format!("alternating-1 A={a}"), p([a - 1, a + 1], [a + 1, a + 3]));
        add(format!("tiled-2 A={a}"), p([a, a], [3 * a, 3 * a]));
        add(format!("block-2 A={a}"), p([a, a], [2 * a, 4 * a]));
        add(format!("bucket-2 A={a}"), p([a / 2, 3 * a / 2], [3 * a, 3 * a]));
        add(format!("alternating-2 A={a}"), p([a / 2, 3 * a / 2], [2 * a, 4 * a]));
    }
    for a in [1, 3, 5, 6, 100] {
        add(format!("tiled-1 A={a}"), Form::Periodic { a: [a, a], b: [a + 2, a + 2] });
    }
    add("column double 512".into(), Form::Column { width: 8, stride: 512 });
    add("column double 10".into(), Form::Column { width: 8, stride: 10 });
    add("column float 3".into(), Form::Column { width: 4, stride: 3 });
    add("column byte 4".into(), Form::Column { width: 1, stride: 4 });
    for (width, block) in [(4, 1), (8, 1), (8, 3)] {
        add(format!("list {block} x {width}"), Form::List { width, block });
    }
    add("face x".into(), Form::Face { thick: 1 });
    add("face x, 2 thick".into(), Form::Face { thick: 2 });
    all
}

/// Edge of the cube of which a face is taken.
pub const EDGE: usize = 130;

impl Layout {
    /// Name of the C function.
    pub fn symbol(&self, packing: bool) -> String {
        let direction = if packing { "pack" } else { "unpack" };
        let name: String =
            self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        format!("{direction}_{name}")
    }

    /// About `bytes` packed bytes of this layout.
    pub fn case(&self, bytes: usize) -> Case {
        let long = |n: usize| i64::try_from(n).expect("small");
        let count = |n: usize| u64::try_from(n).expect("small");
        let ok = |ty: Result<Type, _>| ty.expect("a valid layout");
        let element = |width| {
            Type::leaf(match width {
                1 => Basic::BYTE,
                4 => Basic::INT,
                _ => Basic::DOUBLE,
            })
        };
        let int = Type::leaf(Basic::INT);
        match self.form {
            Form::Periodic { a, b } => {
                let periods = bytes / (4 * (a[0] + a[1]));
                let unit = if a[0] == a[1] && b[0] == b[1] {
                    let block = ok(mpi::contiguous(count(a[0]), &int));
                    let one = ok(mpi::resized(0, long(4 * b[0]), &block));
                    return Case { ty: one, count: count(2 * periods), periods, list: Vec::new() };
                } else {
                    ok(mpi::indexed(&a.map(count), &[0, long(b[0])], &int))
                };
                let ty = ok(mpi::resized(0, long(4 * (b[0] + b[1])), &unit));
                Case { ty, count: count(periods), periods, list: Vec::new() }
            }
            Form::Column { width, stride } => {
                let n = bytes / width;
                let ty = ok(mpi::vector(count(n), 1, long(stride), &element(width)));
                Case { ty, count: 1, periods: n, list: Vec::new() }
            }
            Form::List { width, block } => {
                let n = bytes / (width * block);
                let mut order: Vec<i32> = (0..i32::try_from(n).expect("small")).collect();
                let mut state = 88_172_645_463_325_252u64;
                for i in (1..n).rev() {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    order.swap(i, usize::try_from(state % (count(i) + 1)).expect("below i + 1"));
                }
                let step = i32::try_from(block + 1).expect("small");
                let list: Vec<i32> = order.iter().map(|i| i * step).collect();
                let places: Vec<i64> = list.iter().map(|&i| i64::from(i)).collect();
                let ty = ok(mpi::indexed_block(count(block), &places, &element(width)));
                Case { ty, count: 1, periods: n, list }
            }
            Form::Face { thick } => {
                let rows = bytes / (8 * thick);
                let planes = rows.div_ceil(EDGE - 2);
                let row = ok(mpi::contiguous(count(thick), &Type::leaf(Basic::DOUBLE)));
                let line = ok(mpi::hvector(count(EDGE - 2), 1, long(8 * EDGE), &row));
                let ty = ok(mpi::hvector(count(planes), 1, long(8 * EDGE * EDGE), &line));
                Case { ty, count: 1, periods: planes, list: Vec::new() }
            }
        }
    }
}
