//! The innermost loops: a table of functions per instruction set, each the same generic code
//! compiled for other registers ([`lanes`] says what else differs).

mod blocks;
mod cursor;
pub(crate) mod flat;
mod grid;
mod lanes;
#[cfg(target_arch = "x86_64")]
mod masked;
#[cfg(target_arch = "aarch64")]
mod neon;
mod paced;
mod period;
#[cfg(target_arch = "x86_64")]
pub(crate) mod picks;
#[cfg(target_arch = "x86_64")]
mod program;
mod rounds;
mod strided;
mod table;
mod transpose;
#[cfg(target_arch = "x86_64")]
mod unit;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;
#[cfg(target_arch = "x86_64")]
mod zip;

#[cfg(target_arch = "x86_64")]
use std::sync::atomic::{AtomicUsize, Ordering};

use commloom_plan::Target;

pub(crate) use grid::{Grid, Places, ProgramFn};
pub(crate) use rounds::run;
pub(crate) use strided::Row;
pub(crate) use table::Kernels;
pub(crate) use transpose::{Axis, Matrix};

/// The kernels for a target, or the best that this processor has; `None` until [`ask`] was called.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn select(target: &Target) -> Option<&'static Kernels> {
    static TABLES: [Kernels; 4] = [table::PORTABLE, table::AVX2, table::AVX512, table::VBMI];
    let wanted = match target.vector {
        64.. => 3,
        32.. => 1,
        _ => 0,
    };
    let level = LEVEL.load(Ordering::Relaxed);
    (level != UNKNOWN).then(|| &TABLES[level.min(wanted)])
}

/// The best table that this processor has the instructions for. Remembered: asking for every
/// feature at every call costs more than moving a small block.
#[cfg(target_arch = "x86_64")]
static LEVEL: AtomicUsize = AtomicUsize::new(UNKNOWN);
#[cfg(target_arch = "x86_64")]
const UNKNOWN: usize = usize::MAX;

/// Finds out what this processor has.
#[cfg(target_arch = "x86_64")]
pub(crate) fn ask() {
    let level = if has_avx512() {
        2 + usize::from(is_x86_feature_detected!("avx512vbmi"))
    } else {
        usize::from(is_x86_feature_detected!("avx2"))
    };
    LEVEL.store(level, Ordering::Relaxed);
}

/// The best table, found out where that was not done before.
#[cfg(target_arch = "x86_64")]
pub(crate) fn level() -> usize {
    if LEVEL.load(Ordering::Relaxed) == UNKNOWN {
        ask();
    }
    LEVEL.load(Ordering::Relaxed)
}

/// The instructions that the AVX-512 kernels are compiled for.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// The kernels for a target: elsewhere only the portable ones exist so far.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn select(_: &Target) -> Option<&'static Kernels> {
    static TABLE: Kernels = table::PORTABLE;
    Some(&TABLE)
}

/// There is nothing to find out.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn ask() {}
