//! [`Type`]: an immutable tree whose nodes carry their facts.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::facts::{Placed, Span, add, overflow};
use crate::list::{Measures, measure};
use crate::{Base, Basic, Facts, LayoutError};

/// Deepest tree that can be built. It bounds the recursion of everything that walks a type, so
/// that no walk needs a stack of its own. Real programs nest below ten levels.
pub const MAX_DEPTH: usize = 512;

/// One node of a type: the constructors of Kalany and Träff (definition 1, section 3.3), `strc` of
/// Ganian et al., and explicit bounds. All displacements and strides in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One element of a basic type, at displacement 0.
    Leaf(Basic),
    /// `count` copies of `child` at 0, `stride`, 2 `stride`, ...
    Vec {
        /// Number of copies.
        count: u64,
        /// Distance between the origins of neighbouring copies.
        stride: i64,
        /// The repeated type.
        child: Type,
    },
    /// A copy of `child` at each index, in the order of the list.
    Idx {
        /// Displacements of the copies.
        indices: Arc<[i64]>,
        /// The repeated type.
        child: Type,
    },
    /// At each index `indices[k]` a bucket of `blocks[k]` copies, `stride` apart.
    IdxBuc {
        /// Distance between neighbouring copies of one bucket.
        stride: i64,
        /// Displacement of the first copy of each bucket.
        indices: Arc<[i64]>,
        /// Number of copies in each bucket.
        blocks: Arc<[u64]>,
        /// The repeated type.
        child: Type,
    },
    /// `children[k]` at `indices[k]`, in the order of the list.
    Strc {
        /// Displacement of each child.
        indices: Arc<[i64]>,
        /// The parts.
        children: Arc<[Type]>,
    },
    /// `child` with explicit lower bound and extent (`MPI_Type_create_resized`).
    Resized {
        /// Lower bound.
        lb: i64,
        /// Upper bound minus lower bound; may be negative, as in MPI.
        extent: i64,
        /// The type that gets these bounds.
        child: Type,
    },
}

struct Node {
    kind: Kind,
    facts: Facts,
}

/// A memory layout: an ordered list of basic elements with displacements, described as a tree.
///
/// Cloning is a reference count. Equality is structural: two different descriptions of one type
/// map are not equal (compare [`Type::type_map`] for that). Bounds are part of the description.
#[derive(Clone)]
pub struct Type(Arc<Node>);

/// Mixes a word into a structural fingerprint (the multiply-rotate of FxHash; a collision costs
/// time in comparisons, never correctness).
struct Mix(u64);

impl Mix {
    fn word(mut self, w: u64) -> Mix {
        self.0 = (self.0.rotate_left(5) ^ w).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self
    }

    fn signed(self, w: i64) -> Mix {
        self.word(u64::from_ne_bytes(w.to_ne_bytes()))
    }
}

impl Type {
    fn new(kind: Kind, mut facts: Facts, hash: Mix) -> Result<Type, LayoutError> {
        if facts.depth > MAX_DEPTH {
            return Err(LayoutError::TooDeep { given: facts.depth, limit: MAX_DEPTH });
        }
        facts.check_bounds()?;
        facts.hash = hash.0;
        Ok(Type(Arc::new(Node { kind, facts })))
    }

    /// One element of a basic type.
    #[must_use]
    pub fn leaf(basic: Basic) -> Type {
        let hash = Mix(1).word(u64::from_ne_bytes(name_word(basic)));
        Self::new(Kind::Leaf(basic), Facts::leaf(basic), hash).expect("a leaf has no limits")
    }

