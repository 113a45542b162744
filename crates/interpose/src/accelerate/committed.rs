//! The record of a datatype of the program. It hangs on the handle as an MPI attribute
//! (MPI 4.1, section 7.7.4), so that it lives as long as the handle and follows `MPI_Type_dup`.

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use commloom_layout::{Kind, Type};
use commloom_mpi::{Abi, Combiner, DEFAULT_BUDGET, decode};

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::layouts::KnownLayout;
use crate::accelerate::message::Message;
use crate::accelerate::part::Purpose;
use crate::runtime::callers::Place;
use crate::runtime::config::ReportTo;

/// One committed datatype.
pub(crate) struct Record<A: Abi> {
    state: &'static Accelerator<A>,
    /// When the library made its handle. In a later one it means nothing.
    generation: u64,
    /// The usual cost of its messages so far, in nanoseconds.
    spent: AtomicU64,
    /// From when on it is worth while to analyse it.
    patience: u64,
    /// Who committed it, where a report is wanted.
    place: Option<Place>,
    /// Packed bytes of one element.
    size: OnceLock<u64>,
    known: OnceLock<Result<Arc<KnownLayout<A>>, String>>,
}

/// The cost of decoding and normalizing per argument of the constructor, in nanoseconds.
const LOOK_PER_ARGUMENT: u64 = 40;

/// The usual cost of a message of so many bytes in a derived datatype, in nanoseconds.
fn usual_cost(bytes: u64) -> u64 {
    500 + bytes / 5
}

impl<A: Abi> Record<A> {
    fn new(state: &'static Accelerator<A>, generation: u64, arguments: usize) -> Self {
        let arguments = u64::try_from(arguments).unwrap_or(u64::MAX);
        let patience = match state.config().warmup {
            0 => 0,
            microseconds => microseconds
                .saturating_mul(1000)
                .saturating_add(arguments.saturating_mul(LOOK_PER_ARGUMENT)),
        };
        Record {
            state,
            generation,
            spent: AtomicU64::new(0),
            patience,
            place: state.config().report.as_ref().and_then(|_| state.callers.caller()),
            size: OnceLock::new(),
            known: OnceLock::new(),
        }
    }

    /// The message of `count` elements. `datatype` is a handle that this record hangs on and that
    /// is valid now.
    ///
    /// A type is analysed when its messages have cost about as much as that will: a program
    /// that makes a type for a few short messages loses nothing, and none loses more than half.
    /// The cost is the usual one, and not what this process has measured, so that the processes of
    /// a program know their types from the same message on.
    fn message(&self, datatype: A::Datatype, count: i64, purpose: Purpose) -> Found<A> {
        if self.state.lives.generation() != Some(self.generation) {
            return Found::Nothing;
        }
        let bytes = self.bytes(datatype, count);
        let has_to_wait = || {
            let spent = self.spent.fetch_add(usual_cost(bytes), Ordering::Relaxed);
            spent < self.patience
        };
        if self.known.get().is_none() && !purpose.is_persistent() && has_to_wait() {
            self.state.unseen().native("before its type was looked at", bytes);
            return Found::Unknown;
        }
        let contained = || {
            let found = self.state.shield(|| self.analyse(datatype));
            let found = found.unwrap_or_else(|| Err("an internal error".into()));
            let tally = found.as_ref().map_or(self.state.unseen(), |known| &known.layout.tally);
            tally.handle(self.place.as_ref());
            found
        };
        match self.known.get_or_init(contained) {
            Ok(known) => known
                .message(&self.state.layouts, self.state, count)
                .map_or(Found::Nothing, Found::This),
            Err(reason) => {
                self.state.unseen().native(reason, bytes);
                // Counting wants to see every message.
                if self.state.unseen().is_enabled() { Found::Unknown } else { Found::Nothing }
            }
        }
    }

    fn bytes(&self, datatype: A::Datatype, count: i64) -> u64 {
        let size = self
            .size
            .get_or_init(|| self.state.mpi().type_size(datatype).ok().flatten().unwrap_or(0));
        size.saturating_mul(u64::try_from(count).unwrap_or(0))
    }

    /// The layout of the handle, in normal form.
    fn analyse(&self, datatype: A::Datatype) -> Result<Arc<KnownLayout<A>>, String> {
        let before =
            decode(self.state.mpi(), datatype, DEFAULT_BUDGET).map_err(|e| e.to_string())?;
        if has_negative_extent(&before) {
            // MPICH 4.0.2 packs such types with another extent than it reports.
            return Err("a negative extent, which libraries disagree on".into());
        }
        let report = self.state.config().report.as_ref();
        self.state.layouts.get(before, report.map(ReportTo::format))
    }
}

