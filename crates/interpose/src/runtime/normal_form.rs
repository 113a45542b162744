//! The normal form of a layout, within the work that a program can wait for.

use commloom_layout::{CostModel, Type};
use commloom_reconstruct::{Constructors, Limits, ReconstructError, normalize_within};

/// Work of normalization beyond reading the description: little, because a program waits for it.
/// The exact programme over 96 elements would take as long as a hundred short messages.
const EFFORT: Limits = Limits { flatten: 256, exact_tree: 8 };

/// The same bytes in the same order, in normal form.
pub(crate) fn normalize(layout: &Type) -> Result<Type, ReconstructError> {
    let model = CostModel::default();
    Ok(normalize_within(&EFFORT, layout, Constructors::Extended, &model)?.ty)
}
