//! The MPI calls that build a type, as tuples for Python.

use commloom_emit::{Call, Handle, mpi4py_name};
use commloom_layout::Type;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::refused;

/// A call: the method of mpi4py's `Datatype`, what it is called on, and its arguments. What it is
/// called on is the name of a basic type or the number of an earlier call; a list of these for a
/// struct.
type Spelled<'py> = (&'static str, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The calls that build `ty`, in order; the last one makes it.
pub(crate) fn spelled<'py>(py: Python<'py>, ty: &Type) -> PyResult<Vec<Spelled<'py>>> {
    let calls = commloom_emit::calls(ty).map_err(refused::value)?;
    calls.0.iter().map(|call| one(py, call)).collect()
}

fn one<'py>(py: Python<'py>, call: &Call) -> PyResult<Spelled<'py>> {
    let old = |old: &Handle| handle(py, *old);
    Ok(match call {
        Call::Dup(h) => ("Dup", old(h)?, ().into_bound_py_any(py)?),
        Call::Contiguous { count, old: h } => {
            ("Create_contiguous", old(h)?, (count,).into_bound_py_any(py)?)
        }
        Call::Vector { count, block, stride, old: h } => {
            ("Create_vector", old(h)?, (count, block, stride).into_bound_py_any(py)?)
        }
        Call::Hvector { count, block, stride, old: h } => {
            ("Create_hvector", old(h)?, (count, block, stride).into_bound_py_any(py)?)
        }
        Call::Indexed { blocks, displacements, old: h } => {
            ("Create_indexed", old(h)?, (blocks, displacements).into_bound_py_any(py)?)
        }
        Call::Hindexed { blocks, displacements, old: h } => {
            ("Create_hindexed", old(h)?, (blocks, displacements).into_bound_py_any(py)?)
        }
        Call::IndexedBlock { block, displacements, old: h } => {
            ("Create_indexed_block", old(h)?, (block, displacements).into_bound_py_any(py)?)
        }
        Call::HindexedBlock { block, displacements, old: h } => {
            ("Create_hindexed_block", old(h)?, (block, displacements).into_bound_py_any(py)?)
        }
        Call::Struct { displacements, olds } => {
            let blocks = vec![1; olds.len()];
            let olds = olds.iter().map(old).collect::<PyResult<Vec<_>>>()?;
            let olds = PyList::new(py, olds)?.into_any();
            ("Create_struct", olds, (blocks, displacements).into_bound_py_any(py)?)
        }
        Call::Resized { lb, extent, old: h } => {
            ("Create_resized", old(h)?, (lb, extent).into_bound_py_any(py)?)
        }
    })
}

/// mpi4py's name of a basic type, or a number.
fn handle(py: Python<'_>, handle: Handle) -> PyResult<Bound<'_, PyAny>> {
    match handle {
        Handle::Basic(basic) => mpi4py_name(basic).into_bound_py_any(py),
        Handle::Made(number) => number.into_bound_py_any(py),
    }
}
