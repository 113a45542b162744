//! The epochs of a window (MPI 4.1, section 12.5), as far as a put can be ended by its target: in
//! those that fences separate, and between start and complete at the origin, post and wait at the
//! target. Origin and target count them alike, without a word between them: all processes call
//! the same fences, and the nth start for a target matches its nth post for the origin.
//!
//! Under a lock the target does nothing, so that nothing can be left to it.

use rustc_hash::FxHashMap;

/// The epochs of one window in one process. Processes are ranks in the window.
#[derive(Debug, Default)]
pub(crate) struct Epochs {
    access: Access,
    fences: u64,
    /// Starts for each target, and posts for each origin.
    starts: FxHashMap<usize, u64>,
    posts: FxHashMap<usize, u64>,
    /// Whom the window is posted to.
    exposed: Vec<usize>,
}

/// Access to windows of others, and how it ends.
#[derive(Debug, Default, PartialEq, Eq)]
enum Access {
    /// Nothing, or under a lock.
    #[default]
    Other,
    /// Anything, until the next fence.
    Fence,
    /// Into the windows of these, until it says that it is complete.
    Started(Vec<usize>),
}

/// An epoch of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Epoch {
    /// That ends with the fence of this number, from 1 on.
    Fenced(u64),
    /// Of this number between two processes, from 1 on.
    OfTwo(u64),
}

impl Epoch {
    /// Another number for each.
    pub fn number(self) -> u64 {
        match self {
            Epoch::Fenced(number) => number << 1,
            Epoch::OfTwo(number) => number << 1 | 1,
        }
    }
}

impl Epochs {
    /// The epoch in which something is put into the window of this target; `None` where the target
    /// would not end it.
    pub fn access(&self, target: usize) -> Option<Epoch> {
        match &self.access {
            Access::Other => None,
            Access::Fence => Some(Epoch::Fenced(self.next_fence())),
            Access::Started(targets) => {
                let starts = self.starts.get(&target).filter(|_| targets.contains(&target))?;
                Some(Epoch::OfTwo(*starts))
            }
        }
    }

    /// The number of the fence that comes next.
    pub fn next_fence(&self) -> u64 {
        self.fences + 1
    }

    /// It is over. `opens`: something may be put up to the next one.
    pub fn fence(&mut self, opens: bool) {
        self.fences += 1;
        self.access = if opens { Access::Fence } else { Access::Other };
    }

    /// `MPI_Win_start` for these targets.
    pub fn start(&mut self, targets: Vec<usize>) {
        for target in &targets {
            *self.starts.entry(*target).or_default() += 1;
        }
        self.access = Access::Started(targets);
    }

    /// `MPI_Win_post` for these origins.
    pub fn post(&mut self, origins: Vec<usize>) {
        for origin in &origins {
            *self.posts.entry(*origin).or_default() += 1;
        }
        self.exposed = origins;
    }

    /// `MPI_Win_wait`: the origins, each with the epoch that is over.
    pub fn wait(&mut self) -> Vec<(usize, Epoch)> {
        let origins = std::mem::take(&mut self.exposed).into_iter();
        let posts = |origin| self.posts.get(&origin).copied().unwrap_or(0);
        origins.map(|origin| (origin, Epoch::OfTwo(posts(origin)))).collect()
    }

    /// `MPI_Win_complete`, or a lock.
    pub fn access_ends(&mut self) {
        self.access = Access::Other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_and_target_agree_on_every_epoch() {
        let (mut origin, mut target) = (Epochs::default(), Epochs::default());
        assert_eq!(origin.access(1), None, "before the first fence");
        for epochs in [&mut origin, &mut target] {
            epochs.fence(true);
        }
        let first = origin.access(1).unwrap();
        origin.fence(true);
        let second = origin.access(1).unwrap();
        assert_ne!(first, second, "the origin may be one fence ahead");
        for epoch in [first, second] {
            assert_eq!(Epoch::Fenced(target.next_fence()), epoch);
            target.fence(true);
        }
        origin.fence(false);
        target.fence(false);
        assert_eq!(origin.access(1), None, "nothing is to come");

        // The target also posts to others, and the origin starts for others.
        target.post(vec![5]);
        target.wait();
        origin.start(vec![3]);
        assert_eq!(origin.access(1), None, "not in the group");
        origin.access_ends();
        origin.start(vec![3, 1]);
        let third = origin.access(1).unwrap();
        origin.access_ends();
        assert_eq!(origin.access(1), None);
        origin.start(vec![1]);
        let fourth = origin.access(1).unwrap();
        target.post(vec![0]);
        assert_eq!(target.wait(), [(0, third)]);
        target.post(vec![0, 5]);
        assert_eq!(target.wait(), [(0, fourth), (5, Epoch::OfTwo(2))]);
        assert_eq!(target.wait(), []);
        let mut all = [first, second, third, fourth].map(Epoch::number).to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4);
    }
}
