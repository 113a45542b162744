//! Memory of Python objects by the buffer protocol (PEP 3118), held while it is used.
//!
//! The protocol is declared here, not taken from PyO3, because it is part of the limited interface
//! only from CPython 3.11 on. The functions are exported, and the structure is the same, in every
//! CPython since 3.3; `python/tests` run with 3.9 too.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use pyo3::prelude::*;

use crate::refused;

/// The structure `Py_buffer`.
#[repr(C)]
struct Exported {
    buf: *mut c_void,
    obj: *mut pyo3::ffi::PyObject,
    len: isize,
    itemsize: isize,
    readonly: c_int,
    ndim: c_int,
    format: *mut c_char,
    shape: *mut isize,
    strides: *mut isize,
    suboffsets: *mut isize,
    internal: *mut c_void,
}

const WRITABLE: c_int = 0x1;
const FORMAT: c_int = 0x4;
const STRIDES: c_int = 0x18;

unsafe extern "C" {
    fn PyObject_CheckBuffer(object: *mut pyo3::ffi::PyObject) -> c_int;
    fn PyObject_GetBuffer(
        object: *mut pyo3::ffi::PyObject,
        view: *mut Exported,
        flags: c_int,
    ) -> c_int;
    fn PyBuffer_Release(view: *mut Exported);
}

/// Whether memory is read or written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// A place for an exported buffer. It may point into itself, so that it must not move while it is
/// exported: a [`View`] borrows it for that time.
pub(crate) struct BufferSlot(Exported);

/// The memory of an object, which can neither be freed nor resized while the view lives.
pub(crate) struct View<'v, 'py> {
    slot: &'v mut BufferSlot,
    /// The buffer is released by a thread that is attached to the interpreter.
    _python: Python<'py>,
    /// Bytes of the lowest and past the highest element, from the first one; equal where there is
    /// no element.
    reach: (i64, i64),
    /// Where the exporter gives none, as `ctypes` does: those of elements without gaps.
    strides: Vec<isize>,
}

/// Whether an object exports a buffer.
pub(crate) fn is_exporter(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: a `Bound` is a live object, of a thread that is attached.
    unsafe { PyObject_CheckBuffer(object.as_ptr()) == 1 }
}

impl BufferSlot {
    pub(crate) const fn new() -> BufferSlot {
        BufferSlot(Exported {
            buf: ptr::null_mut(),
            obj: ptr::null_mut(),
            len: 0,
            itemsize: 0,
            readonly: 0,
            ndim: 0,
            format: ptr::null_mut(),
            shape: ptr::null_mut(),
            strides: ptr::null_mut(),
            suboffsets: ptr::null_mut(),
            internal: ptr::null_mut(),
        })
    }

    /// The memory of `object`. The format is asked for only where somebody reads it: NumPy writes
    /// it anew every time, and has none for dates.
    pub(crate) fn hold<'v, 'py>(
        &'v mut self,
        object: &'v Bound<'py, PyAny>,
        access: Access,
        with_format: bool,
    ) -> PyResult<View<'v, 'py>> {
        let mut flags = STRIDES;
        if access == Access::Write {
            flags |= WRITABLE;
        }
        if with_format {
            flags |= FORMAT;
        }
        // SAFETY: a `Bound` is a live object, of a thread that is attached; the structure may be
        // written, and is read only where the exporter says that it has filled it.
        if unsafe { PyObject_GetBuffer(object.as_ptr(), &raw mut self.0, flags) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        let mut view =
            View { slot: self, _python: object.py(), reach: (0, 0), strides: Vec::new() };
        view.strides = view.without_gaps().unwrap_or_default();
        view.reach = view.measured()?;
        Ok(view)
    }
}

impl View<'_, '_> {
    /// The address of the first element.
    pub(crate) fn origin(&self) -> *mut u8 {
        self.slot.0.buf.cast()
    }

    /// Displacements of the lowest byte and past the highest, from the first element.
    pub(crate) fn reach(&self) -> (i64, i64) {
        self.reach
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.slot.0.readonly != 0
    }

    /// Bytes of one element.
    pub(crate) fn item(&self) -> i64 {
        wide(self.slot.0.itemsize)
    }

    /// Elements along each dimension, and bytes between neighbours.
    pub(crate) fn dimensions(&self) -> impl DoubleEndedIterator<Item = (i64, i64)> {
        let strides = match self.strides.as_slice() {
            [] => self.list(self.slot.0.strides),
            made => made,
        };
        let shape = self.list(self.slot.0.shape);
        shape.iter().zip(strides).map(|(&n, &stride)| (wide(n), wide(stride)))
    }

    /// A number for each dimension.
    fn list(&self, list: *mut isize) -> &[isize] {
        if list.is_null() {
            return &[];
        }
        let count = usize::try_from(self.slot.0.ndim).unwrap_or(0);
        // SAFETY: the lists of an exporter have a number for each dimension, and live as long as
        // the export, which `self` holds.
        unsafe { std::slice::from_raw_parts(list, count) }
    }

    /// Strides of elements without gaps, where the exporter gives none.
    fn without_gaps(&self) -> Option<Vec<isize>> {
        if !self.slot.0.strides.is_null() {
            return None;
        }
        let mut run = self.slot.0.itemsize;
        let mut strides = Vec::new();
        for &n in self.list(self.slot.0.shape).iter().rev() {
            strides.push(run);
            run = run.checked_mul(n)?;
        }
        strides.reverse();
        Some(strides)
    }

    /// The format of an element, where it was asked for; bytes where the exporter has none.
    pub(crate) fn format(&self) -> &[u8] {
        let format = self.slot.0.format;
        if format.is_null() {
            return b"B";
        }
        // SAFETY: the exporter gives a string that ends with a zero and lives as long as the
        // export, which `self` holds.
        unsafe { CStr::from_ptr(format) }.to_bytes()
    }

    /// The number of bytes, if they are one run in the order of the elements.
    pub(crate) fn contiguous(&self) -> Option<i64> {
        let mut run = self.item();
        let mut is_run = true;
        for (n, stride) in self.dimensions().rev() {
            is_run &= n == 1 || stride == run;
            // Cannot overflow where an element is there: `reach` has been added up.
            run = run.checked_mul(n)?;
        }
        (is_run || run == 0).then_some(run)
    }

    fn measured(&self) -> PyResult<(i64, i64)> {
        let overflow = || refused::value("the array reaches further than 64 bits");
        let (mut low, mut high) = (0_i64, self.item());
        if usize::try_from(self.slot.0.ndim).ok() != Some(self.dimensions().count()) {
            return Err(refused::value("the object exports its dimensions without their sizes"));
        }
        for (n, stride) in self.dimensions() {
            if n == 0 {
                return Ok((0, 0));
            }
            let last = (n - 1).checked_mul(stride).ok_or_else(overflow)?;
            let end = if last < 0 { &mut low } else { &mut high };
            *end = end.checked_add(last).ok_or_else(overflow)?;
        }
        Ok((low, high))
    }
}

impl Drop for View<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: the buffer was exported into this place, which has not moved, and is released
        // once; this thread is attached, because the view has the proof of it.
        unsafe { PyBuffer_Release(&raw mut self.slot.0) };
    }
}

/// Sizes of this machine, which has 64 bits.
fn wide(number: isize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
