//! Cheapest type tree of a token sequence, exactly (Ganian et al. 2016;
//! book/src/explanation/reconstruction.md).
//!
//! A token is a copy of an atom at a displacement; atoms of different kinds are different leaves.
//! Let f(i,j) be the least cost of tokens i..j with the shift taken out.
//!
//! **Recurrence.** The root of an optimum is an atom (j = i+1), a path node, or a strc.
//! - Path node over the first q tokens, m = (j-i)/q >= 2 times: possible iff all m blocks of q
//!   have the same atoms and steps. Cost f(i,i+q) plus the node: vec if the blocks start at equal
//!   distances; idx with m entries; idxbuc with m minus (count of the most frequent difference of
//!   neighbouring starts) buckets or, where the cost model prices [shapes](crate::shaped) of it,
//!   with the fewest buckets at equal distances or as a triangle. p(i,j) is the cheapest of these.
//!   (A path node with m = 1 only moves its child, which no segment needs, see below.)
//! - strc of parts [i,k1), [k1,k2), ..: K_strc + sum of (2 K_lookup + part). A part is never
//!   itself a strc: splicing its parts into the outer one saves K_strc + 2 K_lookup. So h(i,j) =
//!   min over k of P(i,k) + h(k,j), with P = 2 K_lookup + p and h(j,j) = 0.
//! - f(i,j) = min(p(i,j), K_strc + h(i,j)).
//!
//! Subtrees are chosen independently because costs add, and because strc, idx and idxbuc take any
//! shift of their children into their indices for free. The child of a vec has the shift of the
//! whole: so along vecs from the root, and only there, a second *carrying* optimum is needed, that
//! of [`forms`](crate::forms); its segments are the prefixes [0,q).
//!
//! **Bound.** With common extensions computed right to left, the repetitions of all (i,q) cost
//! O(n^2) and the path candidates the sum over i and q of n/q, O(n^2 log n); shapes, where they
//! have a price, take O(1) for each candidate and O(log) more for each (i,q). The split is n^3/6
//! additions and minima of 16-bit costs, row against column, both contiguous in memory, so that
//! the compiler makes vector code of it: O(n^3) in all. Space: about 10 n^2 bytes.

mod build;
mod frequency;
mod repetitions;
mod word;

use crate::ReconstructError;
use crate::forms::Forms;
use crate::num::{at, count};
use crate::prices::Prices;
use crate::shaped;
use frequency::Frequency;
use repetitions::Repetitions;
use word::Word;

/// Copies of atoms in order: token t is `table[atoms[t]]` at `starts[t]`. No difference of two
/// starts overflows.
pub(crate) struct Tokens<'a> {
    pub starts: &'a [i64],
    pub atoms: &'a [u32],
    pub table: &'a [Forms],
}

impl Tokens<'_> {
    fn atom(&self, t: usize) -> &Forms {
        &self.table[at(self.atoms[t])]
    }

    fn len(&self) -> usize {
        self.starts.len()
    }
}

/// The cheapest trees for `tokens` (at least one) with the shift taken out. O(n^3) time, O(n^2)
/// space: the caller limits n.
///
/// # Errors
/// A type that cannot be built (bounds or size past 64 bits).
pub(crate) fn solve(tokens: &Tokens<'_>, prices: &Prices) -> Result<Forms, ReconstructError> {
    if tokens.len() == 1 {
        return Ok(tokens.atom(0).clone());
    }
    let forms = if dearest(tokens, prices) <= i16::LIMIT {
        Programme::<i16>::filled(tokens, prices).forms()
    } else {
        Programme::<i64>::filled(tokens, prices).forms()
    };
    Ok(forms?)
}

/// No cost in the tables, infinity apart, exceeds this: a list of equal atoms, or a part per
/// token.
fn dearest(tokens: &Tokens<'_>, prices: &Prices) -> u64 {
    let atom = tokens.table.iter().map(|a| a.plain.cost).max().unwrap_or(0);
    let entry = prices.model.lookup.saturating_mul(2).saturating_add(atom);
    let list = prices.idx(tokens.len()).saturating_add(entry);
    let parts = match tokens.table {
        [_] => 0,
        _ => entry.saturating_mul(count(tokens.len())),
    };
    prices.model.strc.saturating_add(list).saturating_add(parts)
}

