//! Lists of displacements that we make for a call of the library.

use std::ffi::c_int;

use commloom_mpi::Aint;

use crate::runtime::count::Integer;

/// Displacements in an argument of an MPI call.
pub trait Displacement: Integer {
    /// A list of them, held for a call.
    fn keep(list: Vec<Self>) -> Displacements;
}

impl Displacement for c_int {
    fn keep(list: Vec<Self>) -> Displacements {
        Displacements::Ints(list)
    }
}

impl Displacement for Aint {
    fn keep(list: Vec<Self>) -> Displacements {
        Displacements::Addresses(list)
    }
}

/// Displacements that a call of the library reads, perhaps until its request completes.
#[derive(Debug)]
pub enum Displacements {
    /// None.
    None,
    /// For most calls with `int` counts.
    Ints(Vec<c_int>),
    /// For the others.
    Addresses(Vec<Aint>),
}

impl Displacements {
    /// The list, for a call that takes such ones.
    pub fn as_ptr<D: Displacement>(&self) -> *const D {
        match self {
            Displacements::None => std::ptr::null(),
            Displacements::Ints(list) => list.as_ptr().cast(),
            Displacements::Addresses(list) => list.as_ptr().cast(),
        }
    }
}
