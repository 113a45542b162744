//! Paths as nests of levels, and the cheapest description of every prefix of them.
//!
//! The prefixes that any optimal path may stop at are the ends of the [levels](super::levels), and
//! inside an even level its first j copies, j a divisor of their number. Between two of them lies
//! a vec, an idx or an idxbuc: the same dynamic programme as in [`path`](crate::path), on the
//! levels instead of the elements. book/src/explanation/normal-forms.md says why nothing else is
//! needed.

use std::cell::OnceCell;
use std::rc::Rc;

use commloom_layout::{LayoutError, Type};

use super::fewest::{Between, Counted, fewest_buckets};
use super::levels::Level;
use crate::forms::{Costed, Forms, moved, shift_node, shift_price};
use crate::num::{length, span};
use crate::prices::Prices;

/// A path over an atom, with the optima of its prefixes. Cheap to clone but for the number of
/// levels.
#[derive(Debug, Clone)]
pub(super) struct Nest {
    /// Innermost first.
    levels: Vec<Rc<Counted>>,
    /// By length; the first one is the atom, the last one the whole.
    prefixes: Vec<Rc<Prefix>>,
    built: OnceCell<Rc<Forms>>,
}

#[derive(Debug)]
struct Prefix {
    /// Whole levels in it.
    levels: usize,
    /// Copies of them; more than one where it ends inside an even level.
    copies: u64,
    plain: Choice,
    carrying: Choice,
    /// Forms found otherwise: of the atom, or a tree.
    given: Option<Forms>,
    plain_type: OnceCell<Type>,
    carrying_type: OnceCell<Type>,
}

#[derive(Debug, Clone, Copy)]
struct Choice {
    cost: u64,
    root: Root,
}

/// The root of an optimum; children are numbers of prefixes.
#[derive(Debug, Clone, Copy)]
enum Root {
    /// That of the forms that were given.
    Given,
    /// vec over the optimum of the same sort, plain or carrying.
    Vec { child: usize },
    /// idx over the plain optimum.
    Idx { child: usize },
    /// idxbuc over the plain optimum.
    IdxBuc { child: usize, stride: i64 },
    /// The plain optimum of the same prefix under a node for the shift.
    Shift,
}

impl Choice {
    fn offer(&mut self, cost: u64, root: Root) {
        if cost < self.cost {
            *self = Choice { cost, root };
        }
    }
}

impl Nest {
    /// Something without levels.
    pub(super) fn atom(forms: Forms) -> Nest {
        let choice = |cost| Choice { cost, root: Root::Given };
        let (plain, carrying) = (choice(forms.plain.cost), choice(forms.carrying.cost));
        let prefix = Prefix::new(0, 1, plain, carrying, Some(forms));
        Nest { levels: Vec::new(), prefixes: vec![Rc::new(prefix)], built: OnceCell::new() }
    }

    /// Forms that may be an even level.
    pub(super) fn of(forms: &Forms, prices: &Prices) -> Nest {
        match &forms.strided {
            None => Nest::atom(forms.clone()),
            Some(s) => {
                let mut nest = Nest::of(&s.child, prices);
                let level = Level::Even { count: s.count, stride: s.stride };
                nest.push(level, prices);
                nest.offer(forms.clone(), prices);
                nest
            }
        }
    }

    /// The nest under further levels, innermost first.
    pub(super) fn under(&self, levels: Vec<Level>, prices: &Prices) -> Nest {
        let mut nest = self.clone();
        for level in levels {
            nest.push(level, prices);
        }
        nest
    }

    /// Puts a level around the nest.
    fn push(&mut self, level: Level, prices: &Prices) {
        self.built = OnceCell::new();
        let level = self.continued(level);
        let below = self.levels.len();
        let parts = match level {
            Level::Even { count, .. } => short_parts(count, below, prices),
            _ => Vec::new(),
        };
        self.levels.push(Rc::new(Counted { level, steps: OnceCell::new() }));
        for copies in parts {
            self.solve(below, copies, prices);
        }
        self.solve(below + 1, 1, prices);
    }

    /// Law 2: vec(c1, d1, vec(c2, d2, C)) with d1 = c2 d2 is vec(c1 c2, d2, C).
    fn continued(&mut self, level: Level) -> Level {
        if let Level::Even { count, stride } = level
            && let Some(last) = self.levels.last()
            && let Level::Even { count: inner, stride: distance } = last.level
            && span(inner, distance) == Some(stride)
            && let Some(all) = count.checked_mul(inner)
        {
            self.levels.pop();
            let below = self.levels.len();
            self.prefixes.retain(|p| p.levels < below || (p.levels == below && p.copies == 1));
            return Level::Even { count: all, stride: distance };
        }
        level
    }

