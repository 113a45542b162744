//! Records of the program's communicators and datatypes: made when one is used first,
//! and forgotten when the program frees it, which MPI tells through an attribute (MPI 4.1, section
//! 7.7).

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use commloom_mpi::{Abi, DEFAULT_BUDGET, RawHandle, decode};
use commloom_trace::{Action, Communicator, NO_RANK};

use super::layout::{Data, Layout};
use super::recorder::{Inside, Keyvals, Recorder};
use crate::runtime::attributes::no_copy;
use crate::runtime::calls::MessageData;
use crate::runtime::count::CallCount;

impl Keyvals {
    pub fn new<A: Abi>(recorder: &'static Recorder<A>) -> Keyvals {
        let mpi = recorder.runtime.mpi();
        let extra = std::ptr::from_ref(recorder).cast_mut().cast::<c_void>();
        // SAFETY: the callbacks have the types that MPI calls, and get this recorder.
        unsafe {
            Keyvals {
                comm: mpi.comm_create_keyval(no_copy::<A::Comm, A>, freed_comm::<A>, extra).ok(),
                datatype: mpi
                    .type_create_keyval(no_copy::<A::Datatype, A>, freed_datatype::<A>, extra)
                    .ok(),
            }
        }
    }
}

/// `MPI_Comm_delete_attr_function`. The value has the bits of the handle.
unsafe extern "C" fn freed_comm<A: Abi>(
    _comm: A::Comm,
    _keyval: c_int,
    value: *mut c_void,
    recorder: *mut c_void,
) -> c_int {
    // SAFETY: the extra state of the keyval is the recorder that made it, which is never dropped.
    let recorder = unsafe { &*recorder.cast_const().cast::<Recorder<A>>() };
    recorder.forget(|inner| drop(inner.comms.remove(&A::Comm::from_bits(value.addr()))));
    A::CONSTANTS.success
}

/// `MPI_Type_delete_attr_function`, likewise.
unsafe extern "C" fn freed_datatype<A: Abi>(
    _datatype: A::Datatype,
    _keyval: c_int,
    value: *mut c_void,
    recorder: *mut c_void,
) -> c_int {
    // SAFETY: the extra state of the keyval is the recorder that made it, which is never dropped.
    let recorder = unsafe { &*recorder.cast_const().cast::<Recorder<A>>() };
    recorder.forget(|inner| drop(inner.datatypes.remove(&A::Datatype::from_bits(value.addr()))));
    A::CONSTANTS.success
}

fn value_of<H: RawHandle>(handle: H) -> *mut c_void {
    std::ptr::without_provenance_mut(handle.to_bits())
}

/// Layouts that are remembered without a handle that has them.
const LAYOUTS: usize = 256;

impl<A: Abi> Inside<A> {
    /// The processes of a communicator; `None` where it is none.
    pub fn communicator(&self, comm: A::Comm) -> Option<Arc<Communicator>> {
        let mpi = self.runtime.mpi();
        if let Some(known) = self.lock().comms.get(&comm) {
            return Some(known.clone());
        }
        if comm == mpi.handles.comm_null {
            return None;
        }
        let members = mpi.members(comm).ok()?;
        let ranks = |group: Vec<Option<u32>>| {
            group.into_iter().map(|rank| rank.unwrap_or(NO_RANK)).collect::<Vec<u32>>()
        };
        let is_world = comm == mpi.handles.comm_world;
        let stays = is_world || comm == mpi.handles.comm_self || self.set_comm_attr(comm);
        let site = self.site();
        let mut inner = self.lock();
        let (members, remote) = (ranks(members.local), ranks(members.remote));
        let number = if is_world { 0 } else { inner.number_of(comm, &members, &remote) };
        let made = Arc::new(Communicator { number, members, remote });
        if stays {
            inner.comms.insert(comm, made.clone());
        }
        if !is_world && self.active {
            inner.push(site, Action::Communicator(made.clone()));
        }
        Some(made)
    }

    fn set_comm_attr(&self, comm: A::Comm) -> bool {
        self.recorder.keyvals.get().and_then(|keyvals| keyvals.comm).is_some_and(|keyval| {
            // SAFETY: the value is what the callbacks of this keyval expect.
            unsafe { self.runtime.mpi().comm_set_attr(comm, keyval, value_of(comm)) }.is_ok()
        })
    }

    /// A buffer of the program; `None` where the library will refuse it.
    pub fn data<N: CallCount>(&self, data: MessageData<A, N>) -> Option<Data> {
        let MessageData { buffer, count, datatype } = data;
        let layout = self.layout(datatype)?;
        let content = layout.content(u64::try_from(count.wide()).ok()?, self.runtime.target())?;
        let mut data = Data::new(buffer, content);
        data.is_hidden = self.runtime.gpus.refuse(buffer, data.content.bounds()).is_some();
        Some(data)
    }

    fn layout(&self, datatype: A::Datatype) -> Option<Arc<Layout>> {
        if let Some(known) = self.lock().datatypes.get(&datatype) {
            return Some(known.clone());
        }
        let mpi = self.runtime.mpi();
        if datatype == mpi.handles.datatype_null {
            return None;
        }
        let ty = decode(mpi, datatype, DEFAULT_BUDGET).ok()?;
        let stays = mpi.handles.name(datatype).is_some() || self.set_datatype_attr(datatype);
        let mut inner = self.lock();
        // Handles that come and go with the same layout have one in common.
        if inner.layouts.len() >= LAYOUTS {
            inner.layouts.retain(|_, layout| Arc::strong_count(layout) > 1);
        }
        let layout = match inner.layouts.get(&ty) {
            Some(layout) => layout.clone(),
            None => {
                let made = Arc::new(Layout::new(ty.clone()));
                inner.layouts.insert(ty, made.clone());
                made
            }
        };
        if stays {
            inner.datatypes.insert(datatype, layout.clone());
        }
        Some(layout)
    }

    fn set_datatype_attr(&self, datatype: A::Datatype) -> bool {
        self.recorder.keyvals.get().and_then(|keyvals| keyvals.datatype).is_some_and(|keyval| {
            // SAFETY: the value is what the callbacks of this keyval expect.
            unsafe { self.runtime.mpi().type_set_attr(datatype, keyval, value_of(datatype)) }
                .is_ok()
        })
    }
}
