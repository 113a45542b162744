//! Made-up machines that force every kernel, and guarded memory.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod guarded;

use commloom_plan::Target;

/// Machines that differ in everything that plans depend on. What this processor lacks falls back
/// to the best that it has.
pub fn targets() -> Vec<Target> {
    let portable = Target::PORTABLE;
    vec![
        portable,
        Target { vector: 32, ..portable },
        Target { vector: 64, ..portable },
        Target { vector: 64, narrow_lists: false, ..portable },
        Target { vector: 64, max_parts: 1, ..portable },
        Target { vector: 64, max_parts: 3, l1: 100, ..portable },
        Target { vector: 64, prefetch_from: 0, prefetch_write_from: 0, ..portable },
        Target { vector: 64, max_parts: 32, l1: 1000, prefetch_periods_from: 0, ..portable },
        Target { vector: 32, max_parts: 32, prefetch_write_from: 0, ..portable },
        Target { vector: 64, byte_permute: true, ..portable },
        Target { vector: 64, byte_permute: true, masked_stores_until: 0, ..portable },
        Target { vector: 64, short_lists_from: 2, ..portable },
        Target { vector: 64, l1: 512, l1_way: 256, l2_way: 1 << 16, ..portable },
        Target { flat_up_to: 300, ..portable },
        Target { vector: 32, flat_up_to: 1000, ..portable },
        Target { vector: 64, flat_up_to: 300, ..portable },
        Target { vector: 64, byte_permute: true, flat_up_to: 1000, ..portable },
        commloom_pack::detect(),
    ]
}
