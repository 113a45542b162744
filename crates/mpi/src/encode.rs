//! A [`Type`] as a committed datatype handle.
//!
//! Every node becomes one constructor call: leaf a predefined type, vec an hvector (or
//! contiguous), idx an hindexed_block, idxbuc an hindexed, strc a struct, bounds a resized. A
//! child that is a contiguous vec becomes the block length of its parent, because libraries are
//! faster with blocks of predefined types than with nested types.
//!
//! Bounds inside a type matter only where copies lie one extent apart, so only there, and at the
//! root, the library's bounds are compared with the layout's and corrected.
//!
//! Constructors with known mistakes of a library ([`FAULTS`](crate::FAULTS)) are replaced by
//! others.

use std::collections::HashMap;
use std::ffi::c_int;

use commloom_layout::{Basic, Kind, LayoutError, Type};

use crate::abi::Abi;
use crate::error::EncodeError;
use crate::faults::Subject;
use crate::mpi::Mpi;
use crate::number::{aint, counts, ints, wide};
use crate::owned::OwnedDatatype;

/// A committed datatype with the type map and bounds of `layout`. A leaf gives the predefined
/// handle itself.
///
/// # Errors
/// See [`EncodeError`]. A basic type that the library does not have (a Fortran type, or one newer
/// than the library) may reach MPI's error handler before it is reported.
pub fn encode<'m, A: Abi>(
    mpi: &'m Mpi<A>,
    layout: &Type,
) -> Result<OwnedDatatype<'m, A>, EncodeError> {
    let mut encoder = Encoder { mpi, basics: HashMap::new() };
    let made = encoder.node(layout, Bounds::Matter)?;
    if made.is_derived()
        && let Some(basic) = encoder.lossy()
    {
        return Err(EncodeError::Lossy { name: basic.name() });
    }
    check_against_library(mpi, made.handle(), layout)?;
    if made.is_derived() {
        mpi.type_commit(made.handle())?;
    }
    Ok(made)
}

/// `count` copies of a predefined datatype, one after the other, committed. Also for a single one
/// this is a derived datatype: libraries treat predefined ones differently in places.
///
/// # Errors
/// See [`EncodeError`].
pub fn contiguous<A: Abi>(
    mpi: &Mpi<A>,
    count: u64,
    predefined: A::Datatype,
) -> Result<OwnedDatatype<'_, A>, EncodeError> {
    let made = Encoder { mpi, basics: HashMap::new() }.contiguous(count, predefined)?;
    mpi.type_commit(made.handle())?;
    Ok(made)
}

/// Whether a node must have the bounds of its layout, or only its type map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bounds {
    Matter,
    DoNotMatter,
}

/// Elements of 16 bytes, all of which matter.
const QUADS: [Basic; 4] = [Basic::INTEGER16, Basic::LOGICAL16, Basic::REAL16, Basic::COMPLEX32];

struct Encoder<'m, A: Abi> {
    mpi: &'m Mpi<A>,
    /// Basic types that were found in the library with the right size.
    basics: HashMap<Basic, A::Datatype>,
}

