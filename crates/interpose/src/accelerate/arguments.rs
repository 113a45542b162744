//! The arguments of one side of a collective, and how they become [`Blocks`].

use std::ffi::c_void;
use std::sync::Arc;

use commloom_mpi::Abi;

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::blocks::{Block, Blocks, List, Row, bytes};
use crate::accelerate::committed::Found;
use crate::accelerate::message::Message;
use crate::accelerate::part::{InCollective, Purpose};
use crate::runtime::collective_arguments::{Equal, Typed, Varying};
use crate::runtime::count::Integer;
use crate::runtime::displacements::{Displacement, Displacements};

/// The arguments of one side of a collective, as the program gave them.
pub(crate) trait Arguments<A: Abi>: Copy {
    /// Whether each block has a datatype of its own.
    const TYPED: bool = false;

    /// The address of the buffer, perhaps `MPI_IN_PLACE`.
    fn buffer(&self) -> *mut c_void;

    /// Whether a glance says that nothing is to be done.
    fn are_plain(&self, state: &Accelerator<A>) -> bool;

    /// Looks at the arguments, which describe so many blocks; `None` where they are to be passed
    /// on.
    ///
    /// # Safety
    /// As the MPI call: its lists are as long as that.
    unsafe fn look(
        &self,
        state: &'static Accelerator<A>,
        blocks: usize,
        purpose: Purpose,
    ) -> Option<Blocks<A>>;

    /// The arguments for a packed buffer that holds these blocks.
    fn packed(&self, buffer: *mut c_void, blocks: &Blocks<A>) -> Self;
}

/// The message of `count` elements, for a collective; `None` where they are passed on.
fn find<A: Abi>(
    state: &'static Accelerator<A>,
    datatype: A::Datatype,
    count: i64,
    purpose: Purpose,
) -> Option<Arc<Message<A>>> {
    // The library reports the null handle; asking about it would report it as an error of ours.
    if count <= 0 || state.is_plain(datatype) || datatype == state.mpi().handles.datatype_null {
        return None;
    }
    match state.message(datatype, count, purpose) {
        Found::This(message) => Some(message),
        Found::Nothing | Found::Unknown => None,
    }
}

/// Blocks of different datatypes begin at multiples of this many bytes of the packed buffer.
const ALIGNMENT: usize = 16;

const NO_FASTER: &str = "native is not known to be slower in this collective";
const NO_BUFFER: &str = "no buffer";

/// The bytes of a block for which packing pays; `None` where it goes natively. All blocks of a
/// side go the way of the first that can be packed, so that what is looked at does not depend on
/// the way.
fn packed_bytes<A: Abi>(
    message: &Message<A>,
    vote: &mut Option<InCollective>,
    purpose: Purpose,
) -> Option<u64> {
    match message.collective_form() {
        InCollective::Contiguous => Some(0),
        InCollective::Packed => {
            let goes = *vote.get_or_insert_with(|| message.in_collective(1, purpose));
            (goes == InCollective::Packed).then(|| message.size())
        }
        InCollective::Native => None,
    }
}

/// No side at all: the other one of `MPI_Bcast`.
impl<A: Abi> Arguments<A> for () {
    fn buffer(&self) -> *mut c_void {
        std::ptr::null_mut()
    }

    fn are_plain(&self, _state: &Accelerator<A>) -> bool {
        true
    }

    unsafe fn look(&self, _: &'static Accelerator<A>, _: usize, _: Purpose) -> Option<Blocks<A>> {
        None
    }

    fn packed(&self, _buffer: *mut c_void, _blocks: &Blocks<A>) -> Self {}
}

impl<A: Abi, N: Integer> Arguments<A> for Equal<A, N> {
    fn buffer(&self) -> *mut c_void {
        self.buffer
    }

    fn are_plain(&self, state: &Accelerator<A>) -> bool {
        state.is_plain(self.datatype)
    }

