//! What a region's messages are compiled to, by all processes of their communicator together.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use commloom_commgraph::schedule::{Replace as When, ScheduleOptions};
use commloom_commgraph::{Part, Process};
use commloom_mpi::Abi;
use commloom_mpi::graphs::GraphsError;

use rustc_hash::FxHashMap;

use super::super::Replace;
use super::super::group::Reason;
use super::signature::{Doubles, doubles};
use super::{Call, Data, Flag, Moved, Prepared};
use crate::state::lock;

impl<A: Abi> Replace<A> {
    /// Compiles it; `None` at all processes where it is not replaced.
    pub(super) fn compile_region(&self, index: usize) -> Result<Option<Prepared<A>>, GraphsError> {
        let (comm, calls, own, rank) = {
            let inner = self.lock();
            let region = &inner.regions.list[index];
            let comm = &inner.comms[&region.comm];
            (region.comm, region.calls.clone(), comm.own, comm.rank)
        };
        let size = self.mpi.size(own)?;
        let doubles = doubles(&calls);
        let part = doubles.as_ref().ok().and_then(|doubles| part(doubles, rank, size));
        let flags = self.number_messages(&calls, own, (rank, size), part.is_some())?;
        let (doubles, part, flags) = match (doubles, part, flags) {
            (Ok(doubles), Some(part), Some(flags)) => (doubles, part, flags),
            (doubles, ..) => {
                let elsewhere = Reason::Unfit("another process cannot replace it");
                self.lock().leave(index, doubles.err().unwrap_or(elsewhere));
                return Ok(None);
            }
        };
        let options = ScheduleOptions { replace: When::Always, ..ScheduleOptions::default() };
        let compiled = self.context(comm).and_then(|own| lock(&own).compile(&part, options));
        let compiled = compiled.map(|ready| {
            let calls = lock(&ready).summary().calls.clone();
            (calls, ready)
        });
        let mut inner = self.lock();
        let (found, ready) = match compiled {
            Ok((found, ready)) if !found.is_empty() => (found, ready),
            Ok(_) => {
                inner.leave(index, Reason::Nothing);
                return Ok(None);
            }
            Err(error) => {
                inner.leave(index, Reason::NoGraph(error.to_string()));
                return Ok(None);
            }
        };
        let Doubles { shadow, ranges, .. } = doubles;
        let messages = calls.iter().zip(ranges).zip(flags).map(|((call, ranges), flag)| Moved {
            channel: call.channel(),
            waits: call.waits(),
            ranges,
            flag,
            vain: AtomicU8::new(0),
        });
        let data = Arc::new(Data { shadow, messages: messages.collect() });
        let region = &mut inner.regions.list[index];
        region.group.compiled(found, !self.settings.always);
        (region.ready, region.data) = (Some(ready.clone()), Some(data.clone()));
        Ok(Some((ready, data)))
    }

