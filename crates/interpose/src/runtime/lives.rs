//! The lives of the library. `MPI_Init` to `MPI_Finalize` is one, every session another (MPI 4.1,
//! sections 11.2 and 11.3); they overlap as the program likes. With the last of them end the
//! library's objects: handles of ours, the key of our attributes, requests. The next life gives
//! the same numbers to other objects, so that nothing of an older one may be used or freed in it.
//!
//! A record of a handle belongs to one *generation*: the time from the first of overlapping lives
//! to the end of the last.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use commloom_mpi::Abi;

/// Something that the program begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life<A: Abi> {
    /// From `MPI_Init` to `MPI_Finalize`.
    World,
    Session(A::Session),
}

/// `MPI_COMM_WORLD`, as far as the program has told us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorldModel {
    /// `MPI_Init` was not called, or not through us.
    Unseen,
    Alive,
    Over,
}

/// Which lives last.
pub(crate) struct Lives<A: Abi> {
    /// Even while handles may be made, odd from the end of the last life to the beginning of the
    /// next one.
    pub generation: AtomicU64,
    pub open: Mutex<OpenLives<A>>,
}

/// Those that last.
pub(crate) struct OpenLives<A: Abi> {
    pub world: WorldModel,
    pub sessions: Vec<A::Session>,
}

impl<A: Abi> Lives<A> {
    pub const fn new() -> Self {
        let open = OpenLives { world: WorldModel::Unseen, sessions: Vec::new() };
        Lives { generation: AtomicU64::new(0), open: Mutex::new(open) }
    }

    /// The present generation; `None` where the library ends or has ended. Calls that come all the
    /// same (the program may communicate in callbacks of `MPI_Finalize`) go to the library as they
    /// are.
    pub fn generation(&self) -> Option<u64> {
        let generation = self.generation.load(Ordering::Acquire);
        generation.is_multiple_of(2).then_some(generation)
    }
}

impl<A: Abi> OpenLives<A> {
    /// Takes a life out; `None` where that was done: a tool behind us comes in once more as
    /// `PMPI_Finalize`.
    pub fn end(&mut self, life: Life<A>) -> Option<()> {
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

    pub fn begin(&mut self, life: Life<A>) {
        match life {
            Life::World => self.world = WorldModel::Alive,
            Life::Session(session) if self.sessions.contains(&session) => {}
            Life::Session(session) => self.sessions.push(session),
        }
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
