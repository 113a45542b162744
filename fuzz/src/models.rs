//! Constructor sets and cost models.

use commloom_layout::CostModel;
use commloom_reconstruct::{Constructors, ReconstructError};

use super::bytes::Bytes;

pub const SETS: [Constructors; 3] =
    [Constructors::Basic, Constructors::Extended, Constructors::Tree];

/// The papers' constants, small ones, or anything: zero and huge ones too. Every fourth model that is
/// not the papers' has the plug-in rules on.
pub fn model(bytes: &mut Bytes<'_>) -> CostModel {
    let kind = bytes.byte();
    if kind < 128 {
        return CostModel::default();
    }
    let mut constant = || if kind < 240 { 1 + u64::from(bytes.byte() % 16) } else { bytes.count() };
    let (leaf, vec, idx, idxbuc, strc, lookup) =
        (constant(), constant(), constant(), constant(), constant(), constant());
    let mut rule = || kind.is_multiple_of(4).then(&mut constant);
    let (bucket, triangular) = (rule(), rule());
    CostModel { leaf, vec, idx, idxbuc, strc, lookup, bucket, triangular }
}

/// A model that has to be refused must be, and for that reason.
pub fn assert_model_refused(model: &CostModel, error: &ReconstructError) {
    let has = |value: u64| model.constants().any(|(_, constant)| constant == value);
    match error {
        ReconstructError::CostTooLarge { given, limit, .. } => {
            assert!(given > limit && has(*given), "{model:?}: {error}");
        }
        error => assert!(has(0), "{model:?}: {error}"),
    }
}

/// Whether every constant is one that sums of costs can be built of.
pub fn is_usable(model: &CostModel) -> bool {
    model.constants().all(|(_, constant)| (1..=1 << 31).contains(&constant))
}
