//! The last resort: a strc over many tokens, with neighbours in common lists.

use commloom_layout::{LayoutError, Type};

use super::line::Line;
use crate::ReconstructError;
use crate::forms::{Costed, Forms};
use crate::num::{add, count, span};
use crate::path;
use crate::prices::Prices;
use crate::sequence::Sequence;

/// The line with neighbouring tokens of one kind put together: equal ones as a path, vecs of one
/// stride over one child as an idxbuc; each only where that is cheaper.
pub(super) fn gathered(line: &Line, prices: &Prices) -> Result<Line, ReconstructError> {
    let entry = prices.model.lookup.saturating_mul(2);
    let mut out = line.emptied();
    let mut from = 0;
    while from < line.len() {
        let same = line.atoms[from..].iter().take_while(|a| **a == line.atoms[from]).count();
        let buckets = bucketable(line, from);
        let list = if same > 1 { Some(list(line, from, same, prices)?) } else { None };
        let packed = if buckets > same { Some(idxbuc(line, from, buckets, prices)?) } else { None };
        let apart = |n: usize| {
            (from..from + n).fold(0u64, |sum, t| {
                sum.saturating_add(line.atom(t).plain.cost).saturating_add(entry)
            })
        };
        let saved = |forms: &Option<Forms>, n: usize| {
            forms.as_ref().map_or(0, |f| apart(n).saturating_sub(f.plain.cost))
        };
        let (by_list, by_buckets) = (saved(&list, same), saved(&packed, buckets));
        let (forms, n) = match (list, packed) {
            (_, Some(packed)) if by_buckets > by_list => (packed, buckets),
            (Some(list), _) if by_list > 0 => (list, same),
            _ => (line.atom(from).clone(), 1),
        };
        out.push(line.starts[from], &forms);
        from += n;
    }
    Ok(out)
}

/// A strc of all tokens.
pub(super) fn strc(line: &Line, prices: &Prices) -> Result<Forms, LayoutError> {
    let entry = prices.model.lookup.saturating_mul(2);
    let cost = (0..line.len()).fold(prices.model.strc, |sum, t| {
        sum.saturating_add(entry).saturating_add(line.atom(t).plain.cost)
    });
    let indices: Vec<i64> = line.starts.iter().map(|s| s - line.starts[0]).collect();
    let parts: Vec<Type> = (0..line.len()).map(|t| line.atom(t).plain.ty.clone()).collect();
    let plain = Costed { ty: Type::strc(indices, parts)?, cost };
    Forms::new(plain.clone(), Some(plain), prices)
}

fn list(line: &Line, from: usize, n: usize, prices: &Prices) -> Result<Forms, ReconstructError> {
    path::solve(Sequence::new(&line.starts[from..from + n])?, line.atom(from), prices)
}

/// How many tokens from `from` on are vecs of one stride over one child, or that child.
fn bucketable(line: &Line, from: usize) -> usize {
    (from..line.len()).take_while(|&t| block(line, from, t).is_some()).count()
}

/// Copies of the child of token `unit`, a vec, that token `t` is.
fn block(line: &Line, unit: usize, t: usize) -> Option<u64> {
    let unit = line.atom(unit).strided.as_ref()?;
    let token = line.atom(t);
    match &token.strided {
        Some(s) if s.stride == unit.stride && s.child.plain.ty == unit.child.plain.ty => {
            Some(s.count)
        }
        _ => (token.plain.ty == unit.child.plain.ty).then_some(1),
    }
}

fn idxbuc(line: &Line, from: usize, n: usize, prices: &Prices) -> Result<Forms, ReconstructError> {
    let unit = line.atom(from).strided.clone().expect("the first token is a vec");
    let (mut indices, mut blocks): (Vec<i64>, Vec<u64>) = (Vec::new(), Vec::new());
    for t in from..from + n {
        let index = line.starts[t] - line.starts[from];
        let copies = block(line, from, t).expect("all tokens were asked");
        if let (Some(&last), Some(b)) = (indices.last(), blocks.last_mut())
            && span(*b, unit.stride).and_then(|s| add(last, s).ok()) == Some(index)
        {
            *b += copies;
        } else {
            indices.push(index);
            blocks.push(copies);
        }
    }
    let lists = prices.model.lookup.saturating_mul(2).saturating_mul(count(indices.len()));
    let node = prices.model.idxbuc.saturating_add(lists);
    let ty = Type::idxbuc(unit.stride, indices, blocks, unit.child.plain.ty.clone())?;
    let plain = Costed { ty, cost: node.saturating_add(unit.child.plain.cost) };
    Ok(Forms::new(plain.clone(), Some(plain), prices)?)
}
