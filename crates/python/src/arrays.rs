//! NumPy, where it is there: which objects are its arrays, and views of what speaks no buffer
//! protocol.

use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use pyo3::{IntoPyObjectExt, intern};

use crate::buffer::{Access, BufferSlot, View, is_exporter};
use crate::refused;

static NDARRAY: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static EMPTY: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();

/// NumPy's class of arrays, if the program has loaded NumPy.
fn ndarray<'py>(py: Python<'py>) -> PyResult<Option<&'py Bound<'py, PyType>>> {
    if let Some(known) = NDARRAY.get(py) {
        return Ok(Some(known.bind(py)));
    }
    let modules = py.import("sys")?.getattr("modules")?;
    let Ok(numpy) = modules.cast::<PyDict>()?.get_item("numpy")?.ok_or(()) else {
        return Ok(None);
    };
    let class = numpy.getattr("ndarray")?.cast_into::<PyType>()?.unbind();
    Ok(Some(NDARRAY.get_or_init(py, || class).bind(py)))
}

/// Whether this is an array of NumPy itself, not of a class made of it: such a class may say
/// anything of its elements.
pub(crate) fn is_array(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(ndarray(object.py())?.is_some_and(|class| object.get_type().is(class)))
}

/// The description of the elements, if this is an array of NumPy or of a class made of it.
pub(crate) fn dtype<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    match ndarray(py)? {
        Some(class) if object.get_type().is(class) || object.is_instance(class)? => {
            object.getattr(intern!(py, "dtype")).map(Some)
        }
        _ => Ok(None),
    }
}

/// NumPy, imported for something that cannot be done without.
pub(crate) fn numpy<'py>(py: Python<'py>, purpose: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import("numpy").map_err(|error| {
        let refusal = refused::kind(format!("{purpose} needs NumPy"));
        refusal.set_cause(py, Some(error));
        refusal
    })
}

/// The object itself if it exports its memory; a view that NumPy makes of it if it has another
/// protocol for that. Nothing is copied.
pub(crate) fn exporter<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    if is_exporter(object) {
        return Ok(object.clone());
    }
    if object.hasattr(intern!(py, "__array_interface__"))? {
        return numpy(py, "an array by `__array_interface__`")?.call_method1("asarray", (object,));
    }
    if object.hasattr(intern!(py, "__dlpack__"))? {
        let (device, number): (i64, i64) = object.call_method0("__dlpack_device__")?.extract()?;
        if device != 1 {
            return Err(refused::kind(format!(
                "the array is on device {number} of the DLPack kind {device}: only memory of the \
                 CPU (kind 1) can be read"
            )));
        }
        return numpy(py, "an array by DLPack")?.call_method1("from_dlpack", (object,));
    }
    Err(refused::kind(format!(
        "expected an array (buffer protocol, `__array_interface__` or DLPack), not {}",
        object.get_type().name()?
    )))
}

/// The memory of an object that exports it, whose elements are no references to Python objects:
/// bytes that are written over them would be addresses.
pub(crate) fn plain<'v, 'py>(
    slot: &'v mut BufferSlot,
    object: &'v Bound<'py, PyAny>,
    access: Access,
    name: &str,
) -> PyResult<View<'v, 'py>> {
    let py = object.py();
    let is_array = is_array(object)?;
    if is_array
        && object.getattr(intern!(py, "dtype"))?.getattr(intern!(py, "hasobject"))?.is_truthy()?
    {
        return Err(refused::kind(format!("`{name}` holds Python objects, not numbers")));
    }
    let view = slot.hold(object, access, !is_array).map_err(|error| named(py, name, &error))?;
    if !is_array && has_references(view.format()) {
        return Err(refused::kind(format!("`{name}` holds addresses, not numbers")));
    }
    Ok(view)
}

/// An exporter's error, with the argument that it is about.
fn named(py: Python<'_>, name: &str, error: &PyErr) -> PyErr {
    let text = format!("`{name}`: {}", error.value(py));
    if error.is_instance_of::<PyBufferError>(py) {
        PyBufferError::new_err(text)
    } else {
        refused::value(text)
    }
}

/// Whether a format has addresses in it: of objects, of anything, or of functions. Names of fields
/// stand between colons.
fn has_references(format: &[u8]) -> bool {
    let mut is_name = false;
    format.iter().enumerate().any(|(at, &letter)| {
        is_name ^= letter == b':';
        // Before a float it is a complex number, else the `wchar_t *` of ctypes.
        let is_complex = matches!(format.get(at + 1), Some(b'f' | b'd' | b'g'));
        !is_name
            && (matches!(letter, b'O' | b'P' | b'&' | b'X' | b'z') || letter == b'Z' && !is_complex)
    })
}

/// Room for packed bytes: an array of NumPy for one, else a bytearray.
pub(crate) fn room<'py>(like: &Bound<'py, PyAny>, bytes: u64) -> PyResult<Bound<'py, PyAny>> {
    let py = like.py();
    if dtype(like)?.is_none() {
        return py.get_type::<pyo3::types::PyByteArray>().call1((bytes,));
    }
    let (empty, byte) = match EMPTY.get(py) {
        Some(known) => known,
        None => {
            let numpy = py.import("numpy")?;
            let byte = numpy.call_method1("dtype", ("B",))?.unbind();
            let made = (numpy.getattr("empty")?.unbind(), byte);
            EMPTY.get_or_init(py, || made)
        }
    };
    empty.bind(py).call1((bytes.into_bound_py_any(py)?, byte))
}
