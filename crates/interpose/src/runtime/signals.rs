//! Writing without the signals that would end the program: natively it writes none of this.
//!
//! A write past the limit on the length of files (`ulimit -f`) raises SIGXFSZ, one to a pipe whose
//! reader has left SIGPIPE. Both end a process by default, and a program may have a handler of its
//! own. Here the write is an error instead, which is told like every other.

use std::mem::MaybeUninit;
use std::ptr::null_mut;

use libc::{c_int, sigset_t};

const HELD: [c_int; 2] = [libc::SIGPIPE, libc::SIGXFSZ];

/// Runs `work`, which writes, with these signals held back in this thread, and takes back those
/// that it raised.
pub(crate) fn without_signals<T>(work: impl FnOnce() -> T) -> T {
    // Nothing was held back before where the signals cannot be asked for: then all go on as they
    // are.
    let _held = Held::new();
    work()
}

/// While it lives, the signals are blocked.
struct Held {
    before: sigset_t,
    /// Those that wait for the program already.
    waiting: [bool; 2],
}

impl Held {
    fn new() -> Option<Held> {
        let waiting = pending()?;
        let mut before = MaybeUninit::uninit();
        let held = set(HELD);
        // SAFETY: both point to sets of this frame, and the second is written before it is read.
        let code =
            unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const held, before.as_mut_ptr()) };
        // SAFETY: written, since the call has succeeded.
        (code == 0).then(|| Held { before: unsafe { before.assume_init() }, waiting })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(now) = pending() {
            for ((signal, waited), waits) in HELD.into_iter().zip(self.waiting).zip(now) {
                if waits && !waited {
                    let (one, at_once) = (set([signal]), libc::timespec { tv_sec: 0, tv_nsec: 0 });
                    // SAFETY: the sets are of this frame; nobody asks for details of the signal.
                    unsafe { libc::sigtimedwait(&raw const one, null_mut(), &raw const at_once) };
                }
            }
        }
        // SAFETY: the set is the one that this thread had; the old one is not asked for.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, null_mut()) };
    }
}

/// Which of the signals wait for this thread.
fn pending() -> Option<[bool; 2]> {
    let mut all = MaybeUninit::uninit();
    // SAFETY: the set is of this frame, and written before it is read.
    let code = unsafe { libc::sigpending(all.as_mut_ptr()) };
    // SAFETY: written, since the call has succeeded; the signals are valid numbers.
    (code == 0).then(|| HELD.map(|signal| unsafe { libc::sigismember(all.as_ptr(), signal) } == 1))
}

fn set<const N: usize>(signals: [c_int; N]) -> sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: made empty before anything is put into it; the signals are valid numbers.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    extern "C" fn count(_: c_int) {
        COUNT.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    }

    static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

    #[test]
    fn a_pipe_without_a_reader_is_an_error_and_no_signal() {
        let counted = || COUNT.load(std::sync::atomic::Ordering::SeqCst);
        // SAFETY: the handler only counts.
        unsafe { libc::signal(libc::SIGPIPE, count as *const () as usize) };
        let write = || {
            let (mut here, there) = UnixStream::pair().expect("two ends");
            drop(there);
            // SAFETY: sends bytes of a slice to a descriptor that is open. (The library's own
            // write asks for no signal.)
            let sent = unsafe {
                let fd = std::os::fd::AsRawFd::as_raw_fd(&here);
                libc::write(fd, b"x".as_ptr().cast(), 1)
            };
            let _ = here.flush();
            sent
        };
        assert_eq!(write(), -1);
        assert_eq!(counted(), 1, "the write raises the signal");
        assert_eq!(without_signals(write), -1);
        assert_eq!(counted(), 1, "held back, and taken back");
        assert_eq!(write(), -1);
        assert_eq!(counted(), 2, "the program has its signals again");
    }

    #[test]
    fn a_signal_that_the_program_waits_for_is_left_to_it() {
        let one = set([libc::SIGXFSZ]);
        // SAFETY: a set of this frame; the signal is blocked when it is raised, and taken below.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const one, null_mut());
            libc::raise(libc::SIGXFSZ);
        }
        without_signals(|| {});
        assert_eq!(pending().map(|p| p[1]), Some(true));
        // SAFETY: the set is of this frame; nobody asks for details, and there is no limit of
        // time.
        let taken = unsafe { libc::sigwaitinfo(&raw const one, null_mut()) };
        assert_eq!(taken, libc::SIGXFSZ);
    }
}
