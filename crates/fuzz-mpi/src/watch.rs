//! A watch over operations that never end, or end the process. A library may do that by itself:
//! the same operation with the library alone comes first, and tells whose fault it is.

use std::ffi::c_int;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Exit status where an operation does not come back.
const LOST: c_int = 3;
/// Between two looks.
const STEP: Duration = Duration::from_secs(1);
/// The other ranks are given so long to say where they are.
const GRACE: Duration = Duration::from_secs(5);
/// The signals of a crash.
const SIGNALS: [c_int; 5] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];

/// The operation that this rank is at: twice the number of the operation, and one more when it is
/// not the library alone.
static NOW: AtomicU64 = AtomicU64::new(0);
/// Which rank this is.
static RANK: AtomicUsize = AtomicUsize::new(0);

/// Watches over this rank until the process ends. An operation may take so many looks, about as
/// many seconds: looks are counted, not the time, as a process that is stopped for a while is not
/// stuck.
pub fn start(rank: usize, limit: u32) {
    RANK.store(rank, Ordering::Relaxed);
    let handler: extern "C" fn(c_int) = crashed;
    for signal in SIGNALS {
        // SAFETY: the handler only writes to standard error and ends the process.
        unsafe { libc::signal(signal, handler as libc::sighandler_t) };
    }
    std::thread::spawn(move || {
        let (mut last, mut looks) = (u64::MAX, 0);
        loop {
            std::thread::sleep(STEP);
            let now = NOW.load(Ordering::Relaxed);
            looks = if now == last { looks + 1 } else { 0 };
            last = now;
            if looks > limit {
                tell("waits for ever in");
                std::thread::sleep(GRACE);
                std::process::exit(LOST);
            }
        }
    });
}

/// An operation begins, with the library alone or not.
pub fn at(operation: u64, native: bool) {
    NOW.store(operation * 2 + u64::from(!native), Ordering::Relaxed);
}

/// The library refuses what it has to do, and the other ranks wait for it.
pub fn refused(error: &dyn std::error::Error) -> ! {
    eprintln!("{error}");
    tell("cannot go on in");
    std::process::exit(LOST);
}

extern "C" fn crashed(_signal: c_int) {
    tell("crashes in");
    // SAFETY: ends the process without running any of its code.
    unsafe { libc::_exit(LOST) };
}

/// One line, for people and for `scripts/fuzz-mpi`, without memory of the heap: it may be broken.
fn tell(what: &str) {
    let (now, rank) = (NOW.load(Ordering::Relaxed), RANK.load(Ordering::Relaxed));
    let side = if now.is_multiple_of(2) { "alone" } else { "preloaded" };
    let mut line = [0u8; 128];
    let room = line.len();
    let mut rest = line.as_mut_slice();
    // In one piece: all ranks write to one place. It fits.
    let _ = writeln!(rest, "lost: operation {} {side}, rank {rank} {what} it", now / 2);
    let length = room - rest.len();
    // SAFETY: so many bytes of an array.
    unsafe { libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), length) };
}