impl<'m, A: Abi> Encoder<'m, A> {
    fn node(&mut self, layout: &Type, bounds: Bounds) -> Result<OwnedDatatype<'m, A>, EncodeError> {
        let made = self.data(layout)?;
        match bounds {
            Bounds::Matter => self.with_bounds(made, layout.lb(), layout.extent()),
            Bounds::DoNotMatter => Ok(made),
        }
    }

    /// A type with the type map of `layout` and any bounds.
    fn data(&mut self, layout: &Type) -> Result<OwnedDatatype<'m, A>, EncodeError> {
        if layout.size() == 0 {
            return self.contiguous(0, self.mpi.handles.byte);
        }
        match layout.kind() {
            Kind::Leaf(basic) => Ok(OwnedDatatype::predefined(self.mpi, self.basic(*basic)?)),
            Kind::Vec { count: 1, child, .. } | Kind::Resized { child, .. } => self.data(child),
            Kind::Vec { count, stride, child } if *stride == child.extent() => {
                let old = self.node(child, Bounds::Matter)?;
                self.contiguous(*count, old.handle())
            }
            Kind::Vec { count, stride, child } => {
                let (block, child) = block_of(child);
                let old = self.copied(child, block)?;
                let made = self.hvector(*count, block, *stride, old.handle())?;
                if *stride < 0 {
                    // Inside other types nobody sees it any more.
                    check_data_bounds(self.mpi, made.handle(), layout)?;
                }
                Ok(made)
            }
            Kind::Idx { indices, child } => {
                let (block, child) = block_of(child);
                let old = self.copied(child, block)?;
                self.hindexed_block(block, indices, old.handle())
            }
            Kind::IdxBuc { stride, indices, blocks, child } => {
                let old = self.node(child, Bounds::Matter)?;
                let old = self.with_bounds(old, child.lb(), *stride)?;
                self.hindexed(blocks, indices, old.handle())
            }
            Kind::Strc { indices, children } => self.structure(layout, indices, children),
        }
    }

    /// The predefined datatype, if the library has it with the size that the layout assumes.
    fn basic(&mut self, basic: Basic) -> Result<A::Datatype, EncodeError> {
        if let Some(&known) = self.basics.get(&basic) {
            return Ok(known);
        }
        let missing = EncodeError::NoSuchBasic { name: basic.name(), size: basic.size() };
        let handle = self.mpi.handles.datatype(basic.name()).ok_or(missing.clone())?;
        if self.mpi.type_size(handle)? != Some(basic.size()) {
            return Err(missing);
        }
        self.basics.insert(basic, handle);
        Ok(handle)
    }

    /// A basic type in it of which the library loses bytes. Also where this datatype has no gaps:
    /// there may be some between its copies.
    fn lossy(&self) -> Option<Basic> {
        let mut quads = QUADS.into_iter().filter(|quad| self.basics.contains_key(quad));
        quads.next().filter(|_| self.mpi.may_have(Subject::QuadsAreLongDoubles))
    }

    /// A child of which `block` copies will lie one extent apart.
    fn copied(&mut self, child: &Type, block: u64) -> Result<OwnedDatatype<'m, A>, EncodeError> {
        self.node(child, if block > 1 { Bounds::Matter } else { Bounds::DoNotMatter })
    }

    /// A struct; where the library miscounts those with an offset, one without it at a
    /// displacement.
    fn structure(
        &mut self,
        layout: &Type,
        indices: &[i64],
        children: &[Type],
    ) -> Result<OwnedDatatype<'m, A>, EncodeError> {
        let mut made: HashMap<&Type, OwnedDatatype<'m, A>> = HashMap::new();
        let (mut blocks, mut olds) = (Vec::new(), Vec::new());
        // Empty parts only take part in the bounds, which `with_bounds` sets.
        let parts: Vec<_> =
            indices.iter().zip(children).filter(|(_, child)| child.size() > 0).collect();
        let lowest = parts.iter().filter_map(|(index, child)| index.checked_add(child.lb())).min();
        let miscounted = layout.runs() <= 1 && self.mpi.may_have(Subject::RunWithOffset);
        let offset = lowest.filter(|_| miscounted).unwrap_or(0);
        let indices: Option<Vec<i64>> =
            parts.iter().map(|part| part.0.checked_sub(offset)).collect();
        let what = "a displacement in a struct that begins at 0";
        let indices = indices.ok_or(EncodeError::Layout(LayoutError::Overflow { what }))?;
        for (_, child) in parts {
            let (block, child) = block_of(child);
            let handle = match made.get(child) {
                Some(old) => old.handle(),
                None => {
                    let old = self.node(child, Bounds::Matter)?;
                    let handle = old.handle();
                    made.insert(child, old);
                    handle
                }
            };
            blocks.push(block);
            olds.push(handle);
        }
        // `made` frees its handles when it goes: the new type keeps what it needs.
        let made = self.create_struct(&blocks, &indices, &olds)?;
        if offset == 0 { Ok(made) } else { self.hindexed_block(1, &[offset], made.handle()) }
    }

    fn with_bounds(
        &self,
        old: OwnedDatatype<'m, A>,
        lb: i64,
        extent: i64,
    ) -> Result<OwnedDatatype<'m, A>, EncodeError> {
        let has = self.mpi.type_bounds(old.handle())?;
        if (has.lb, has.extent) == (lb, extent) {
            return Ok(old);
        }
        self.make("MPI_Type_create_resized", |new| {
            // SAFETY: `new` is writable, `old` a live handle.
            Ok(unsafe {
                (self.mpi.own.type_create_resized)(old.handle(), aint(lb), aint(extent), new)
            })
        })
    }

    fn make(
        &self,
        call: &'static str,
        create: impl FnOnce(*mut A::Datatype) -> Result<c_int, EncodeError>,
    ) -> Result<OwnedDatatype<'m, A>, EncodeError> {
        let mut new = self.mpi.handles.datatype_null;
        let code = create(&raw mut new)?;
        self.mpi.check(call, code)?;
        Ok(OwnedDatatype::derived(self.mpi, new))
    }
}

