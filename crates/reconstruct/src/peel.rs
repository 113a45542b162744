//! Takes the root off a path.

use commloom_layout::{Kind, LayoutError, Type};

use crate::num::{add, count, length};

/// The root of a path and what it repeats, if it has at most `limit` copies and at least two.
pub(crate) fn peeled(ty: &Type, limit: u64) -> Result<Option<(Vec<i64>, Type)>, LayoutError> {
    let starts = match ty.kind() {
        Kind::Vec { count, stride, .. } if *count <= limit => {
            bucket_starts(*stride, &[0], &[*count])?
        }
        Kind::Idx { indices, .. } if count(indices.len()) <= limit => indices.to_vec(),
        Kind::IdxBuc { stride, indices, blocks, .. }
            if total(blocks).is_some_and(|n| n <= limit) =>
        {
            bucket_starts(*stride, indices, blocks)?
        }
        _ => return Ok(None),
    };
    Ok((starts.len() > 1).then(|| (starts, ty.children()[0].clone())))
}

/// Where the copies in buckets lie, in order.
pub(crate) fn bucket_starts(
    stride: i64,
    indices: &[i64],
    blocks: &[u64],
) -> Result<Vec<i64>, LayoutError> {
    let mut starts = Vec::new();
    for (&index, &block) in indices.iter().zip(blocks) {
        let mut start = index;
        for copy in 0..block {
            if copy > 0 {
                start = add(start, stride)?;
            }
            starts.push(start);
        }
    }
    Ok(starts)
}

/// Number of copies in all buckets, if that many can be listed.
pub(crate) fn total(blocks: &[u64]) -> Option<u64> {
    let sum = blocks.iter().try_fold(0u64, |sum, &b| sum.checked_add(b))?;
    length(sum).map(|_| sum)
}
