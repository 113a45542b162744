//! Errors as Python exceptions.

use std::fmt::Display;

use pyo3::PyErr;
use pyo3::exceptions::{PyTypeError, PyValueError};

/// A `ValueError`: the right kind of object, with wrong numbers in it.
pub(crate) fn value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A `TypeError`: the wrong kind of object.
pub(crate) fn kind(error: impl Display) -> PyErr {
    PyTypeError::new_err(error.to_string())
}
