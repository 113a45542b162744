//! How much memory types and plans take, for bounds in bytes. Parts that are shared within one are
//! counted once.

use std::collections::HashSet;
use std::sync::Arc;

use commloom_layout::{Kind, Type};

use crate::node::{Node, Step};
use crate::offsets::Offsets;
use crate::{Kernel, Plan, Program, Shape};

/// Two reference counts.
const COUNTS: usize = 2 * size_of::<usize>();
/// A node of a type: its kind and facts.
const TYPE_NODE: usize = COUNTS + size_of::<Kind>() + 160;
/// Types up to so many nodes are walked without remembering what is shared.
const FEW: u64 = 64;

/// Bytes on the heap of a plan. Linear in the nodes, not in their lists.
pub(crate) fn of_plan(plan: &Plan) -> usize {
    of_node(plan.root()) + plan.heap_of_flat()
}

/// Bytes on the heap of a node and everything below. Linear in the nodes, not in their lists.
fn of_node(root: &Node) -> usize {
    fn child(node: &Arc<Node>, seen: &mut HashSet<*const Node>) -> usize {
        // Held by the parent alone: it cannot be met a second time.
        let shared = Arc::strong_count(node) > 1;
        if shared && !seen.insert(Arc::as_ptr(node)) {
            return 0;
        }
        below(node, seen)
    }
    fn below(node: &Node, seen: &mut HashSet<*const Node>) -> usize {
        let own = COUNTS + size_of::<Node>() + of_kernel(node.kernel());
        own + match node.shape() {
            Shape::Block => 0,
            Shape::Loop { body, .. } => child(body, seen),
            Shape::List { offsets, body } => of_offsets(offsets) + child(body, seen),
            Shape::Buckets { offsets, copies, body, .. } => {
                of_offsets(offsets) + size_of_val(&**copies) + child(body, seen)
            }
            Shape::Runs { offsets, starts } => of_offsets(offsets) + size_of_val(&**starts),
            Shape::Seq(steps) => {
                let nodes: usize = steps.iter().map(|Step { node, .. }| child(node, seen)).sum();
                size_of_val(&**steps) + nodes
            }
        }
    }
    below(root, &mut HashSet::new())
}

fn of_offsets(offsets: &Offsets) -> usize {
    match offsets {
        Offsets::Narrow(list) => size_of_val(&**list),
        Offsets::Wide(list) => size_of_val(&**list),
        Offsets::Short { anchors, list } => size_of_val(&**anchors) + size_of_val(&**list),
    }
}

fn of_kernel(kernel: &Kernel) -> usize {
    let program = |p: &Option<Box<Program>>| p.as_ref().map_or(0, |p| size_of_val(&**p));
    match kernel {
        Kernel::Period { parts, pieces, .. } => size_of_val(&**parts) + pieces.heap(),
        Kernel::Blocks { parts } => size_of_val(&**parts),
        Kernel::Paced { other, .. } => size_of::<Kernel>() + of_kernel(other),
        Kernel::Tiles(tiles) => size_of_val(&*tiles.others),
        Kernel::Programs { pack, unpack, other } => {
            program(pack) + program(unpack) + size_of::<Kernel>() + of_kernel(other)
        }
        Kernel::Copy | Kernel::Rows { .. } | Kernel::Runs | Kernel::Walk => 0,
    }
}

/// Bytes on the heap of a type, about. Linear in its nodes, shared ones once where there are many.
#[must_use]
pub fn of_type(ty: &Type) -> usize {
    fn walk<'t>(ty: &'t Type, seen: &mut Option<HashSet<&'t Type>>) -> usize {
        if let Some(seen) = seen
            && !seen.insert(ty)
        {
            return 0;
        }
        let lists = match ty.kind() {
            Kind::Idx { indices, .. } => size_of_val(&**indices),
            Kind::IdxBuc { indices, blocks, .. } => {
                size_of_val(&**indices) + size_of_val(&**blocks)
            }
            Kind::Strc { indices, children } => size_of_val(&**indices) + size_of_val(&**children),
            Kind::Leaf(_) | Kind::Vec { .. } | Kind::Resized { .. } => 0,
        };
        TYPE_NODE + lists + ty.children().iter().map(|child| walk(child, seen)).sum::<usize>()
    }
    walk(ty, &mut (ty.nodes() > FEW).then(HashSet::new))
}
