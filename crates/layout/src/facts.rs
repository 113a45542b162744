//! Facts of a type that need no walk: computed bottom-up by the constructors.

use crate::{Basic, LayoutError};

/// Which basic types a type is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Base {
    /// No element at all.
    Empty,
    /// Only elements of this basic type.
    One(Basic),
    /// Elements of at least two basic types.
    Mixed,
}

impl Base {
    /// The base of two types together.
    #[must_use]
    pub fn join(self, other: Base) -> Base {
        match (self, other) {
            (Base::Empty, b) | (b, Base::Empty) => b,
            (Base::One(a), Base::One(b)) if a == b => self,
            _ => Base::Mixed,
        }
    }
}

/// Where the bytes of a non-empty type lie, relative to its origin. All fields in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// Lowest byte (the true lower bound).
    pub low: i64,
    /// One past the highest byte (the true upper bound).
    pub high: i64,
    /// First byte in type-map order.
    pub first: i64,
    /// One past the last byte in type-map order.
    pub last: i64,
    /// Largest alignment among the basic types.
    pub align: u64,
}

/// Facts of a type. Bounds follow MPI 4.1, sections 5.1.6 to 5.1.8, on the flattened type map:
/// explicit bounds (from `resized`) hide the natural ones, wherever in the type they stand, and
/// the natural upper bound is padded so that the extent is a multiple of the largest alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Bytes of data.
    pub(crate) size: u64,
    /// Elements of basic type.
    pub(crate) elements: u64,
    /// Maximal runs of bytes that are adjacent both in memory and in type-map order.
    pub(crate) runs: u64,
    /// `None` when there is no byte.
    pub(crate) span: Option<Span>,
    /// Lowest explicit lower bound, if there is one.
    pub(crate) mark_lb: Option<i64>,
    /// Highest explicit upper bound, if there is one.
    pub(crate) mark_ub: Option<i64>,
    pub(crate) base: Base,
    /// Nodes of the tree, shared ones counted as often as they occur (saturating).
    pub(crate) nodes: u64,
    /// Nodes on the longest path from here to a leaf.
    pub(crate) depth: usize,
    /// Fingerprint of the structure, so that unequal trees compare fast.
    pub(crate) hash: u64,
}

/// A part of a type: how often a child is repeated, and between which two displacements
/// its copies lie. `first` and `last` are the displacements of the first and last copy in order.
pub(crate) struct Placed<'a> {
    pub child: &'a Facts,
    pub min: i64,
    pub max: i64,
    pub first: i64,
    pub last: i64,
    /// How many copies there are (at least one).
    pub copies: u64,
    /// How many neighbouring copies touch (end of one is the start of the next).
    pub joins: u64,
}

pub(crate) fn overflow(what: &'static str) -> LayoutError {
    LayoutError::Overflow { what }
}

pub(crate) fn add(a: i64, b: i64) -> Result<i64, LayoutError> {
    a.checked_add(b).ok_or(overflow("a displacement"))
}

impl Facts {
    pub(crate) fn leaf(basic: Basic) -> Facts {
        let size = basic.size();
        let high = i64::try_from(size).expect("basic types are at most 32 bytes");
        Facts {
            size,
            elements: 1,
            runs: 1,
            span: Some(Span { low: 0, high, first: 0, last: high, align: basic.align() }),
            mark_lb: None,
            mark_ub: None,
            base: Base::One(basic),
            nodes: 1,
            depth: 1,
            hash: 0,
        }
    }

    /// A type without elements.
    pub(crate) fn empty() -> Facts {
        Facts {
            size: 0,
            elements: 0,
            runs: 0,
            span: None,
            mark_lb: None,
            mark_ub: None,
            base: Base::Empty,
            nodes: 1,
            depth: 1,
            hash: 0,
        }
    }

    /// Puts further copies behind what is here already.
    pub(crate) fn append(&mut self, part: &Placed<'_>) -> Result<(), LayoutError> {
        let child = part.child;
        let times = |n: u64, what| n.checked_mul(part.copies).ok_or(overflow(what));
        self.size = times(child.size, "the size")?
            .checked_add(self.size)
            .filter(|&s| i64::try_from(s).is_ok())
            .ok_or(overflow("the size"))?;
        self.elements = times(child.elements, "the number of elements")?
            .checked_add(self.elements)
            .ok_or(overflow("the number of elements"))?;
        let runs = times(child.runs, "the number of runs")? - part.joins;
        self.runs = self.runs.checked_add(runs).ok_or(overflow("the number of runs"))?;
        if let Some(lb) = child.mark_lb {
            let lb = add(lb, part.min)?;
            self.mark_lb = Some(self.mark_lb.map_or(lb, |old| old.min(lb)));
        }
        if let Some(ub) = child.mark_ub {
            let ub = add(ub, part.max)?;
            self.mark_ub = Some(self.mark_ub.map_or(ub, |old| old.max(ub)));
        }
        if let Some(span) = child.span {
            let placed = Span {
                low: add(span.low, part.min)?,
                high: add(span.high, part.max)?,
                first: add(span.first, part.first)?,
                last: add(span.last, part.last)?,
                align: span.align,
            };
            self.span = Some(match self.span {
                None => placed,
                Some(old) => {
                    if old.last == placed.first {
                        self.runs -= 1;
                    }
                    Span {
                        low: old.low.min(placed.low),
                        high: old.high.max(placed.high),
                        first: old.first,
                        last: placed.last,
                        align: old.align.max(placed.align),
                    }
                }
            });
        }
        self.base = self.base.join(child.base);
        Ok(())
    }

    /// Fails where a bound or the extent does not fit: called once by every constructor, so that
    /// the accessors below cannot overflow.
    pub(crate) fn check_bounds(&self) -> Result<(), LayoutError> {
        let (lb, ub) = self.bounds().ok_or(overflow("the upper bound"))?;
        ub.checked_sub(lb).ok_or(overflow("the extent"))?;
        if let Some(span) = self.span {
            span.high.checked_sub(span.low).ok_or(overflow("the true extent"))?;
        }
        Ok(())
    }

    /// Lower and upper bound; `None` on overflow of the padding.
    fn bounds(&self) -> Option<(i64, i64)> {
        let (low, high, align) = self.span.map_or((0, 0, 1), |s| (s.low, s.high, s.align));
        // With markers on one side only, the other side stays natural.
        let (low, high) = match (self.span, self.mark_lb, self.mark_ub) {
            (None, Some(lb), Some(ub)) => (lb, ub),
            _ => (low, high),
        };
        let lb = self.mark_lb.unwrap_or(low);
        let ub = match self.mark_ub {
            Some(ub) => ub,
            None => {
                let align = i64::try_from(align).ok()?;
                let over = high.checked_sub(lb)?.rem_euclid(align);
                if over == 0 { high } else { high.checked_add(align - over)? }
            }
        };
        Some((lb, ub))
    }

    pub(crate) fn lb_ub(&self) -> (i64, i64) {
        self.bounds().expect("checked when the type was built")
    }
}
