//! A watch over operations that never end. A library may wait for ever by itself: the same operation with
//! the library alone tells whose fault it is.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Exit status where an operation does not end.
pub const STUCK: i32 = 3;
/// How long an operation may take. Machines are busy.
const LIMIT: Duration = Duration::from_secs(60);
/// The other ranks are given so long to say where they are.
const GRACE: Duration = Duration::from_secs(5);

/// What this rank is at, and since when.
pub struct Watch(Arc<Mutex<(u64, bool, Instant)>>);

impl Watch {
    /// Watches over a rank until the process ends.
    pub fn start(rank: usize) -> Watch {
        let now = Arc::new(Mutex::new((0, true, Instant::now())));
        let watched = now.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let (operation, native, since) =
                    *watched.lock().unwrap_or_else(PoisonError::into_inner);
                if since.elapsed() < LIMIT {
                    continue;
                }
                let side = if native { "alone" } else { "through the preload" };
                eprintln!("stuck: operation {operation} {side}, rank {rank}");
                std::thread::sleep(GRACE);
                std::process::exit(STUCK);
            }
        });
        Watch(now)
    }

    /// An operation begins, with the library alone or not.
    pub fn at(&self, operation: u64, native: bool) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (operation, native, Instant::now());
    }
}
