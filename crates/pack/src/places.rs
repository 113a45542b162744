//! The offsets of a list as the kernels take them.

use std::ops::Range;

use commloom_plan::Offsets;

use crate::kernels::Places;

/// Hands the entries `range` of a list to `work` in as few stretches as its form has: the
/// displacement that the places of a stretch count from, which entries it holds, and the places.
/// Short lists are widened in registers, 256 entries at a time.
#[inline(always)]
pub(crate) fn stretches(
    offsets: &Offsets,
    range: Range<usize>,
    mut work: impl FnMut(i64, Range<usize>, Places<'_>),
) {
    match offsets {
        Offsets::Narrow(list) => work(0, range.clone(), Places::Narrow(&list[range])),
        Offsets::Wide(list) => work(0, range.clone(), Places::Wide(&list[range])),
        Offsets::Short { anchors, list } => {
            let mut wide = [0i32; Offsets::STRETCH];
            let mut first = range.start;
            while first < range.end {
                let stretch = first / Offsets::STRETCH;
                let end = range.end.min((stretch + 1) * Offsets::STRETCH);
                for (wide, &short) in wide.iter_mut().zip(&list[first..end]) {
                    *wide = short.into();
                }
                work(anchors[stretch], first..end, Places::Narrow(&wide[..end - first]));
                first = end;
            }
        }
    }
}
