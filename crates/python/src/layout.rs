//! The class `Layout`.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use commloom_layout::{Basic, CostModel, Kind, Type, text};
use commloom_reconstruct::{Constructors, normalize, reconstruct};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

use crate::arrays::exporter;
use crate::calls::spelled;
use crate::elements::named;
use crate::kept::KeptLayout;
use crate::plan::PyPlan;
use crate::{known, pictures, refused};

/// An ordered list of bytes in memory, described as an MPI datatype. Immutable.
#[pyclass(name = "Layout", module = "commloom", frozen, weakref)]
pub(crate) struct PyLayout(Arc<KeptLayout>);

impl PyLayout {
    fn new(ty: Type) -> PyLayout {
        PyLayout(Arc::new(KeptLayout::new(ty)))
    }
}

#[pymethods]
impl PyLayout {
    /// The layout of an array: its elements in the order of C, wherever they lie, from the first
    /// one on.
    #[staticmethod]
    fn from_array(a: &Bound<'_, PyAny>) -> PyResult<PyLayout> {
        known::layout_of(&exporter(a)?).map(PyLayout)
    }

    /// The cheapest layout of elements at these places: in elements, or in bytes.
    #[staticmethod]
    #[pyo3(signature = (indices, dtype = None, *, in_bytes = false))]
    fn from_indices(
        indices: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        in_bytes: bool,
    ) -> PyResult<PyLayout> {
        let element = dtype.map_or(Ok(Type::leaf(Basic::BYTE)), named)?;
        let list = match indices.hasattr("tolist")? {
            true => indices.call_method0("tolist")?,
            false => indices.clone(),
        };
        let numbers = list.try_iter()?.map(|number| number?.extract::<i64>());
        let mut places = numbers.collect::<PyResult<Vec<i64>>>()?;
        let step = if in_bytes { 1 } else { element.extent() };
        for (number, place) in places.iter_mut().enumerate() {
            *place = place.checked_mul(step).ok_or_else(|| {
                PyIndexError::new_err(format!(
                    "index {number} is {place}: times {step} bytes it does not fit in 64 bits"
                ))
            })?;
        }
        if let Kind::Leaf(basic) = element.kind()
            && !places.is_empty()
        {
            let model = CostModel::default();
            let found = reconstruct(&places, *basic, Constructors::Extended, &model);
            return Ok(PyLayout::new(found.map_err(refused::value)?.ty));
        }
        let listed = Type::idx(places, element).map_err(refused::value)?;
        let found = normalize(&listed, Constructors::Tree, &CostModel::default());
        Ok(PyLayout::new(found.map_err(refused::value)?.ty))
    }

    /// A layout by its notation, which `str` gives.
    #[staticmethod]
    fn parse(notation: &str) -> PyResult<PyLayout> {
        let ty = text::parse(notation).map_err(|error| refused::value(error.render("layout")))?;
        Ok(PyLayout::new(ty))
    }

    /// The cheapest description of the same bytes in the same order.
    fn normalize(&self) -> PyResult<PyLayout> {
        Ok(PyLayout::new(self.0.normal()?.ty.clone()))
    }

    /// How the bytes are packed on this machine: loops and kernels.
    fn plan(&self) -> PyResult<PyPlan> {
        Ok(PyPlan(self.0.packed()?.clone()))
    }

    /// Packs the bytes of this layout, from the first element of `a` on, to `out`: an array of
    /// bytes, made where there is none.
    #[pyo3(signature = (a, out = None))]
    fn pack<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.0.pack_to(a, out)
    }

    /// Unpacks the bytes `packed` into this layout, from the first element of `a` on.
    fn unpack(&self, packed: &Bound<'_, PyAny>, a: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.unpack_from(packed, a)
    }

    /// Copies the elements that this layout has in `a` to where `to` (this layout, if there is
    /// none) has them in `b`.
    #[pyo3(signature = (a, b, to = None))]
    fn copy(
        &self,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        to: Option<&Bound<'_, PyLayout>>,
    ) -> PyResult<()> {
        self.0.copy_to(a, b, to.map_or(&self.0, |to| &to.get().0))
    }

    /// Bytes of data.
    #[getter]
    fn size(&self) -> u64 {
        self.0.ty().size()
    }

    /// Elements of basic type.
    #[getter]
    fn elements(&self) -> u64 {
        self.0.ty().elements()
    }

    /// Runs of bytes that are adjacent in memory and in order.
    #[getter]
    fn runs(&self) -> u64 {
        self.0.ty().runs()
    }

    /// Lower bound and extent, in bytes.
    #[getter]
    fn extent(&self) -> (i64, i64) {
        (self.0.ty().lb(), self.0.ty().extent())
    }

    /// Displacement of the lowest byte, and bytes from there to past the highest.
    #[getter]
    fn true_extent(&self) -> (i64, i64) {
        (self.0.ty().true_lb(), self.0.ty().true_extent())
    }

    /// The cost of this description: 6 a node, 1 an entry of a list.
    #[getter]
    fn cost(&self) -> u64 {
        CostModel::default().cost(self.0.ty())
    }

    /// No description of these bytes costs less.
    #[getter]
    fn lower_bound(&self) -> PyResult<u64> {
        Ok(self.0.normal()?.lower_bound)
    }

    /// Whether this description is proved to be a cheapest one.
    #[getter]
    fn optimal(&self) -> PyResult<bool> {
        Ok(self.cost() == self.0.normal()?.lower_bound)
    }

    /// The MPI calls that build the cheapest description.
    fn _calls<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        spelled(py, &self.0.normal()?.ty)?.into_bound_py_any(py)
    }

    /// The same layout, so many bytes further on.
    fn _moved(&self, bytes: i64) -> PyResult<PyLayout> {
        let ty = if bytes == 0 {
            Ok(self.0.ty().clone())
        } else {
            Type::idx([bytes], self.0.ty().clone())
        };
        ty.map(PyLayout::new).map_err(refused::value)
    }

    fn _repr_svg_(&self) -> String {
        pictures::picture(self.0.ty(), self.cost())
    }

    fn _repr_html_(&self) -> String {
        pictures::page(self.0.ty(), self.cost())
    }

    fn __str__(&self) -> String {
        self.0.ty().to_string()
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<String> {
        let notation = PyString::new(py, &self.0.ty().to_string());
        Ok(format!("Layout.parse({})", notation.repr()?.to_cow()?))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyLayout>().is_ok_and(|other| other.get().0.ty() == self.0.ty())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.ty().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let class: Bound<'py, PyType> = py.get_type::<PyLayout>();
        let arguments = (self.0.ty().to_string(),);
        (class.getattr("parse")?, arguments).into_pyobject(py)
    }
}
