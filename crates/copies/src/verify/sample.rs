//! A datatype at sizes as programs have them, for what it costs: no loop is run for it, and
//! nothing is compared.

use std::collections::BTreeSet;

use commloom_layout::Type;
use commloom_source::affine::{Atom, Polynomial};
use commloom_source::symbols::Symbols;
use commloom_source::tree;

use crate::ir::{Datatype, Node};
use crate::{Direction, Packing, Request};

use super::draw::{Draw, Sizes};
use super::instantiate::Instance;
use super::interpreter::Interpreter;
use super::values::Values;

/// Bytes that are sent, at most, where the program's own constants do not say otherwise.
pub const BYTES: u64 = 64 * 1024;
/// Bytes of memory that they lie in, at most.
pub const SPAN: i64 = 16 * 1024 * 1024;
/// Largest size that is tried.
const LARGEST: i64 = 1 << 17;
/// Most parts of structs and lists: as many as [`BYTES`] have numbers of eight bytes. Each is one
/// more evaluation, at each size that is tried (BT and SP of NAS took minutes with 65,536).
const PARTS: u64 = BYTES / 8;
/// The value of sizes where nothing that is sent depends on them.
const USUAL: i64 = 64;

/// A datatype at sizes as programs have them: those that the program gives its constants, and for
/// all others one number, so that about [`BYTES`] are sent, or as many as the buffer has room for,
/// and no more than [`SPAN`] lie between the first and the last of them. What begins a range
/// (`first` in `last - first + 1`) is 1; lists name about every third block.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The type, with its first object at about 0; other objects follow it in memory.
    pub ty: Type,
    /// Whether it is sent or received.
    pub direction: Direction,
    /// The value of all sizes that the program leaves open; none where it leaves none open.
    pub size: Option<i64>,
    /// The names of those that have one.
    pub names: Vec<String>,
}

/// The datatype of a call at such sizes; none where it cannot be evaluated.
pub fn sample(
    symbols: &dyn Symbols,
    request: &Request<'_>,
    packing: &Packing,
    datatype: &Datatype,
) -> Option<Sample> {
    let buffer = symbols.variable(&packing.buffer).map(|d| symbols.resolve(&d.of));
    let room = buffer.filter(|of| matches!(of, tree::Type::Array(..)));
    let room = room.and_then(|of| symbols.size_of(&of));
    let most = room.filter(|room| *room > 0).map_or(BYTES, |room| room.min(BYTES));
    let mut firsts = BTreeSet::new();
    each_count(&datatype.node, &mut |count| {
        firsts.extend(count.terms().filter_map(|term| match term {
            ([Atom::Read { place, .. }], negative) if negative < 0 && place.steps.is_empty() => {
                Some(place.variable.clone())
            }
            _ => None,
        }));
    });
    let draw = Draw { seed: 0, sizes: Sizes::Same { size: USUAL, firsts } };
    let mut interpreter = Interpreter::new(symbols, request, packing, draw);
    let mut at = |size, starts| {
        interpreter.again(0);
        interpreter.draw.set_size(size);
        interpreter.survey().ok()?;
        let mut values = Values::placed(request.call, &packing.turns, &mut interpreter, starts);
        values.parts = PARTS;
        values.instance(datatype, packing.parts.as_ref()).ok()
    };
    let size = largest(&mut |size| {
        let found = at(size, Vec::new())?;
        Some((found.ty.size(), found.ty.size() <= most && span(&found) <= SPAN))
    });
    let found = at(size.unwrap_or(USUAL), Vec::new())?;
    let found = match found.variables.len() {
        0 | 1 => found,
        _ => at(size.unwrap_or(USUAL), side_by_side(&found))?,
    };
    let is_open = |name: &str, value: i64| {
        Some(value) == size
            && symbols.constant(name).is_none()
            && symbols.variable(name).is_some_and(|declaration| declaration.value.is_none())
    };
    let names = found.sizes.iter().filter(|(name, value)| is_open(name, *value));
    let names = names.map(|(name, _)| name.clone()).collect();
    (found.ty.size() > 0).then_some(Sample {
        ty: found.ty,
        direction: request.direction,
        size,
        names,
    })
}

/// The largest size that is small enough; none if what is sent does not depend on it. For a size:
/// bytes, and whether it is small enough. A larger size is assumed to send no fewer bytes, and
/// what cannot be evaluated to be too large.
fn largest(of: &mut dyn FnMut(i64) -> Option<(u64, bool)>) -> Option<i64> {
    let (mut fits, mut over) = (1, 2);
    let (first, _) = of(fits)?;
    let mut depends = false;
    while over <= LARGEST {
        let now = of(over);
        depends |= now.is_none_or(|(bytes, _)| bytes != first);
        if !now.is_some_and(|(_, small)| small) {
            break;
        }
        fits = over;
        over *= 2;
    }
    while depends && over - fits > 1 {
        let middle = fits.midpoint(over);
        if of(middle).is_some_and(|(_, small)| small) {
            fits = middle;
        } else {
            over = middle;
        }
    }
    depends.then_some(fits)
}

/// Bytes of memory from the first to the last, with objects side by side.
fn span(found: &Instance) -> i64 {
    match found.variables.len() {
        0 | 1 => found.ty.true_extent(),
        _ => layout(found).1,
    }
}

/// Where objects begin if each follows the one before.
fn side_by_side(found: &Instance) -> Vec<i64> {
    layout(found).0
}

/// Where objects begin if each follows the one before, and where the last one ends: an array's
/// bytes are near to each other, those of two arrays are not mixed.
fn layout(found: &Instance) -> (Vec<i64>, i64) {
    const APART: i64 = 4096;
    let mut ranges: Vec<Option<(i64, i64)>> = vec![None; found.variables.len()];
    for (object, offset, basic) in found.elements() {
        let end = offset.saturating_add_unsigned(basic.size());
        if let Some(range) = ranges.get_mut(object) {
            let (low, high) = range.unwrap_or((offset, end));
            *range = Some((low.min(offset), high.max(end)));
        }
    }
    let mut next = APART;
    let starts = ranges
        .into_iter()
        .map(|range| {
            let (low, high) = range.unwrap_or((0, 0));
            let start = next.saturating_sub(low);
            // Aligned as memory is that is allocated.
            let end = start.saturating_add(high);
            next = (end / APART + 2).saturating_mul(APART);
            start
        })
        .collect();
    (starts, next)
}

/// All counts and lengths of blocks.
fn each_count(node: &Node, visit: &mut dyn FnMut(&Polynomial)) {
    match node {
        Node::Contiguous { count } => visit(count),
        Node::Vector { count, block, .. } | Node::Listed { count, block, .. } => {
            visit(count);
            visit(block);
        }
        Node::Hvector { count, child, .. } | Node::Each { count, child, .. } => {
            visit(count);
            each_count(child, visit);
        }
        Node::Hindexed { child, .. } | Node::Resized { child, .. } => each_count(child, visit),
        Node::Struct(members) => members.iter().for_each(|member| each_count(&member.node, visit)),
        Node::Guard { then, otherwise, .. } => {
            each_count(then, visit);
            each_count(otherwise, visit);
        }
    }
}
