//! A layout with everything that is made of it once: its normal form, its plan, and the plan of
//! its last copy.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use commloom_layout::{Base, CostModel, Type};
use commloom_pack::{CopyPlan, Plan, detect};
use commloom_plan::Target;
use commloom_reconstruct::{Constructors, Reconstruction, normalize};
use pyo3::prelude::*;

use crate::arrays::{exporter, plain, room};
use crate::buffer::{Access, BufferSlot};
use crate::{moves, refused};

/// A type and what was made of it. All arrays that look alike share one.
pub(crate) struct KeptLayout {
    ty: Type,
    /// The cheapest description, as far as it was found.
    normal: OnceLock<Reconstruction>,
    plan: OnceLock<Plan>,
    /// The last layout that was copied to, and how.
    copied: Mutex<Option<(Type, Arc<CopyPlan>)>>,
}

fn target() -> &'static Target {
    static TARGET: OnceLock<Target> = OnceLock::new();
    TARGET.get_or_init(detect)
}

impl KeptLayout {
    pub(crate) fn new(ty: Type) -> KeptLayout {
        let (normal, plan, copied) = (OnceLock::new(), OnceLock::new(), Mutex::new(None));
        KeptLayout { ty, normal, plan, copied }
    }

    pub(crate) fn ty(&self) -> &Type {
        &self.ty
    }

    pub(crate) fn normal(&self) -> PyResult<&Reconstruction> {
        if let Some(known) = self.normal.get() {
            return Ok(known);
        }
        let found = normalize(&self.ty, Constructors::Tree, &CostModel::default());
        let found = found.map_err(refused::value)?;
        Ok(self.normal.get_or_init(|| found))
    }

    /// The plan of the normal form, which has the fewest and simplest loops.
    pub(crate) fn packed(&self) -> PyResult<&Plan> {
        if let Some(known) = self.plan.get() {
            return Ok(known);
        }
        let plan = Plan::packed(&self.normal()?.ty, 1, target()).map_err(refused::value)?;
        Ok(self.plan.get_or_init(|| plan))
    }

    fn copy_plan(&self, to: &KeptLayout) -> PyResult<Arc<CopyPlan>> {
        let known = self.copied.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((last, plan)) = &*known
            && *last == to.ty
        {
            return Ok(Arc::clone(plan));
        }
        drop(known);
        if self.ty.size() != to.ty.size() || self.ty.signature() != to.ty.signature() {
            return Err(refused::value(format!(
                "the layouts have different elements: {} and {}",
                words(&self.ty),
                words(&to.ty)
            )));
        }
        let (from, onto) = (&self.normal()?.ty, &to.normal()?.ty);
        let plan = CopyPlan::between(from, 1, onto, 1, target()).map_err(refused::value)?;
        let plan = Arc::new(plan);
        let new = Some((to.ty.clone(), Arc::clone(&plan)));
        let mut known = self.copied.lock().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *known, new);
        drop(known);
        drop(old);
        Ok(plan)
    }

    pub(crate) fn pack_to<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = a.py();
        let plan = self.packed()?;
        let out = match out {
            Some(out) => out.clone(),
            None => room(a, plan.bytes())?,
        };
        let (source, destination) = (exporter(a)?, exporter(&out)?);
        let (mut first, mut second) = (BufferSlot::new(), BufferSlot::new());
        let memory = plain(&mut first, &source, Access::Read, "a")?;
        let packed = plain(&mut second, &destination, Access::Write, "out")?;
        moves::pack(py, plan, &memory, &packed)?;
        drop((memory, packed));
        Ok(out)
    }

    pub(crate) fn unpack_from(
        &self,
        packed: &Bound<'_, PyAny>,
        a: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let plan = self.packed()?;
        let (source, destination) = (exporter(packed)?, exporter(a)?);
        let (mut first, mut second) = (BufferSlot::new(), BufferSlot::new());
        let packed = plain(&mut first, &source, Access::Read, "packed")?;
        let memory = plain(&mut second, &destination, Access::Write, "a")?;
        moves::unpack(a.py(), plan, &packed, &memory)
    }

    pub(crate) fn copy_to(
        &self,
        a: &Bound<'_, PyAny>,
        b: &Bound<'_, PyAny>,
        to: &KeptLayout,
    ) -> PyResult<()> {
        let plan = self.copy_plan(to)?;
        let (source, destination) = (exporter(a)?, exporter(b)?);
        let (mut first, mut second) = (BufferSlot::new(), BufferSlot::new());
        let from = plain(&mut first, &source, Access::Read, "a")?;
        let onto = plain(&mut second, &destination, Access::Write, "b")?;
        moves::copy(a.py(), &plan, &from, &onto, (self.packed()?, to.packed()?))
    }
}

/// The elements of a type, for a message.
fn words(ty: &Type) -> String {
    match ty.base() {
        Base::Empty => "none".to_owned(),
        Base::One(basic) => format!("{} of {basic}", ty.elements()),
        Base::Mixed => format!("{} of several kinds, {} bytes", ty.elements(), ty.size()),
    }
}
