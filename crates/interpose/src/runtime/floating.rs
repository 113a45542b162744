//! [`apart`]: our own arithmetic leaves the program's floating-point environment as it is.
//!
//! The recorder adds what a program has sent, to see whether it has done so too: numbers that the
//! program never adds may overflow, or be none. Where it traps that (`-ffpe-trap`, as some codes
//! are always built), it would end with a signal; where it asks for flags, it would find ours. The
//! direction of rounding stays the program's, whose sums are meant.

/// Does some work of ours, whatever flags it raises.
#[inline(never)] // No arithmetic moves out.
pub(crate) fn apart<T>(work: impl FnOnce() -> T) -> T {
    let _kept = Kept::now();
    within(work)
}

#[inline(never)]
fn within<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// The program's environment, which comes back also where the work fails.
struct Kept(u32);

#[cfg(target_arch = "x86_64")]
impl Kept {
    /// The masks of all exceptions in the register MXCSR (Intel SDM volume 1, section 10.2.3).
    const MASKED: u32 = 0x1F80;

    fn now() -> Kept {
        let kept = read();
        if kept & Kept::MASKED != Kept::MASKED {
            write(kept | Kept::MASKED);
        }
        Kept(kept)
    }
}

#[cfg(target_arch = "x86_64")]
impl Drop for Kept {
    fn drop(&mut self) {
        if read() != self.0 {
            write(self.0);
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn read() -> u32 {
    let mut flags = 0_u32;
    let to = &raw mut flags;
    // SAFETY: writes four bytes to the variable that is named.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) to, options(nostack, preserves_flags)) }
    flags
}

#[cfg(target_arch = "x86_64")]
fn write(flags: u32) {
    let from = &raw const flags;
    // SAFETY: reads four bytes of the variable that is named; they are what the register held,
    // with exceptions masked or as the program has them.
    unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) from, options(nostack, preserves_flags)) }
}

/// Elsewhere exceptions do not trap unless the processor can, which few do.
#[cfg(not(target_arch = "x86_64"))]
impl Kept {
    fn now() -> Kept {
        Kept(0)
    }
}
