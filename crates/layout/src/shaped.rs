//! The bucket type and the triangular type that Kalany and Träff (2015, section 3.3) name as
//! further constructors. Here they are shapes of an idxbuc, so that everything that understands an
//! idxbuc (bounds, plans, MPI handles, emitted code) understands them; what they are for is their
//! price in the [cost model](crate::CostModel).
//!
//! - *bucket*: the buckets start at equal distances, each has at least one copy. The numbers of
//!   copies are the only list.
//! - *triangular*: besides, each bucket has the same number of copies more, or fewer, than the one
//!   before. No list: a row-wise stored triangle, whatever its size, is given by six numbers.
//!
//! One bucket, or two, always have both shapes.

use crate::{LayoutError, Type};

/// Most buckets of one [`triangular`] type: its notation is short, what it expands to is not.
pub const MAX_ROWS: u64 = 1 << 20;

/// Buckets of `blocks[k]` copies of `child`, `stride` bytes apart in a bucket; bucket k begins at
/// k `step` bytes.
///
/// # Errors
/// A block of zero; overflow of size or bounds; nesting past [`MAX_DEPTH`](crate::MAX_DEPTH).
pub fn bucket(step: i64, stride: i64, blocks: &[u64], child: Type) -> Result<Type, LayoutError> {
    match blocks.contains(&0) {
        true => Err(out_of_range("a block of bucket", 0, 1, i64::MAX)),
        false => Type::idxbuc(stride, starts(step, blocks.len())?, blocks, child),
    }
}

/// `count` buckets of copies of `child`, `stride` bytes apart in a bucket; bucket k begins at
/// k `step` bytes and has `first` + k `change` copies.
///
/// # Errors
/// More than [`MAX_ROWS`] buckets; a bucket without copies; overflow of size or bounds; nesting
/// past [`MAX_DEPTH`](crate::MAX_DEPTH).
pub fn triangular(
    count: u64,
    step: i64,
    stride: i64,
    first: u64,
    change: i64,
    child: Type,
) -> Result<Type, LayoutError> {
    if count > MAX_ROWS {
        let given = i64::try_from(count).unwrap_or(i64::MAX);
        let limit = i64::try_from(MAX_ROWS).expect("the limit is small");
        return Err(out_of_range("the count of triangular", given, 0, limit));
    }
    let mut blocks = Vec::new();
    let mut block = i128::from(first);
    for _ in 0..count {
        if block < 1 {
            let given = i64::try_from(block).unwrap_or(i64::MIN);
            return Err(out_of_range("a block of triangular", given, 1, i64::MAX));
        }
        let copies = u64::try_from(block);
        blocks.push(copies.map_err(|_| LayoutError::Overflow { what: "a block of triangular" })?);
        block += i128::from(change);
    }
    Type::idxbuc(stride, starts(step, blocks.len())?, blocks, child)
}

/// Whether these buckets start at equal distances, and all have copies. O(n) time.
#[must_use]
pub fn is_bucket(indices: &[i64], blocks: &[u64]) -> bool {
    // Of three displacements of one layout, no difference overflows.
    let steps = indices.windows(2).map(|w| w[1].checked_sub(w[0]));
    !blocks.contains(&0) && all_equal(steps)
}

/// Whether these buckets besides change by equal numbers of copies. O(n) time.
#[must_use]
pub fn is_triangular(indices: &[i64], blocks: &[u64]) -> bool {
    let changes = blocks.windows(2).map(|w| i128::from(w[1]) - i128::from(w[0]));
    is_bucket(indices, blocks) && all_equal(changes)
}

fn all_equal<T: PartialEq>(mut values: impl Iterator<Item = T>) -> bool {
    let first = values.next();
    values.all(|value| Some(value) == first)
}

/// 0, `step`, 2 `step`, ...
fn starts(step: i64, n: usize) -> Result<Vec<i64>, LayoutError> {
    let start = |k| i64::try_from(k).ok().and_then(|k: i64| k.checked_mul(step));
    let starts: Option<Vec<i64>> = (0..n).map(start).collect();
    starts.ok_or(LayoutError::Overflow { what: "the span of the buckets" })
}

fn out_of_range(what: &'static str, given: i64, min: i64, max: i64) -> LayoutError {
    LayoutError::OutOfRange { what, given, min, max }
}
