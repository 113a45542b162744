//! The levels of a path: what one node repeats, in the only way that cannot be taken apart.
//!
//! A list of copies is taken apart at its repeated prefixes (laws 3 and 5): into *even* levels, as
//! long as possible, and lists without a repeated prefix in between.
//! book/src/explanation/normal-forms.md proves that a displacement sequence has exactly one such
//! decomposition.

use std::sync::Arc;

use commloom_layout::{LayoutError, Type};

use crate::num::{add, count, span, sub};
use crate::prefixes::repeated_prefixes;

/// At least two copies of what lies below, the first at zero.
#[derive(Debug, Clone)]
pub(super) enum Level {
    /// Equal distances; law 2 has merged what it can.
    Even { count: u64, stride: i64 },
    /// Anything else. No prefix of it is repeated, except one copy and all.
    List(Arc<[i64]>),
    /// The same, in buckets of which some have many copies.
    Buckets(Arc<Buckets>),
}

/// Buckets of copies, at least two buckets, none empty, none going on in the next; the first copy
/// at zero.
#[derive(Debug, Clone)]
pub(super) struct Buckets {
    pub stride: i64,
    pub indices: Arc<[i64]>,
    pub blocks: Arc<[u64]>,
    /// The node that was given, if it is just this.
    pub node: Option<Type>,
}

impl Level {
    /// Number of copies.
    pub(super) fn copies(&self) -> u64 {
        match self {
            Level::Even { count, .. } => *count,
            Level::List(starts) => count(starts.len()),
            Level::Buckets(b) => b.copies(),
        }
    }

    /// Start of the last copy.
    pub(super) fn last(&self) -> i64 {
        match self {
            Level::Even { count, stride } => reach(*count, *stride),
            Level::List(starts) => starts[starts.len() - 1],
            Level::Buckets(b) => {
                let last = b.indices.len() - 1;
                b.indices[last].wrapping_add(reach(b.blocks[last], b.stride))
            }
        }
    }

    /// Entries of lists in it.
    pub(super) fn entries(&self) -> usize {
        match self {
            Level::Even { .. } => 1,
            Level::List(starts) => starts.len(),
            Level::Buckets(b) => b.indices.len(),
        }
    }

    /// Calls `visit` with the differences of neighbouring copies and how often each occurs; a
    /// difference may come more than once.
    pub(super) fn steps(&self, mut visit: impl FnMut(i64, u64)) {
        match self {
            Level::Even { count, stride } => visit(*stride, count - 1),
            Level::List(starts) => starts.windows(2).for_each(|w| visit(w[1] - w[0], 1)),
            Level::Buckets(b) => {
                visit(b.stride, b.inside());
                (0..b.indices.len() - 1).for_each(|k| visit(b.jump(k), 1));
            }
        }
    }
}

impl Buckets {
    /// Wraps nowhere: the constructors of types have refused what does not fit in 64 bits.
    fn copies(&self) -> u64 {
        self.blocks.iter().fold(0, |sum: u64, b| sum.wrapping_add(*b))
    }

    /// How many neighbours in all are a stride apart.
    pub(super) fn inside(&self) -> u64 {
        self.copies() - count(self.blocks.len())
    }

    /// From the last copy of bucket `k` to the first of the next: the difference of two
    /// displacements of one layout.
    fn jump(&self, k: usize) -> i64 {
        let last = self.indices[k].wrapping_add(reach(self.blocks[k], self.stride));
        self.indices[k + 1].wrapping_sub(last)
    }
}

/// Start of the last of `count` copies: a displacement of the layout, so it fits where the type
/// could be built.
fn reach(count: u64, stride: i64) -> i64 {
    let steps = i64::try_from(count - 1).expect("checked when the type was built");
    steps.wrapping_mul(stride)
}

