//! Cheapest descriptions of memory layouts: from a displacement sequence or a type to the type of
//! least cost with the same ordered type map.
//!
//! - [`reconstruct`]: from displacements. Optimal paths ([`Constructors::Basic`],
//!   [`Constructors::Extended`]: Kalany and Träff 2015, corrected) and optimal trees
//!   ([`Constructors::Tree`]: Ganian et al. 2016) up to [`EXACT_TREE_LIMIT`] elements; past it, trees
//!   that are good but not proven ([`Reconstruction::exact`] says so).
//! - [`normalize`], [`normalize_many`]: from a type, in time that depends on its description.
//! - [`certify`]: checks that one type may stand for another.
//!
//! Nothing here reorders loops: that would change the packed bytes. Nothing here prints, reads the
//! environment or keeps state.
#![forbid(unsafe_code)]

mod certify;
mod error;
mod extended;
mod forms;
mod large;
mod normalize;
mod num;
mod path;
mod peel;
mod periods;
mod prefixes;
mod prices;
mod repeat;
mod sequence;
mod tree;

pub use certify::{CERTIFY_LIMIT, CertifyError, Coverage, certify};
pub use error::ReconstructError;
pub use normalize::{Limits, normalize, normalize_many, normalize_within};
pub use prices::Constructors;

use commloom_layout::{Basic, CostModel, Type};

use forms::Forms;
use large::Effort;
use prices::Prices;
use sequence::Sequence;
use tree::Tokens;

/// Most elements for which [`reconstruct`] solves [`Constructors::Tree`] exactly: under a second and
/// about 45 MB there.
pub const EXACT_TREE_LIMIT: usize = 2048;

/// A cheapest type that was found, and what is known of its distance from the optimum.
#[derive(Debug, Clone)]
pub struct Reconstruction {
    /// The type.
    pub ty: Type,
    /// Its cost.
    pub cost: u64,
    /// Whether no type of the constructor set is cheaper.
    pub exact: bool,
    /// No type of the constructor set costs less than this; equals `cost` where `exact`.
    pub lower_bound: u64,
}

/// The cheapest type for `displacements` (bytes, in order, of elements of `base`).
///
/// # Errors
/// No displacements; displacements or bounds that differ by more than 64 bits can hold; a cost
/// constant of zero.
///
/// # Complexity
/// Basic and extended paths: near-linear (see `path`, `extended`), O(n) space. Trees: O(n^3) up to
/// [`EXACT_TREE_LIMIT`], see `large` past it.
pub fn reconstruct(
    displacements: &[i64],
    base: Basic,
    set: Constructors,
    model: &CostModel,
) -> Result<Reconstruction, ReconstructError> {
    let prices = Prices::new(model, set)?;
    let sequence = Sequence::new(displacements)?;
    let leaf = Forms::leaf(base, &prices)?;
    let n = sequence.len();
    let exact = set < Constructors::Tree || n <= EXACT_TREE_LIMIT;
    let found = if set < Constructors::Tree {
        path::Paths::solve(sequence, &leaf, &prices).placed()?
    } else if exact {
        let tokens = Tokens { starts: displacements, atoms: &vec![0; n], table: &[leaf] };
        tree::solve(&tokens, &prices)?.at(displacements[0])?
    } else {
        large::solve(sequence, &leaf, &prices, Effort::THOROUGH)?.at(displacements[0])?
    };
    debug_assert!(
        found.ty.type_map().map(|e| e.displacement).eq(displacements.iter().copied()),
        "the result does not describe the displacements"
    );
    debug_assert_eq!(found.cost, model.cost(&found.ty), "the cost was added up wrongly");
    let lower_bound =
        if exact { found.cost } else { large::lower_bound(sequence, &prices).min(found.cost) };
    let exact = exact || lower_bound == found.cost;
    Ok(Reconstruction { ty: found.ty, cost: found.cost, exact, lower_bound })
}