    /// The flag of each message: the same at both ends. `None` at all processes where one of them is not `able`, or there
    /// are no more flags. A receive without a message, with which there is no graph, has none.
    fn number_messages(
        &self,
        calls: &[Call],
        own: A::Comm,
        (rank, size): (u32, c_int),
        able: bool,
    ) -> Result<Option<Vec<Option<&'static Flag>>>, GraphsError> {
        let sends = || calls.iter().filter(|call| call.is_sent());
        let mine = if able { c_int::try_from(sends().count()).unwrap_or(-1) } else { -1 };
        let size = usize::try_from(size).unwrap_or(0);
        let mut counts = vec![0; size];
        let int = self.mpi.handles.datatype("MPI_INT");
        let int = int.ok_or_else(|| GraphsError::Missing { name: "MPI_INT".to_owned() })?;
        let (from, into) = ((&raw const mine).cast(), counts.as_mut_ptr().cast());
        // SAFETY: one number, and room for one of each process; all processes of the communicator, which is ours, are here.
        let code = unsafe { (self.mpi.own.allgather)(from, 1, int, into, 1, int, own) };
        self.mpi.check("MPI_Allgather", code)?;
        if counts.iter().any(|count| *count < 0) {
            return Ok(None);
        }
        let starts: Vec<usize> = counts
            .iter()
            .scan(0, |next, count| {
                let start = *next;
                *next += usize::try_from(*count).unwrap_or(0);
                Some(start)
            })
            .collect();
        let number = |count: &c_int| usize::try_from(*count).unwrap_or(0);
        let total: usize = counts.iter().map(number).sum();
        let mut base = [-1_i64];
        if rank == 0
            && let Some(first) = self.shared.take_flags(total)
        {
            base = [i64::try_from(first).unwrap_or(-1)];
        }
        let (at, byte) = (base.as_mut_ptr().cast(), self.mpi.handles.byte);
        // SAFETY: so many bytes can be written there; as above.
        let code = unsafe { (self.mpi.own.bcast)(at, 8, byte, 0, own) };
        self.mpi.check("MPI_Bcast", code)?;
        let Ok(base) = usize::try_from(base[0]) else { return Ok(None) };
        // Who gets each message, and its tag.
        let place = |call: &Call| [call.channel().peer, call.channel().tag];
        let mine: Vec<c_int> = sends().flat_map(place).collect();
        let lengths: Vec<c_int> = counts.iter().map(|count| 2 * count).collect();
        let places: Vec<c_int> =
            starts.iter().map(|start| c_int::try_from(2 * start).unwrap_or(0)).collect();
        let mut all = vec![0; 2 * total];
        let (from, into) = (mine.as_ptr().cast(), all.as_mut_ptr().cast());
        let length = c_int::try_from(mine.len()).unwrap_or(0);
        let (lengths, places) = (lengths.as_ptr(), places.as_ptr());
        // SAFETY: each process gives as many numbers as it has said, and there is room for them; as above.
        let code = unsafe {
            (self.mpi.own.allgatherv)(from, length, int, into, lengths, places, int, own)
        };
        self.mpi.check("MPI_Allgatherv", code)?;
        let all: Vec<_> = all.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let ends = starts.iter().skip(1).copied().chain([total]);
        let by_sender: Vec<_> = starts.iter().copied().zip(ends).collect();
        Ok(Some(self.flags(calls, rank, base, &by_sender, &all)))
    }

    /// The flags of these calls, where the messages of each process are at `by_sender` in `all`.
    fn flags(
        &self,
        calls: &[Call],
        rank: u32,
        base: usize,
        by_sender: &[(usize, usize)],
        all: &[(c_int, c_int)],
    ) -> Vec<Option<&'static Flag>> {
        // The messages to this process, of each channel in order.
        let mut to_me: FxHashMap<(c_int, c_int), VecDeque<usize>> = FxHashMap::default();
        let me = c_int::try_from(rank).unwrap_or(-1);
        for (sender, (start, end)) in (0..).zip(by_sender) {
            for (place, (to, tag)) in (*start..*end).zip(&all[*start..*end]) {
                if *to == me {
                    to_me.entry((sender, *tag)).or_default().push_back(place);
                }
            }
        }
        let mine = usize::try_from(rank).ok().and_then(|rank| by_sender.get(rank));
        let mut next = mine.map_or(0, |(start, _)| *start);
        let place = |call: &Call| {
            if call.is_sent() {
                next += 1;
                return Some(next - 1);
            }
            to_me.get_mut(&(call.channel().peer, call.channel().tag))?.pop_front()
        };
        calls.iter().map(place).map(|place| self.shared.flag(base + place?)).collect()
    }
}

/// The messages as a part of a graph.
fn part(doubles: &Doubles, rank: u32, size: c_int) -> Option<Part> {
    let mut part = Part::new(Process(rank), u32::try_from(size).ok()?);
    for step in &doubles.steps {
        part.add(step.clone()).ok()?;
    }
    Some(part)
}
