//! Work at the beginning and the end of a [life](crate::runtime::lives) of the library.

use std::sync::atomic::Ordering;

use commloom_mpi::Abi;

use crate::accelerate::history;
use crate::preload::state::Preload;
use crate::runtime::lives::{Life, WorldModel};
use crate::runtime::sync::lock;

/// A life that the library is about to end.
pub(crate) struct EndOfLife<A: Abi> {
    life: Life<A>,
    /// No other one lasts.
    is_last: bool,
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
        match life {
            Life::World => history::begin(self),
            Life::Session(_) => self.reports_at_exit(),
        }
    }

    /// The library is about to end a life: what hangs on it goes before. The result is for
    /// [`Preload::life_ended`].
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
            if is_last {
                self.let_go_of_freed();
            } else {
                self.deliver_freed();
                self.finish_freed_sends();
            }
            if life == Life::World {
                self.write_report();
                history::end();
                self.replacement.end();
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
        self.repeated.end();
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
