//! One side of a message: so many elements of a type, in memory of its own.

use std::ffi::{c_int, c_void};
use std::ptr;

use commloom_mpi::Abi;
use commloom_testkit::Rng;

use crate::memory::Memory;
use crate::number::{aint, int};
use crate::session::{Face, Session};
use crate::specimen::{Signature, Specimen};

/// Elements of a type.
pub struct Part<'p, A: Abi> {
    pub specimen: &'p Specimen<A>,
    pub count: u64,
    /// Displacements of the bytes, in packed order.
    pub places: Vec<i64>,
    /// How the handle reaches the call.
    pub manner: Manner,
    /// With the large-count form of the call, where there is one.
    pub large: bool,
}

/// How a program may name its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Buffer, count and type.
    Plain,
    /// With a duplicate of the type that is freed as soon as the call has returned.
    Fleeting,
    /// `MPI_BOTTOM` and a type with absolute addresses, freed as soon as the call has returned.
    Absolute,
}

/// Buffer, count and type as a call gets them.
pub struct Arguments<A: Abi> {
    pub buffer: *mut c_void,
    pub count: u64,
    pub handle: A::Datatype,
    fleeting: bool,
}

impl<'p, A: Abi> Part<'p, A> {
    /// Elements of a type, named in a random manner.
    pub fn new(rng: &mut Rng, specimen: &'p Specimen<A>, count: u64) -> Self {
        let places = specimen.places(count, 0);
        let manner = match rng.u32(0..20) {
            0 | 1 => Manner::Fleeting,
            2 if !places.is_empty() => Manner::Absolute,
            _ => Manner::Plain,
        };
        Part { specimen, count, places, manner, large: rng.u32(0..4) == 0 }
    }

    /// The arguments of the calls of this rank for this side.
    pub fn arguments(&self, session: &Session<A>, face: Face, memory: &mut Memory) -> Arguments<A> {
        let mpi = &session.mpi;
        let (buffer, handle) = (memory.address(), self.specimen.handle);
        let mut made = mpi.handles.datatype_null;
        // SAFETY: live handles, writable places.
        let code = unsafe {
            match self.manner {
                Manner::Plain => {
                    return Arguments { buffer, count: self.count, handle, fleeting: false };
                }
                Manner::Fleeting => (mpi.own.type_dup)(handle, &raw mut made),
                Manner::Absolute => {
                    let (block, place) = (int(self.count), aint(buffer.addr()));
                    let create = mpi.own.type_create_hindexed;
                    create(1, &raw const block, &raw const place, handle, &raw mut made)
                }
            }
        };
        mpi.check("a duplicate or absolute type", code).expect("a new type");
        // SAFETY: a new type of our own.
        let code = unsafe { (session.functions(face).type_commit)(&raw mut made) };
        mpi.check("MPI_Type_commit", code).expect("a new type");
        match self.manner {
            Manner::Absolute => {
                Arguments { buffer: ptr::null_mut(), count: 1, handle: made, fleeting: true }
            }
            _ => Arguments { buffer, count: self.count, handle: made, fleeting: true },
        }
    }

    /// In one line, for people.
    pub fn text(&self) -> String {
        let large = if self.large { ", large count" } else { "" };
        format!("{} elements, {:?}{large}, of {}", self.count, self.manner, self.specimen.text)
    }
}

impl<A: Abi> Arguments<A> {
    /// The count as a C `int`.
    pub fn small(&self) -> c_int {
        int(self.count)
    }

    /// The call has returned: the type is not needed any more by the program.
    pub fn returned(self, session: &Session<A>) {
        if self.fleeting {
            session.mpi.type_free(self.handle).expect("a type of our own");
        }
    }
}

/// Bytes of a message, at most.
pub const MESSAGE: u64 = 500_000;

/// A random number of elements: few of large types, now and then many of small ones.
pub fn random_count<A: Abi>(rng: &mut Rng, specimen: &Specimen<A>) -> u64 {
    let most = (MESSAGE / specimen.layout.size().max(1)).clamp(1, 300);
    match rng.u32(0..20) {
        0 => 0,
        1..=9 => 1,
        10..=17 => rng.u64(1..=most.min(5)),
        _ => rng.u64(1..=most),
    }
}

/// Two sides of a message that match: the receiver has room for everything, and perhaps for more.
pub fn random_pair<'p, A: Abi>(
    rng: &mut Rng,
    all: &[&'p Specimen<A>],
) -> (Part<'p, A>, Part<'p, A>) {
    loop {
        let from = all[rng.usize(0..all.len())];
        let sent = random_count(rng, from);
        let to = if rng.u32(0..4) == 0 { from } else { all[rng.usize(0..all.len())] };
        let extra = if rng.u32(0..4) == 0 { rng.u64(0..4) } else { 0 };
        let Some(room) = room_for(from, sent, to).map(|n| n + extra) else { continue };
        if room <= to.receivable {
            return (Part::new(rng, from, sent), Part::new(rng, to, room));
        }
    }
}

/// How many elements of `to` it takes to receive `count` of `from`; `None` where they do not
/// match.
fn room_for<A: Abi>(from: &Specimen<A>, count: u64, to: &Specimen<A>) -> Option<u64> {
    let elements = count * from.layout.elements();
    match (from.signature, to.signature) {
        _ if elements == 0 => Some(0),
        (Signature::One(a), Signature::One(b)) if a == b => {
            Some(elements.div_ceil(to.layout.elements()))
        }
        (Signature::Mixed(a), Signature::Mixed(b)) if a == b => Some(count),
        _ => None,
    }
}