    /// `count` copies of `child`, `stride` bytes apart. A count of zero gives an empty type.
    ///
    /// # Errors
    /// Overflow of size or bounds; nesting past [`MAX_DEPTH`].
    pub fn vec(count: u64, stride: i64, child: Type) -> Result<Type, LayoutError> {
        let mut facts = Facts::empty();
        if count > 0 {
            let steps = i64::try_from(count - 1).map_err(|_| overflow("the count of vec"))?;
            let last = match child.0.facts.size {
                0 if child.0.facts.mark_lb.is_none() => 0,
                _ => steps.checked_mul(stride).ok_or(overflow("the span of vec"))?,
            };
            let touches = child.joins_at(stride);
            facts.append(&Placed {
                child: &child.0.facts,
                min: last.min(0),
                max: last.max(0),
                first: 0,
                last,
                copies: count,
                joins: if touches { count - 1 } else { 0 },
            })?;
        }
        facts.inherit(std::slice::from_ref(&child));
        let hash = Mix(2).word(count).signed(stride).word(child.0.facts.hash);
        Self::new(Kind::Vec { count, stride, child }, facts, hash)
    }

    /// A copy of `child` at each index (bytes), in list order.
    ///
    /// # Errors
    /// Overflow of size or bounds; nesting past [`MAX_DEPTH`].
    pub fn idx(indices: impl Into<Arc<[i64]>>, child: Type) -> Result<Type, LayoutError> {
        let indices = indices.into();
        let mut facts = Facts::empty();
        let mut hash = Mix(3).word(count(indices.len()));
        if let Some(Measures { min, max, joins, hash: list }) = measure(&indices, child.reach()) {
            facts.append(&Placed {
                child: &child.0.facts,
                min,
                max,
                first: indices[0],
                last: indices[indices.len() - 1],
                copies: count(indices.len()),
                joins: count(joins),
            })?;
            hash = hash.word(list);
        }
        facts.inherit(std::slice::from_ref(&child));
        let hash = hash.word(child.0.facts.hash);
        Self::new(Kind::Idx { indices, child }, facts, hash)
    }

    /// At each index a bucket of copies of `child`, `stride` bytes apart. Empty buckets are
    /// allowed.
    ///
    /// # Errors
    /// Lists of different lengths; overflow of size or bounds; nesting past [`MAX_DEPTH`].
    pub fn idxbuc(
        stride: i64,
        indices: impl Into<Arc<[i64]>>,
        blocks: impl Into<Arc<[u64]>>,
        child: Type,
    ) -> Result<Type, LayoutError> {
        let (indices, blocks) = (indices.into(), blocks.into());
        same_length("the indices and blocks of idxbuc", indices.len(), blocks.len())?;
        let mut facts = Facts::empty();
        let reach = child.reach();
        let touches = reach == Some(stride);
        let continues =
            |last: i64, next: i64| u64::from(reach.is_some() && next.checked_sub(last) == reach);
        let mut all: Option<Placed<'_>> = None;
        for (&index, &block) in indices.iter().zip(blocks.iter()).filter(|&(_, &b)| b > 0) {
            let steps = i64::try_from(block - 1).map_err(|_| overflow("a block of idxbuc"))?;
            let reached = steps.checked_mul(stride).ok_or(overflow("the span of idxbuc"))?;
            let last = add(index, reached)?;
            let joins = if touches { block - 1 } else { 0 };
            let (min, max) = (index.min(last), index.max(last));
            let child = &child.0.facts;
            all = Some(match all {
                None => Placed { child, min, max, first: index, last, copies: block, joins },
                Some(before) => Placed {
                    min: before.min.min(min),
                    max: before.max.max(max),
                    last,
                    // Where these do not fit, neither does the size.
                    copies: before.copies.saturating_add(block),
                    joins: before.joins.saturating_add(joins + continues(before.last, index)),
                    ..before
                },
            });
        }
        if let Some(all) = all {
            facts.append(&all)?;
        }
        facts.inherit(std::slice::from_ref(&child));
        let hash = indices
            .iter()
            .zip(blocks.iter())
            .fold(Mix(4).signed(stride), |h, (&i, &b)| {
                h.word(i.cast_unsigned() ^ b.rotate_left(32))
            })
            .word(child.0.facts.hash);
        Self::new(Kind::IdxBuc { stride, indices, blocks, child }, facts, hash)
    }

