//! Puts into windows (MPI 4.1, section 12.3.1). Where origin and target share memory, and the
//! target ends the epoch, one may go aside: the origin packs it where the target can see it, and
//! the target unpacks it in its call that ends the epoch: when `MPI_Win_wait` has waited for the
//! origin, and before a fence begins that lets others pass. The library sees nothing of it but the
//! calls that separate epochs.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::time::{Duration, Instant};

use commloom_layout::Type;
use commloom_mpi::{Abi, RawHandle};

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::committed::Found;
use crate::accelerate::epochs::Epoch;
use crate::accelerate::message::Message;
use crate::accelerate::part::Purpose;
use crate::accelerate::rounds::{self, CallEnd, Lap};
use crate::accelerate::strategy::NOT_SLOWER;
use crate::accelerate::windows::Window;
use crate::node::puts::{ArrivedPut, PutPlace};
use crate::runtime::calls::PutCall;
use crate::runtime::config::Force;
use crate::runtime::count::CallCount;
use crate::runtime::say;
use crate::runtime::sync::lock;

/// Elements at one side of a put.
enum Side<A: Abi> {
    /// So many bytes side by side.
    Run(u64),
    Elements(Arc<Message<A>>),
}

/// A put that may go aside.
struct Putting<A: Abi> {
    origin: Side<A>,
    target: Side<A>,
    seat: usize,
    place: PutPlace,
    epoch: Epoch,
    bytes: u64,
}

impl<A: Abi> Putting<A> {
    /// The elements whose times decide how it goes; `None` where all lies side by side.
    fn decides(&self) -> Option<&Message<A>> {
        match (&self.target, &self.origin) {
            (Side::Elements(message), _) | (_, Side::Elements(message)) => Some(message),
            (Side::Run(_), Side::Run(_)) => None,
        }
    }
}

impl<A: Abi> Side<A> {
    fn bytes(&self) -> u64 {
        match self {
            Side::Run(bytes) => *bytes,
            Side::Elements(message) => message.size(),
        }
    }

    /// The notation of its layout; empty for bytes side by side.
    fn notation(&self) -> Option<&[u8]> {
        match self {
            Side::Run(_) => Some(&[]),
            Side::Elements(message) => message.notation(),
        }
    }

    /// Whether all of it lies between these two bytes, from its origin on.
    fn is_within(&self, before: i64, after: i64) -> bool {
        match self {
            Side::Run(bytes) => {
                before <= 0 && i64::try_from(*bytes).is_ok_and(|bytes| bytes <= after)
            }
            Side::Elements(message) => {
                let bounds = message.bounds();
                before <= bounds.start && bounds.end <= after
            }
        }
    }
}

impl<A: Abi> Accelerator<A> {
    /// One put. `next` is the library's.
    ///
    /// # Safety
    /// As the MPI call.
    pub unsafe fn put<N: CallCount>(
        &'static self,
        call: &PutCall<A, N>,
        next: impl FnOnce() -> c_int,
    ) -> c_int {
        if self.is_plain(call.origin.datatype) && self.is_plain(call.target.1) || self.is_paused() {
            return next();
        }
        let Some(window) = self.windows.get(call.window.to_bits()) else { return next() };
        rounds::looks();
        let Some(Some(putting)) = self.shield(|| self.putting(call, &window)) else {
            return next();
        };
        let Some(decides) = putting.decides() else { return next() };
        let (goes_aside, lap) = match self.config().force {
            Some(Force::Pack) => (true, Lap::NONE),
            _ => lock(&window.state).ways.goes_aside(decides, putting.epoch),
        };
        if lap != Lap::NONE {
            lock(&window.state).puts += 1;
        }
        // SAFETY: the buffer is the caller's promise.
        if goes_aside && unsafe { self.goes(&window, &putting, call.origin.buffer) }.is_some() {
            decides.tally.engine(putting.bytes);
            lap.done(CallEnd::Started);
            return A::CONSTANTS.success;
        }
        decides.tally.native(NOT_SLOWER, putting.bytes);
        let code = next();
        lap.done(CallEnd::Started);
        code
    }

    /// The put, if it may go aside: everything about it is known, and as it should be.
    fn putting<N: CallCount>(
        &'static self,
        call: &PutCall<A, N>,
        window: &Window,
    ) -> Option<Putting<A>> {
        let rank = usize::try_from(call.rank).ok()?;
        let epoch = lock(&window.state).epochs.access(rank)?;
        let (count, datatype) = call.target;
        let target = self.side(count.wide(), datatype)?;
        let origin = self.side(call.origin.count.wide(), call.origin.datatype)?;
        let bytes = origin.bytes();
        if bytes == 0 || bytes != target.bytes() {
            return None;
        }
        if let Side::Elements(message) = &target
            && message.refused_by_overlap().is_some()
        {
            return None;
        }
        target.notation()?;
        let buffer = call.origin.buffer.cast_const();
        let is_allowed = match &origin {
            Side::Run(bytes) => {
                let bytes = i64::try_from(*bytes).ok()?;
                !buffer.is_null() && self.gpus.refuse(buffer, 0..bytes).is_none()
            }
            Side::Elements(message) => {
                message.takes(buffer) && message.refused_by_gpu(buffer).is_none()
            }
        };
        let part = window.shared.target(rank).filter(|_| is_allowed)?;
        let unit = i64::try_from(part.unit).ok()?;
        // MPI shall see what begins before the window, or reaches past it.
        let displacement = i64::try_from(call.displacement).ok().filter(|at| *at >= 0)?;
        let at = displacement.checked_mul(unit)?;
        let room = i64::try_from(part.bytes).ok()?;
        if !target.is_within(at.checked_neg()?, room.checked_sub(at)?) {
            return None;
        }
        let place = PutPlace { window: window.shared.name, epoch: epoch.number(), at };
        let putting = Putting { origin, target, seat: part.seat, place, epoch, bytes };
        putting.decides()?;
        match epoch {
            Epoch::Fenced(number) => {
                part.is_wanted();
                part.is_looked_at(number).then_some(putting)
            }
            Epoch::OfTwo(_) => Some(putting),
        }
    }

