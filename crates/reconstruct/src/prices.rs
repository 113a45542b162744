//! The cost of nodes, and which of them may be introduced.

use commloom_layout::CostModel;

use crate::ReconstructError;
use crate::num::count;

/// Which constructors a result may use. Each set contains the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Constructors {
    /// leaf, vec, idx.
    Basic,
    /// And idxbuc.
    Extended,
    /// And strc.
    Tree,
}

/// Largest cost constant: even 2^30 entries and nodes then cost less than 2^62.
const LARGEST_COST: u64 = 1 << 31;

/// A cost model together with the constructors that are allowed. Sums saturate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prices {
    pub model: CostModel,
    pub set: Constructors,
}

impl Prices {
    /// # Errors
    /// A constant that is zero, or so large that the costs of long lists would not fit in 64 bits.
    pub(crate) fn new(model: &CostModel, set: Constructors) -> Result<Prices, ReconstructError> {
        model.check()?;
        match model.constants().find(|&(_, given)| given > LARGEST_COST) {
            Some((constant, given)) => {
                Err(ReconstructError::CostTooLarge { constant, given, limit: LARGEST_COST })
            }
            None => Ok(Prices { model: *model, set }),
        }
    }

    /// A vec node alone.
    pub(crate) fn vec(&self) -> u64 {
        self.model.vec
    }

    /// An idx node with `n` indices.
    pub(crate) fn idx(&self, n: usize) -> u64 {
        self.model.idx.saturating_add(self.list(n))
    }

    /// An idxbuc node with `n` buckets of any shape, where it is allowed. One or two buckets
    /// always have the shapes of [`Self::bucket`] and [`Self::triangular`].
    pub(crate) fn idxbuc(&self, n: usize) -> Option<u64> {
        let any = (self.set >= Constructors::Extended)
            .then(|| self.model.idxbuc.saturating_add(self.list(n).saturating_mul(2)))?;
        let shaped =
            if n == 1 || n == 2 { [self.bucket(count(n)), self.triangular()] } else { [None; 2] };
        Some(shaped.into_iter().flatten().fold(any, u64::min))
    }

    /// An idxbuc node with `n` buckets at equal distances, where it is allowed and has a price of
    /// its own.
    pub(crate) fn bucket(&self, n: u64) -> Option<u64> {
        let node = self.model.bucket.filter(|_| self.set >= Constructors::Extended)?;
        Some(node.saturating_add(self.model.lookup.saturating_mul(n)))
    }

    /// The same where besides the buckets change by equal numbers of copies.
    pub(crate) fn triangular(&self) -> Option<u64> {
        self.model.triangular.filter(|_| self.set >= Constructors::Extended)
    }

    /// The least that a node of these shapes can cost; `None` where no shape has a price.
    pub(crate) fn cheapest_shape(&self) -> Option<u64> {
        self.bucket(1).into_iter().chain(self.triangular()).min()
    }

    /// No description of elements of one basic type, the first at `first`, costs less: a leaf, and
    /// one node more for several elements or a shift.
    pub(crate) fn least(&self, elements: u64, first: i64) -> u64 {
        let lists = [Some(self.idx(1)), self.idxbuc(1), self.strc(1)];
        let list = lists.into_iter().flatten().fold(u64::MAX, u64::min);
        let node = match (elements, first) {
            (..=1, 0) => 0,
            (_, 0) => list.min(self.vec()),
            _ => list,
        };
        self.model.leaf.saturating_add(node)
    }

    /// A strc node with `n` parts, without the parts, where it is allowed.
    pub(crate) fn strc(&self, n: usize) -> Option<u64> {
        (self.set >= Constructors::Tree)
            .then(|| self.model.strc.saturating_add(self.list(n)).saturating_add(self.list(n)))
    }

    fn list(&self, n: usize) -> u64 {
        count(n).saturating_mul(self.model.lookup)
    }
}