// One constructor each: with C ints where they suffice, else with large counts, else an error.
// SAFETY (all): `new` is writable, `old` is a live handle, lists are as long as the count says.
#[allow(clippy::undocumented_unsafe_blocks, reason = "one comment for all, just above")]
impl<'m, A: Abi> Encoder<'m, A> {
    fn contiguous(&self, n: u64, old: A::Datatype) -> Result<OwnedDatatype<'m, A>, EncodeError> {
        let own = &self.mpi.own;
        self.make("MPI_Type_contiguous", |new| match (ints(&[n]), own.type_contiguous_c) {
            (Some(n), _) => Ok(unsafe { (own.type_contiguous)(n[0], old, new) }),
            (None, Some(f)) => Ok(unsafe { f(large(n)?, old, new) }),
            (None, None) => Err(too_large("a count", n, "MPI_Type_contiguous_c")),
        })
    }

    fn hvector(
        &self,
        n: u64,
        block: u64,
        stride: i64,
        old: A::Datatype,
    ) -> Result<OwnedDatatype<'m, A>, EncodeError> {
        let own = &self.mpi.own;
        let call = "MPI_Type_create_hvector";
        self.make(call, |new| match (ints(&[n, block]), own.type_create_hvector_c) {
            (Some(n), _) => {
                Ok(unsafe { (own.type_create_hvector)(n[0], n[1], aint(stride), old, new) })
            }
            (None, Some(f)) => Ok(unsafe { f(large(n)?, large(block)?, stride, old, new) }),
            (None, None) => Err(too_large("a count", n.max(block), "MPI_Type_create_hvector_c")),
        })
    }

    fn hindexed_block(
        &self,
        block: u64,
        places: &[i64],
        old: A::Datatype,
    ) -> Result<OwnedDatatype<'m, A>, EncodeError> {
        let own = &self.mpi.own;
        let call = "MPI_Type_create_hindexed_block";
        let n = count_of(places);
        self.make(call, |new| match (ints(&[n, block]), own.type_create_hindexed_block_c) {
            (Some(n), _) => {
                let places = addresses(places);
                Ok(unsafe {
                    (own.type_create_hindexed_block)(n[0], n[1], places.as_ptr(), old, new)
                })
            }
            (None, Some(f)) => {
                Ok(unsafe { f(large(n)?, large(block)?, places.as_ptr(), old, new) })
            }
            (None, None) => {
                Err(too_large("a count", n.max(block), "MPI_Type_create_hindexed_block_c"))
            }
        })
    }

    fn hindexed(
        &self,
        blocks: &[u64],
        places: &[i64],
        old: A::Datatype,
    ) -> Result<OwnedDatatype<'m, A>, EncodeError> {
        let own = &self.mpi.own;
        let n = count_of(places);
        self.make("MPI_Type_create_hindexed", |new| {
            match (small(n, blocks), own.type_create_hindexed_c) {
                (Some((n, blocks)), _) => {
                    let places = addresses(places);
                    Ok(unsafe {
                        (own.type_create_hindexed)(n, blocks.as_ptr(), places.as_ptr(), old, new)
                    })
                }
                (None, Some(f)) => {
                    let blocks = large_list(blocks)?;
                    Ok(unsafe { f(large(n)?, blocks.as_ptr(), places.as_ptr(), old, new) })
                }
                (None, None) => {
                    Err(too_large("a count", largest(n, blocks), "MPI_Type_create_hindexed_c"))
                }
            }
        })
    }

    fn create_struct(
        &self,
        blocks: &[u64],
        places: &[i64],
        olds: &[A::Datatype],
    ) -> Result<OwnedDatatype<'m, A>, EncodeError> {
        let own = &self.mpi.own;
        let n = count_of(places);
        self.make("MPI_Type_create_struct", |new| {
            match (small(n, blocks), own.type_create_struct_c) {
                (Some((n, blocks)), _) => {
                    let (blocks, places, olds) =
                        (blocks.as_ptr(), addresses(places), olds.as_ptr());
                    Ok(unsafe { (own.type_create_struct)(n, blocks, places.as_ptr(), olds, new) })
                }
                (None, Some(f)) => {
                    let blocks = large_list(blocks)?;
                    let (places, olds) = (places.as_ptr(), olds.as_ptr());
                    Ok(unsafe { f(large(n)?, blocks.as_ptr(), places, olds, new) })
                }
                (None, None) => {
                    Err(too_large("a count", largest(n, blocks), "MPI_Type_create_struct_c"))
                }
            }
        })
    }
}

