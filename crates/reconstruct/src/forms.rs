//! The two optima of a layout: as it is, and ready to carry a shift.
//!
//! A layout is kept *normalized*: its first element lies at displacement 0. A shift costs nothing
//! in an idx, idxbuc or strc node that is reached from the root through vec nodes only; anywhere
//! else it costs a node of its own. So a part of a larger layout has two prices (Lemma 5 in
//! book/src/explanation/reconstruction.md): `plain` for any form, `carrying` for forms that end
//! their chain of vecs in such a node. Both are built with shift zero; [`moved`] puts the shift in
//! at the end.

use std::sync::Arc;

use commloom_layout::{Basic, Kind, LayoutError, Type};

use crate::num::add;
use crate::prices::Prices;

/// A type and its cost.
#[derive(Debug, Clone)]
pub(crate) struct Costed {
    pub ty: Type,
    pub cost: u64,
}

/// A normalized layout in its cheapest forms.
#[derive(Debug, Clone)]
pub(crate) struct Forms {
    /// Cheapest form.
    pub plain: Costed,
    /// Cheapest form that can carry a shift.
    pub carrying: Costed,
    /// Cheapest form with a vec at the root that covers the whole layout, if there is one. It need
    /// not be `plain`: idx(<0,5,12,17>) is cheaper than vec(2,12,vec(2,5)), but only the latter
    /// can be continued.
    pub strided: Option<Arc<Strided>>,
}

/// `count` copies of `child`, `stride` bytes apart; `count` is at least 2.
#[derive(Debug, Clone)]
pub(crate) struct Strided {
    pub count: u64,
    pub stride: i64,
    pub child: Forms,
}

impl Costed {
    /// The cheaper one; `self` where they cost the same.
    pub(crate) fn min(self, other: Costed) -> Costed {
        if other.cost < self.cost { other } else { self }
    }
}

impl Forms {
    /// A single element.
    pub(crate) fn leaf(basic: Basic, prices: &Prices) -> Result<Forms, LayoutError> {
        let plain = Costed { ty: Type::leaf(basic), cost: prices.model.leaf };
        Forms::new(plain, None, prices)
    }

    /// The forms of a layout from its cheapest, and from carrying forms that are known already.
    pub(crate) fn new(
        plain: Costed,
        carrying: Option<Costed>,
        prices: &Prices,
    ) -> Result<Forms, LayoutError> {
        let carrying = match carrying {
            Some(c) if c.cost <= plain.cost.saturating_add(shift_price(prices)) => c,
            _ => Costed {
                ty: shift_node(&plain.ty, 0, prices)?,
                cost: plain.cost.saturating_add(shift_price(prices)),
            },
        };
        Ok(Forms { plain, carrying, strided: None })
    }

    /// The layout as a part of something larger.
    pub(crate) fn continued(mut self, count: u64, stride: i64, child: Forms) -> Forms {
        self.strided = Some(Arc::new(Strided { count, stride, child }));
        self
    }

    /// The cheaper forms of two descriptions of one layout.
    pub(crate) fn min(self, other: Forms) -> Forms {
        let price = |s: &Option<Arc<Strided>>| s.as_ref().map_or(u64::MAX, |s| s.child.plain.cost);
        let strided =
            if price(&other.strided) < price(&self.strided) { other.strided } else { self.strided };
        Forms {
            plain: self.plain.min(other.plain),
            carrying: self.carrying.min(other.carrying),
            strided,
        }
    }

    /// The layout with its first element at `shift`, and the cost of that.
    pub(crate) fn at(&self, shift: i64) -> Result<Costed, LayoutError> {
        if shift == 0 {
            return Ok(self.plain.clone());
        }
        Ok(Costed { ty: moved(&self.carrying.ty, shift)?, cost: self.carrying.cost })
    }
}

/// Price of a node that does nothing but carry a shift.
pub(crate) fn shift_price(prices: &Prices) -> u64 {
    [Some(prices.idx(1)), prices.idxbuc(1), prices.strc(1)]
        .into_iter()
        .flatten()
        .min()
        .expect("idx is always allowed")
}

/// `ty` moved by `shift`, under a node that does nothing else.
pub(crate) fn shift_node(ty: &Type, shift: i64, prices: &Prices) -> Result<Type, LayoutError> {
    let price = shift_price(prices);
    let child = ty.clone();
    if price == prices.idx(1) {
        Type::idx([shift], child)
    } else if Some(price) == prices.idxbuc(1) {
        Type::idxbuc(0, [shift], [1], child)
    } else {
        Type::strc([shift], [child])
    }
}

/// Adds `shift` to the indices of the first node that has any, through vecs (law 13). A type
/// without such a node is put under one.
pub(crate) fn moved(ty: &Type, shift: i64) -> Result<Type, LayoutError> {
    let all =
        |indices: &[i64]| indices.iter().map(|&i| add(i, shift)).collect::<Result<Arc<_>, _>>();
    match ty.kind() {
        Kind::Leaf(_) | Kind::Resized { .. } => Type::idx([shift], ty.clone()),
        Kind::Vec { count, stride, child } => Type::vec(*count, *stride, moved(child, shift)?),
        Kind::Idx { indices, child } => Type::idx(all(indices)?, child.clone()),
        Kind::IdxBuc { stride, indices, blocks, child } => {
            Type::idxbuc(*stride, all(indices)?, blocks.clone(), child.clone())
        }
        Kind::Strc { indices, children } => Type::strc(all(indices)?, children.clone()),
    }
}
