//! Normalization: from a given type to a cheap one with the same ordered type map and bounds, in
//! time that depends on the description and not on the data that it describes.
//!
//! Bottom-up. Every node becomes its layout with the first element at 0, and where that element
//! really lies. Shifts so travel upwards until an index list takes them in (law 13), and bounds,
//! which cost nothing, are put back at the root only.
//!
//! | file | what | laws of book/src/explanation/normal-forms.md |
//! |---|---|---|
//! | `levels` | a list or buckets of copies, taken apart in the one way there is | 1, 3, 5 |
//! | `nest` | levels over an atom, and the cheapest description of each prefix | 2, 13, 14 |
//! | `fewest` | buckets across levels | 3, 4, 6 |
//! | `list` | idx and idxbuc nodes, as paths and as trees | |
//! | `parts` | strc | 1, 7, 8, 9, 12, 14, and the exact programme over parts |
//! | `segments` | which neighbouring parts are put together | 8, 9 |
//! | `absorb` | where the period of a vec begins, and how far it reaches | 10, 11 |
//! | `rotate` | fewest runs instead of least cost | 10 |
//!
//! book/src/explanation/normal-forms.md proves that for paths the result is optimal, whatever the
//! counts; for trees it gives the measured distance. Trees of few elements are flattened and
//! solved exactly ([`Limits`]). No law interchanges loops. The whole is compared with the type
//! that came in: the cost never rises.

mod absorb;
mod fewest;
mod levels;
mod list;
mod nest;
mod parts;
mod rotate;
mod segments;
mod shaped;

pub use rotate::fewest_runs;

use std::collections::HashMap;
use std::rc::Rc;

use commloom_layout::{Base, CostModel, Kind, LayoutError, Type, mpi};

use crate::forms::{Costed, Forms};
use crate::large::{Effort, Found};
use crate::prices::Prices;
use crate::sequence::Sequence;
use crate::tree::{self, Tokens};
use crate::{Constructors, ReconstructError, Reconstruction, certify, large, path};
use levels::Level;
use nest::Nest;

/// How much work [`normalize_within`] may do beyond reading the description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Parts of the description are flattened up to so many elements; lists up to 4 times their
    /// length where that is more.
    pub flatten: u64,
    /// Up to so many elements, or parts of a strc, the exact tree programme is run: O(n^3).
    pub exact_tree: u64,
}

impl Default for Limits {
    /// Some tens of microseconds for each.
    fn default() -> Self {
        Limits { flatten: 4096, exact_tree: 96 }
    }
}

/// The normal form of `ty`: the same ordered type map, signature, lower bound and extent, at no
/// higher cost. It contains no explicit bounds except, where the natural ones differ from those of
/// `ty`, once at the root.
///
/// `set` says which constructors may be introduced; one that is in `ty` already stays where all
/// else costs more (or is impossible, as for mixed types without strc).
///
/// # Errors
/// A cost constant of zero; bounds of a part past 64 bits.
///
/// # Complexity
/// Near-linear in the description, list entries included, plus a constant (see [`Limits`]) per
/// node.
pub fn normalize(
    ty: &Type,
    set: Constructors,
    model: &CostModel,
) -> Result<Reconstruction, ReconstructError> {
    normalize_within(&Limits::default(), ty, set, model)
}

/// The normal form of `count` elements of `ty`, one after the other: that of
/// `contiguous(count, ty)`, so that a plan for (count, type) is the plan for the contiguous type
/// (guideline GL1).
///
/// # Errors
/// As [`normalize`]; a size or bounds past 64 bits.
pub fn normalize_many(
    count: u64,
    ty: &Type,
    set: Constructors,
    model: &CostModel,
) -> Result<Reconstruction, ReconstructError> {
    normalize(&mpi::contiguous(count, ty)?, set, model)
}

/// [`normalize`] with explicit limits.
///
/// # Errors
/// As [`normalize`].
pub fn normalize_within(
    limits: &Limits,
    ty: &Type,
    set: Constructors,
    model: &CostModel,
) -> Result<Reconstruction, ReconstructError> {
    let prices = Prices::new(model, set)?;
    let mut normalizer =
        Normalizer { prices, limits: *limits, known: HashMap::new(), complete: true };
    let given = without_bounds(ty, &prices)?;
    let (found, solved) = match normalizer.visit(ty)? {
        None => (empty(&prices)?, false),
        Some(placed) => (placed.nest.at(placed.shift, &prices)?, normalizer.is_optimal(ty)),
    };
    let found = Costed { cost: model.cost(&found.ty).min(found.cost), ..found };
    // Where the given type is cheaper it uses constructors outside the set.
    let core = found.min(given);
    let normal = with_bounds(core.ty, ty)?;
    if cfg!(debug_assertions) {
        certify::same_layout(ty, &normal).map_err(ReconstructError::Uncertified)?;
    }
    let lower_bound = if solved { core.cost } else { lower_bound(ty, &prices).min(core.cost) };
    let exact = lower_bound == core.cost;
    let complete = normalizer.complete;
    Ok(Reconstruction { ty: normal, cost: core.cost, exact, lower_bound, complete })
}

