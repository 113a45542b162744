//! The recursion: a stretch of a line as equal blocks, or as the parts of a strc.
//!
//! A stretch of tokens is, whichever is cheapest,
//! - of one letter: a vec or a short list (exact);
//! - short: solved by the [exact programme](crate::tree);
//! - equal blocks that fill it, over the block solved in the same way;
//! - a strc of the parts that the [shortest path](super::shortest) finds.
//!
//! Equal stretches are solved once: they are known by length, first atom and fingerprint, and
//! compared before an old solution is used.

use commloom_layout::Type;
use rustc_hash::FxHashMap;

use super::chains::Chains;
use super::letters::Letters;
use super::line::View;
use super::shortest::{Costs, Ground, LinePart, Shortest, Unit};
use crate::ReconstructError;
use crate::forms::{Costed, Forms};
use crate::num::count;
use crate::num::{at, place};
use crate::path;
use crate::periods::periods;
use crate::prices::Prices;
use crate::repeat::repeat;
use crate::sequence::Sequence;

/// A stretch up to a shift: tokens, first atom, fingerprint of the steps.
type Name = (u32, u32, u64);

pub(super) struct Solver<'a> {
    ground: Ground<'a>,
    prices: &'a Prices,
    exact: u32,
    /// The work that is left, in comparisons of two runs.
    work: u64,
    /// The solutions, each with the first token of its stretch, and where they are.
    solved: Vec<(u32, Forms)>,
    known: FxHashMap<Name, u32>,
    /// For each chain the solution of its block, if there is one.
    blocks: Vec<Option<u32>>,
    /// For each chain its number in the stretch at hand, and the stretch that it was last seen in.
    slots: Vec<u32>,
    seen: Vec<u32>,
    stretches: u32,
    room: Shortest,
}

impl<'a> Solver<'a> {
    pub(super) fn new(
        line: View<'a>,
        letters: &'a Letters<'a>,
        chains: &'a Chains,
        prices: &'a Prices,
        exact: u64,
        work: u64,
    ) -> Self {
        let n = chains.chains.len();
        Solver {
            ground: Ground { line, letters, chains, costs: Costs::new(prices) },
            prices,
            exact: u32::try_from(exact).unwrap_or(u32::MAX),
            work,
            solved: Vec::new(),
            known: FxHashMap::default(),
            blocks: vec![None; n],
            slots: vec![0; n],
            seen: vec![0; n],
            stretches: 0,
            room: Shortest::default(),
        }
    }

    /// Whether all that was to be tried was tried.
    pub(super) fn finished(&self) -> bool {
        self.work > 0
    }

    /// The best tree found for tokens `a..b`, at least one, its shift taken out.
    pub(super) fn solve(&mut self, a: u32, b: u32) -> Result<Forms, ReconstructError> {
        let solution = self.solution(a, b)?;
        Ok(self.solved[at(solution)].1.clone())
    }

    /// The number of the solution of tokens `a..b`.
    fn solution(&mut self, a: u32, b: u32) -> Result<u32, ReconstructError> {
        let line = self.ground.line;
        let steps = if b - a == 1 { 0 } else { self.ground.letters.steps(a, b - 1) };
        let name = (b - a, line.number(at(a)), steps);
        if let Some(&known) = self.known.get(&name)
            && self.equal(self.solved[at(known)].0, a, b - a)
        {
            return Ok(known);
        }
        let forms = self.forms(a, b)?;
        let number = place(self.solved.len());
        self.solved.push((a, forms));
        self.known.insert(name, number);
        Ok(number)
    }

    fn forms(&mut self, a: u32, b: u32) -> Result<Forms, ReconstructError> {
        let line = self.ground.line;
        if b - a == 1 {
            return Ok(line.atom(at(a)).clone());
        }
        if let Some(row) = self.row(a, b)? {
            return Ok(row);
        }
        if b - a <= self.exact {
            self.spend(u64::from(b - a) * 8);
            return line.tree(at(a), at(b), self.prices);
        }
        let parts = self.in_parts(a, b)?;
        Ok(match self.in_blocks(a, b)? {
            Some(blocks) => blocks.min(parts),
            None => parts,
        })
    }

    /// Whether the stretches of `n` tokens from `a` and from `b` are equal up to a shift.
    fn equal(&self, a: u32, b: u32, n: u32) -> bool {
        let line = self.ground.line;
        let (a, b, n) = (at(a), at(b), at(n));
        let distance = line.starts[b] - line.starts[a];
        let mut pairs = line.starts[a..a + n].iter().zip(&line.starts[b..b + n]);
        line.numbers(a, a + n) == line.numbers(b, b + n) && pairs.all(|(x, y)| y - x == distance)
    }

    /// Takes the price of visiting so many cuts and links.
    fn spend(&mut self, visits: u64) {
        /// In comparisons of two runs.
        const VISIT: u64 = 5;
        self.work = self.work.saturating_sub(visits.saturating_mul(VISIT));
    }

    /// Tokens of one letter.
    fn row(&self, a: u32, b: u32) -> Result<Option<Forms>, ReconstructError> {
        let Ground { line, letters, .. } = self.ground;
        let k = letters.of_step(a);
        if b - 1 > letters.start(k + 1) || line.number(at(a)) != line.number(at(a) + 1) {
            return Ok(None);
        }
        let atom = line.atom(at(a));
        repeat(u64::from(b - a), line.step(at(a)), atom, self.prices).map(Some)
    }

