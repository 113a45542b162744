//! Stores that wait for one another, for strides that fall into few sets of the first-level cache.
//!
//! A processor asks for the lines of stores that wait in its queue before it is their turn. Where
//! these lines share a few sets, the later ones push the earlier ones out before they were
//! written, and every line is fetched twice, and slower. Letting some stores finish before the
//! next ones are issued mends it. Zen 5, 400 blocks of 8 bytes, nanoseconds a block: stride 512
//! 2.6 -> 1.1, 2048 6.1 -> 1.1, 4096 8.3 -> 2.6; 16, 64 and 128 bytes likewise, up to 16 times as
//! many lines as the second level has room for.

use crate::{Kernel, Target};

/// With more sets than this the queue does not fill them.
const FEW_SETS: u64 = 8;

/// Bytes in a line.
const LINE: u64 = 64;

/// The same kernel, with pauses when unpacking where they pay.
pub(crate) fn paced(count: u64, stride: i64, kernel: Kernel, target: &Target) -> Kernel {
    match pause(count, stride, &kernel, target) {
        Some(rows) => Kernel::Paced { rows, other: Box::new(kernel) },
        None => kernel,
    }
}

/// After how many rows to pause.
fn pause(count: u64, stride: i64, kernel: &Kernel, target: &Target) -> Option<u64> {
    if target.l1_way == 0 {
        return None;
    }
    let (lines, blocks, step) = match kernel {
        Kernel::Rows { length, columns: 1, .. } => (length.div_ceil(LINE), 1, 0),
        Kernel::Rows { length, columns, stride, .. } => {
            (length.div_ceil(LINE), *columns, stride.unsigned_abs())
        }
        Kernel::Period { parts, .. } => {
            (parts.iter().map(|part| part.length.div_ceil(LINE)).sum(), 1, 0)
        }
        Kernel::Programs { unpack: None, other, .. } => {
            return pause(count, stride, other, target);
        }
        _ => return None,
    };
    let step = gcd(stride.unsigned_abs(), step);
    // How many sets the lines fall into, of a cache whose ways have so many bytes.
    let sets = |way: u64| lines.saturating_mul(way / gcd(step, way)).min(way / LINE);
    let first = sets(target.l1_way);
    let all = lines.saturating_mul(blocks).saturating_mul(count);
    let room = |sets: u64, size: u64, way: u64| sets * (size / way).max(1);
    let fits = all < 2 * room(first, target.l1, target.l1_way);
    let misses = all > 16 * room(sets(target.l2_way), target.l2, target.l2_way);
    if first > FEW_SETS || fits || misses {
        return None;
    }
    // 2, 8 and 32 lines at a time for one, two and four sets; a pause takes as long as some ten
    // stores.
    Some((2 * first * first / lines).clamp(1, 8))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Caches as Zen 5 has them.
    const TARGET: Target =
        Target { l1: 48 << 10, l1_way: 4 << 10, l2: 1 << 20, l2_way: 64 << 10, ..Target::PORTABLE };

    fn rows(count: u64, stride: i64, length: u64) -> Option<u64> {
        let ahead = crate::Ahead::default();
        let kernel = Kernel::Rows { length, columns: 1, stride: 0, ahead };
        pause(count, stride, &kernel, &TARGET)
    }

    #[test]
    fn strides_that_fill_few_sets_get_pauses_and_others_none() {
        assert_eq!(rows(400, 512, 8), Some(8));
        assert_eq!(rows(400, 2048, 8), Some(8));
        assert_eq!(rows(400, -4096, 64), Some(2));
        assert_eq!(rows(400, 3 * 4096, 256), Some(8));
        assert_eq!(rows(400, 520, 8), None);
        assert_eq!(rows(400, 256, 8), None);
    }

    #[test]
    fn what_fits_the_first_level_or_misses_the_second_is_left_alone() {
        // Two times twelve lines of one set, sixteen times the sixteen lines of sixteen sets.
        assert_eq!(rows(23, 4096, 8), None);
        assert_eq!(rows(24, 4096, 8), Some(2));
        assert_eq!(rows(4096, 4096, 8), Some(2));
        assert_eq!(rows(4097, 4096, 8), None);
    }
}
