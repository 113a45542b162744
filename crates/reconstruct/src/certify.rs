//! Checks that one type may stand for another.

use std::fmt;

use commloom_layout::{CostModel, Entry, Kind, LayoutError, Type};

use crate::num::length;

/// Up to so many elements [`certify`] compares whole type maps; past it, facts and samples.
pub const CERTIFY_LIMIT: u64 = 1 << 16;

/// Elements compared where there are too many for all: spread evenly, the first and the last among
/// them.
const SAMPLES: u64 = 1 << 10;

/// How much a certificate says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Every element was compared (or both types are one tree).
    Complete,
    /// There are too many elements: all facts that are kept on the types were compared (size,
    /// elements, runs, true bounds, basic types), and `samples` of the `elements`.
    Sampled {
        /// Elements compared.
        samples: u64,
        /// Elements that there are.
        elements: u64,
    },
}

/// Why one type may not stand for another.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertifyError {
    /// A number that belongs to the layout differs.
    Fact {
        /// Which number, e.g. `"lower bound"`.
        what: &'static str,
        /// Before.
        before: i128,
        /// After.
        after: i128,
    },
    /// The type maps, and so the signatures or the packed order, differ.
    Element {
        /// Which element, from 0.
        index: u64,
        /// Before.
        before: Option<Entry>,
        /// After.
        after: Option<Entry>,
    },
    /// The result costs more.
    Dearer {
        /// Cost before.
        before: u64,
        /// Cost after.
        after: u64,
    },
    /// The cost model is not one.
    Model(LayoutError),
}

impl fmt::Display for CertifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fact { what, before, after } => {
                write!(f, "the {what} changes from {before} to {after}")
            }
            Self::Element { index, before, after } => {
                write!(f, "element {index} of the type map changes from ")?;
                show(f, before.as_ref())?;
                f.write_str(" to ")?;
                show(f, after.as_ref())
            }
            Self::Dearer { before, after } => {
                write!(f, "the cost rises from {before} to {after}")
            }
            Self::Model(error) => error.fmt(f),
        }
    }
}

fn show(f: &mut fmt::Formatter<'_>, entry: Option<&Entry>) -> fmt::Result {
    match entry {
        Some(Entry { basic, displacement }) => write!(f, "{basic} at {displacement}"),
        None => f.write_str("nothing"),
    }
}

impl std::error::Error for CertifyError {}

/// Checks that `after` may stand for `before`: the same ordered type map (and so the same
/// signature), the same bounds, and a cost that is not higher.
///
/// # Errors
/// The first difference found.
///
/// # Complexity
/// The nodes of both, and the elements up to [`CERTIFY_LIMIT`]; past that a fixed number of
/// samples of O(depth + list lengths) each, which [`Coverage::Sampled`] admits.
pub fn certify(before: &Type, after: &Type, model: &CostModel) -> Result<Coverage, CertifyError> {
    model.check().map_err(CertifyError::Model)?;
    same_facts(before, after)?;
    let (old, new) = (model.cost(before), model.cost(after));
    if new > old {
        return Err(CertifyError::Dearer { before: old, after: new });
    }
    same_type_map(before, after)
}

/// The part of [`certify`] that is about the layout, without the cost.
pub(crate) fn same_layout(before: &Type, after: &Type) -> Result<Coverage, CertifyError> {
    same_facts(before, after)?;
    same_type_map(before, after)
}