/// A layout in normalized form, and the displacement of its first element.
#[derive(Debug, Clone)]
struct Placed {
    shift: i64,
    nest: Rc<Nest>,
}

struct Normalizer {
    prices: Prices,
    limits: Limits,
    /// The results for types seen before; shared subtrees are visited once.
    known: HashMap<Type, Option<Placed>>,
    /// Whether no search for a tree has spent its work.
    complete: bool,
}

impl Normalizer {
    /// The normal form of `ty` without its bounds; `None` where it has no elements.
    fn visit(&mut self, ty: &Type) -> Result<Option<Placed>, ReconstructError> {
        if ty.elements() == 0 {
            return Ok(None);
        }
        if let Some(known) = self.known.get(ty) {
            return Ok(known.clone());
        }
        let nest = match ty.kind() {
            Kind::Leaf(basic) => Rc::new(Nest::atom(Forms::leaf(*basic, &self.prices)?)),
            Kind::Resized { child, .. } => self.child(child)?,
            _ => Rc::new(self.nest(ty)?),
        };
        let placed = Some(Placed { shift: ty.first_byte(), nest });
        self.known.insert(ty.clone(), placed.clone());
        Ok(placed)
    }

    /// The nest of a type: small types are flattened, where that is of use; the rest is a matter
    /// of laws.
    fn nest(&mut self, ty: &Type) -> Result<Nest, ReconstructError> {
        let tree = self.prices.set == Constructors::Tree;
        if tree && ty.elements() <= self.limits.exact_tree {
            return self.exact_tree(ty);
        }
        let flat = match ty.base() {
            Base::One(basic) if ty.elements() <= self.limits.flatten => Some(basic),
            _ => None,
        };
        let Some(basic) = flat else { return self.by_laws(ty) };
        let leaf = Forms::leaf(basic, &self.prices)?;
        let starts: Vec<i64> = ty.type_map().map(|e| e.displacement).collect();
        let mut nest = match has_strc(ty) {
            true => self.path_of(&starts, &leaf)?,
            false => self.by_laws(ty)?,
        };
        if tree {
            if has_strc(ty) {
                let laws = self.by_laws(ty)?.forms(&self.prices)?;
                nest.offer((*laws).clone(), &self.prices);
            }
            let sequence = Sequence::new(&starts)?;
            let found = large::solve(sequence, &leaf, &self.prices, self.effort())?;
            nest.offer(self.taken(found), &self.prices);
        } else if self.prices.cheapest_shape().is_some() {
            nest.offer(path::solve(Sequence::new(&starts)?, &leaf, &self.prices)?, &self.prices);
        }
        Ok(nest)
    }

    /// The normal form of a node over its normalized children.
    fn by_laws(&mut self, ty: &Type) -> Result<Nest, ReconstructError> {
        match ty.kind() {
            Kind::Leaf(basic) => Ok(Nest::atom(Forms::leaf(*basic, &self.prices)?)),
            Kind::Resized { child, .. } => Ok((*self.child(child)?).clone()),
            Kind::Vec { count, stride, child } => {
                let child = self.child(child)?;
                let (count, stride) = (*count, *stride);
                let level = (count > 1).then_some(Level::Even { count, stride });
                Ok(child.under(level.into_iter().collect(), &self.prices))
            }
            Kind::Idx { indices, child } => {
                let child = self.child(child)?;
                self.list(indices, &child)
            }
            Kind::IdxBuc { stride, indices, blocks, child } => {
                let child = self.child(child)?;
                self.buckets_node(ty, *stride, (indices, blocks), &child)
            }
            Kind::Strc { indices, children } => self.parts(indices, children),
        }
    }

    /// The child of a node that is not empty: its shift moves into the node, so it is dropped
    /// here.
    fn child(&mut self, ty: &Type) -> Result<Rc<Nest>, ReconstructError> {
        let placed = self.visit(ty)?;
        Ok(placed.expect("a type with elements has a child with elements").nest)
    }

    /// Whether the normal form of this type is the optimum of the constructor set: what is small
    /// was solved as a whole, and for paths the laws are enough
    /// (book/src/explanation/normal-forms.md).
    fn is_optimal(&self, ty: &Type) -> bool {
        let n = ty.elements();
        match (self.prices.set, ty.base()) {
            (Constructors::Tree, _) => n <= self.limits.exact_tree,
            (_, Base::Mixed) => false,
            _ if n <= self.limits.flatten => true,
            _ => !has_strc(ty) && self.prices.cheapest_shape().is_none(),
        }
    }

    /// A flattened path.
    fn path_of(&self, starts: &[i64], leaf: &Forms) -> Result<Nest, ReconstructError> {
        let starts = levels::from_first(starts)?;
        Sequence::new(&starts)?;
        Ok(Nest::atom(leaf.clone()).under(levels::of_list(&starts), &self.prices))
    }