/// Where library and layout see different data, the library is not to be trusted with the type:
/// Open MPI 4 and 5 make an ascending run of bytes of an hvector with stride -1, for one.
pub(crate) fn check_against_library<A: Abi>(
    mpi: &Mpi<A>,
    handle: A::Datatype,
    layout: &Type,
) -> Result<(), EncodeError> {
    let size = mpi.type_size(handle)?.map_or(-1, wide);
    agree("the size", size, wide(layout.size()))?;
    let bounds = mpi.type_bounds(handle)?;
    agree("the lower bound", bounds.lb, layout.lb())?;
    agree("the extent", bounds.extent, layout.extent())?;
    if size == 0 { Ok(()) } else { check_data_bounds(mpi, handle, layout) }
}

/// Whether library and layout see data in the same range of memory.
fn check_data_bounds<A: Abi>(
    mpi: &Mpi<A>,
    handle: A::Datatype,
    layout: &Type,
) -> Result<(), EncodeError> {
    let bounds = mpi.type_true_bounds(handle)?;
    agree("the true lower bound", bounds.lb, layout.true_lb())?;
    agree("the true extent", bounds.extent, layout.true_extent())
}

fn agree(what: &'static str, library: i64, layout: i64) -> Result<(), EncodeError> {
    let error = EncodeError::Disagree { what, library, layout };
    if library == layout { Ok(()) } else { Err(error) }
}

/// A type as a number of copies of another, one extent apart.
fn block_of(layout: &Type) -> (u64, &Type) {
    match layout.kind() {
        Kind::Vec { count, stride, child } if *stride == child.extent() && layout.size() > 0 => {
            (*count, child)
        }
        _ => (1, layout),
    }
}

fn count_of(list: &[i64]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}

fn addresses(list: &[i64]) -> Vec<isize> {
    list.iter().map(|&n| aint(n)).collect()
}

fn small(n: u64, blocks: &[u64]) -> Option<(c_int, Vec<c_int>)> {
    Some((ints(&[n])?[0], ints(blocks)?))
}

fn largest(n: u64, blocks: &[u64]) -> u64 {
    blocks.iter().copied().fold(n, u64::max)
}

fn too_large(what: &'static str, given: u64, call: &'static str) -> EncodeError {
    EncodeError::TooLarge { what, given, limit: i64::from(c_int::MAX), call }
}

fn large(n: u64) -> Result<i64, EncodeError> {
    let call = "datatype constructor with larger counts";
    let limit = i64::MAX;
    i64::try_from(n).map_err(|_| EncodeError::TooLarge { what: "a count", given: n, limit, call })
}

fn large_list(list: &[u64]) -> Result<Vec<i64>, EncodeError> {
    counts(list).ok_or_else(|| too_large("a block length", largest(0, list), "larger counts"))
}
