//! Finding out what machine this is.

use commloom_plan::Target;

/// Blocks in a period: with 12 of 4 to 12 bytes a period took a third of the time of walking
/// through the blocks.
const MAX_PARTS: usize = 32;

/// Packed bytes that are moved from a flat list.
const FLAT_UP_TO: u64 = 256;
/// Messages after which a flat list is made: it saves about 8 ns each and takes some 2 us to make.
const FLAT_AFTER: u32 = 256;

/// The machine that this runs on. Measured nowhere, asked of the processor; cheap, but better kept
/// than asked again for every plan.
#[must_use]
pub fn detect() -> Target {
    let vector = vector();
    let plain = [Target::PORTABLE.l1, Target::PORTABLE.l2].map(|bytes| Cache { bytes, way: 0 });
    let [l1, l2] = caches().unwrap_or(plain);
    // Only known to pay on Zen 5.
    let way = |cache: Cache| if is_amd() { cache.way } else { 0 };
    let (l1_way, l2_way) = (way(l1), way(l2));
    let (l1, l2) = (l1.bytes, l2.bytes);
    let byte_permute = byte_permute();
    // Lists at random places past the second-level cache: prefetching took 0.77 to 0.9 of the time
    // when packing and half of it when unpacking on Sapphire Rapids
    // (book/src/explanation/kernels.md). On Zen 5 it costs 1.05 to 1.2 when packing; when
    // unpacking it takes 0.75 past 16 MB, and 1.0 to 1.4 below.
    let (prefetch_from, prefetch_write_from) =
        if is_intel() { (l2, l2) } else { (u64::MAX, 16 << 20) };
    // Zen 5 with 32 MB of third level, `Period::plain_stores`.
    let masked_stores_until = if is_amd() { 16 << 20 } else { u64::MAX };
    Target {
        l1,
        l2,
        l1_way,
        l2_way,
        vector,
        byte_permute,
        max_parts: MAX_PARTS,
        prefetch_from,
        prefetch_write_from,
        flat_up_to: FLAT_UP_TO,
        flat_after: FLAT_AFTER,
        // Zen 5: 0.6 to 0.9 of the time at 15 times the second-level cache, up to 1.5 at twice its
        // size.
        prefetch_periods_from: 4 * l2,
        masked_stores_until,
        ..Target::PORTABLE
    }
}

#[cfg(target_arch = "x86_64")]
fn vector() -> u32 {
    if crate::kernels::has_avx512() {
        64
    } else if is_x86_feature_detected!("avx2") {
        32
    } else {
        16
    }
}

fn is_intel() -> bool {
    vendor() == *b"Genu"
}

fn is_amd() -> bool {
    vendor() == *b"Auth"
}

/// The first four letters of the processor's maker.
#[cfg(target_arch = "x86_64")]
fn vendor() -> [u8; 4] {
    std::arch::x86_64::__cpuid(0).ebx.to_le_bytes()
}

#[cfg(not(target_arch = "x86_64"))]
fn vendor() -> [u8; 4] {
    [0; 4]
}

#[cfg(target_arch = "x86_64")]
fn byte_permute() -> bool {
    crate::kernels::has_avx512() && is_x86_feature_detected!("avx512vbmi")
}

#[cfg(not(target_arch = "x86_64"))]
fn byte_permute() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn vector() -> u32 {
    16
}

/// A data cache of one core: all bytes, and those of one way.
#[derive(Clone, Copy)]
struct Cache {
    bytes: u64,
    way: u64,
}

/// First- and second-level data cache of a core, from the "deterministic cache parameters": leaf
/// 0x8000001D on AMD, 4 on Intel (both have the same form).
#[cfg(target_arch = "x86_64")]
fn caches() -> Option<[Cache; 2]> {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    let intel_last = __cpuid(0).eax;
    let amd_last = __cpuid(0x8000_0000).eax;
    let leaf = match (amd_last >= 0x8000_001D, intel_last >= 4) {
        (true, _) if __cpuid_count(0x8000_001D, 0).eax & 31 != 0 => 0x8000_001D,
        (_, true) => 4,
        _ => return None,
    };
    let (mut l1, mut l2) = (None, None);
    for index in 0..8 {
        let info = __cpuid_count(leaf, index);
        let (kind, level) = (info.eax & 31, info.eax >> 5 & 7);
        let part = |low: u32, bits: u32| u64::from(info.ebx >> low & ((1 << bits) - 1)) + 1;
        let way = part(12, 10) * part(0, 12) * (u64::from(info.ecx) + 1);
        let cache = Cache { bytes: part(22, 10) * way, way };
        match (kind, level) {
            (0, _) => break,
            (1 | 3, 1) => l1 = Some(cache),
            (1 | 3, 2) => l2 = Some(cache),
            _ => {}
        }
    }
    Some([l1?, l2?])
}

#[cfg(not(target_arch = "x86_64"))]
fn caches() -> Option<[Cache; 2]> {
    None
}
