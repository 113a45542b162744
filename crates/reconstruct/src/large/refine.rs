//! A second look at a strc: its parts taken apart by one level and put together again, exactly.
//!
//! Rows are chosen greedily, so a block may stand alone beside the list that it belongs to. The copies
//! that the parts are lists of are few enough for the exact programme, often, when the elements are
//! not.

use commloom_layout::{Base, Kind, LayoutError, Type};

use super::line::Line;
use crate::ReconstructError;
use crate::forms::{Costed, Forms};
use crate::num::{add, count};
use crate::path;
use crate::peel::peeled;
use crate::prices::Prices;
use crate::sequence::Sequence;

/// The best tree over the copies in the parts of `forms`, a strc, if there are at most `most`.
pub(super) fn refined(
    forms: &Forms,
    prices: &Prices,
    most: u64,
) -> Result<Option<Forms>, ReconstructError> {
    /// Nodes that may be walked; shared subtrees count as often as they occur.
    const NODES: u64 = 1 << 16;
    let Kind::Strc { indices, children } = forms.plain.ty.kind() else { return Ok(None) };
    if forms.plain.ty.nodes() > NODES {
        return Ok(None);
    }
    let mut line = Line::new();
    for (&index, child) in indices.iter().zip(children.iter()) {
        let room = most.saturating_sub(count(line.len()));
        match peeled(child, room)? {
            Some((starts, copy)) => {
                let copy = forms_of(&copy, prices)?;
                for start in starts {
                    line.push(add(index, start)?, &copy);
                }
            }
            None => line.push(index, &forms_of(child, prices)?),
        }
    }
    if line.len() <= children.len() || count(line.len()) > most {
        return Ok(None);
    }
    line.tree(0, line.len(), prices).map(Some)
}

/// The forms of a type that is the cheapest of its layout already.
fn forms_of(ty: &Type, prices: &Prices) -> Result<Forms, ReconstructError> {
    /// Elements that are cheap to solve once more.
    const FEW: u64 = 512;
    if let Base::One(basic) = ty.base()
        && ty.elements() <= FEW
    {
        let starts: Vec<i64> = ty.type_map().map(|e| e.displacement).collect();
        let leaf = Forms::leaf(basic, prices)?;
        let path = path::solve(Sequence::new(&starts)?, &leaf, prices)?;
        return Ok(path.min(given(ty, prices)?));
    }
    Ok(given(ty, prices)?)
}

fn given(ty: &Type, prices: &Prices) -> Result<Forms, LayoutError> {
    Forms::new(Costed { ty: ty.clone(), cost: prices.model.cost(ty) }, None, prices)
}
