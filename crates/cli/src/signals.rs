//! Cleaning up when a signal ends this process: no temporary file and no process is left behind.

use std::io;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// For the end of processes that were asked to end.
const GRACE: Duration = Duration::from_secs(3);

/// Groups of processes that end with this one.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
/// The process that decides, while it runs, what becomes of files: see [`run`].
static DECIDING: Mutex<Option<Pid>> = Mutex::new(None);
/// The signal that came meanwhile.
static DEFERRED: AtomicI32 = AtomicI32::new(0);
static ENDING: AtomicBool = AtomicBool::new(false);

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on SIGINT, SIGTERM and SIGHUP end this process when its temporary files are removed
/// and the groups of processes that it has started are gone.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without a handler a signal ends the process as it always did.
        let Ok(mut signals) = Signals::new(wanted()) else { return };
        thread::spawn(move || {
            for signal in signals.forever() {
                let deciding = *held(&DECIDING);
                match deciding {
                    Some(process) => {
                        DEFERRED.store(signal, Ordering::Release);
                        // What has ended in the meantime needs no signal.
                        let _ = Signal::try_from(signal).and_then(|signal| kill(process, signal));
                    }
                    None => end(signal),
                }
            }
        });
    });
}

fn end(signal: i32) -> ! {
    ENDING.store(true, Ordering::Release);
    let groups = std::mem::take(&mut *held(&GROUPS));
    for group in &groups {
        let _ = killpg(*group, Signal::SIGTERM);
    }
    let mut waited = Duration::ZERO;
    let glance = Duration::from_millis(20);
    while waited < GRACE && groups.iter().any(|group| killpg(*group, None).is_ok()) {
        thread::sleep(glance);
        waited += glance;
    }
    for group in &groups {
        let _ = killpg(*group, Signal::SIGKILL);
    }
    commloom_guard::remove_all();
    // As without a handler, so that whoever waits sees the signal.
    let _ = emulate_default_handler(signal);
    std::process::exit(128 + signal)
}

/// Waits for the end where a signal ends this process.
pub fn wait_if_ending() {
    while ENDING.load(Ordering::Acquire) {
        thread::park();
    }
}

/// A group of processes, as long as this value lives.
pub struct Group(Pid);

impl Group {
    /// The group that a child leads.
    pub fn new(child: u32) -> Group {
        watch();
        // Numbers of processes are below 2^22.
        let group = Pid::from_raw(i32::try_from(child).unwrap_or(i32::MAX));
        held(&GROUPS).push(group);
        Group(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        held(&GROUPS).retain(|group| *group != self.0);
    }
}

/// Runs a command; what follows it is done before a signal that comes meanwhile ends this
/// process, in [`go_on`]. The command gets the signal at once.
///
/// # Errors
/// It cannot be started.
#[cfg_attr(not(feature = "refactor"), expect(dead_code, reason = "only `refactor --run` decides"))]
pub fn run(command: &mut Command) -> io::Result<ExitStatus> {
    watch();
    let mut child = {
        let mut deciding = held(&DECIDING);
        let child = command.spawn()?;
        *deciding = i32::try_from(child.id()).ok().map(Pid::from_raw);
        child
    };
    child.wait()
}

/// Ends the critical section of [`run`], and takes a signal that came meanwhile.
#[cfg_attr(not(feature = "refactor"), expect(dead_code, reason = "only `refactor --run` decides"))]
pub fn go_on() {
    *held(&DECIDING) = None;
    let signal = DEFERRED.swap(0, Ordering::AcqRel);
    if signal != 0 {
        end(signal);
    }
}

/// Whether a signal came while the last command ran.
#[cfg_attr(not(feature = "refactor"), expect(dead_code, reason = "only `refactor --run` decides"))]
pub fn was_stopped() -> bool {
    DEFERRED.load(Ordering::Acquire) != 0
}

/// Sets `flag` when a signal asks this process to end, which then goes on: it ends by itself.
///
/// # Errors
/// There is no room for a handler.
pub fn tell(flag: &Arc<AtomicBool>) -> io::Result<()> {
    for signal in wanted() {
        signal_hook::flag::register(signal, flag.clone())?;
    }
    Ok(())
}

fn wanted() -> impl Iterator<Item = i32> {
    [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal))
}

/// Whether whoever started this process wants a signal to do nothing, as `nohup` does.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
