//! The datatypes that describe a layout: a program may use any of them.

use commloom_layout::mpi::{
    contiguous, hvector, indexed, indexed_block, resized, structure, subarray, vector,
};
use commloom_layout::{LayoutError, Type, mpi};

use super::{Case, Element, Field, Form};

/// One way to describe a layout.
pub struct Description {
    pub name: &'static str,
    pub ty: Type,
    pub count: u64,
}

type Described = Result<Vec<Description>, LayoutError>;

/// Other than the obvious descriptions are given up to so many periods or list entries: past it,
/// they take long and tell nothing new.
const MOST_ENTRIES: i64 = 1 << 20;

/// Descriptions of a case; the first is the one that a program would use.
///
/// # Errors
/// A number does not fit in 64 bits.
pub fn descriptions(form: &Form, case: &Case) -> Described {
    match form {
        Form::Periods { element, extent, blocks } => {
            let described = periods(*element, *extent, blocks, case.n)?;
            let entries = case.n * i64::try_from(blocks.len()).unwrap_or(i64::MAX);
            with_lists(described, *element, entries, || blocks_of(blocks, *extent, case.n))
        }
        Form::Fields { extent, fields } => fields_of(*extent, fields, case.n),
        Form::Nest { element, loops, block } => {
            let described = nest(*element, loops, *block, case.n)?;
            let entries = case.n * loops[1..].iter().map(|l| l[0]).product::<i64>();
            with_lists(described, *element, entries, || nested_blocks(loops, *block, case.n))
        }
        Form::List { element, block, .. } => {
            let places: Vec<i64> = case.places.iter().map(|&place| place.into()).collect();
            let described = vec![one("indexed block", list(*element, *block, &places)?)];
            if *block == 1 {
                return Ok(described);
            }
            let blocks = || places.iter().map(|&place| [place, *block]).collect();
            with_lists(described, *element, case.n, blocks)
        }
    }
}

fn one(name: &'static str, ty: Type) -> Description {
    Description { name, ty, count: 1 }
}

fn periods(element: Element, extent: i64, blocks: &[[i64; 2]], n: i64) -> Described {
    let (leaf, all) = (element.leaf(), number(n));
    let period = match *blocks {
        [[_, length]] => contiguous(number(length), &leaf)?,
        _ => list_of_blocks(element, blocks)?,
    };
    let unit = resized(0, extent * element.bytes(), &period)?;
    let parts = |n| match *blocks {
        [[_, length]] => vector(number(n), number(length), extent, &leaf),
        _ => contiguous(number(n), &unit),
    };
    let mut described = vec![Description { name: "count x unit", ty: unit.clone(), count: all }];
    if blocks.len() == 1 {
        described.push(one("vector", parts(n)?));
    }
    // Two halves, as expectation test 5 has it.
    if n > MOST_ENTRIES {
        return Ok(described);
    }
    let half = n / 2;
    let second = half * extent * element.bytes();
    described.push(one(
        "struct of two",
        structure(&[1, 1], &[0, second], &[parts(half)?, parts(n - half)?])?,
    ));
    Ok(described)
}

fn fields_of(extent: i64, fields: &[Field], n: i64) -> Described {
    let lengths: Vec<u64> = fields.iter().map(|field| number(field.count)).collect();
    let offsets: Vec<i64> = fields.iter().map(|field| field.offset).collect();
    let types: Vec<Type> = fields.iter().map(|field| field.element.leaf()).collect();
    let unit = resized(0, extent, &structure(&lengths, &offsets, &types)?)?;
    let count = number(n);
    Ok(vec![
        Description { name: "count x unit", ty: unit.clone(), count },
        one("contiguous", contiguous(count, &unit)?),
    ])
}

fn nest(element: Element, loops: &[[i64; 2]], block: i64, n: i64) -> Described {
    let width = element.bytes();
    let mut body = contiguous(number(block), &element.leaf())?;
    for &[count, stride] in loops[1..].iter().rev() {
        body = hvector(number(count), 1, stride * width, &body)?;
    }
    let outer = loops[0][1] * width;
    let mut described = vec![
        one("nested vectors", hvector(number(n), 1, outer, &body)?),
        Description { name: "count x unit", ty: resized(0, outer, &body)?, count: number(n) },
    ];
    if let Some(part) = as_subarray(element, loops, block, n)? {
        described.push(one("subarray", part));
    }
    Ok(described)
}

/// The nest as a part of an array in C order, where its strides are multiples of each other.
fn as_subarray(
    element: Element,
    loops: &[[i64; 2]],
    block: i64,
    n: i64,
) -> Result<Option<Type>, LayoutError> {
    let (mut sizes, mut subsizes) = (vec![number(n)], vec![number(n)]);
    for pair in loops.windows(2) {
        let ([_, outer], [count, inner]) = (pair[0], pair[1]);
        if inner >= outer || outer % inner != 0 || outer / inner < count {
            return Ok(None);
        }
        sizes.push(number(outer / inner));
        subsizes.push(number(count));
    }
    sizes.push(number(loops[loops.len() - 1][1]));
    subsizes.push(number(block));
    let starts = vec![0; sizes.len()];
    subarray(&sizes, &subsizes, &starts, mpi::Order::C, &element.leaf()).map(Some)
}

/// Adds the descriptions as lists: block by block, and element by element.
fn with_lists(
    mut described: Vec<Description>,
    element: Element,
    entries: i64,
    blocks: impl FnOnce() -> Vec<[i64; 2]>,
) -> Described {
    if entries > MOST_ENTRIES {
        return Ok(described);
    }
    let blocks = blocks();
    let lengths: Vec<i64> = blocks.iter().map(|block| block[1]).collect();
    let elements: i64 = lengths.iter().sum();
    if lengths.iter().any(|&length| length != 1) && described[0].name != "indexed block" {
        described.push(one("indexed", list_of_blocks(element, &blocks)?));
    }
    if elements <= MOST_ENTRIES {
        let places: Vec<i64> = blocks.iter().flat_map(|&[at, n]| at..at + n).collect();
        described.push(one("element by element", list(element, 1, &places)?));
    }
    Ok(described)
}

fn list(element: Element, block: i64, places: &[i64]) -> Result<Type, LayoutError> {
    indexed_block(number(block), places, &element.leaf())
}

fn list_of_blocks(element: Element, blocks: &[[i64; 2]]) -> Result<Type, LayoutError> {
    let lengths: Vec<u64> = blocks.iter().map(|block| number(block[1])).collect();
    let places: Vec<i64> = blocks.iter().map(|block| block[0]).collect();
    indexed(&lengths, &places, &element.leaf())
}

fn blocks_of(blocks: &[[i64; 2]], extent: i64, n: i64) -> Vec<[i64; 2]> {
    (0..n).flat_map(|k| blocks.iter().map(move |&[at, len]| [k * extent + at, len])).collect()
}

fn nested_blocks(loops: &[[i64; 2]], block: i64, n: i64) -> Vec<[i64; 2]> {
    let mut places = vec![0];
    for (level, &[count, stride]) in loops.iter().enumerate() {
        let count = if level == 0 { n } else { count };
        places = places.iter().flat_map(|at| (0..count).map(move |i| at + i * stride)).collect();
    }
    places.into_iter().map(|at| [at, block]).collect()
}

fn number(n: i64) -> u64 {
    u64::try_from(n).expect("counts are not negative")
}