/// The levels of a list of copies (at least one), innermost first; none for a single copy. The
/// time is that of [`repeated_prefixes`].
pub(super) fn of_list(starts: &[i64]) -> Vec<Level> {
    let n = starts.len();
    if n < 2 {
        return Vec::new();
    }
    let stride = starts[1] - starts[0];
    // Most lists that are even are so in whole; one pass at the speed of memory.
    if starts.windows(2).all(|w| w[1] - w[0] == stride) {
        return vec![Level::Even { count: count(n), stride }];
    }
    let lengths = repeated_prefixes(starts).lengths;
    let mut levels = Vec::new();
    let mut below = 1;
    while below < n {
        let above = |q: &&usize| **q > below && q.is_multiple_of(below);
        let distance = starts.get(below).map_or(0, |s| s - starts[0]);
        let even = even_end(starts, below, distance);
        let longest = lengths.iter().filter(above).rfind(|q| **q <= even);
        let next = match longest {
            Some(&q) => {
                levels.push(Level::Even { count: count(q / below), stride: distance });
                q
            }
            None => {
                let q = lengths.iter().find(above).copied().unwrap_or(n);
                let part = starts[..q].iter().step_by(below).map(|s| s - starts[0]);
                levels.push(Level::List(part.collect()));
                q
            }
        };
        below = next;
    }
    levels
}

/// Up to which element the blocks of `p` elements start `distance` apart.
fn even_end(starts: &[i64], p: usize, distance: i64) -> usize {
    let origins = starts.iter().step_by(p);
    let pairs = origins.clone().zip(origins.skip(1));
    (1 + pairs.take_while(|(a, b)| *b - *a == distance).count()) * p
}

/// The levels of copies in buckets (at least one copy in all; the first copy counts as at zero),
/// innermost first.
///
/// # Errors
/// A displacement past 64 bits.
pub(super) fn of_buckets(
    stride: i64,
    indices: &[i64],
    blocks: &[u64],
) -> Result<Vec<Level>, LayoutError> {
    let filled = indices.iter().zip(blocks).filter(|&(_, &b)| b > 0);
    let (indices, blocks): (Vec<i64>, Vec<u64>) = filled.map(|(&i, &b)| (i, b)).unzip();
    let (indices, mut blocks) = merged(stride, &from_first(&indices)?, &blocks);
    let common = blocks.iter().fold(0, |g, b| gcd(g, *b));
    let mut levels = Vec::new();
    if common > 1 {
        levels.push(Level::Even { count: common, stride });
        blocks.iter_mut().for_each(|b| *b /= common);
    }
    if blocks.iter().all(|b| *b == 1) {
        levels.extend(of_list(&indices));
        return Ok(levels);
    }
    // Two copies at this distance exist, so it fits.
    let Some(stride) = span(common, stride) else {
        return Err(LayoutError::Overflow { what: "the stride of a bucket" });
    };
    let buckets = Buckets { stride, indices: indices.into(), blocks: blocks.into(), node: None };
    buckets.taken_apart(&mut levels)?;
    Ok(levels)
}

/// The levels of an idxbuc node with at least one copy, innermost first; its lists are kept where
/// nothing is to be done.
///
/// # Errors
/// A displacement past 64 bits.
pub(super) fn of_buckets_node(
    ty: &Type,
    stride: i64,
    indices: &Arc<[i64]>,
    blocks: &Arc<[u64]>,
) -> Result<Vec<Level>, LayoutError> {
    if !is_clean(stride, indices, blocks) {
        return of_buckets(stride, indices, blocks);
    }
    let (indices, blocks) = (Arc::clone(indices), Arc::clone(blocks));
    let mut levels = Vec::new();
    Buckets { stride, indices, blocks, node: Some(ty.clone()) }.taken_apart(&mut levels)?;
    Ok(levels)
}

/// Whether these are several buckets from zero on, none empty, none going on in the next, of
/// lengths without a common divisor. Most lists of irregular buckets are: one pass.
fn is_clean(stride: i64, indices: &[i64], blocks: &[u64]) -> bool {
    let mut common = 0;
    let coprime = blocks.iter().any(|&b| {
        common = gcd(common, b);
        common == 1
    });
    let goes_on = |(w, &b): (&[i64], &u64)| {
        let block = i64::from_ne_bytes(b.to_ne_bytes());
        w[1].wrapping_sub(w[0]) == block.wrapping_mul(stride)
    };
    let filled = blocks.iter().all(|b| *b > 0);
    let listed = blocks.iter().all(|b| *b == 1);
    coprime
        && filled
        && !listed
        && indices.len() >= 2
        && indices[0] == 0
        && !indices.windows(2).zip(blocks).any(goes_on)
}

/// A step between two buckets: behind which copy, and how far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Break {
    copy: u64,
    jump: i64,
}

