//! The type map: the elements of a type in order (MPI 4.1, section 5.1), and its runs of bytes.

use crate::{Basic, Kind, Type};

/// One entry of a type map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The basic type.
    pub basic: Basic,
    /// Displacement in bytes from the origin of the type.
    pub displacement: i64,
}

/// Adjacent bytes of a type map: adjacent in memory and in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Run {
    /// Displacement in bytes of the first byte.
    pub displacement: i64,
    /// Length in bytes.
    pub length: u64,
}

/// A node that is being walked: `part` of its list of parts, `copy` inside that part.
struct Frame<'a> {
    node: &'a Type,
    base: i64,
    part: usize,
    copy: u64,
}

/// Walks a type in order and stops at every node for which `stop` holds. Uses O(depth) memory;
/// each step costs O(depth) at worst, O(1) amortized where no node is empty or single.
struct Walk<'a, F> {
    stack: Vec<Frame<'a>>,
    stop: F,
}

impl<'a, F: Fn(&Type) -> bool> Walk<'a, F> {
    fn new(root: &'a Type, stop: F) -> Self {
        Walk { stack: vec![Frame { node: root, base: 0, part: 0, copy: 0 }], stop }
    }

    /// The next node to stop at, and its displacement.
    fn next(&mut self) -> Option<(&'a Type, i64)> {
        while let Some(frame) = self.stack.last_mut() {
            if frame.node.size() == 0 {
                self.stack.pop();
                continue;
            }
            if (self.stop)(frame.node) {
                let found = (frame.node, frame.base);
                self.stack.pop();
                return Some(found);
            }
            match frame.advance() {
                Some((node, base)) => self.stack.push(Frame { node, base, part: 0, copy: 0 }),
                None => {
                    self.stack.pop();
                }
            }
        }
        None
    }
}

impl<'a> Frame<'a> {
    /// The next child of this node with its displacement. Sums wrap on purpose: an origin between
    /// root and leaf may lie outside 64 bits, the displacements of the elements do not (the
    /// constructors checked them), so the wraps cancel.
    fn advance(&mut self) -> Option<(&'a Type, i64)> {
        let copies = |n: u64| i64::try_from(n).expect("checked when the type was built");
        let (part, copy) = (self.part, self.copy);
        match self.node.kind() {
            Kind::Leaf(_) => None,
            Kind::Resized { child, .. } => {
                self.part += 1;
                (part == 0).then_some((child, self.base))
            }
            Kind::Vec { count, stride, child } => {
                self.copy += 1;
                let at = self.base.wrapping_add(copies(copy).wrapping_mul(*stride));
                (copy < *count).then_some((child, at))
            }
            Kind::Idx { indices, child } => {
                self.part += 1;
                indices.get(part).map(|i| (child, self.base.wrapping_add(*i)))
            }
            Kind::IdxBuc { stride, indices, blocks, child } => {
                while self.copy >= *blocks.get(self.part)? {
                    self.part += 1;
                    self.copy = 0;
                }
                let step = copies(self.copy).wrapping_mul(*stride);
                let at = self.base.wrapping_add(indices[self.part]).wrapping_add(step);
                self.copy += 1;
                Some((child, at))
            }
            Kind::Strc { indices, children } => {
                self.part += 1;
                indices.get(part).map(|i| (&children[part], self.base.wrapping_add(*i)))
            }
        }
    }
}

/// Iterator over the entries of a type map, in order.
pub struct TypeMap<'a>(Walk<'a, fn(&Type) -> bool>);

impl Iterator for TypeMap<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let (node, displacement) = self.0.next()?;
        match node.kind() {
            Kind::Leaf(basic) => Some(Entry { basic: *basic, displacement }),
            _ => unreachable!("the walk stops at leaves"),
        }
    }
}

/// Iterator over the maximal runs of a type map, in order.
pub struct Runs<'a> {
    walk: Walk<'a, fn(&Type) -> bool>,
    ahead: Option<Run>,
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        for (node, base) in std::iter::from_fn(|| self.walk.next()) {
            let next =
                Run { displacement: base.wrapping_add(node.first_byte()), length: node.size() };
            match &mut self.ahead {
                Some(run) if ends_at(run, next.displacement) => run.length += next.length,
                _ => {
                    if let Some(run) = self.ahead.replace(next) {
                        return Some(run);
                    }
                }
            }
        }
        self.ahead.take()
    }
}

fn ends_at(run: &Run, displacement: i64) -> bool {
    displacement.checked_sub(run.displacement).and_then(|d| u64::try_from(d).ok())
        == Some(run.length)
}

impl Type {
    /// The type map: every basic element with its displacement, in order.
    #[must_use]
    pub fn type_map(&self) -> TypeMap<'_> {
        TypeMap(Walk::new(self, |node| matches!(node.kind(), Kind::Leaf(_))))
    }

    /// The maximal runs of bytes, in order; there are [`Type::runs`] of them.
    #[must_use]
    pub fn byte_runs(&self) -> Runs<'_> {
        Runs { walk: Walk::new(self, |node| node.runs() == 1), ahead: None }
    }
}
