//! A group of persistent requests, with what it needs to run.

use std::sync::{Arc, Mutex};

use commloom_commgraph::Part;
use commloom_mpi::Abi;
use commloom_mpi::graphs::Compiled;

use super::ballot::Ballot;
use super::group::Group;

/// A group, with everything that it needs to run.
pub(super) struct RunnableGroup<A: Abi> {
    pub group: Group,
    /// The number of the communicator, and how many processes it has.
    pub comm: usize,
    pub voters: u64,
    pub messages: Vec<usize>,
    /// Where its ballot is: the same number at all processes.
    pub place: usize,
    pub ballot: &'static Ballot,
    /// Some of the messages are with nobody.
    pub has_null: bool,
    pub part: Part,
    pub ready: Option<Ready<A>>,
}

/// The compiled part of this process.
pub(super) type Ready<A> = Arc<Mutex<Compiled<'static, A>>>;
