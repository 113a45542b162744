//! idx and idxbuc over a normalized child.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use commloom_layout::Type;

use super::Normalizer;
use super::levels::{self, from_first};
use super::nest::Nest;
use super::parts::Parts;
use crate::forms::{Costed, Forms};
use crate::large;
use crate::num::{add, count};
use crate::peel::{bucket_starts, peeled, total};
use crate::repeat::repeat;
use crate::sequence::Sequence;
use crate::{Constructors, ReconstructError};

impl Normalizer {
    /// A copy of `child` at each of `indices` (at least one); the first one counts as zero.
    pub(super) fn list(&mut self, indices: &[i64], child: &Nest) -> Result<Nest, ReconstructError> {
        let starts = from_first(indices)?;
        Sequence::new(&starts)?;
        let mut nest = child.under(levels::of_list(&starts), &self.prices);
        if let Some(tree) = self.tree_of_list(starts, child)? {
            nest.offer(tree, &self.prices);
        }
        Ok(nest)
    }

    /// Buckets of copies of `child` (at least one copy) as a path; the first copy counts as at
    /// zero.
    pub(super) fn buckets(
        &mut self,
        stride: i64,
        indices: &[i64],
        blocks: &[u64],
        child: &Nest,
    ) -> Result<Nest, ReconstructError> {
        let mut nest = child.under(levels::of_buckets(stride, indices, blocks)?, &self.prices);
        if let Some(shaped) = self.shaped(stride, indices, blocks, child)? {
            nest.offer(shaped, &self.prices);
        }
        Ok(nest)
    }

    /// An idxbuc node over its normalized child.
    pub(super) fn buckets_node(
        &mut self,
        ty: &Type,
        stride: i64,
        (indices, blocks): (&Arc<[i64]>, &Arc<[u64]>),
        child: &Nest,
    ) -> Result<Nest, ReconstructError> {
        let levels = levels::of_buckets_node(ty, stride, indices, blocks)?;
        let mut nest = child.under(levels, &self.prices);
        if let Some(shaped) = self.shaped(stride, indices, blocks, child)? {
            nest.offer(shaped, &self.prices);
        }
        if self.prices.set == Constructors::Extended {
            return Ok(nest);
        }
        let limit = self.limits.flatten.max(count(indices.len()).saturating_mul(4));
        let short = total(blocks).is_some_and(|n| n <= limit);
        let other = match (self.prices.set, short) {
            (Constructors::Basic, true) => None,
            (Constructors::Basic, false) => Some(self.as_given(stride, indices, blocks, child)?),
            (_, true) => {
                let starts = from_first(&bucket_starts(stride, indices, blocks)?)?;
                self.tree_of_list(starts, child)?
            }
            (_, false) => Some(self.tree_of_buckets(stride, indices, blocks, child)?),
        };
        if let Some(other) = other {
            nest.offer(other, &self.prices);
        }
        Ok(nest)
    }

    /// The idxbuc as it was given, where none may be introduced but an idx would have too many
    /// entries to be written down.
    fn as_given(
        &self,
        stride: i64,
        indices: &[i64],
        blocks: &[u64],
        child: &Nest,
    ) -> Result<Forms, ReconstructError> {
        let filled = indices.iter().zip(blocks).filter(|&(_, &b)| b > 0);
        let (indices, blocks): (Vec<i64>, Vec<u64>) = filled.map(|(&i, &b)| (i, b)).unzip();
        let child = child.forms(&self.prices)?.plain.clone();
        let ty = Type::idxbuc(stride, from_first(&indices)?, blocks, child.ty)?;
        let plain = Costed { cost: self.prices.model.node(&ty).saturating_add(child.cost), ty };
        Ok(Forms::new(plain.clone(), Some(plain), &self.prices)?)
    }
}

/// Trees over the copies of a list, where strc is allowed.
impl Normalizer {
    /// A small child is first written out over its own child: then the tree may cut across the
    /// border of the two.
    pub(super) fn tree_of_list(
        &mut self,
        starts: Vec<i64>,
        child: &Nest,
    ) -> Result<Option<Forms>, ReconstructError> {
        if self.prices.set < Constructors::Tree || starts.len() < 3 {
            return Ok(None);
        }
        let (starts, atom) = self.written_out(starts, child.forms(&self.prices)?)?;
        let sequence = Sequence::new(&starts)?;
        let found = large::solve(sequence, &atom, &self.prices, self.effort())?;
        Ok(Some(self.taken(found)))
    }

    /// Copies of `atom` at `starts` as copies of the smallest part of it for which the list does
    /// not grow past the limit.
    fn written_out(
        &mut self,
        mut starts: Vec<i64>,
        mut atom: Rc<Forms>,
    ) -> Result<(Vec<i64>, Rc<Forms>), ReconstructError> {
        let limit = self.limits.flatten.max(count(starts.len()).saturating_mul(4));
        while let Some((inner, child)) = peeled(&atom.plain.ty, limit / count(starts.len()))? {
            let copies = starts.iter().flat_map(|&o| inner.iter().map(move |&i| add(o, i)));
            starts = copies.collect::<Result<_, _>>()?;
            atom = self.child(&child)?.forms(&self.prices)?;
        }
        Ok((starts, atom))
    }

    /// Every bucket as a part.
    fn tree_of_buckets(
        &mut self,
        stride: i64,
        indices: &[i64],
        blocks: &[u64],
        child: &Nest,
    ) -> Result<Forms, ReconstructError> {
        let child = child.forms(&self.prices)?;
        let mut rows: HashMap<u64, Rc<Forms>> = HashMap::new();
        let mut parts = Parts::default();
        let filled = indices.iter().zip(blocks).filter(|&(_, &b)| b > 0);
        let starts: Vec<i64> = from_first(&filled.clone().map(|(&i, _)| i).collect::<Vec<_>>())?;
        Sequence::new(&starts)?;
        for (&start, (_, &block)) in starts.iter().zip(filled) {
            let row = match rows.get(&block) {
                Some(row) => Rc::clone(row),
                None => Rc::new(repeat(block, stride, &child, &self.prices)?),
            };
            parts.push(start, Rc::clone(rows.entry(block).or_insert(row)));
        }
        self.strc_of(&parts)
    }
}
