//! `commloom._native`: what the Python package `commloom` (folder `python/`) is made of.
//!
//! A [`layout::PyLayout`] is a [`Type`](commloom_layout::Type) with its normal form and its plan,
//! each made once ([`kept`]). Memory comes in by the buffer protocol alone ([`buffer`]), so NumPy
//! is needed neither for building nor for running; arrays that speak another protocol are turned
//! into views by NumPy itself ([`arrays`]). What arrays are made of becomes a type in
//! [`elements`], arrays that look alike share one layout ([`known`]), and [`moves`] checks once
//! and moves.
//!
//! # Safety in this crate
//! Python cannot be trusted with addresses: every one comes from an exporter of a buffer, which is
//! held as long as it is used. `buffer` and `moves` alone have unsafe code.

mod arrays;
mod buffer;
mod calls;
mod elements;
mod functions;
mod kept;
mod known;
mod layout;
mod moves;
mod pictures;
mod plan;
mod refused;

use pyo3::pymodule;

#[pymodule]
mod _native {
    use pyo3::prelude::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use crate::functions::{buffer_of, copy, exporter_of, pack, unpack};
    #[pymodule_export]
    use crate::layout::PyLayout;
    #[pymodule_export]
    use crate::plan::PyPlan;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
