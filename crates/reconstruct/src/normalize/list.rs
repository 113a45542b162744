//! idx over a normalized child.

use commloom_layout::LayoutError;

use super::{Normalizer, from_first};
use crate::forms::Forms;
use crate::num::{add, count};
use crate::peel::peeled;
use crate::{Constructors, ReconstructError};

impl Normalizer {
    /// A copy of `child` at each of `indices` (at least one); the first one counts as zero.
    ///
    /// The list is a displacement sequence over copies of the child, so its optimal path finds
    /// vecs and nested lists in it (laws 3 to 5). A small child is first written out over its own
    /// child: then the optimum may cut across the border of the two.
    pub(super) fn list(
        &mut self,
        indices: &[i64],
        child: &Forms,
    ) -> Result<Forms, ReconstructError> {
        let starts = from_first(indices)?;
        let buckets = self.as_buckets(&starts, child)?;
        let (starts, atom) = self.written_out(starts, child)?;
        let forms = self.best_over(&starts, &atom)?;
        Ok(match buckets {
            Some(buckets) => forms.min(buckets),
            None => forms,
        })
    }

    /// Copies of `atom` at `starts` as copies of the smallest part of it for which the list does
    /// not grow past the limit.
    fn written_out(
        &mut self,
        mut starts: Vec<i64>,
        atom: &Forms,
    ) -> Result<(Vec<i64>, Forms), ReconstructError> {
        let limit = self.limits.flatten.max(count(starts.len()).saturating_mul(4));
        let mut atom = atom.clone();
        while let Some((inner, child)) = peeled(&atom.plain.ty, limit / count(starts.len()))? {
            starts = spread(&starts, &inner)?;
            atom = self.child(&child)?;
        }
        Ok((starts, atom))
    }

    /// Law 6: idx(I, vec(b, d, C)) is idxbuc(d, I, <b..>, C), where that has fewer entries.
    fn as_buckets(
        &mut self,
        starts: &[i64],
        child: &Forms,
    ) -> Result<Option<Forms>, ReconstructError> {
        match &child.strided {
            Some(inner) if self.prices.set >= Constructors::Extended => {
                let blocks = vec![inner.count; starts.len()];
                self.bucket_node(inner.stride, starts.to_vec(), blocks, &inner.child).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// `inner` at each of `outer`.
fn spread(outer: &[i64], inner: &[i64]) -> Result<Vec<i64>, LayoutError> {
    let copies = outer.iter().flat_map(|&o| inner.iter().map(move |&i| add(o, i)));
    copies.collect()
}