    /// Another description of the whole.
    pub(super) fn offer(&mut self, forms: Forms, prices: &Prices) {
        self.built = OnceCell::new();
        let last = self.prefixes.pop().expect("the atom, at least");
        let (mut plain, mut carrying) = (last.plain, last.carrying);
        plain.offer(forms.plain.cost, Root::Given);
        carrying.offer(forms.carrying.cost, Root::Given);
        carrying.offer(plain.cost.saturating_add(shift_price(prices)), Root::Shift);
        let given = match &last.given {
            Some(given) => given.clone().min(forms),
            None => forms,
        };
        let prefix = Prefix::new(last.levels, last.copies, plain, carrying, Some(given));
        self.prefixes.push(Rc::new(prefix));
    }

    /// Finds both optima for the prefix of `levels` whole levels and `copies` copies of them.
    fn solve(&mut self, levels: usize, copies: u64, prices: &Prices) {
        let infinite = Choice { cost: u64::MAX, root: Root::Shift };
        let (mut plain, mut carrying) = (infinite, infinite);
        let parts: Vec<(usize, Between<'_>)> = (0..self.prefixes.len())
            .rev()
            .filter_map(|child| Some((child, self.between(child, levels, copies)?)))
            .collect();
        for (child, between) in &parts {
            let (child, below) = (*child, &self.prefixes[*child]);
            if between.even().is_some() {
                let vec = |inner: Choice| prices.vec().saturating_add(inner.cost);
                plain.offer(vec(below.plain), Root::Vec { child });
                carrying.offer(vec(below.carrying), Root::Vec { child });
            }
            let entries = length(between.copies()).unwrap_or(usize::MAX);
            let idx = prices.idx(entries).saturating_add(below.plain.cost);
            plain.offer(idx, Root::Idx { child });
            carrying.offer(idx, Root::Idx { child });
        }
        if let Some(node) = prices.idxbuc(0) {
            for (child, between) in &parts {
                let below = self.prefixes[*child].plain.cost;
                let known = plain.cost.max(carrying.cost);
                let room = known.saturating_sub(below).saturating_sub(node).saturating_sub(1);
                let most = room / prices.model.lookup.saturating_mul(2);
                if let Some((buckets, stride)) = fewest_buckets(between, most)
                    && let Some(price) = length(buckets).and_then(|n| prices.idxbuc(n))
                {
                    let root = Root::IdxBuc { child: *child, stride };
                    plain.offer(price.saturating_add(below), root);
                    carrying.offer(price.saturating_add(below), root);
                }
            }
        }
        carrying.offer(plain.cost.saturating_add(shift_price(prices)), Root::Shift);
        self.prefixes.push(Rc::new(Prefix::new(levels, copies, plain, carrying, None)));
    }

    /// The levels between prefix `child` and a longer one, if it is repeated there.
    fn between(&self, child: usize, levels: usize, copies: u64) -> Option<Between<'_>> {
        let child = &self.prefixes[child];
        let even = |level: usize, part: u64, times: Option<u64>| match self.levels[level].level {
            Level::Even { count, stride } => {
                let stride = span(part, stride)?;
                Some((times.unwrap_or(count / part), stride))
            }
            _ => None,
        };
        if child.levels == levels {
            if !copies.is_multiple_of(child.copies) || copies == child.copies {
                return None;
            }
            let first = even(levels, child.copies, Some(copies / child.copies))?;
            return Some(Between { first: Some(first), whole: &[], last: None });
        }
        let last = match copies {
            1 => None,
            _ => Some(even(levels, 1, Some(copies))?),
        };
        let (first, from) = match child.copies {
            1 => (None, child.levels),
            part => (Some(even(child.levels, part, None)?), child.levels + 1),
        };
        Some(Between { first, whole: &self.levels[from..levels], last })
    }

    /// The cheapest forms of the whole.
    pub(super) fn forms(&self, prices: &Prices) -> Result<Rc<Forms>, LayoutError> {
        if let Some(built) = self.built.get() {
            return Ok(Rc::clone(built));
        }
        let forms = self.forms_of(self.levels.len(), prices)?;
        Ok(Rc::clone(self.built.get_or_init(|| Rc::new(forms))))
    }

    /// The forms of the first so many levels.
    fn forms_of(&self, levels: usize, prices: &Prices) -> Result<Forms, LayoutError> {
        let prefix = self.prefixes.iter().position(|p| p.levels == levels && p.copies == 1);
        let prefix = prefix.expect("every level ends at a prefix");
        let forms = self.both(prefix, prices)?;
        let below = levels.checked_sub(1).map(|below| (below, &self.levels[below].level));
        Ok(match below {
            Some((below, Level::Even { count, stride })) => {
                forms.continued(*count, *stride, self.forms_of(below, prices)?)
            }
            _ => forms,
        })
    }

    /// The cheapest form of the whole with its first element at `shift`.
    pub(super) fn at(&self, shift: i64, prices: &Prices) -> Result<Costed, LayoutError> {
        let whole = self.prefixes.len() - 1;
        let p = &self.prefixes[whole];
        if shift == 0 {
            return Ok(Costed { ty: self.plain(whole, prices)?, cost: p.plain.cost });
        }
        let ty = moved(&self.carrying(whole, prices)?, shift)?;
        Ok(Costed { ty, cost: p.carrying.cost })
    }