    unsafe fn look(
        &self,
        state: &'static Accelerator<A>,
        blocks: usize,
        purpose: Purpose,
    ) -> Option<Blocks<A>> {
        let all = self.count.wide().checked_mul(i64::try_from(blocks).ok()?)?;
        let message = find(state, self.datatype, all, purpose)?;
        let parts = u64::try_from(blocks).ok()?;
        let reason = match () {
            () if !message.takes(self.buffer) => Some(NO_BUFFER),
            () if message.in_collective(parts, purpose) != InCollective::Packed => Some(NO_FASTER),
            () => message.refused_by_gpu(self.buffer),
        };
        if let Some(reason) = reason {
            message.tally.native(reason, message.size());
            return None;
        }
        Some(Blocks {
            bytes: message.bytes(),
            element: message.element.handle()?,
            displacements: Displacements::None,
            datatypes: Vec::new(),
            list: List::Row(Row {
                step: message.extent.checked_mul(self.count.wide())?,
                bytes: message.size() / parts,
                message,
                memory: self.buffer,
                blocks,
            }),
        })
    }

    fn packed(&self, buffer: *mut c_void, blocks: &Blocks<A>) -> Self {
        Equal { buffer, datatype: blocks.element, ..*self }
    }
}

/// A list that the program gave, of which a call reads so many.
///
/// # Safety
/// It is that long, unless it is null.
unsafe fn list<'l, T>(start: *const T, length: usize) -> Option<&'l [T]> {
    // SAFETY: the length is the caller's promise.
    (!start.is_null()).then(|| unsafe { std::slice::from_raw_parts(start, length) })
}

impl<A: Abi, N: Integer, D: Displacement> Arguments<A> for Varying<A, N, D> {
    fn buffer(&self) -> *mut c_void {
        self.buffer
    }

    fn are_plain(&self, state: &Accelerator<A>) -> bool {
        state.is_plain(self.datatype)
    }

    /// All blocks are the beginnings of one message, the longest: of a power of two, so that it is
    /// the same one when counts change a little.
    unsafe fn look(
        &self,
        state: &'static Accelerator<A>,
        blocks: usize,
        purpose: Purpose,
    ) -> Option<Blocks<A>> {
        // SAFETY: the lists are as long as the blocks.
        let (counts, places) =
            unsafe { (list(self.counts, blocks)?, list(self.displacements, blocks)?) };
        let given = || counts.iter().map(|count| u64::try_from(count.wide()).ok());
        let longest = given().try_fold(0, |most, count| Some(count?.max(most)))?;
        if longest == 0 {
            return None;
        }
        let longest = longest.checked_next_power_of_two()?;
        let message = find(state, self.datatype, i64::try_from(longest).ok()?, purpose)?;
        let size = message.size() / longest;
        // Most calls stay as they are: nothing is made for them.
        let lowest = given().zip(places).filter(|(count, _)| *count != Some(0));
        let offset = |place: &D| place.wide().saturating_mul(message.extent);
        let lowest = lowest.map(|(_, place)| offset(place)).min()?;
        let reason = match () {
            () if !message.takes_at(self.buffer, lowest) => Some(NO_BUFFER),
            () if message.in_collective(1, purpose) != InCollective::Packed => Some(NO_FASTER),
            () => message.refused_by_gpu_at(self.buffer, lowest),
        };
        if let Some(reason) = reason {
            for count in given().flatten().filter(|count| *count > 0) {
                message.tally.native(reason, count.saturating_mul(size));
            }
            return None;
        }
        let (mut each, mut displacements, mut sum) = (Vec::new(), Vec::new(), 0u64);
        for (index, (count, place)) in given().zip(places).enumerate() {
            displacements.push(D::narrow(i64::try_from(sum).ok()?)?);
            let count = count?;
            if count == 0 {
                continue;
            }
            let offset = place.wide().checked_mul(message.extent)?;
            each.push(Block {
                index,
                message: message.clone(),
                memory: self.buffer.wrapping_byte_offset(bytes(offset)?),
                bytes: count.checked_mul(size)?,
                at: usize::try_from(sum.checked_mul(size)?).ok()?,
            });
            sum = sum.checked_add(count)?;
        }
        Some(Blocks {
            bytes: usize::try_from(sum.checked_mul(size)?).ok()?,
            element: message.element.handle()?,
            displacements: D::keep(displacements),
            datatypes: Vec::new(),
            list: List::Each(each),
        })
    }

