//! The lives of the library. `MPI_Init` to `MPI_Finalize` is one, every session another (MPI 4.1, sections 11.2 and
//! 11.3); they overlap as the program likes. With the last of them end the library's objects: handles of ours, the
//! key of our attributes, requests. The next life gives the same numbers to other objects, so that nothing of an
//! older one may be used or freed in it.
//!
//! What we remember of handles belongs to one *generation*: the time from the first of overlapping lives to
//! the end of the last.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use commloom_mpi::Abi;

use crate::state::{Preload, lock};

/// Something that the program begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life<A: Abi> {
    /// From `MPI_Init` to `MPI_Finalize`.
    World,
    Session(A::Session),
}

/// `MPI_COMM_WORLD`, as far as the program has told us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorldModel {
    /// `MPI_Init` was not called, or not through us.
    Unseen,
    Alive,
    Over,
}

/// Which lives last.
pub(crate) struct Lives<A: Abi> {
    /// Even while handles may be made, odd from the end of the last life to the beginning of the next one.
    generation: AtomicU64,
    open: Mutex<OpenLives<A>>,
}

struct OpenLives<A: Abi> {
    world: WorldModel,
    sessions: Vec<A::Session>,
}

/// A life that the library is about to end.
pub(crate) struct EndOfLife<A: Abi> {
    life: Life<A>,
    /// No other one lasts.
    is_last: bool,
}

impl<A: Abi> Lives<A> {
    pub const fn new() -> Self {
        let open = OpenLives { world: WorldModel::Unseen, sessions: Vec::new() };
        Lives { generation: AtomicU64::new(0), open: Mutex::new(open) }
    }

    /// The present generation; `None` where the library ends or has ended. Calls that come all the same (the program
    /// may communicate in callbacks of `MPI_Finalize`) go to the library as they are.
    pub fn generation(&self) -> Option<u64> {
        let generation = self.generation.load(Ordering::Acquire);
        generation.is_multiple_of(2).then_some(generation)
    }
}

impl<A: Abi> OpenLives<A> {
    /// Takes a life out; `None` where that was done: a tool behind us comes in once more as `PMPI_Finalize`.
    fn end(&mut self, life: Life<A>) -> Option<()> {
        match life {
            Life::World if self.world == WorldModel::Over => return None,
            Life::World => self.world = WorldModel::Over,
            Life::Session(session) => {
                let place = self.sessions.iter().position(|open| *open == session)?;
                self.sessions.swap_remove(place);
            }
        }
        Some(())
    }

    fn begin(&mut self, life: Life<A>) {
        match life {
            Life::World => self.world = WorldModel::Alive,
            Life::Session(session) if self.sessions.contains(&session) => {}
            Life::Session(session) => self.sessions.push(session),
        }
    }
}

impl<A: Abi> Preload<A> {
    /// The library has begun a life.
    pub(crate) fn life_begins(&'static self, life: Life<A>) {
        let mut open = lock(&self.lives.open);
        open.begin(life);
        self.mpi().has_session(!open.sessions.is_empty());
        // Under the lock: another thread that begins a life may use it only afterwards.
        if self.lives.generation().is_none() {
            self.pending.abandon(self);
            self.epoch.fetch_add(1, Ordering::AcqRel);
            self.lives.generation.fetch_add(1, Ordering::AcqRel);
        }
        drop(open);
        if let Life::Session(_) = life {
            self.reports_at_exit();
        }
    }

    /// The library is about to end a life: what hangs on it goes before. The result is for [`Preload::life_ended`].
    pub(crate) fn life_ends(&'static self, life: Life<A>) -> Option<EndOfLife<A>> {
        let mpi = self.mpi();
        let unseen = || mpi.initialized().unwrap_or(false) && !mpi.finalized().unwrap_or(true);
        let world_lasts = life != Life::World && unseen();
        let is_last = {
            let mut open = lock(&self.lives.open);
            open.end(life)?;
            let world_lasts = match open.world {
                WorldModel::Unseen => world_lasts,
                WorldModel::Alive => true,
                WorldModel::Over => false,
            };
            open.sessions.is_empty() && !world_lasts
        };
        self.shield(|| {
            if life == Life::World {
                self.region_ends();
            }
            if is_last {
                self.let_go_of_freed();
            } else {
                self.deliver_freed();
                self.finish_freed_sends();
            }
            if life == Life::World {
                self.write_report();
                self.end_replacing();
            }
            if is_last {
                self.library_ends();
            }
        });
        Some(EndOfLife { life, is_last })
    }

    /// The library's call for it has returned.
    pub(crate) fn life_ended(&'static self, ending: Option<EndOfLife<A>>, code: i32) {
        let Some(EndOfLife { life, is_last }) = ending else { return };
        if code != A::CONSTANTS.success {
            // It goes on (a strict session has objects left). What was freed is made again.
            self.life_begins(life);
            return;
        }
        let open = lock(&self.lives.open);
        self.mpi().has_session(!open.sessions.is_empty());
        if is_last && self.lives.generation().is_none() {
            self.pending.abandon(self);
        }
    }

    /// Frees all that the library has made for us, and forgets it.
    fn library_ends(&self) {
        // From here on nobody is given a handle of ours.
        self.lives.generation.fetch_or(1, Ordering::AcqRel);
        self.epoch.fetch_add(1, Ordering::AcqRel);
        for datatype in self.made.take_all() {
            // A handle that MPI does not take back is lost, not worse.
            let _ = self.mpi().type_free(datatype);
        }
        if let Some(keyval) = self.keyval.take() {
            let _ = self.mpi().type_free_keyval(keyval);
        }
        self.layouts.forget_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_mpi::{Mpich, RawHandle};

    #[test]
    fn a_life_ends_once() {
        let session = <Mpich as Abi>::Session::from_bits(7);
        let mut open = OpenLives::<Mpich> { world: WorldModel::Unseen, sessions: Vec::new() };
        open.begin(Life::Session(session));
        // Once for `MPI_Session_init`, once for the `PMPI_Session_init` of a tool.
        open.begin(Life::Session(session));
        assert_eq!(open.end(Life::Session(session)), Some(()));
        assert_eq!(open.end(Life::Session(session)), None);
        // Also where its beginning was not seen.
        assert_eq!(open.end(Life::World), Some(()));
        assert_eq!(open.end(Life::World), None);
    }
}