    /// The exact tree of a small type.
    fn exact_tree(&self, ty: &Type) -> Result<Nest, ReconstructError> {
        let forms = self.tree_of(ty)?;
        let Base::One(basic) = ty.base() else { return Ok(Nest::of(&forms, &self.prices)) };
        let starts: Vec<i64> = ty.type_map().map(|e| e.displacement).collect();
        let mut nest = self.path_of(&starts, &Forms::leaf(basic, &self.prices)?)?;
        nest.offer(forms, &self.prices);
        Ok(nest)
    }

    /// The exact tree of the flattened type.
    fn tree_of(&self, ty: &Type) -> Result<Forms, ReconstructError> {
        let (mut starts, mut atoms) = (Vec::new(), Vec::new());
        let (mut basics, mut table) = (Vec::new(), Vec::new());
        for entry in ty.type_map() {
            let atom = match basics.iter().position(|b| *b == entry.basic) {
                Some(atom) => atom,
                None => {
                    basics.push(entry.basic);
                    table.push(Forms::leaf(entry.basic, &self.prices)?);
                    basics.len() - 1
                }
            };
            starts.push(entry.displacement);
            atoms.push(u32::try_from(atom).expect("there are fewer than 256 basic types"));
        }
        Sequence::new(&starts)?;
        tree::solve(&Tokens { starts: &starts, atoms: &atoms, table: &table }, &self.prices)
    }

    /// The forms that a search found.
    fn taken(&mut self, found: Found) -> Forms {
        self.complete &= found.complete;
        found.forms
    }

    /// Blocks as long as the limit allows; there may be many lists, so each gets less work in any
    /// case.
    fn effort(&self) -> Effort {
        Effort { exact: self.limits.exact_tree, least: 1 << 20, ..Effort::THOROUGH }
    }
}

/// Whether elements of `ty` lie under a strc. O(elements times depth).
fn has_strc(ty: &Type) -> bool {
    let strc = matches!(ty.kind(), Kind::Strc { .. });
    strc || ty.children().iter().any(|c| c.elements() > 0 && has_strc(c))
}

/// The cheapest type without elements.
fn empty(prices: &Prices) -> Result<Costed, LayoutError> {
    let leaf = Type::leaf(commloom_layout::Basic::BYTE);
    let model = &prices.model;
    let all = [Type::vec(0, 0, leaf.clone())?, Type::idx([], leaf)?, Type::strc([], [])?];
    let costed = all.map(|ty| Costed { cost: model.cost(&ty), ty });
    Ok(costed.into_iter().reduce(Costed::min).expect("three candidates"))
}

/// The same tree without explicit bounds, and its cost. Linear in the distinct nodes.
fn without_bounds(ty: &Type, prices: &Prices) -> Result<Costed, LayoutError> {
    fn strip(
        ty: &Type,
        prices: &Prices,
        known: &mut HashMap<Type, Costed>,
    ) -> Result<Costed, LayoutError> {
        if let Some(costed) = known.get(ty) {
            return Ok(costed.clone());
        }
        let children: Vec<Costed> =
            ty.children().iter().map(|c| strip(c, prices, known)).collect::<Result<_, _>>()?;
        let below = children.iter().fold(0u64, |sum, c| sum.saturating_add(c.cost));
        let cost = prices.model.node(ty).saturating_add(below);
        let same = children.iter().zip(ty.children()).all(|(new, old)| new.ty == *old);
        let child = || children[0].ty.clone();
        let ty_without = match ty.kind() {
            Kind::Resized { .. } => child(),
            _ if same => ty.clone(),
            Kind::Leaf(_) => ty.clone(),
            Kind::Vec { count, stride, .. } => Type::vec(*count, *stride, child())?,
            Kind::Idx { indices, .. } => Type::idx(indices.clone(), child())?,
            Kind::IdxBuc { stride, indices, blocks, .. } => {
                Type::idxbuc(*stride, indices.clone(), blocks.clone(), child())?
            }
            Kind::Strc { indices, .. } => {
                let parts: Vec<Type> = children.iter().map(|c| c.ty.clone()).collect();
                Type::strc(indices.clone(), parts)?
            }
        };
        let costed = Costed { ty: ty_without, cost };
        known.insert(ty.clone(), costed.clone());
        Ok(costed)
    }
    strip(ty, prices, &mut HashMap::new())
}

/// `core` with the bounds of `ty`.
fn with_bounds(core: Type, ty: &Type) -> Result<Type, LayoutError> {
    if core.lb() == ty.lb() && core.extent() == ty.extent() {
        return Ok(core);
    }
    Type::resized(ty.lb(), ty.extent(), core)
}

/// No description of `ty` costs less: a leaf for every basic type in it, one node more if it has
/// two elements or does not begin at zero.
fn lower_bound(ty: &Type, prices: &Prices) -> u64 {
    let model = &prices.model;
    if ty.elements() == 0 {
        return 0;
    }
    if ty.base() == Base::Mixed {
        let part = model.lookup.saturating_mul(2).saturating_add(model.leaf);
        return part.saturating_mul(2).saturating_add(model.strc);
    }
    prices.least(ty.elements(), ty.first_byte())
}
