//! Laws 8 and 9 on neighbouring parts: which of them are put together, by a shortest path.
//!
//! A segment of parts is left as it is if it is one part; equal parts may become a vec, an idx or
//! an idxbuc; vecs of one stride over one child, and single copies of that child, may become one
//! idxbuc. The cheapest cut of all parts into such segments is found from the last part to the
//! first.
//!
//! Time: linear in the parts, times the lengths of the segments that are tried. From where a row
//! of parts begins that may be put together, all lengths are; from elsewhere up to [`longest`].

use std::collections::HashMap;
use std::rc::Rc;

use super::Normalizer;
use super::nest::Nest;
use super::parts::{Parts, same};
use crate::ReconstructError;
use crate::forms::{Forms, Strided};
use crate::num::{add, span};

/// Most parts of a segment that begins inside a row of parts that may be put together.
fn longest(parts: &Parts) -> usize {
    const WORK: usize = 1 << 17;
    (WORK / parts.starts.len().max(1)).clamp(16, 512)
}

/// The use that is made of a segment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Alone,
    /// Equal parts.
    List,
    /// Rows of copies of the child of the first part.
    Buckets,
    /// Rows of copies of the first part, and that part.
    BucketsOfFirst,
}

/// The cheapest cut of the parts from some part on.
#[derive(Clone, Copy)]
struct Cut {
    cost: u64,
    length: usize,
    how: Use,
}

impl Normalizer {
    /// The parts put together where that is cheaper.
    pub(super) fn segments(&mut self, parts: &Parts) -> Result<Parts, ReconstructError> {
        let cuts = self.cuts(parts);
        let mut out = Parts::default();
        let mut from = 0;
        while from < parts.starts.len() {
            let Cut { length, how, .. } = cuts[from];
            let starts = &parts.starts[from..from + length];
            let forms = &parts.forms[from..from + length];
            let together = match how {
                Use::Alone => forms[0].clone(),
                Use::List => {
                    self.list(starts, &Nest::of(&forms[0], &self.prices))?.forms(&self.prices)?
                }
                Use::Buckets | Use::BucketsOfFirst => {
                    let unit = unit(forms, how).expect("the cut was made from it");
                    let blocks: Vec<u64> = forms.iter().filter_map(|f| block(f, &unit)).collect();
                    let child = Nest::of(&unit.child, &self.prices);
                    self.buckets(unit.stride, starts, &blocks, &child)?.forms(&self.prices)?
                }
            };
            out.push(starts[0], together);
            from += length;
        }
        Ok(out)
    }

    fn cuts(&self, parts: &Parts) -> Vec<Cut> {
        let n = parts.starts.len();
        let mut cuts = vec![Cut { cost: 0, length: 0, how: Use::Alone }; n + 1];
        for from in (0..n).rev() {
            let entry = self.entry();
            let alone = entry.saturating_add(parts.forms[from].plain.cost);
            let mut best =
                Cut { cost: alone.saturating_add(cuts[from + 1].cost), length: 1, how: Use::Alone };
            let mut offer = |length: usize, node: u64, how: Use| {
                let cost = entry.saturating_add(node).saturating_add(cuts[from + length].cost);
                if cost < best.cost {
                    best = Cut { cost, length, how };
                }
            };
            self.lists(parts, from, |length, node| offer(length, node, Use::List));
            for how in [Use::Buckets, Use::BucketsOfFirst] {
                self.bucket_nodes(parts, from, how, |length, node| offer(length, node, how));
            }
            cuts[from] = best;
        }
        cuts
    }

    /// Offers equal parts from `from` on, with what they cost together.
    fn lists(&self, parts: &Parts, from: usize, mut offer: impl FnMut(usize, u64)) {
        let first = &parts.forms[from];
        let inside = from > 0 && same(&parts.forms[from - 1], first);
        let most = if inside { longest(parts) } else { usize::MAX };
        let equal = parts.forms[from..].iter().take(most).take_while(|f| same(f, first)).count();
        let mut counts: HashMap<i64, usize> = HashMap::new();
        let mut most = 0;
        for length in 2..=equal {
            let end = from + length;
            let step = parts.starts[end - 1].wrapping_sub(parts.starts[end - 2]);
            let times = counts.entry(step).or_insert(0);
            *times += 1;
            most = most.max(*times);
            let even = (most + 1 == length).then_some(self.prices.vec());
            let nodes = [Some(self.prices.idx(length)), self.prices.idxbuc(length - most), even];
            let node = nodes.into_iter().flatten().min().unwrap_or(u64::MAX);
            offer(length, node.saturating_add(first.plain.cost));
        }
    }

    /// Offers rows of copies of one child from `from` on, with what they cost together.
    fn bucket_nodes(
        &self,
        parts: &Parts,
        from: usize,
        how: Use,
        mut offer: impl FnMut(usize, u64),
    ) {
        let rest = &parts.forms[from..];
        let Some(unit) = unit(rest, how) else { return };
        let inside = from > 0 && block(&parts.forms[from - 1], &unit).is_some();
        let longest = if inside { longest(parts) } else { usize::MAX };
        let (mut buckets, mut end) = (0, None);
        for (k, forms) in rest.iter().take(longest).enumerate() {
            let Some(block) = block(forms, &unit) else { return };
            let start = parts.starts[from + k];
            if end != Some(start) {
                buckets += 1;
            }
            end = span(block, unit.stride).and_then(|s| add(start, s).ok());
            if let Some(node) = self.prices.idxbuc(buckets).filter(|_| k > 0) {
                offer(k + 1, node.saturating_add(unit.child.plain.cost));
            }
        }
    }
}

/// A single copy looks so far for a row that it belongs to.
const FAR: usize = 64;

/// A row that the first of these may be a part of.
fn unit(forms: &[Rc<Forms>], how: Use) -> Option<Strided> {
    let first = forms.first()?;
    if how == Use::Buckets {
        return first.strided.as_deref().cloned();
    }
    let other = forms.iter().take(FAR).find(|f| !same(f, first))?;
    other.strided.as_deref().filter(|s| same(&s.child, first)).cloned()
}

/// How many copies of the child of `unit` these are.
fn block(forms: &Forms, unit: &Strided) -> Option<u64> {
    match &forms.strided {
        _ if same(forms, &unit.child) => Some(1),
        Some(s) if s.stride == unit.stride && same(&s.child, &unit.child) => Some(s.count),
        _ => None,
    }
}