impl<A: Abi> Drop for Record<A> {
    /// May be called inside a callback of the library.
    fn drop(&mut self) {
        if let Some(Ok(known)) = self.known.get() {
            self.state.layouts.release(known);
        }
    }
}

/// Whether explicit bounds anywhere in a type have an upper bound below the lower one.
fn has_negative_extent(ty: &Type) -> bool {
    let here = matches!(ty.kind(), Kind::Resized { extent, .. } if *extent < 0);
    here || ty.children().iter().any(has_negative_extent)
}

impl<A: Abi> Accelerator<A> {
    /// Hangs a record on a derived datatype that was just committed.
    pub(crate) fn committed(&'static self, datatype: A::Datatype) {
        let Some(generation) = self.lives.generation() else { return };
        let mpi = self.mpi();
        self.made.free_retired(mpi);
        let arguments = match mpi.type_description(datatype) {
            Ok((combiner, arguments)) if combiner != Combiner::Named => arguments,
            _ => return,
        };
        let Some(keyval) = self.make_keyval() else { return };
        if !matches!(mpi.type_get_attr(datatype, keyval), Ok(None)) {
            return;
        }
        let record = Arc::new(Record::new(self, generation, arguments));
        let value = Arc::into_raw(record).cast_mut().cast::<c_void>();
        // SAFETY: the value is what the callbacks of this keyval expect.
        if unsafe { mpi.type_set_attr(datatype, keyval, value) }.is_err() {
            // SAFETY: MPI did not take the reference.
            drop(unsafe { Arc::from_raw(value.cast::<Record<A>>()) });
        }
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    fn make_keyval(&'static self) -> Option<c_int> {
        self.keyval.get_or_make(|| {
            let extra = std::ptr::from_ref(self).cast_mut().cast::<c_void>();
            // SAFETY: the callbacks have the types that MPI calls, and get this state.
            unsafe { self.mpi().type_create_keyval(copy::<A>, delete::<A>, extra) }.ok()
        })
    }

    /// The message of `count` elements of a handle of the program, if commloom has a say in it:
    /// found by the record that hangs on the handle.
    pub(crate) fn recorded_message(
        &'static self,
        datatype: A::Datatype,
        count: i64,
        purpose: Purpose,
    ) -> Found<A> {
        // The library reports the null handle; asking about it would be an error of ours.
        if datatype == self.mpi().handles.datatype_null {
            return Found::Nothing;
        }
        let Some(keyval) = self.keyval.get() else { return Found::Nothing };
        let Ok(Some(value)) = self.mpi().type_get_attr(datatype, keyval) else {
            return Found::Nothing;
        };
        let value = value.cast_const().cast::<Record<A>>();
        // SAFETY: only `committed` and `copy` set this attribute, to a reference that MPI holds
        // until `delete`; the program may not free the type while it uses it. The reference that
        // is made here is never dropped.
        let record = ManuallyDrop::new(unsafe { Arc::from_raw(value) });
        record.message(datatype, count, purpose)
    }
}

/// The result of a look-up by handle and count.
pub(crate) enum Found<A: Abi> {
    /// This.
    This(Arc<Message<A>>),
    /// Nothing, now and later.
    Nothing,
    /// Nothing for this message.
    Unknown,
}

/// `MPI_Type_copy_attr_function`: a duplicate shares the record.
unsafe extern "C" fn copy<A: Abi>(
    _old: A::Datatype,
    _keyval: c_int,
    _state: *mut c_void,
    value: *mut c_void,
    new_value: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: `value` came from Arc::into_raw and is still counted; MPI gives places for a pointer
    // and a flag.
    unsafe {
        Arc::increment_strong_count(value.cast_const().cast::<Record<A>>());
        *new_value.cast::<*mut c_void>() = value;
        *flag = 1;
    }
    A::CONSTANTS.success
}

/// `MPI_Type_delete_attr_function`: the handle is gone.
unsafe extern "C" fn delete<A: Abi>(
    _datatype: A::Datatype,
    _keyval: c_int,
    value: *mut c_void,
    state: *mut c_void,
) -> c_int {
    // SAFETY: the extra state of the keyval is the static that made it; the reference is the one
    // that `committed` or `copy` gave to MPI.
    let (state, record) = unsafe {
        (&*state.cast_const().cast::<Accelerator<A>>(), Arc::from_raw(value.cast::<Record<A>>()))
    };
    state.epoch.fetch_add(1, Ordering::AcqRel);
    drop(record);
    A::CONSTANTS.success
}