    fn packed(&self, buffer: *mut c_void, blocks: &Blocks<A>) -> Self {
        Varying {
            buffer,
            displacements: blocks.displacements.as_ptr(),
            datatype: blocks.element,
            ..*self
        }
    }
}

impl<A: Abi, N: Integer, D: Displacement> Arguments<A> for Typed<A, N, D> {
    const TYPED: bool = true;

    fn buffer(&self) -> *mut c_void {
        self.buffer
    }

    fn are_plain(&self, _state: &Accelerator<A>) -> bool {
        false
    }

    unsafe fn look(
        &self,
        state: &'static Accelerator<A>,
        blocks: usize,
        purpose: Purpose,
    ) -> Option<Blocks<A>> {
        // SAFETY: the lists are as long as the blocks.
        let (counts, places, datatypes) = unsafe {
            (
                list(self.counts, blocks)?,
                list(self.displacements, blocks)?,
                list(self.datatypes, blocks)?,
            )
        };
        // Most calls stay as they are: nothing is made for them.
        let (mut all, mut pays) = (0u64, 0u64);
        let mut vote = None;
        for ((count, place), &datatype) in counts.iter().zip(places).zip(datatypes) {
            if count.wide() == 0 {
                continue;
            }
            let message = find(state, datatype, count.wide(), purpose)?;
            let stays = if message.takes_at(self.buffer, place.wide()) {
                all = all.checked_add(message.size())?;
                let gain = packed_bytes(&message, &mut vote, purpose);
                pays += gain.unwrap_or(0);
                gain.map_or(Some(NO_FASTER), |_| None)
            } else {
                Some(NO_BUFFER)
            };
            if let Some(reason) = stays {
                message.tally.native(reason, message.size());
                return None;
            }
        }
        if pays == 0 && !state.unseen().is_enabled() {
            return None;
        }
        let (mut each, mut displacements) = (Vec::new(), Vec::new());
        let mut packed = datatypes.to_vec();
        let mut end = 0usize;
        for (index, ((count, place), &datatype)) in
            counts.iter().zip(places).zip(datatypes).enumerate()
        {
            let at = end.checked_next_multiple_of(ALIGNMENT)?;
            displacements.push(D::narrow(i64::try_from(at).ok()?)?);
            if count.wide() == 0 {
                continue;
            }
            let message = find(state, datatype, count.wide(), purpose)?;
            packed[index] = message.element.handle()?;
            end = at.checked_add(message.bytes())?;
            each.push(Block {
                index,
                memory: self.buffer.wrapping_byte_offset(bytes(place.wide())?),
                bytes: message.size(),
                at,
                message,
            });
        }
        if each.is_empty() {
            return None;
        }
        let (element, displacements) = (*packed.first()?, D::keep(displacements));
        let list = List::Each(each);
        let blocks = Blocks { bytes: end, element, displacements, datatypes: packed, list };
        // All blocks have to be packed, also those that are contiguous.
        if pays < all / 2 || pays == 0 {
            blocks.count_native(NO_FASTER);
            return None;
        }
        if let Some(reason) = blocks.refused_by_gpu(self.buffer) {
            blocks.count_native(reason);
            return None;
        }
        Some(blocks)
    }

    fn packed(&self, buffer: *mut c_void, blocks: &Blocks<A>) -> Self {
        Typed {
            buffer,
            counts: self.counts,
            displacements: blocks.displacements.as_ptr(),
            datatypes: blocks.datatypes.as_ptr(),
        }
    }
}
