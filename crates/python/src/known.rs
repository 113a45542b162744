//! Layouts of arrays that look alike: one for all of them, with its plan.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use commloom_layout::Type;
use pyo3::prelude::*;

use crate::arrays::{dtype, is_array, numpy};
use crate::buffer::{Access, BufferSlot, View};
use crate::elements::{of_dtype, of_format, repeated};
use crate::kept::KeptLayout;
use crate::refused;

/// Arrays that are remembered: as many views as the inner loops of a program have.
const MOST: usize = 512;

/// The element, by the address of its dtype, which the entry keeps alive; length and stride of
/// each dimension.
type Looks = (usize, Vec<(i64, i64)>);

struct KnownLayout {
    _dtype: Py<PyAny>,
    layout: Arc<KeptLayout>,
}

static KNOWN: Mutex<Option<HashMap<Looks, KnownLayout>>> = Mutex::new(None);

fn known() -> MutexGuard<'static, Option<HashMap<Looks, KnownLayout>>> {
    // Nothing is left half done when a thread panics here.
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The layout of an object that exports its memory.
pub(crate) fn layout_of(object: &Bound<'_, PyAny>) -> PyResult<Arc<KeptLayout>> {
    let mut slot = BufferSlot::new();
    let Some(dtype) = dtype(object)? else { return of_buffer(object, &mut slot) };
    let view = slot.hold(object, Access::Read, false)?;
    let looks: Looks = (dtype.as_ptr().addr(), view.dimensions().collect());
    let found = known().as_ref().and_then(|all| Some(all.get(&looks)?.layout.clone()));
    if let Some(found) = found {
        return Ok(found);
    }
    let layout = Arc::new(KeptLayout::new(of_view(of_dtype(&dtype)?, &view)?));
    // Of a class made of NumPy's, `dtype` may be anything.
    if is_array(object)? {
        let new = KnownLayout { _dtype: dtype.unbind(), layout: Arc::clone(&layout) };
        // Dropped behind the lock: that may run code of the program, which asks for a layout.
        let mut old = HashMap::new();
        let mut all = known();
        let table = all.get_or_insert_default();
        if table.len() >= MOST {
            old = std::mem::take(table);
        }
        let before = table.insert(looks, new);
        drop(all);
        drop((old, before));
    }
    Ok(layout)
}

fn of_view(element: Type, view: &View<'_, '_>) -> PyResult<Type> {
    if element.size() != 0 && view.item() != element.extent() {
        return Err(refused::kind(format!(
            "the array says that its elements have {} bytes, and its dtype {}",
            view.item(),
            element.extent()
        )));
    }
    repeated(element, view.dimensions())
}

/// The layout of an object that is not NumPy's.
fn of_buffer(object: &Bound<'_, PyAny>, slot: &mut BufferSlot) -> PyResult<Arc<KeptLayout>> {
    let view = slot.hold(object, Access::Read, true)?;
    if let Some(element) = of_format(view.format(), view.item()) {
        return Ok(Arc::new(KeptLayout::new(of_view(element, &view)?)));
    }
    let purpose = format!("an element of the format `{}`", view.format().escape_ascii());
    drop(view);
    layout_of(&numpy(object.py(), &purpose)?.call_method1("asarray", (object,))?)
}