fn same_facts(before: &Type, after: &Type) -> Result<(), CertifyError> {
    type Fact = (&'static str, fn(&Type) -> i128);
    let facts: [Fact; 7] = [
        ("size", |t| t.size().into()),
        ("number of elements", |t| t.elements().into()),
        ("lower bound", |t| t.lb().into()),
        ("extent", |t| t.extent().into()),
        ("true lower bound", |t| t.true_lb().into()),
        ("true extent", |t| t.true_extent().into()),
        ("number of runs", |t| t.runs().into()),
    ];
    for (what, fact) in facts {
        let (before, after) = (fact(before), fact(after));
        if before != after {
            return Err(CertifyError::Fact { what, before, after });
        }
    }
    Ok(())
}

fn same_type_map(before: &Type, after: &Type) -> Result<Coverage, CertifyError> {
    if before == after {
        return Ok(Coverage::Complete);
    }
    let differ = |index, before, after| Err(CertifyError::Element { index, before, after });
    let elements = before.elements();
    if elements <= CERTIFY_LIMIT {
        let (mut old, mut new) = (before.type_map(), after.type_map());
        for index in 0..=elements {
            let (old, new) = (old.next(), new.next());
            if old != new {
                return differ(index, old, new);
            }
        }
        return Ok(Coverage::Complete);
    }
    for sample in 0..SAMPLES {
        let far = u128::from(elements - 1) * u128::from(sample) / u128::from(SAMPLES - 1);
        let index = u64::try_from(far).expect("below the number of elements");
        let (old, new) = (entry_at(before, index), entry_at(after, index));
        if old != new {
            return differ(index, old, new);
        }
    }
    Ok(Coverage::Sampled { samples: SAMPLES, elements })
}

/// Element `index` of the type map. O(depth + the lengths of idxbuc and strc lists on the way).
fn entry_at(ty: &Type, mut index: u64) -> Option<Entry> {
    let mut node = ty;
    // Partial sums may leave 64 bits where the whole does not, as in `Type::type_map`.
    let mut at = 0i64;
    let steps = |n: u64, stride: i64| i64::from_ne_bytes(n.to_ne_bytes()).wrapping_mul(stride);
    if index >= ty.elements() {
        return None;
    }
    loop {
        match node.kind() {
            Kind::Leaf(basic) => return Some(Entry { basic: *basic, displacement: at }),
            Kind::Resized { child, .. } => node = child,
            Kind::Vec { stride, child, .. } => {
                at = at.wrapping_add(steps(index / child.elements(), *stride));
                index %= child.elements();
                node = child;
            }
            Kind::Idx { indices, child } => {
                at = at.wrapping_add(*indices.get(length(index / child.elements())?)?);
                index %= child.elements();
                node = child;
            }
            Kind::IdxBuc { stride, indices, blocks, child } => {
                let mut copy = index / child.elements();
                let bucket = blocks.iter().position(|&b| {
                    let inside = copy < b;
                    copy -= if inside { 0 } else { b };
                    inside
                })?;
                at = at.wrapping_add(indices[bucket]).wrapping_add(steps(copy, *stride));
                index %= child.elements();
                node = child;
            }
            Kind::Strc { indices, children } => {
                let part = children.iter().position(|c| {
                    let inside = index < c.elements();
                    index -= if inside { 0 } else { c.elements() };
                    inside
                })?;
                at = at.wrapping_add(indices[part]);
                node = &children[part];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::Basic;

    fn nest() -> Type {
        let leaf = Type::leaf(Basic::INT);
        let idx = Type::idx([4, 20, -8], leaf.clone()).unwrap();
        let buckets = Type::idxbuc(16, [0, 100, 64], [2, 0, 3], leaf).unwrap();
        let strc = Type::strc([8, 1000], [idx, buckets]).unwrap();
        let resized = Type::resized(-8, 4096, strc).unwrap();
        Type::vec(5, 4096, resized).unwrap()
    }

    #[test]
    fn an_element_found_by_its_number_is_that_of_the_type_map() {
        let ty = nest();
        for (index, entry) in (0..).zip(ty.type_map()) {
            assert_eq!(entry_at(&ty, index), Some(entry));
        }
        assert_eq!(entry_at(&ty, ty.elements()), None);
    }

    #[test]
    fn order_bounds_and_cost_must_be_kept() {
        let model = CostModel::default();
        let leaf = Type::leaf(Basic::CHAR);
        let up = Type::idx([0, 1, 2], leaf.clone()).unwrap();
        let vec = Type::vec(3, 1, leaf.clone()).unwrap();
        assert_eq!(certify(&up, &vec, &model), Ok(Coverage::Complete));
        let dearer = CertifyError::Dearer { before: 12, after: 15 };
        assert_eq!(certify(&vec, &up, &model), Err(dearer));
        let down = Type::idx([2, 1, 0], leaf.clone()).unwrap();
        assert!(matches!(certify(&up, &down, &model), Err(CertifyError::Fact { .. })));
        let wide = Type::resized(0, 4, vec.clone()).unwrap();
        let extent = CertifyError::Fact { what: "extent", before: 3, after: 4 };
        assert_eq!(certify(&vec, &wide, &model), Err(extent));
        let byte = Type::vec(3, 1, Type::leaf(Basic::BYTE)).unwrap();
        assert!(matches!(certify(&vec, &byte, &model), Err(CertifyError::Element { .. })));
    }

    #[test]
    fn a_large_pair_is_sampled_and_says_so() {
        let leaf = Type::leaf(Basic::CHAR);
        let tile =
            |c: i64, n: u64| Type::vec(n, 10 * c, Type::vec(2, 1, leaf.clone()).unwrap()).unwrap();
        let nested = Type::vec(1000, 10_000, tile(1, 1000)).unwrap();
        let coverage = certify(&nested, &tile(1, 1_000_000), &CostModel::default());
        assert_eq!(coverage, Ok(Coverage::Sampled { samples: SAMPLES, elements: 2_000_000 }));
        let other = tile(1, 1_000_000 - 1);
        assert!(certify(&nested, &other, &CostModel::default()).is_err());
    }
}