    /// Whether the cheapest form is a vec over the cheapest form of one level less.
    pub(super) fn is_even(&self) -> bool {
        let whole = &self.prefixes[self.prefixes.len() - 1];
        matches!(whole.plain.root, Root::Vec { child } if self.prefixes[child].copies == 1)
    }

    /// Cost of the cheapest form.
    pub(super) fn cost(&self) -> u64 {
        self.prefixes[self.prefixes.len() - 1].plain.cost
    }

    fn both(&self, prefix: usize, prices: &Prices) -> Result<Forms, LayoutError> {
        if prefix == 0
            && let Some(atom) = &self.prefixes[0].given
        {
            return Ok(Forms { strided: None, ..atom.clone() });
        }
        let p = &self.prefixes[prefix];
        Ok(Forms {
            plain: Costed { ty: self.plain(prefix, prices)?, cost: p.plain.cost },
            carrying: Costed { ty: self.carrying(prefix, prices)?, cost: p.carrying.cost },
            strided: None,
        })
    }

    /// The type of a plain optimum. Recursion is as deep as the result.
    fn plain(&self, prefix: usize, prices: &Prices) -> Result<Type, LayoutError> {
        let p = &self.prefixes[prefix];
        if let Some(known) = p.plain_type.get() {
            return Ok(known.clone());
        }
        let built = match p.plain.root {
            Root::Given | Root::Shift => p.given().plain.ty.clone(),
            Root::Vec { child } => self.vec(prefix, child, self.plain(child, prices)?)?,
            root => self.list(prefix, root, prices)?,
        };
        Ok(p.plain_type.get_or_init(|| built).clone())
    }

    fn carrying(&self, prefix: usize, prices: &Prices) -> Result<Type, LayoutError> {
        let p = &self.prefixes[prefix];
        if let Some(known) = p.carrying_type.get() {
            return Ok(known.clone());
        }
        let built = match p.carrying.root {
            Root::Given => p.given().carrying.ty.clone(),
            Root::Shift => shift_node(&self.plain(prefix, prices)?, 0, prices)?,
            Root::Vec { child } => self.vec(prefix, child, self.carrying(child, prices)?)?,
            // A list carries a shift as it is: the same type serves for both.
            _ if p.is_same_list() => self.plain(prefix, prices)?,
            root => self.list(prefix, root, prices)?,
        };
        Ok(p.carrying_type.get_or_init(|| built).clone())
    }

    fn part(&self, prefix: usize, child: usize) -> Between<'_> {
        let p = &self.prefixes[prefix];
        self.between(child, p.levels, p.copies).expect("the choice was made from these")
    }

    fn vec(&self, prefix: usize, child: usize, ty: Type) -> Result<Type, LayoutError> {
        let (count, stride) =
            self.part(prefix, child).even().expect("the choice was made from these");
        Type::vec(count, stride, ty)
    }

    fn list(&self, prefix: usize, root: Root, prices: &Prices) -> Result<Type, LayoutError> {
        match root {
            Root::Idx { child } => {
                let starts = self.part(prefix, child).starts()?;
                Type::idx(starts, self.plain(child, prices)?)
            }
            Root::IdxBuc { child, stride } => {
                self.part(prefix, child).idxbuc(stride, self.plain(child, prices)?)
            }
            Root::Given | Root::Vec { .. } | Root::Shift => unreachable!("not a list"),
        }
    }
}

impl Prefix {
    fn new(
        levels: usize,
        copies: u64,
        plain: Choice,
        carrying: Choice,
        given: Option<Forms>,
    ) -> Prefix {
        let (plain_type, carrying_type) = (OnceCell::new(), OnceCell::new());
        Prefix { levels, copies, plain, carrying, given, plain_type, carrying_type }
    }

    fn given(&self) -> &Forms {
        self.given.as_ref().expect("the choice was made from these")
    }

    fn is_same_list(&self) -> bool {
        self.plain.cost == self.carrying.cost
            && matches!(self.plain.root, Root::Idx { .. } | Root::IdxBuc { .. })
    }
}

/// How many copies of an even level may be worth stopping at: the first j of `count`, where j
/// divides it. To stop there pays only if a list below crosses the border of the level, which
/// takes at least 2 j entries where a vec would do, or if lists of few entries are cheaper than a
/// vec.
fn short_parts(count: u64, below: usize, prices: &Prices) -> Vec<u64> {
    const MOST: u64 = 16;
    let (vec, lookup) = (prices.vec(), prices.model.lookup);
    if below == 0 && prices.idx(2) >= vec {
        return Vec::new();
    }
    let most = MOST.min(1 + vec / lookup).min(count - 1);
    (2..=most).filter(|j| count.is_multiple_of(*j)).collect()
}
