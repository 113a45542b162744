//! A datatype with numbers: a type of `layout`, in a memory in which every variable has an
//! address.

use std::rc::Rc;

use commloom_layout::{Basic, LayoutError, Type as Layout, mpi};
use commloom_source::affine::Polynomial;
use commloom_source::tree::Dimension;

use crate::Parts;
use crate::ir::{Datatype, Node};

use super::addresses::Addresses;
use super::memory::{Byte, Object};
use super::stop::Stop;
use super::values::Values;

/// Longest list of bytes.
const BYTES: u64 = 1 << 22;

/// A datatype with numbers.
#[derive(Debug, Clone)]
pub struct Instance {
    /// The type. Displacements count from `origin`.
    pub ty: Layout,
    /// The address that the call is given; 0 is `MPI_BOTTOM`.
    pub origin: i64,
    /// Scalars that decide about it, by their names, and their values.
    pub sizes: Vec<(String, i64)>,
    /// The variables that it has parts of.
    pub variables: Vec<Variable>,
    /// As `variables`.
    addresses: Addresses,
}

/// An array or scalar, or what a pointer points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Bytes of what it is an array of; none where that is not known.
    pub element: Option<i64>,
    /// First subscript and extent of each dimension, that of adjacent elements first; the last
    /// extent may not be known. Empty for what is no array, and for one that may have gaps.
    pub shape: Vec<(i64, Option<i64>)>,
}

impl Instance {
    /// Where its elements lie, in their order: in which of the variables, and how many bytes from
    /// its start.
    pub fn elements(&self) -> impl Iterator<Item = (usize, i64, Basic)> {
        self.ty.type_map().map(|entry| {
            let (object, offset) =
                self.addresses.object(self.origin.wrapping_add(entry.displacement));
            (object, offset, entry.basic)
        })
    }

    /// Which of the variables lies at a displacement.
    pub fn variable_at(&self, displacement: i64) -> usize {
        self.addresses.object(self.origin.wrapping_add(displacement)).0
    }

    /// All its bytes in their order.
    pub(super) fn bytes(&self) -> Result<Vec<Byte>, Stop> {
        if self.ty.size() > BYTES {
            return Err(Stop::Limit);
        }
        let mut bytes = Vec::new();
        for (object, offset, basic) in self.elements() {
            let object = self.addresses.objects.get(object).copied().ok_or(Stop::Unknown)?;
            let first = Byte { object, offset };
            bytes.extend((0_i64..).zip(0..basic.size()).map(|(k, _)| first.plus(k)));
        }
        Ok(bytes)
    }
}

impl From<LayoutError> for Stop {
    fn from(_: LayoutError) -> Stop {
        Stop::Limit
    }
}

/// An element of so many bytes.
fn leaf(bytes: u64) -> Result<Layout, Stop> {
    let basic = [Basic::DOUBLE, Basic::INT, Basic::SHORT, Basic::BYTE, Basic::C_DOUBLE_COMPLEX];
    match basic.into_iter().find(|basic| basic.size() == bytes) {
        Some(basic) => Ok(Layout::leaf(basic)),
        None => Ok(mpi::contiguous(bytes, &Layout::leaf(Basic::BYTE))?),
    }
}

impl Values<'_, '_> {
    /// The datatype with numbers; as often as the range has parts.
    pub fn instance(
        mut self,
        datatype: &Datatype,
        parts: Option<&Parts>,
    ) -> Result<Instance, Stop> {
        let origin = match &datatype.at {
            Some(address) => {
                let mut byte = self.base(&address.base)?;
                byte.offset += self.number(&address.offset)?;
                // What the text will say must be the same byte.
                let byte = self.spot(&address.place).unwrap_or(byte);
                self.addresses.of(byte)?
            }
            None => 0,
        };
        let leaf = leaf(datatype.element)?;
        let mut ty = self.node(&datatype.node, &leaf)?;
        if let Some(parts) = parts {
            ty = mpi::contiguous(self.many(&parts.count)?, &ty)?;
        }
        let objects = self.addresses.objects.clone();
        let variables = objects.into_iter().map(|object| self.variable(object)).collect();
        let sizes = self.sizes.into_iter().collect();
        Ok(Instance { ty, origin, sizes, variables, addresses: self.addresses })
    }

    /// The variable that an object is in the program.
    fn variable(&mut self, object: Object) -> Variable {
        let plain =
            |name: &str| Variable { name: name.to_owned(), element: None, shape: Vec::new() };
        let is_fortran = self.interpreter.is_fortran;
        let name = self.interpreter.objects.name(object).to_owned();
        let root = self.interpreter.objects.root(object);
        let root_name = self.interpreter.objects.name(root).to_owned();
        let declared = self.interpreter.meaning(&root_name).variable.map(|(_, of)| of);
        let types = &self.interpreter.types;
        let of = match (name.strip_prefix('*'), declared) {
            (None, Some(of)) => Some(of),
            (Some(held), Some(of)) if types.is_pointer(of) && held == format!("{root_name}+0") => {
                types.shape(of).ok().and_then(|shape| shape.inner)
            }
            _ => None,
        };
        let Some((of, shape)) = of.and_then(|of| Some((of, types.shape(of).ok()?))) else {
            return plain(name.trim_start_matches('*').trim_end_matches("+0"));
        };
        let dimensions = Rc::clone(&shape.dimensions);
        let element = if dimensions.is_empty() { of } else { shape.inner.unwrap_or(of) };
        let has_gaps = dimensions.iter().any(|d| matches!(d, Dimension::AssumedShape { .. }));
        let mut shape: Vec<(i64, Option<i64>)> = dimensions
            .iter()
            .enumerate()
            .map(|(d, dimension)| {
                let lower = self.interpreter.lower(root, d, dimension).unwrap_or(0);
                (lower, self.interpreter.extent(root, d, dimension).ok())
            })
            .collect();
        if !is_fortran {
            shape.reverse();
        }
        if has_gaps {
            shape.clear();
        } else if name.starts_with('*') && !is_fortran {
            // Of what a pointer points to there may be any number.
            shape.push((0, None));
        }
        Variable { element: self.interpreter.size(element, root).ok(), shape, ..plain(&root_name) }
    }

