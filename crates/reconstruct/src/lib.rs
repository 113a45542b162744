//! Cheapest descriptions of memory layouts: from a displacement sequence or a type to the type of
//! least cost with the same ordered type map.
//!
//! - [`reconstruct`]: from displacements. Optimal paths ([`Constructors::Basic`],
//!   [`Constructors::Extended`]: Kalany and Träff 2015, corrected) and optimal trees
//!   ([`Constructors::Tree`]: Ganian et al. 2016) up to [`EXACT_TREE_LIMIT`] elements; past it,
//!   trees that are good but not proven ([`Reconstruction::exact`] says so).
//! - [`normalize`], [`normalize_many`]: from a type, in time that depends on its description.
//! - [`certify`]: checks that one type may stand for another.
//!
//! Nothing here reorders loops: that would change the packed bytes. Nothing here prints, reads the
//! environment or keeps state.
#![forbid(unsafe_code)]

mod bounds;
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
mod rows;
mod sequence;
mod shaped;
mod tree;

pub use certify::{CERTIFY_LIMIT, CertifyError, Coverage, certify};
pub use error::ReconstructError;
pub use normalize::{Limits, fewest_runs, normalize, normalize_many, normalize_within};
pub use prices::Constructors;

use std::sync::Arc;

use commloom_layout::{Basic, CostModel, Type};

use forms::{Costed, Forms};
use large::Effort;
use prices::Prices;
use sequence::Sequence;
use tree::Tokens;

/// Most elements for which [`reconstruct`] solves [`Constructors::Tree`] exactly: under a second
/// and about 45 MB there.
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
    /// Whether everything was tried that the method tries: false where the [`Budget`] was spent
    /// before.
    pub complete: bool,
}

/// The cheapest type for `displacements` (bytes, in order, of elements of `base`).
///
/// # Errors
/// No displacements; displacements or bounds that differ by more than 64 bits can hold; a cost
/// constant of zero.
///
/// A type that has to list all displacements has a copy of them: see [`reconstruct_shared`].
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
    solve(displacements, None, base, set, model)
}

/// [`reconstruct`], for displacements in shared memory: a path that has to list all of them keeps
/// `displacements` itself. On sequences without structure a copy takes most of the time.
///
/// # Errors
/// As [`reconstruct`].
pub fn reconstruct_shared(
    displacements: &Arc<[i64]>,
    base: Basic,
    set: Constructors,
    model: &CostModel,
) -> Result<Reconstruction, ReconstructError> {
    solve(displacements, Some(displacements), base, set, model)
}

/// `list`, if there is one, holds the displacements.
fn solve(
    displacements: &[i64],
    list: Option<&Arc<[i64]>>,
    base: Basic,
    set: Constructors,
    model: &CostModel,
) -> Result<Reconstruction, ReconstructError> {
    let prices = Prices::new(model, set)?;
    let leaf = Forms::leaf(base, &prices)?;
    let n = displacements.len();
    if set == Constructors::Tree && n > EXACT_TREE_LIMIT {
        return reconstruct_large(displacements, base, model, &Budget::default());
    }
    let found = if set < Constructors::Tree {
        path::cheapest(displacements, list, &leaf, &prices)?
    } else {
        Sequence::new(displacements)?;
        let tokens = Tokens { starts: displacements, atoms: &vec![0; n], table: &[leaf] };
        tree::solve(&tokens, &prices)?.at(displacements[0])?
    };
    debug_assert!(describes(&found, displacements, model));
    let Costed { ty, cost } = found;
    Ok(Reconstruction { ty, cost, exact: true, lower_bound: cost, complete: true })
}

/// Whether the result is right: for debug builds.
fn describes(found: &Costed, displacements: &[i64], model: &CostModel) -> bool {
    let flat = found.ty.type_map().map(|e| e.displacement);
    flat.eq(displacements.iter().copied()) && found.cost == model.cost(&found.ty)
}

/// How far [`reconstruct_large`] may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Most elements that the exact programme is given at once, O(n^3).
    pub exact: u64,
    /// Most work for each displacement, in comparisons of two runs of equal steps, 10 to 30 ns
    /// each. Some 100 ms are always allowed.
    pub work: u64,
}

impl Budget {
    /// Under a second for a million displacements of nearly every layout.
    pub const DEFAULT: Budget =
        Budget { exact: Effort::THOROUGH.exact, work: Effort::THOROUGH.work };
}

impl Default for Budget {
    fn default() -> Self {
        Budget::DEFAULT
    }
}

/// A good tree for `displacements` by the method for large inputs, whatever their number: for
/// measuring its distance from the optimum. Use [`reconstruct`] otherwise.
///
/// # Errors
/// As [`reconstruct`].
pub fn reconstruct_large(
    displacements: &[i64],
    base: Basic,
    model: &CostModel,
    budget: &Budget,
) -> Result<Reconstruction, ReconstructError> {
    let prices = Prices::new(model, Constructors::Tree)?;
    let sequence = Sequence::new(displacements)?;
    let leaf = Forms::leaf(base, &prices)?;
    // The list of a path may be as long as the sequence: made anew where it is the result.
    let path = || path::cheapest(displacements, None, &leaf, &prices);
    let path_cost = path()?.cost;
    let lower_bound = lower_bound(sequence, &prices, path_cost);
    let (found, complete) = if path_cost == lower_bound {
        // Proved: there is nothing to look for.
        (path()?, true)
    } else {
        let effort = Effort { exact: budget.exact, work: budget.work, ..Effort::THOROUGH };
        let large::Found { forms, complete } = large::solve(sequence, &leaf, &prices, effort)?;
        (priced(forms.at(displacements[0])?, &prices), complete)
    };
    debug_assert!(describes(&found, displacements, model));
    let Costed { ty, cost } = found;
    let lower_bound = lower_bound.min(cost);
    Ok(Reconstruction { ty, cost, exact: lower_bound == cost, lower_bound, complete })
}

/// A result of the method for large inputs with what it costs: that method does not look for
/// shapes of idxbuc, but its result may have some that the model prices lower.
fn priced(found: Costed, prices: &Prices) -> Costed {
    match prices.cheapest_shape() {
        None => found,
        Some(_) => Costed { cost: prices.model.cost(&found.ty), ..found },
    }
}

/// No tree for `sequence` costs less. A bound of `enough` is not raised any further.
fn lower_bound(sequence: Sequence<'_>, prices: &Prices, enough: u64) -> u64 {
    match prices.cheapest_shape() {
        None => bounds::lower_bound(sequence, prices, enough),
        // Those proofs count the entries of lists: a triangle has none.
        Some(_) => prices.least(num::count(sequence.len()), sequence.starts[0]),
    }
}
