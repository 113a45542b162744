//! Functions that take arrays only.

use pyo3::prelude::*;

use crate::arrays::exporter;
use crate::buffer::{Access, BufferSlot};
use crate::known::layout_of;

/// Packs the elements of an array, in the order of C, to `out`: an array of bytes, made where
/// there is none.
#[pyfunction]
#[pyo3(signature = (a, out = None))]
pub(crate) fn pack<'py>(
    a: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let a = exporter(a)?;
    layout_of(&a)?.pack_to(&a, out)
}

/// Unpacks `packed` to the elements of an array, in the order of C.
#[pyfunction]
pub(crate) fn unpack(packed: &Bound<'_, PyAny>, a: &Bound<'_, PyAny>) -> PyResult<()> {
    let a = exporter(a)?;
    layout_of(&a)?.unpack_from(packed, &a)
}

/// Copies the elements of `a` to those of `b`, both in the order of C, as if through a temporary
/// array. Their shapes may differ, their elements may not.
#[pyfunction]
pub(crate) fn copy(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<()> {
    let (a, b) = (exporter(a)?, exporter(b)?);
    layout_of(&a)?.copy_to(&a, &b, &*layout_of(&b)?)
}

/// The exporter of the memory of an array: the array, or a view that NumPy makes of it.
#[pyfunction]
#[pyo3(name = "_exporter")]
pub(crate) fn exporter_of<'py>(a: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    exporter(a)
}

/// Address of the first element, displacements of the lowest byte and past the highest, and
/// whether the memory is read-only: for those who make a buffer for MPI of it.
#[pyfunction]
#[pyo3(name = "_memory")]
pub(crate) fn buffer_of(object: &Bound<'_, PyAny>) -> PyResult<(usize, i64, i64, bool)> {
    let mut slot = BufferSlot::new();
    let view = slot.hold(object, Access::Read, false)?;
    let (low, high) = view.reach();
    Ok((view.origin().addr(), low, high, view.is_read_only()))
}
