//! What commloom knows of a datatype of the program. It hangs on the handle as an MPI attribute
//! (MPI 4.1, section 7.7.4), so that it lives as long as the handle and follows `MPI_Type_dup`.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use commloom_layout::{CostModel, Kind, Type};
use commloom_mpi::{Abi, Combiner, DEFAULT_BUDGET, decode};
use commloom_reconstruct::{Constructors, normalize};

use crate::message::Message;
use crate::report::Tally;
use crate::state::{Preload, lock};

/// One committed datatype.
pub(crate) struct Record<A: Abi> {
    state: &'static Preload<A>,
    uses: AtomicU64,
    known: OnceLock<Result<Known, String>>,
    messages: Mutex<Vec<(c_int, Arc<Message<A>>)>>,
    pub tally: Arc<Tally>,
}

/// The layout of one element.
pub(crate) struct Known {
    pub before: Type,
    pub after: Type,
}

/// Counts for which a type keeps its plans. A program that sends a type with ever new counts does
/// not pay for planning each of them.
const COUNTS: usize = 64;

impl<A: Abi> Record<A> {
    fn new(state: &'static Preload<A>) -> Self {
        Record {
            state,
            uses: AtomicU64::new(0),
            known: OnceLock::new(),
            messages: Mutex::new(Vec::new()),
            tally: Arc::new(Tally::new(state.config().report.is_some())),
        }
    }

    /// The message of `count` elements; `None` while the type is left alone. `datatype` is a handle
    /// that this record hangs on and that is valid now.
    fn message(&self, datatype: A::Datatype, count: c_int) -> Option<Arc<Message<A>>> {
        if self.uses.fetch_add(1, Ordering::Relaxed) < self.state.config().warmup {
            return self.left("first use");
        }
        if let Some((_, found)) = lock(&self.messages).iter().find(|(c, _)| *c == count) {
            return Some(found.clone());
        }
        match self.known(datatype) {
            Err(reason) => self.left(reason),
            Ok(known) => {
                let made = Arc::new(Message::new(self.state, known, count, &self.tally)?);
                let mut messages = lock(&self.messages);
                if messages.len() >= COUNTS {
                    messages.clear();
                }
                messages.push((count, made.clone()));
                Some(made)
            }
        }
    }

    /// Counts a message that is left to the library before anything is known of it.
    fn left(&self, reason: &str) -> Option<Arc<Message<A>>> {
        self.tally.native(reason, 0);
        None
    }

    fn known(&self, datatype: A::Datatype) -> Result<&Known, &str> {
        let look = || {
            let before =
                decode(self.state.mpi(), datatype, DEFAULT_BUDGET).map_err(|e| e.to_string())?;
            if has_negative_extent(&before) {
                // MPICH 4.0.2 packs such types with another extent than it reports.
                return Err("a negative extent, which libraries disagree on".into());
            }
            let after = normalize(&before, Constructors::Tree, &CostModel::default())
                .map_err(|e| e.to_string())?
                .ty;
            Ok(Known { before, after })
        };
        let contained = || self.state.shield(look).unwrap_or_else(|| Err("internal error".into()));
        self.known.get_or_init(contained).as_ref().map_err(String::as_str)
    }

    /// The layouts before and after normalization, if the type was looked at.
    pub fn layouts(&self) -> Option<(&Type, &Type)> {
        let known = self.known.get()?.as_ref().ok()?;
        Some((&known.before, &known.after))
    }

    fn close(&self) {
        if self.state.config().report.is_some() {
            self.state.rows.add(self.layouts(), &self.tally);
        }
    }
}

impl<A: Abi> Drop for Record<A> {
    fn drop(&mut self) {
        self.state.shield(|| self.close());
    }
}

/// Whether explicit bounds anywhere in a type have an upper bound below the lower one.
fn has_negative_extent(ty: &Type) -> bool {
    let here = matches!(ty.kind(), Kind::Resized { extent, .. } if *extent < 0);
    here || ty.children().iter().any(has_negative_extent)
}

/// The attribute key: not made yet, made, or refused by the library.
pub(crate) struct Keyval(AtomicI64, Mutex<()>);

const NOT_MADE: i64 = i64::MIN;
const REFUSED: i64 = i64::MAX;

impl Keyval {
    pub const fn new() -> Self {
        Keyval(AtomicI64::new(NOT_MADE), Mutex::new(()))
    }

    fn get(&self) -> Option<c_int> {
        c_int::try_from(self.0.load(Ordering::Acquire)).ok()
    }
}

impl<A: Abi> Preload<A> {
    /// Hangs a record on a derived datatype that was just committed.
    pub(crate) fn committed(&'static self, datatype: A::Datatype) {
        self.free_retired();
        let mpi = self.mpi();
        if !matches!(mpi.type_combiner(datatype), Ok(c) if c != Combiner::Named) {
            return;
        }
        let Some(keyval) = self.make_keyval() else { return };
        if !matches!(mpi.type_get_attr(datatype, keyval), Ok(None)) {
            return;
        }
        let record = Arc::new(Record::new(self));
        if self.config().report.is_some() {
            self.rows.open(&record);
        }
        let value = Arc::into_raw(record).cast_mut().cast::<c_void>();
        // SAFETY: the value is what the callbacks of this keyval expect.
        if unsafe { mpi.type_set_attr(datatype, keyval, value) }.is_err() {
            // SAFETY: MPI did not take the reference.
            drop(unsafe { Arc::from_raw(value.cast::<Record<A>>()) });
        }
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    fn make_keyval(&'static self) -> Option<c_int> {
        if let Some(made) = self.keyval.get() {
            return Some(made);
        }
        let _one = lock(&self.keyval.1);
        if self.keyval.0.load(Ordering::Acquire) == NOT_MADE {
            let extra = std::ptr::from_ref(self).cast_mut().cast::<c_void>();
            // SAFETY: the callbacks have the types that MPI calls, and get this state.
            let made = unsafe { self.mpi().type_create_keyval(copy::<A>, delete::<A>, extra) };
            self.keyval.0.store(made.map_or(REFUSED, i64::from), Ordering::Release);
        }
        self.keyval.get()
    }

    /// The message of `count` elements of a handle of the program, if commloom has a say in it.
    pub(crate) fn look_up(
        &'static self,
        datatype: A::Datatype,
        count: c_int,
    ) -> Found<Arc<Message<A>>> {
        let Some(keyval) = self.keyval.get() else { return Found::Nothing };
        let Ok(Some(value)) = self.mpi().type_get_attr(datatype, keyval) else {
            return Found::Nothing;
        };
        // SAFETY: only `committed` and `copy` set this attribute, to a reference that MPI holds
        // until `delete`; the program may not free the type while it uses it.
        let record = unsafe { &*value.cast::<Record<A>>() };
        record.message(datatype, count).map_or(Found::NotYet, Found::This)
    }
}

/// What is known of a handle and count.
pub(crate) enum Found<T> {
    /// This.
    This(T),
    /// Nothing, now and later.
    Nothing,
    /// Nothing now.
    NotYet,
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
        (&*state.cast_const().cast::<Preload<A>>(), Arc::from_raw(value.cast::<Record<A>>()))
    };
    state.epoch.fetch_add(1, Ordering::AcqRel);
    drop(record);
    A::CONSTANTS.success
}