    /// So many elements; `None` where nothing is known of them.
    fn side(&'static self, count: i64, datatype: A::Datatype) -> Option<Side<A>> {
        match self.message(datatype, count, Purpose::Put) {
            Found::This(message) if message.as_contiguous().is_some() => {
                Some(Side::Run(message.size()))
            }
            Found::This(message) => Some(Side::Elements(message)),
            Found::Unknown => None,
            Found::Nothing => {
                let element = Type::predefined(self.mpi().handles.name(datatype)?)?;
                let is_run = element.runs() == 1
                    && element.lb() == 0
                    && u64::try_from(element.extent()).ok() == Some(element.size());
                let count = u64::try_from(count).ok().filter(|_| is_run)?;
                Some(Side::Run(element.size().checked_mul(count)?))
            }
        }
    }

    /// Packs it where its target sees it.
    ///
    /// # Safety
    /// The buffer can be read.
    unsafe fn goes(
        &'static self,
        window: &Window,
        putting: &Putting<A>,
        buffer: *const c_void,
    ) -> Option<()> {
        let Putting { origin, target, seat, place, bytes, .. } = putting;
        let began = Instant::now();
        let fill = |packed: &mut [u8]| match origin {
            Side::Run(_) => {
                // SAFETY: the buffer has so many bytes, by the caller's promise, and is not in
                // our memory.
                unsafe {
                    let from = buffer.cast::<u8>();
                    std::ptr::copy_nonoverlapping(from, packed.as_mut_ptr(), packed.len());
                }
                Some(())
            }
            // SAFETY: the buffer is the caller's promise.
            Side::Elements(message) => unsafe { message.pack(buffer, packed) },
        };
        let present = self.neighbours.sharing()?;
        let content = (target.notation()?, *bytes);
        present.post(&self.windows.own, *seat, *place, content, fill)?;
        lock(&window.state).given += began.elapsed();
        Some(())
    }

    /// Epochs of the window are over: what has been put into it by these ranks in them, is there
    /// when this returns. An MPI error code where something cannot be there.
    ///
    /// # Safety
    /// The window has not been freed, and nobody else touches what was put into it.
    pub(crate) unsafe fn puts_land(
        &'static self,
        window: &Window,
        epochs: impl Iterator<Item = (usize, Epoch)>,
    ) -> c_int {
        let Some(present) = self.neighbours.sharing() else { return A::CONSTANTS.success };
        let mut taken = Duration::ZERO;
        let land = || -> Result<(), ()> {
            for (rank, epoch) in epochs {
                let ended = (rank, epoch.number());
                present.settle(&self.windows.own, &window.shared, ended, |put| {
                    let began = Instant::now();
                    // SAFETY: the caller's promise.
                    let landed = unsafe { self.put_lands(window, put) };
                    taken += began.elapsed();
                    landed.ok_or(())
                })?;
            }
            Ok(())
        };
        let landed = self.shield(land);
        // Whoever puts without taking leaves the other half of the work to others.
        let given = std::mem::take(&mut lock(&window.state).given);
        rounds::others_spend(given.saturating_sub(taken));
        match landed {
            Some(Ok(())) => A::CONSTANTS.success,
            Some(Err(())) | None => {
                say::text(
                    "commloom: what was put into a window does not fit there: somebody makes \
                     windows besides MPI's own calls; run with COMMLOOM_OFF=windows\n",
                );
                A::CONSTANTS.err_intern
            }
        }
    }

    /// Unpacks one put; `None` where it does not fit.
    ///
    /// # Safety
    /// The window has not been freed, and nobody else touches what was put into it.
    unsafe fn put_lands(&'static self, window: &Window, put: ArrivedPut<'_>) -> Option<()> {
        let room = i64::try_from(window.memory.bytes).ok()?;
        let bytes = u64::try_from(put.packed.len()).ok()?;
        let fits = |start: i64, end: i64| {
            let end = end.checked_add(put.at).is_some_and(|end| end <= room);
            end && start.checked_add(put.at).is_some_and(|start| start >= 0)
        };
        let at = window.memory.base.wrapping_offset(isize::try_from(put.at).ok()?);
        if put.notation.is_empty() {
            let is_there = fits(0, i64::try_from(bytes).ok()?);
            // SAFETY: so many bytes of the window begin there; ours are elsewhere.
            return is_there.then(|| unsafe {
                std::ptr::copy_nonoverlapping(put.packed.as_ptr(), at, put.packed.len());
            });
        }
        let plan = self.windows.layout(put.notation, || {
            let layout: Type = std::str::from_utf8(put.notation).ok()?.parse().ok()?;
            self.plans.get(&layout, 1, self.target()).ok()
        })?;
        let bounds = plan.bounds();
        if plan.bytes() != bytes || !fits(bounds.start, bounds.end) {
            return None;
        }
        // SAFETY: all that the plan names lies in the window; ours is elsewhere.
        unsafe { commloom_pack::unpack_raw(&plan, at, put.packed.as_ptr(), 0..bytes) };
        Some(())
    }
}