    /// `children[k]` at `indices[k]` (bytes), in list order.
    ///
    /// # Errors
    /// Lists of different lengths; overflow of size or bounds; nesting past [`MAX_DEPTH`].
    pub fn strc(
        indices: impl Into<Arc<[i64]>>,
        children: impl Into<Arc<[Type]>>,
    ) -> Result<Type, LayoutError> {
        let (indices, children) = (indices.into(), children.into());
        same_length("the indices and children of strc", indices.len(), children.len())?;
        let mut facts = Facts::empty();
        for (&index, child) in indices.iter().zip(children.iter()) {
            let child = &child.0.facts;
            facts.append(&Placed {
                child,
                min: index,
                max: index,
                first: index,
                last: index,
                copies: 1,
                joins: 0,
            })?;
        }
        facts.inherit(&children);
        let hash = indices
            .iter()
            .zip(children.iter())
            .fold(Mix(5), |h, (&i, c)| h.signed(i).word(c.0.facts.hash));
        Self::new(Kind::Strc { indices, children }, facts, hash)
    }

    /// `child` with explicit bounds: lower bound `lb`, upper bound `lb + extent`, both in bytes.
    ///
    /// # Errors
    /// Overflow of the upper bound; nesting past [`MAX_DEPTH`].
    pub fn resized(lb: i64, extent: i64, child: Type) -> Result<Type, LayoutError> {
        let ub = lb.checked_add(extent).ok_or(overflow("the upper bound of resized"))?;
        let mut facts = child.0.facts;
        facts.mark_lb = Some(lb);
        facts.mark_ub = Some(ub);
        facts.inherit(std::slice::from_ref(&child));
        let hash = Mix(6).signed(lb).signed(extent).word(child.0.facts.hash);
        Self::new(Kind::Resized { lb, extent, child }, facts, hash)
    }

    /// The type of an MPI name: a basic type, or one of the pair types of `MPI_MINLOC` as the
    /// struct that it is (MPI 4.1, section 6.9.4).
    #[must_use]
    pub fn predefined(name: &str) -> Option<Type> {
        if let Some(basic) = Basic::by_name(name) {
            return Some(Type::leaf(basic));
        }
        let (a, b) = match name {
            "MPI_FLOAT_INT" => (Basic::FLOAT, Basic::INT),
            "MPI_DOUBLE_INT" => (Basic::DOUBLE, Basic::INT),
            "MPI_LONG_INT" => (Basic::LONG, Basic::INT),
            "MPI_2INT" => (Basic::INT, Basic::INT),
            "MPI_SHORT_INT" => (Basic::SHORT, Basic::INT),
            "MPI_LONG_DOUBLE_INT" => (Basic::LONG_DOUBLE, Basic::INT),
            "MPI_2REAL" => (Basic::REAL, Basic::REAL),
            "MPI_2DOUBLE_PRECISION" => (Basic::DOUBLE_PRECISION, Basic::DOUBLE_PRECISION),
            "MPI_2INTEGER" => (Basic::INTEGER, Basic::INTEGER),
            _ => return None,
        };
        let second = a.size().next_multiple_of(b.align());
        let second = i64::try_from(second).ok()?;
        if a == b {
            return Type::vec(2, second, Type::leaf(a)).ok();
        }
        Type::strc([0, second], [Type::leaf(a), Type::leaf(b)]).ok()
    }

    /// The node at the root.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// Number of data bytes (`MPI_Type_size`).
    #[must_use]
    pub fn size(&self) -> u64 {
        self.0.facts.size
    }

