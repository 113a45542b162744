//! Reconstruction: the result describes the displacements, its cost is what the model says, and for
//! few displacements it is the least that there is.

use commloom_layout::text::parse_displacements;
use commloom_layout::{Basic, CostModel};
use commloom_reconstruct::{Constructors, EXACT_TREE_LIMIT, ReconstructError, Reconstruction};
use commloom_testkit::cheapest::{Allowed, least_cost_of_sequence};

use super::bytes::Bytes;
use super::models::{SETS, assert_model_refused, is_usable, model};

/// Up to so many displacements the exhaustive oracle checks the cost.
const ORACLE: usize = 10;
/// Up to so many, exact trees take little enough time.
const EXACT: usize = 96;
/// Most displacements; past [`EXACT_TREE_LIMIT`], trees are those of the method for large inputs.
const MOST: usize = 3000;

const BASICS: [Basic; 3] = [Basic::BYTE, Basic::INT, Basic::DOUBLE];

/// Reconstructs the list that the bytes spell or build, in each constructor set.
pub fn reconstruct(data: &[u8]) {
    let read = std::str::from_utf8(data).ok().and_then(|source| parse_displacements(source).ok());
    let (list, base, model) = match read {
        Some(list) => (list, Basic::BYTE, CostModel::default()),
        None => {
            let mut bytes = Bytes::new(data);
            let (model, base) = (model(&mut bytes), BASICS[bytes.below(BASICS.len())]);
            (built(&mut bytes), base, model)
        }
    };
    if list.len() > MOST {
        return;
    }
    let mut cheapest = u64::MAX;
    for set in SETS {
        let is_slow = list.len() > EXACT && list.len() <= EXACT_TREE_LIMIT;
        if set == Constructors::Tree && is_slow {
            continue;
        }
        match commloom_reconstruct::reconstruct(&list, base, set, &model) {
            Ok(found) => {
                assert!(is_usable(&model), "{model:?} was accepted");
                assert_describes(&list, base, &model, &found);
                let shown = || format!("{set:?} of {}", shown(&list));
                assert!(found.cost <= cheapest, "{}: more is dearer, {}", shown(), found.ty);
                cheapest = found.cost;
                if list.len() <= ORACLE {
                    let least = least_cost_of_sequence(&list, &model, allowed(set));
                    assert_eq!(found.cost, least, "{}, {model:?}: {}", shown(), found.ty);
                    assert!(found.exact, "{}", shown());
                }
            }
            Err(error) => assert_refused(&list, base, &model, &error),
        }
    }
}

fn allowed(set: Constructors) -> Allowed {
    Allowed { idxbuc: set >= Constructors::Extended, strc: set >= Constructors::Tree }
}

fn assert_describes(list: &[i64], base: Basic, model: &CostModel, found: &Reconstruction) {
    let ty = &found.ty;
    assert!(
        ty.type_map().map(|e| (e.basic, e.displacement)).eq(list.iter().map(|&d| (base, d))),
        "{} became {ty}",
        shown(list)
    );
    assert_eq!(found.cost, model.cost(ty), "{ty}");
    assert!(found.lower_bound <= found.cost, "{ty}: {} at least", found.lower_bound);
    assert!(
        !found.exact || found.lower_bound == found.cost,
        "{ty}: {} at least",
        found.lower_bound
    );
}

/// Only what cannot be represented is refused, and the error names the reason.
fn assert_refused(list: &[i64], base: Basic, model: &CostModel, error: &ReconstructError) {
    if !is_usable(model) {
        return assert_model_refused(model, error);
    }
    let (min, max) = (list.iter().min().copied(), list.iter().max().copied());
    let (Some(min), Some(max)) = (min, max) else {
        return assert_eq!(error, &ReconstructError::NoDisplacements);
    };
    // The upper bound is padded to the alignment (MPI 4.1, section 5.1).
    let size = i64::try_from(base.size() + base.align()).unwrap_or(i64::MAX);
    let extent = max.checked_add(size).and_then(|end| end.checked_sub(min));
    assert!(extent.is_none(), "{} was refused: {error}", shown(list));
}

/// The list, and how it can be given to `commloom reconstruct` again.
fn shown(list: &[i64]) -> String {
    format!("{} displacements {list:?}", list.len())
}

/// A list that grows by pieces, copies of itself, and single changes.
fn built(bytes: &mut Bytes<'_>) -> Vec<i64> {
    let mut list: Vec<i64> = Vec::new();
    while !bytes.is_empty() && list.len() < MOST {
        match bytes.byte() % 8 {
            0 => list.push(bytes.int()),
            1 | 2 => list.extend(bytes.list()),
            3 | 4 => repeat(&mut list, bytes),
            5 if !list.is_empty() => {
                let k = usize::from(bytes.byte()) * 251 % list.len();
                list[k] = list[k].wrapping_add(bytes.int());
            }
            6 if !list.is_empty() => {
                list.remove(usize::from(bytes.byte()) * 251 % list.len());
            }
            _ => {
                let shift = bytes.int();
                list.iter_mut().for_each(|d| *d = d.wrapping_add(shift));
            }
        }
    }
    list.truncate(MOST);
    list
}

/// The list, several times: at equal distances, or at listed places.
fn repeat(list: &mut Vec<i64>, bytes: &mut Bytes<'_>) {
    let starts = bytes.list();
    let copies = match starts.len() {
        0 => usize::from(bytes.byte()),
        n => n,
    };
    if list.len().saturating_mul(copies) > MOST {
        return;
    }
    let stride = bytes.int();
    let regular = std::iter::successors(Some(0i64), |at| Some(at.wrapping_add(stride)));
    let starts = if starts.is_empty() { regular.take(copies).collect() } else { starts };
    *list = starts.iter().flat_map(|s| list.iter().map(|d| d.wrapping_add(*s))).collect();
}
