//! The class `Plan`.

use commloom_pack::Plan;
use pyo3::prelude::*;

/// How the bytes of a layout are packed.
#[pyclass(name = "Plan", module = "commloom", frozen)]
pub(crate) struct PyPlan(pub(crate) Plan);

#[pymethods]
impl PyPlan {
    /// Packed bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// Displacements of the lowest byte that is touched and past the highest.
    #[getter]
    fn bounds(&self) -> (i64, i64) {
        let bounds = self.0.bounds();
        (bounds.start, bounds.end)
    }

    /// Runs of bytes that are adjacent in memory and in order.
    #[getter]
    fn runs(&self) -> u64 {
        self.0.cost_estimate().runs
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let cost = self.0.cost_estimate();
        format!("<commloom.Plan of {} bytes in {} runs>", cost.bytes, cost.runs)
    }
}