    /// Number of basic elements.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.0.facts.elements
    }

    /// Number of maximal runs of bytes adjacent in memory and in order: 1 means contiguous.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.0.facts.runs
    }

    /// Lower bound in bytes (MPI 4.1, section 5.1.7).
    #[must_use]
    pub fn lb(&self) -> i64 {
        self.0.facts.lb_ub().0
    }

    /// Upper bound in bytes, alignment padding included.
    #[must_use]
    pub fn ub(&self) -> i64 {
        self.0.facts.lb_ub().1
    }

    /// Extent in bytes: the distance of neighbouring elements of this type in a buffer.
    #[must_use]
    pub fn extent(&self) -> i64 {
        let (lb, ub) = self.0.facts.lb_ub();
        ub - lb
    }

    /// Whether a bound was set by `resized` here or below, and so hides the natural ones.
    #[must_use]
    pub fn has_explicit_bounds(&self) -> bool {
        self.0.facts.mark_lb.is_some() || self.0.facts.mark_ub.is_some()
    }

    /// Displacement of the lowest data byte (0 when there is none).
    #[must_use]
    pub fn true_lb(&self) -> i64 {
        self.0.facts.span.map_or(0, |s| s.low)
    }

    /// One past the highest data byte (0 when there is none).
    #[must_use]
    pub fn true_ub(&self) -> i64 {
        self.0.facts.span.map_or(0, |s| s.high)
    }

    /// Distance from the lowest data byte to past the highest, in bytes.
    #[must_use]
    pub fn true_extent(&self) -> i64 {
        self.true_ub() - self.true_lb()
    }

    /// Displacement of the first data byte in type-map order (0 when there is none).
    #[must_use]
    pub fn first_byte(&self) -> i64 {
        self.0.facts.span.map_or(0, |s| s.first)
    }

    /// Largest alignment among the basic types, in bytes (1 when there is none).
    #[must_use]
    pub fn align(&self) -> u64 {
        self.0.facts.span.map_or(1, |s| s.align)
    }

    /// Which basic types this is made of.
    #[must_use]
    pub fn base(&self) -> Base {
        self.0.facts.base
    }

    /// Number of nodes, shared ones counted as often as they occur (saturating).
    #[must_use]
    pub fn nodes(&self) -> u64 {
        self.0.facts.nodes
    }

    /// Nodes on the longest path from the root to a leaf.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.0.facts.depth
    }

    /// Whether `count` copies of this type at its extent are at most one run of bytes, in order.
    #[must_use]
    pub fn is_contiguous(&self, count: u64) -> bool {
        count == 0
            || self.size() == 0
            || self.runs() == 1 && (count == 1 || self.joins_at(self.extent()))
    }

    /// The children, one for each entry of the node's list of parts.
    #[must_use]
    pub fn children(&self) -> &[Type] {
        match self.kind() {
            Kind::Leaf(_) => &[],
            Kind::Vec { child, .. }
            | Kind::Idx { child, .. }
            | Kind::IdxBuc { child, .. }
            | Kind::Resized { child, .. } => std::slice::from_ref(child),
            Kind::Strc { children, .. } => children,
        }
    }

    /// The distance at which a second copy continues the last run of the first.
    fn reach(&self) -> Option<i64> {
        self.0.facts.span.and_then(|Span { first, last, .. }| last.checked_sub(first))
    }

    /// Whether a second copy at `distance` continues the last run of the first.
    fn joins_at(&self, distance: i64) -> bool {
        self.reach() == Some(distance)
    }
}

impl Facts {
    /// Node count and depth of a parent of these children.
    fn inherit(&mut self, children: &[Type]) {
        self.nodes = children.iter().fold(1, |n: u64, c| n.saturating_add(c.nodes()));
        self.depth = 1 + children.iter().map(Type::depth).max().unwrap_or(0);
        if self.elements == 0 {
            self.base = Base::Empty;
        }
    }
}

fn name_word(basic: Basic) -> [u8; 8] {
    let name = basic.name().as_bytes();
    std::array::from_fn(|i| {
        name.iter().skip(4 + i).step_by(8).fold(0, |a: u8, &b| a.rotate_left(3) ^ b)
    })
}

fn count(n: usize) -> u64 {
    u64::try_from(n).expect("a length fits in 64 bits")
}

fn same_length(what: &'static str, left: usize, right: usize) -> Result<(), LayoutError> {
    if left == right { Ok(()) } else { Err(LayoutError::LengthMismatch { what, left, right }) }
}

impl PartialEq for Type {
    fn eq(&self, other: &Type) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.facts.hash == other.0.facts.hash && self.0.kind == other.0.kind)
    }
}

impl Eq for Type {}

impl Hash for Type {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.facts.hash);
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
