//! How the blocks of an operation lie in the memory of a process, and of what type each is.

use commloom_commgraph::recorded::program_address;
use commloom_commgraph::{Addresses, Pieces};
use commloom_layout::{Basic, LayoutError, Type};

use crate::elements::Elements;
use crate::printed::Block;
use commloom_emit::Code;

/// Where the block of each rank is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rows {
    /// So many bytes after that of the rank before.
    Step(u64),
    /// So many bytes after the lowest.
    Listed(Vec<u64>),
    /// All at one place, one after the other in time.
    Same,
}

impl Rows {
    /// As displacements tell them, from the first block that there is: where rank 0 has none,
    /// there is no place to count steps from.
    pub fn displaced(self, blocks: &[(u64, u64)]) -> Rows {
        let first = blocks.iter().position(|(_, length)| *length > 0);
        match (self, first) {
            (Rows::Step(step), Some(first @ 1..)) => {
                let behind = |k: usize| wide(k.saturating_sub(first)).saturating_mul(step);
                Rows::Listed((0..blocks.len()).map(behind).collect())
            }
            (rows, _) => rows,
        }
    }
}

/// The rows that these addresses are; blocks without bytes may lie anywhere.
pub fn rows(blocks: &[(u64, u64)]) -> Rows {
    let there = || blocks.iter().enumerate().filter(|(_, (_, length))| *length > 0);
    let place = |at: u64| program_address(at);
    let Some((first, (start, length))) = there().next().map(|(k, b)| (k, *b)) else {
        return Rows::Step(0);
    };
    let Some((second, (next, _))) = there().nth(1) else { return Rows::Step(length) };
    if there().all(|(_, (at, _))| place(*at) == place(start)) {
        return Rows::Same;
    }
    let apart = wide(second - first);
    let far = place(*next).checked_sub(place(start));
    if let Some(step) = far.filter(|far| far.is_multiple_of(apart)).map(|far| far / apart) {
        let lies = |(k, (at, _)): (usize, &(u64, u64))| {
            place(*at).checked_sub(place(start)) == Some(wide(k - first).saturating_mul(step))
        };
        if there().all(lies) {
            return Rows::Step(step);
        }
    }
    let lowest = there().map(|(_, (at, _))| place(*at)).min().unwrap_or(0);
    Rows::Listed(
        blocks
            .iter()
            .map(|(at, length)| if *length > 0 { place(*at) - lowest } else { 0 })
            .collect(),
    )
}

/// Count and type of a block, as arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    pub count: String,
    pub datatype: String,
    /// The elements of a block, where it is no derived type.
    pub elements: Option<u64>,
    /// The bytes that both describe.
    pub block: Block,
}

/// The block whose pieces have these offsets and length; its type is made under `name` where it
/// needs one. `step`: how far it is to the next block, where there are several.
pub fn shape(
    pieces: &Pieces,
    offsets: &Addresses,
    length: u64,
    step: Option<u64>,
    elements: &Elements,
    (code, name): (&mut Code, &str),
) -> Shape {
    let basic = elements.basic;
    let of = elements.count(length).unwrap_or(length);
    let plain = |elements: u64| Shape {
        count: elements.to_string(),
        datatype: basic.name().to_owned(),
        elements: Some(elements),
        block: Block::dense(elements.saturating_mul(basic.size())),
    };
    if pieces.count == 1 && step.is_none_or(|step| step == length) {
        return plain(of);
    }
    let made = derived(pieces, offsets, of, step, basic);
    match made.and_then(|ty| Ok((commloom_emit::calls(&ty)?, Block::of(&ty)?))) {
        Ok((calls, block)) => {
            let datatype = code.datatype(name, &calls.0);
            Shape { count: "1".to_owned(), datatype, elements: None, block }
        }
        Err(_) => plain(of.saturating_mul(u64::from(pieces.count))),
    }
}

/// The pieces of a block as a type.
fn derived(
    pieces: &Pieces,
    offsets: &Addresses,
    elements: u64,
    step: Option<u64>,
    basic: Basic,
) -> Result<Type, LayoutError> {
    let leaf = Type::leaf(basic);
    let block = commloom_layout::mpi::contiguous(elements, &leaf)?;
    let n = usize::try_from(pieces.count).unwrap_or(usize::MAX);
    let signed = |n: u64| n.cast_signed();
    let all = match offsets {
        _ if n == 1 => block,
        Addresses::Affine { step, .. } => Type::vec(u64::from(pieces.count), signed(*step), block)?,
        Addresses::Listed(_) => {
            let places: Vec<i64> = (0..n).map(|k| signed(offsets.get(k))).collect();
            commloom_layout::mpi::hindexed_block(1, &places, &block)?
        }
    };
    match step {
        Some(step) if signed(step) != all.extent() => {
            commloom_layout::mpi::resized(0, signed(step), &all)
        }
        _ => Ok(all),
    }
}

fn wide(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_in_steps_elsewhere_and_at_one_place() {
        assert_eq!(rows(&[(100, 8), (108, 8), (116, 8)]), Rows::Step(8));
        assert_eq!(rows(&[(0, 0), (108, 8), (132, 8)]), Rows::Step(24));
        assert_eq!(rows(&[(108, 8), (100, 8)]), Rows::Listed(vec![8, 0]));
        // Contents that are made anew have other addresses in a graph.
        assert_eq!(rows(&[(100, 8), (100 + (1 << 48), 8), (100 + (2 << 48), 8)]), Rows::Same);
        assert_eq!(rows(&[(0, 0), (0, 0)]), Rows::Step(0));
    }
}