/// The tables of the recurrence. Indices i, j are positions between tokens, 0..=n.
struct Programme<'a, W> {
    tokens: &'a Tokens<'a>,
    prices: &'a Prices,
    repetitions: Repetitions,
    /// p(i,j), by rows.
    path: Vec<W>,
    /// h(i,j), by columns.
    split: Vec<W>,
}

impl<'a, W: Word> Programme<'a, W> {
    fn filled(tokens: &'a Tokens<'a>, prices: &'a Prices) -> Self {
        let n = tokens.len();
        let size = (n + 1) * (n + 1);
        let mut programme = Programme {
            tokens,
            prices,
            repetitions: Repetitions::new(tokens.starts, tokens.atoms),
            path: vec![W::INFINITE; size],
            split: vec![W::INFINITE; size],
        };
        let mut frequency = Frequency::new(n);
        let mut parts = vec![W::INFINITE; n + 1];
        for i in (0..n).rev() {
            programme.row(i, &mut parts, &mut frequency);
        }
        programme
    }

    /// All segments that start at `i`; those that start later are done. `parts` is room for
    /// P(i,·).
    fn row(&mut self, i: usize, parts: &mut [W], frequency: &mut Frequency) {
        let width = self.tokens.len() + 1;
        let entry = W::of(self.prices.model.lookup.saturating_mul(2));
        self.path[i * width + i + 1] = W::of(self.tokens.atom(i).plain.cost);
        for j in i + 1..width {
            parts[j] = self.path[i * width + j].plus(entry);
            let column = &mut self.split[j * width..][..width];
            let cut = W::least_sum(&parts[i + 1..j], &column[i + 1..j]);
            column[i] = cut.min(parts[j]);
            self.repeat(i, j - i, frequency);
        }
    }

    /// Offers the first q tokens from i as the block of every longer path from i.
    fn repeat(&mut self, i: usize, q: usize, frequency: &mut Frequency) {
        let (blocks, strided) = (self.repetitions.equal(i, q), self.repetitions.strided(i, q));
        if blocks < 2 {
            return;
        }
        let child = self.best(i, i + q);
        let prices = self.prices;
        let row = &mut self.path[i * (self.tokens.len() + 1) + i..];
        let mut offer = |m: usize, price: u64| {
            let cost = W::of(price.saturating_add(child));
            row[m * q] = cost.min(row[m * q]);
        };
        let one_bucket = prices.idxbuc(1).unwrap_or(u64::MAX);
        for m in 2..=blocks {
            let equal_distances =
                if m <= strided { prices.vec().min(one_bucket) } else { u64::MAX };
            offer(m, prices.idx(m).min(equal_distances));
        }
        if blocks > strided {
            let copies = self.tokens.starts[i..].iter().copied().step_by(q).take(blocks);
            shaped::of_prefixes(copies, prices).for_each(|(m, price)| offer(m, price));
        }
        if blocks > strided && prices.idxbuc(1).is_some() {
            let ranks = self.repetitions.ranks(self.tokens.starts, q);
            let rank = |m: usize| ranks[i + (m - 2) * q];
            frequency.add(rank(2), strided - 1);
            for m in strided + 1..=blocks {
                frequency.add(rank(m), 1);
                if let Some(price) = prices.idxbuc(m - frequency.most()) {
                    offer(m, price);
                }
            }
            frequency.clear((strided..=blocks).map(rank));
        }
    }

    /// p(i,j).
    fn path(&self, i: usize, j: usize) -> u64 {
        self.path[i * (self.tokens.len() + 1) + j].cost()
    }

    /// h(i,j); h(j,j) = 0.
    fn split(&self, i: usize, j: usize) -> u64 {
        if i == j { 0 } else { self.split[j * (self.tokens.len() + 1) + i].cost() }
    }

    /// K_strc + h(i,j), where strc is allowed.
    fn strc(&self, i: usize, j: usize) -> u64 {
        self.prices.model.strc.saturating_add(self.split(i, j))
    }

    /// f(i,j).
    fn best(&self, i: usize, j: usize) -> u64 {
        self.path(i, j).min(self.strc(i, j))
    }
}
