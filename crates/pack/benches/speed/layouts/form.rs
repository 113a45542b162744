//! [`Form`]: what a layout looks like, as numbers that both the datatypes and the C loops are made
//! of.

use commloom_layout::{Basic, Type};

/// An element of which whole numbers are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Byte,
    Short,
    Int,
    Float,
    Double,
    Complex,
}

impl Element {
    pub fn bytes(self) -> i64 {
        match self {
            Element::Byte => 1,
            Element::Short => 2,
            Element::Int | Element::Float => 4,
            Element::Double => 8,
            Element::Complex => 16,
        }
    }

    pub fn basic(self) -> Basic {
        match self {
            Element::Byte => Basic::BYTE,
            Element::Short => Basic::SHORT,
            Element::Int => Basic::INT,
            Element::Float => Basic::FLOAT,
            Element::Double => Basic::DOUBLE,
            Element::Complex => Basic::C_DOUBLE_COMPLEX,
        }
    }

    pub fn leaf(self) -> Type {
        Type::leaf(self.basic())
    }

    /// The type of the C loops.
    pub fn in_c(self) -> &'static str {
        match self {
            Element::Byte => "unsigned char",
            Element::Short => "short",
            Element::Int => "int",
            Element::Float => "float",
            Element::Double => "double",
            Element::Complex => "double _Complex",
        }
    }
}

/// Elements of a struct.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Bytes from the start of the struct.
    pub offset: i64,
    pub element: Element,
    pub count: i64,
}

impl Field {
    pub fn bytes(&self) -> i64 {
        self.count * self.element.bytes()
    }
}

/// The order in which the blocks of a list are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Ascending, with random gaps of one to three blocks.
    Sorted,
    /// A random permutation of every other block.
    Random,
}

/// A layout up to one count, `n`. Lengths, starts and strides are in elements.
#[derive(Debug, Clone)]
pub enum Form {
    /// `n` periods, `extent` apart, of blocks (start, length); the first starts at 0.
    Periods { element: Element, extent: i64, blocks: Vec<[i64; 2]> },
    /// `n` structs, `extent` bytes apart, of which these fields are moved.
    Fields { extent: i64, fields: Vec<Field> },
    /// Nested loops (count, stride), outermost first, around a block of adjacent elements. The
    /// count of the outermost is `n`.
    Nest { element: Element, loops: Vec<[i64; 2]>, block: i64 },
    /// `n` blocks of adjacent elements at places from a list.
    List { element: Element, block: i64, order: Order },
}

impl Form {
    /// Packed bytes of one of the `n` parts.
    pub fn part(&self) -> i64 {
        match self {
            Form::Periods { element, blocks, .. } => {
                element.bytes() * blocks.iter().map(|block| block[1]).sum::<i64>()
            }
            Form::Fields { fields, .. } => fields.iter().map(Field::bytes).sum(),
            Form::Nest { element, loops, block } => {
                let inner: i64 = loops[1..].iter().map(|l| l[0]).product();
                element.bytes() * block * inner
            }
            Form::List { element, block, .. } => element.bytes() * block,
        }
    }

    /// Bytes of memory that `n` parts span, rounded up to whole strides.
    pub fn footprint(&self, n: i64) -> i64 {
        match self {
            Form::Periods { element, extent, .. } => element.bytes() * extent * n,
            Form::Fields { extent, .. } => extent * n,
            Form::Nest { element, loops, block } => {
                let inner: i64 = loops[1..].iter().map(|l| (l[0] - 1) * l[1]).sum();
                element.bytes() * ((n - 1) * loops[0][1] + inner + block)
            }
            Form::List { element, block, order } => {
                let spread = if *order == Order::Random { 2 } else { 4 };
                element.bytes() * block * spread * n
            }
        }
    }

    /// The places of `n` blocks of a list, in elements; empty for the others.
    pub fn places(&self, n: i64, seed: u64) -> Vec<i32> {
        let Form::List { block, order, .. } = self else { return Vec::new() };
        let mut random = SplitMix(seed);
        let mut places = Vec::new();
        let mut at = 0;
        for _ in 0..n {
            places.push(i32::try_from(at * block).expect("footprints are below 2^31 elements"));
            at += match order {
                Order::Random => 2,
                Order::Sorted => 2 + i64::try_from(random.below(3)).expect("small"),
            };
        }
        if *order == Order::Random {
            for i in (1..places.len()).rev() {
                let other = usize::try_from(random.below(i as u64 + 1)).expect("an index");
                places.swap(i, other);
            }
        }
        places
    }
}

/// A small generator of random numbers (Steele, Lea, Flood: SplitMix64).
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}
