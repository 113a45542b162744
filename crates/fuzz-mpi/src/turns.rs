//! Ranks that take turns. Libraries poll without giving their core away, so that with more ranks
//! than cores the one that everybody waits for comes last. Short turns bring it back soon,
//! whatever the library does.

/// `struct sched_attr` of sched_setattr(2).
#[repr(C)]
#[derive(Default)]
struct SchedAttr {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

/// From now on the calling thread has its core for so many microseconds at a time; 0 is as the
/// system likes. Linux does so from version 6.12 on; elsewhere nothing changes.
pub fn take_turns(microseconds: u32) {
    if microseconds == 0 {
        return;
    }
    // SAFETY: a thread may ask for its own nice value, of which -1 is one too, and no memory is
    // named.
    let nice = unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) };
    let size = u32::try_from(size_of::<SchedAttr>()).expect("a small struct");
    let runtime = u64::from(microseconds) * 1000;
    let attributes = SchedAttr { size, nice, runtime, ..SchedAttr::default() };
    let (me, flags) = (0, 0);
    // SAFETY: a struct of the size that it names, which the call only reads. Where it fails
    // nothing changes.
    unsafe { libc::syscall(libc::SYS_sched_setattr, me, &raw const attributes, flags) };
}
