//! Where MPI libraries agree on bounds.
//!
//! The standard pads the upper bound of every type to its alignment; MPICH pads structs only, and
//! what the natural bounds of parts without data are is not the same everywhere either. Code that
//! is to work with any library must not depend on such bounds.

use commloom_layout::{Kind, Type};

/// Whether every MPI library gives this type the same bounds when it is built as described.
pub fn has_portable_bounds(ty: &Type) -> bool {
    let natural = |ty: &Type| ty.has_explicit_bounds() || ty.ub() == ty.true_ub();
    match ty.kind() {
        Kind::Leaf(_) | Kind::Resized { .. } => true,
        Kind::Vec { child, .. } | Kind::Idx { child, .. } | Kind::IdxBuc { child, .. } => {
            ty.size() > 0 && natural(ty) && has_portable_bounds(child)
        }
        Kind::Strc { children, .. } => {
            let explicit = ty.has_explicit_bounds();
            natural(ty)
                && children.iter().all(|c| {
                    c.size() > 0 && c.has_explicit_bounds() == explicit && has_portable_bounds(c)
                })
        }
    }
}
