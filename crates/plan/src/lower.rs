//! From a type to nodes: one arm per constructor, the merging is in `merge`.

use std::collections::HashMap;
use std::sync::Arc;

use commloom_layout::{Kind, Type};

use crate::merge::{Placed, buckets, list, repeat, sequence};
use crate::node::Node;
use crate::number::add;
use crate::{PlanError, Target};

/// Trees with more nodes than this remember what they lowered: parts of a type may be shared, and
/// a small description can stand for a tree of any size.
const REMEMBER: u64 = 64;

/// Lowers types for one target.
pub(crate) struct Lower<'t> {
    target: &'t Target,
    known: Option<HashMap<Type, Placed>>,
}

impl<'t> Lower<'t> {
    pub(crate) fn new(root: &Type, target: &'t Target) -> Self {
        Lower { target, known: (root.nodes() > REMEMBER).then(HashMap::new) }
    }

    /// The node of a type that has bytes, and the displacement of its first byte. Time is linear
    /// in the description (nodes, shared ones once, and list entries). Recursion is as deep as the
    /// type, which `layout` limits.
    pub(crate) fn lower(&mut self, ty: &Type) -> Result<Placed, PlanError> {
        if ty.runs() == 1 {
            return Ok((ty.first_byte(), Node::new_block(ty.size())?));
        }
        if let Some(placed) = self.known.as_ref().and_then(|known| known.get(ty)) {
            return Ok(placed.clone());
        }
        let placed = self.lower_new(ty)?;
        if let Some(known) = &mut self.known {
            known.insert(ty.clone(), placed.clone());
        }
        Ok(placed)
    }

    fn lower_new(&mut self, ty: &Type) -> Result<Placed, PlanError> {
        let target = self.target;
        match ty.kind() {
            Kind::Leaf(basic) => Ok((0, Node::new_block(basic.size())?)),
            Kind::Resized { child, .. } => self.lower(child),
            Kind::Vec { count, stride, child } => {
                let (at, body) = self.lower(child)?;
                Ok((at, repeat(*count, *stride, body, target)?))
            }
            Kind::Idx { indices, child } => {
                let (_, body) = self.lower(child)?;
                Ok((ty.first_byte(), list(indices, body, target)?))
            }
            Kind::IdxBuc { stride, indices, blocks, child } => {
                let (_, body) = self.lower(child)?;
                let filled = indices.iter().zip(blocks.iter()).filter(|&(_, &n)| n > 0);
                let (places, copies): (Vec<i64>, Vec<u64>) = filled.unzip();
                Ok((ty.first_byte(), buckets(&places, &copies, *stride, body, target)?))
            }
            Kind::Strc { indices, children } => {
                let mut parts: Vec<(i64, Arc<Node>)> = Vec::with_capacity(children.len());
                for (&index, child) in indices.iter().zip(children.iter()) {
                    if child.size() > 0 {
                        let (at, node) = self.lower(child)?;
                        parts.push((add(index, at)?, node));
                    }
                }
                sequence(parts, target)
            }
        }
    }
}