    /// Equal blocks that fill the stretch. Of blocks at equal distances the two shortest are
    /// tried.
    fn in_blocks(&mut self, a: u32, b: u32) -> Result<Option<Forms>, ReconstructError> {
        /// Blocks at unequal distances that are tried.
        const UNEVEN: usize = 8;
        let line = self.ground.line;
        self.spend(u64::from(b - a) / 8);
        let starts = &line.starts[at(a)..at(b)];
        let found = match line.numbers(at(a), at(b)) {
            Some(atoms) => periods(starts, atoms),
            None => periods(starts, &vec![(); starts.len()]),
        };
        let (even, uneven): (Vec<_>, Vec<_>) = found.into_iter().partition(|p| p.strided);
        let tried = even.into_iter().take(2).chain(uneven.into_iter().take(UNEVEN));
        let mut best: Option<Forms> = None;
        for period in tried {
            let q = place(period.length);
            let block = self.solve(a, a + q)?;
            let forms = self.copies(a, b, q, &block)?;
            best = Some(match best {
                Some(best) => forms.min(best),
                None => forms,
            });
        }
        Ok(best)
    }

    /// Tokens `a..b` as copies of a block of q tokens.
    fn copies(&self, a: u32, b: u32, q: u32, block: &Forms) -> Result<Forms, ReconstructError> {
        let starts = &self.ground.line.starts[at(a)..at(b)];
        if q == 1 {
            return path::solve(Sequence::new(starts)?, block, self.prices);
        }
        let starts: Vec<i64> = starts.iter().step_by(at(q)).copied().collect();
        path::solve(Sequence::new(&starts)?, block, self.prices)
    }

    /// A strc, or what is left of it where there is one part only.
    fn in_parts(&mut self, a: u32, b: u32) -> Result<Forms, ReconstructError> {
        let mut chains = self.chains_inside(a, b);
        // Short blocks first: they are parts of the long ones, and found when the work ends early.
        chains.sort_by_key(|&(chain, _)| self.ground.chains.chains[at(chain)].period);
        for &(chain, x) in &chains {
            if self.blocks[at(chain)].is_none() && self.work > 0 {
                let q = self.ground.chains.chains[at(chain)].period;
                self.blocks[at(chain)] = Some(self.solution(x, x + q)?);
            }
        }
        let mut costs = Vec::with_capacity(chains.len());
        for (slot, &(chain, _)) in chains.iter().enumerate() {
            self.slots[at(chain)] = place(slot);
            let cost = self.block(chain).map(|forms| forms.plain.cost);
            costs.push(cost.and_then(|c| i64::try_from(c).ok()));
        }
        let parts = self.room.parts(&self.ground, a, b, &self.slots, &costs);
        self.strc(&parts)
    }

    /// The block of a chain, if it was solved.
    fn block(&self, chain: u32) -> Option<&Forms> {
        self.blocks[at(chain)].map(|solution| &self.solved[at(solution)].1)
    }

    /// The chains with a link inside the stretch, each with the first one.
    fn chains_inside(&mut self, a: u32, b: u32) -> Vec<(u32, u32)> {
        self.stretches += 1;
        let chains = self.ground.chains;
        let mut inside = Vec::new();
        let cuts = chains.cuts.before(a)..chains.cuts.before(b);
        let mut work = count(cuts.len());
        for cut in cuts {
            let x = chains.cuts.place(cut);
            let links = chains.at(cut);
            work += count(links.len());
            for &chain in links {
                let q = chains.chains[at(chain)].period;
                if x + 2 * q <= b && self.seen[at(chain)] != self.stretches {
                    self.seen[at(chain)] = self.stretches;
                    inside.push((chain, x));
                }
            }
        }
        self.spend(work);
        inside
    }

    /// The parts with their types, under a strc.
    fn strc(&self, parts: &[LinePart]) -> Result<Forms, ReconstructError> {
        let Ground { line, chains, .. } = self.ground;
        let typed = parts.iter().map(|part| {
            let (q, block) = match part.unit {
                Unit::Token => (1, line.atom(at(part.from))),
                Unit::Chain(chain) => {
                    let block = self.block(chain).expect("only chains with a block make parts");
                    (chains.chains[at(chain)].period, block)
                }
            };
            let forms = match part.to - part.from == q {
                true => block.clone(),
                false => self.copies(part.from, part.to, q, block)?,
            };
            Ok((at(part.from), forms))
        });
        strc(line, typed.collect::<Result<_, ReconstructError>>()?, self.prices)
    }
}

/// Parts of a line, each with its first token, under a strc; a single part as it is.
pub(super) fn strc(
    line: View<'_>,
    parts: Vec<(usize, Forms)>,
    prices: &Prices,
) -> Result<Forms, ReconstructError> {
    if let [(_, part)] = &parts[..] {
        return Ok(part.clone());
    }
    let entry = prices.model.lookup.saturating_mul(2);
    let origin = line.starts[parts[0].0];
    let mut cost = prices.model.strc;
    let (mut indices, mut children) = (Vec::new(), Vec::new());
    for (from, forms) in parts {
        cost = cost.saturating_add(entry).saturating_add(forms.plain.cost);
        indices.push(line.starts[from] - origin);
        children.push(forms.plain.ty);
    }
    let plain = Costed { ty: Type::strc(indices, children)?, cost };
    Ok(Forms::new(plain.clone(), Some(plain), prices)?)
}