    fn node(&mut self, node: &Node, leaf: &Layout) -> Result<Layout, Stop> {
        Ok(match node {
            Node::Contiguous { count } => mpi::contiguous(self.many(count)?, leaf)?,
            Node::Vector { count, block, stride } => {
                mpi::vector(self.many(count)?, self.many(block)?, self.number(stride)?, leaf)?
            }
            Node::Hvector { count, stride, child } => {
                let count = self.many(count)?;
                // Between two variables the distance is one of addresses, which nobody asks for
                // without turns.
                let stride = if count > 1 { self.number(stride)? } else { 0 };
                mpi::hvector(count, 1, stride, &self.node(child, leaf)?)?
            }
            Node::Listed { count, block, list, entry, scale, shift } => {
                let (turns, block) = (self.turns(count)?, self.many(block)?);
                let (first, scale) = (self.spot(list)?, self.number(scale)?);
                let shift = self.number(shift)?;
                let entry = i64::try_from(*entry).map_err(|_| Stop::Limit)?;
                let length = block.saturating_mul(leaf.size());
                let length = i64::try_from(length).map_err(|_| Stop::Limit)?;
                let displacements: Vec<i64> = turns
                    .map(|k| {
                        let drawn = self.interpreter.draw.entry(k, length, scale);
                        let value =
                            drawn.unwrap_or_else(|| self.interpreter.value(first.plus(k * entry)));
                        let steps = value.checked_sub(shift);
                        steps.and_then(|s| s.checked_mul(scale)).ok_or(Stop::Limit)
                    })
                    .collect::<Result<_, _>>()?;
                mpi::hindexed_block(block, &displacements, leaf)?
            }
            Node::Hindexed { displacements, child } => {
                let displacements: Vec<i64> =
                    displacements.iter().map(|d| self.number(d)).collect::<Result<_, _>>()?;
                mpi::hindexed_block(1, &displacements, &self.node(child, leaf)?)?
            }
            Node::Resized { extent, child } => {
                mpi::resized(0, self.number(extent)?, &self.node(child, leaf)?)?
            }
            Node::Struct(members) => {
                let mut parts = Vec::new();
                for member in members {
                    let at = self.number(&member.displacement)?;
                    parts.push((at, self.part(&member.node, leaf)?));
                }
                structure(parts, leaf)?
            }
            Node::Each { counter, count, displacement, child } => {
                let mut parts = Vec::new();
                for turn in self.turns(count)? {
                    self.counters.insert(*counter, turn);
                    self.set_variable(*counter)?;
                    let at = self.number(displacement)?;
                    parts.push((at, self.part(child, leaf)?));
                }
                self.counters.remove(counter);
                structure(parts, leaf)?
            }
            Node::Guard { condition, then, otherwise } => {
                let branch = if self.interpreter.decide(condition) { then } else { otherwise };
                self.node(branch, leaf)?
            }
        })
    }

    fn part(&mut self, node: &Node, leaf: &Layout) -> Result<Part, Stop> {
        Ok(match node {
            Node::Contiguous { count } => Part::Block(self.many(count)?),
            node => Part::Type(self.node(node, leaf)?),
        })
    }

    /// A count. What is negative counts nothing.
    fn many(&mut self, count: &Polynomial) -> Result<u64, Stop> {
        Ok(u64::try_from(self.number(count)?).unwrap_or(0))
    }

    /// The turns of a loop that is written out.
    fn turns(&mut self, count: &Polynomial) -> Result<std::ops::Range<i64>, Stop> {
        let count = self.many(count)?;
        self.parts = self.parts.checked_sub(count).ok_or(Stop::Limit)?;
        Ok(0..i64::try_from(count).map_err(|_| Stop::Limit)?)
    }
}

/// A member of a struct.
enum Part {
    /// So many elements.
    Block(u64),
    Type(Layout),
}

/// Members that are blocks of elements, or all alike, are no struct: a list says them
/// (`MPI_Type_create_hindexed`).
fn structure(parts: Vec<(i64, Part)>, leaf: &Layout) -> Result<Layout, Stop> {
    let (displacements, parts): (Vec<i64>, Vec<Part>) = parts.into_iter().unzip();
    let blocks: Option<Vec<u64>> = parts
        .iter()
        .map(|part| match part {
            Part::Block(count) => Some(*count),
            Part::Type(_) => None,
        })
        .collect();
    if let Some(blocks) = blocks.filter(|blocks| blocks.len() > 1) {
        return Ok(mpi::hindexed(&blocks, &displacements, leaf)?);
    }
    let children = parts
        .into_iter()
        .map(|part| match part {
            Part::Block(count) => mpi::contiguous(count, leaf),
            Part::Type(ty) => Ok(ty),
        })
        .collect::<Result<Vec<Layout>, _>>()?;
    match children.split_first() {
        Some((first, rest)) if !rest.is_empty() && rest.iter().all(|child| child == first) => {
            Ok(mpi::hindexed_block(1, &displacements, first)?)
        }
        _ => Ok(Layout::strc(displacements, children)?),
    }
}