impl Buckets {
    /// Adds the levels of these buckets, whose lengths have no common divisor.
    fn taken_apart(self, levels: &mut Vec<Level>) -> Result<(), LayoutError> {
        let Some(q) = self.shortest_repeated() else {
            levels.push(Level::Buckets(Arc::new(self)));
            return Ok(());
        };
        let (first, starts) = self.split(q)?;
        match first.blocks.iter().all(|b| *b == 1) {
            true => levels.extend(of_list(&first.indices)),
            false => levels.push(Level::Buckets(Arc::new(first))),
        }
        levels.extend(of_list(&starts));
        Ok(())
    }

    fn breaks(&self) -> Vec<Break> {
        let mut end = 0u64;
        let bucket = |k: usize| {
            end = end.saturating_add(self.blocks[k]);
            Break { copy: end - 1, jump: self.jump(k) }
        };
        (0..self.blocks.len() - 1).map(bucket).collect()
    }

    /// The shortest prefix that is repeated, one copy and all apart. The blocks have no common
    /// divisor, so a repeated prefix contains the first break, and every block of it has the same
    /// break at the same place: the candidates are the distances of breaks from the first.
    ///
    /// Time: a scan per candidate that divides the number of copies; most scans end at once.
    fn shortest_repeated(&self) -> Option<u64> {
        let copies = self.copies();
        let (first, jump) = (self.blocks[0], self.jump(0));
        let mut breaks: Option<Vec<Break>> = None;
        let mut end = first;
        for k in 1..self.blocks.len() - 1 {
            end = end.saturating_add(self.blocks[k]);
            let q = end - first;
            if q > copies / 2 {
                return None;
            }
            if self.jump(k) == jump && q > first && copies.is_multiple_of(q) {
                let breaks = breaks.get_or_insert_with(|| self.breaks());
                if is_repeated(breaks, q, copies) {
                    return Some(q);
                }
            }
        }
        None
    }

    /// The buckets of the first `q` copies, and where each block of `q` copies starts.
    fn split(&self, q: u64) -> Result<(Buckets, Vec<i64>), LayoutError> {
        let (mut indices, mut blocks) = (Vec::new(), Vec::new());
        let (mut starts, mut next, mut done) = (Vec::new(), 0u64, 0u64);
        for (&index, &block) in self.indices.iter().zip(self.blocks.iter()) {
            if done < q {
                indices.push(index);
                blocks.push(block.min(q - done));
            }
            while next < done + block {
                let steps = i64::try_from(next - done).expect("checked when the type was built");
                starts.push(add(index, steps.wrapping_mul(self.stride))?);
                next += q;
            }
            done += block;
        }
        let (indices, blocks) = (indices.into(), blocks.into());
        Ok((Buckets { stride: self.stride, indices, blocks, node: None }, starts))
    }
}

/// Whether the first `q` of `copies` copies are repeated, q a divisor: off the junctions of blocks
/// of q, every block has the breaks of the first.
fn is_repeated(breaks: &[Break], q: u64, copies: u64) -> bool {
    let inside = breaks.iter().take_while(|b| b.copy < q - 1).count();
    let (mut origin, mut seen) = (0, 0);
    for b in breaks {
        while b.copy - origin >= q {
            if seen != inside {
                return false;
            }
            (origin, seen) = (origin + q, 0);
        }
        let place = b.copy - origin;
        if place == q - 1 {
            continue;
        }
        if seen == inside || breaks[seen] != (Break { copy: place, jump: b.jump }) {
            return false;
        }
        seen += 1;
    }
    seen == inside && origin + q == copies
}

/// Law 3: a bucket that begins where the one before would go on is a part of it.
pub(super) fn merged(stride: i64, indices: &[i64], blocks: &[u64]) -> (Vec<i64>, Vec<u64>) {
    let mut merged: (Vec<i64>, Vec<u64>) = (Vec::new(), Vec::new());
    for (&index, &block) in indices.iter().zip(blocks) {
        if let (Some(&last), Some(length)) = (merged.0.last(), merged.1.last_mut())
            && let Some(end) = span(*length, stride).and_then(|s| add(last, s).ok())
            && end == index
            && let Some(sum) = length.checked_add(block)
        {
            *length = sum;
        } else {
            merged.0.push(index);
            merged.1.push(block);
        }
    }
    merged
}

/// Index `k` of a list from its first index.
pub(super) fn from_first(indices: &[i64]) -> Result<Vec<i64>, LayoutError> {
    let first = indices.first().copied().unwrap_or(0);
    indices.iter().map(|&i| sub(i, first)).collect()
}

/// Greatest common divisor; gcd(0, b) = b.
fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
