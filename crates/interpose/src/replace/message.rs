//! A message of a persistent request: what the program has said of it once and for all.

use std::ffi::{c_int, c_void};

use commloom_commgraph::part::{Memory, Step};
use commloom_commgraph::{Address, Buffer, Bytes, Process, Tag};
use commloom_layout::{Type, mpi};
use commloom_mpi::{Abi, DEFAULT_BUDGET, Mpi, Status, decode};

use super::channels::{Channel, Way, Wild};
use crate::runtime::calls::MessageData;
use crate::runtime::count::CallCount;
use crate::runtime::gpu::Gpus;

/// Two that are equal are the same message, whichever requests stand for them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Message {
    pub channel: Channel,
    /// Address of the buffer.
    at: usize,
    count: u64,
    ty: Type,
    /// Bytes of the message.
    pub bytes: u64,
    /// `MPI_PROC_NULL`: there is none.
    pub is_null: bool,
}

/// The record of a persistent request.
#[derive(Debug, Clone)]
pub(super) enum Known {
    /// The number of its message among all of this process, and what its status will say.
    Message(usize, Brings),
    /// It cannot be part of a group, but it uses this channel.
    Other(Channel),
    /// Or several.
    Wild(Wild),
}

/// The status of a replaced request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brings {
    /// Nothing: it was a send.
    Nothing,
    /// That of the library: it is started, for it is a message with nobody. MPICH 4.0 says
    /// another thing of these than the standard (MPI 4.1, section 3.11).
    Library,
    Message {
        source: c_int,
        tag: c_int,
        bytes: u64,
    },
}

/// A persistent request as the program makes it; `None` where its datatype cannot be read.
pub(super) fn message<A: Abi, N: CallCount>(
    mpi: &Mpi<A>,
    channel: Channel,
    data: MessageData<A, N>,
) -> Option<Message> {
    let ty = decode(mpi, data.datatype, DEFAULT_BUDGET).ok()?;
    let count = u64::try_from(data.count.wide()).ok()?;
    let bytes = count.checked_mul(ty.size())?;
    let is_null = channel.peer == A::CONSTANTS.proc_null;
    Some(Message { channel, at: data.buffer.addr(), count, ty, bytes, is_null })
}

impl Message {
    /// Whether its memory is a GPU's now: only the library may use it.
    pub fn is_of_gpu(&self, gpus: &Gpus) -> bool {
        if self.is_null || !gpus.are_there() {
            return false;
        }
        let all = mpi::contiguous(self.count, &self.ty);
        // What is past all addresses is no buffer, and MPI shall see it.
        let bounds = all.map_or(0..1, |all| all.true_lb()..all.true_ub());
        let buffer = std::ptr::without_provenance::<c_void>(self.at);
        gpus.refuse(buffer, bounds).is_some()
    }

    /// As a step of a graph; `None` for a message with nobody.
    pub fn step(&self) -> Option<Option<Step>> {
        match self.is_null {
            true => Some(None),
            false => Some(Some(self.transfer()?)),
        }
    }

    fn transfer(&self) -> Option<Step> {
        let address = |at: usize| u64::try_from(at).ok().map(Address);
        let memory = Memory(match self.ty.is_contiguous(self.count) {
            true => {
                let first = isize::try_from(self.ty.first_byte()).ok()?;
                Buffer::Range(address(self.at.wrapping_add_signed(first))?, Bytes(self.bytes))
            }
            false => {
                let (at, ty) = (address(self.at)?, self.ty.clone());
                Buffer::Typed { at, count: self.count, ty }
            }
        });
        let peer = Process(u32::try_from(self.channel.peer).ok()?);
        let tag = Tag(self.channel.tag);
        Some(match self.channel.way {
            Way::Out => Step::Send { from: memory, to: peer, tag },
            Way::In => Step::Receive { into: memory, from: peer, tag },
        })
    }

    /// Whether it is one that this process sends.
    pub fn is_sent(&self) -> bool {
        self.channel.way == Way::Out && !self.is_null
    }

    pub fn brings(&self) -> Brings {
        let Channel { way, peer, tag, .. } = self.channel;
        match (self.is_null, way) {
            (true, _) => Brings::Library,
            (false, Way::Out) => Brings::Nothing,
            (false, Way::In) => Brings::Message { source: peer, tag, bytes: self.bytes },
        }
    }
}

impl Brings {
    /// Writes the status of a request; `several` where the call has an array of them, and sets
    /// their errors (MPI 4.1, section 3.7.5).
    ///
    /// # Safety
    /// `place` is `MPI_STATUS_IGNORE`, null, or can be written.
    pub unsafe fn write<A: Abi>(self, mpi: &Mpi<A>, place: *mut A::Status, several: bool) {
        if place.is_null() || A::CONSTANTS.ignores_status(place) {
            return;
        }
        let mut status = mpi.empty_status().unwrap_or_else(|_| A::Status::empty());
        if let Brings::Message { source, tag, bytes } = self {
            // What the library does not take leaves the count at zero.
            let _ = mpi.set_status_bytes(&mut status, i64::try_from(bytes).unwrap_or(i64::MAX));
            status.set_source(source);
            status.set_tag(tag);
        }
        // SAFETY: the program's status. Open MPI hands over arrays of Fortran integers, aligned to
        // four bytes.
        unsafe {
            let error = if several { A::CONSTANTS.success } else { place.read_unaligned().error() };
            status.set_error(error);
            place.write_unaligned(status);
        }
    }
}
