//! Regions between `MPI_Pcontrol(1)` and `MPI_Pcontrol(0)`: their messages are moved by a collective operation when they begin,
//! and a message that its sender then sends with the same bytes is left out, if its receive waits for it already.
//!
//! ```text
//! MPI_Pcontrol(1) ─► passes: which region is it, what now? ─► ballot: do all begin it?
//!                                    └─ yes ─► shadow: what would be sent now ─► the schedule, in the shadow
//! MPI_Send, ...   ─► calls: the next message of the region? the same bytes? ─► flags: does the receive wait? ─► left out
//! MPI_Recv, ...   ─► calls: it waits ─► flags: left out? ─► shadow: what has come
//! MPI_Wait, ...   ─► requests: the library has got an empty message: the same
//! ```
//!
//! Until its first pass ends a region is recorded (`signature`); later passes have to be the same, call by call. Who does
//! something else sends all of its messages from there on, and never votes again. Why that is safe: docs/replace.md.

mod calls;
mod compile;
mod flags;
mod passes;
mod requests;
mod shadow;
mod signature;

use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::time::{Duration, Instant};

use commloom_mpi::Abi;
use rustc_hash::FxHashMap;

use super::Inner;
use super::ballot::Ballot;
use super::channels::{Channel, Way};
use super::group::{Group, Reason};
use super::start::Ready;
pub(super) use flags::Flag;
use flags::Run;
pub(crate) use flags::{Sends, Waits};
pub(crate) use requests::Expected;
pub(super) use shadow::Range;
use shadow::Shadow;
use signature::Call;

/// Regions that are remembered.
const REGIONS: usize = 256;
/// Messages of a region at most.
const CALLS: usize = 4096;
/// Runs in a row of which nothing was left out, after which a process gives the region up.
const IDLE: u32 = 4;

/// All regions of this process.
pub(super) struct Regions<A: Abi> {
    /// By where `MPI_Pcontrol` is called.
    sites: FxHashMap<usize, usize>,
    pub list: Vec<Region<A>>,
    /// The one whose calls are followed.
    open: Option<Open>,
}

impl<A: Abi> Default for Regions<A> {
    fn default() -> Self {
        Regions { sites: FxHashMap::default(), list: Vec::new(), open: None }
    }
}

/// A region.
pub(super) struct Region<A: Abi> {
    pub group: Group,
    /// The number of its communicator, and how many processes that has.
    pub comm: usize,
    pub voters: u64,
    /// Where its ballot is: the same number at all processes.
    pub place: usize,
    ballot: Option<&'static Ballot>,
    pub calls: Vec<Call>,
    /// Its first pass is over.
    learnt: bool,
    ready: Option<Ready<A>>,
    data: Option<Arc<Data>>,
    /// What the last pass took.
    spent: Duration,
    /// Receives of earlier passes whose completion the program does not know yet.
    waiting: usize,
    /// Runs in a row of which nothing was left out.
    idle: u32,
    /// Messages that this process did not send.
    pub left_out: u64,
}

/// A region between its marks.
#[derive(Debug)]
struct Open {
    region: usize,
    /// The next call.
    position: usize,
    /// `None`: its messages go as they are.
    run: Option<Run>,
    since: Instant,
    left_out: u32,
}

/// What the calls of a run need. It stays for the requests that are under way.
pub(super) struct Data {
    shadow: Shadow,
    messages: Vec<Moved>,
}

/// What a run needs.
type Prepared<A> = (Ready<A>, Arc<Data>);

/// A message of a region that was compiled.
struct Moved {
    channel: Channel,
    waits: Waits,
    ranges: Arc<[Range]>,
    /// `None`: a receive without a message.
    flag: Option<&'static Flag>,
    /// How often nobody came for it, though it waited: then it does not wait any more.
    vain: AtomicU8,
}

/// What a call is to its region.
enum Follow {
    /// Nothing.
    Others,
    /// One of the region's, which goes as it is.
    AsItIs { region: usize },
    /// One of a run.
    Run { region: usize, index: usize, run: Run, data: Arc<Data> },
}

impl<A: Abi> Region<A> {
    fn new() -> Region<A> {
        Region {
            group: Group::new(),
            comm: usize::MAX,
            voters: 0,
            place: usize::MAX,
            ballot: None,
            calls: Vec::new(),
            learnt: false,
            ready: None,
            data: None,
            spent: Duration::ZERO,
            waiting: 0,
            idle: 0,
            left_out: 0,
        }
    }
}

impl<A: Abi> Inner<A> {
    /// A region goes as the program has it from now on.
    pub(super) fn leave(&mut self, region: usize, reason: Reason) {
        if let Some(left) = self.regions.list.get_mut(region) {
            left.group.leave(reason);
        }
        if self.regions.open.as_ref().is_some_and(|open| open.region == region) {
            self.close();
        }
    }

    /// Nothing more of the open region is left out: who waits for a message of this process learns that it will be sent.
    fn close(&mut self) -> Option<Open> {
        let open = self.regions.open.take()?;
        let region = &mut self.regions.list[open.region];
        if let (Some(run), Some(data)) = (open.run, &region.data) {
            for message in data.messages.iter().skip(open.position) {
                if let (Way::Out, Some(flag)) = (message.channel.way, message.flag) {
                    flag.decide(run, false);
                }
            }
        }
        Some(open)
    }
}
