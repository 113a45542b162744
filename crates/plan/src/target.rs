//! [`Target`]: the machine that a plan is made for, as data.

use std::fmt;

/// The properties of a machine that decide which kernels are chosen. Detected by
/// `commloom_pack::detect`, or made up in tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Target {
    /// First-level data cache of one core, in bytes.
    pub l1: u64,
    /// Second-level cache of one core, in bytes.
    pub l2: u64,
    /// Bytes of one way of the first-level cache: addresses that far apart share a set. 0 where
    /// stores need not be paced.
    pub l1_way: u64,
    /// The same of the second-level cache.
    pub l2_way: u64,
    /// Widest vector registers that may be used, in bytes: 16 stands for the portable kernels,
    /// 32 for AVX2, 64 for AVX-512.
    pub vector: u32,
    /// Whether bytes of two 64-byte registers can be permuted (AVX-512 VBMI), not only words.
    pub byte_permute: bool,
    /// Whether lists may be held in 32 bits.
    pub narrow_lists: bool,
    /// Lists of at least so many entries are held in 16 bits where that is possible.
    pub short_lists_from: usize,
    /// At most this many blocks per copy are moved as one period.
    pub max_parts: usize,
    /// Bytes between the ends of a list past which packing asks for blocks before they are read.
    pub prefetch_from: u64,
    /// The same for unpacking, before they are written.
    pub prefetch_write_from: u64,
    /// Messages of at most so many packed bytes are moved from a flat list.
    pub flat_up_to: u64,
    /// The list is made after so many of them.
    pub flat_after: u32,
    /// Bytes of the lines that periods touch in memory past which the next ones are asked for.
    pub prefetch_periods_from: u64,
    /// Bytes between the ends of a loop past which masked stores, by which vectors are unpacked,
    /// are slower than plain ones.
    pub masked_stores_until: u64,
}

impl Target {
    /// A plain machine without wide vectors, with small caches: every kernel that it chooses
    /// exists everywhere. For tests and as the fallback.
    pub const PORTABLE: Target = Target {
        l1: 32 << 10,
        l2: 256 << 10,
        l1_way: 0,
        l2_way: 0,
        vector: 16,
        byte_permute: false,
        narrow_lists: true,
        short_lists_from: usize::MAX,
        max_parts: 8,
        prefetch_from: 256 << 10,
        prefetch_write_from: 256 << 10,
        flat_up_to: 0,
        flat_after: 0,
        prefetch_periods_from: 1 << 20,
        masked_stores_until: u64::MAX,
    };
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Target { l1, l2, vector, max_parts, .. } = self;
        let permute = if self.byte_permute { " with byte permutations" } else { "" };
        let bits = if self.narrow_lists { 32 } else { 64 };
        write!(f, "vectors of {vector} bytes{permute}, L1 {l1}, L2 {l2}, ")?;
        write!(f, "periods of up to {max_parts} blocks, lists in {bits} bits")?;
        if self.short_lists_from < usize::MAX {
            write!(f, " (from {} entries in 16)", self.short_lists_from)?;
        }
        f.write_str(", ")?;
        match self.prefetch_from {
            u64::MAX => f.write_str("no prefetch"),
            from => write!(f, "prefetch past {from}"),
        }
    }
}

impl Default for Target {
    fn default() -> Self {
        Target::PORTABLE
    }
}
