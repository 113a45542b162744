//! The cheapest way to cut a stretch of a line into the parts of a strc.
//!
//! A shortest path over the cuts, from left to right. A part is one of:
//! - a token;
//! - tokens at equal distances, as a vec: inside one letter;
//! - tokens of one atom, as an idx: a running minimum of (distance - entries before);
//! - the same as an idxbuc of stride v, for every v: a bucket more for each other step. The bucket
//!   is opened before a letter v by a prefix minimum, or goes on from the letter v before; it is
//!   closed by a running minimum over all v;
//! - equal blocks along a chain, as vec, idx or idxbuc, in the same ways.
//!
//! O(1) expected per cut, letter and link.

use rustc_hash::FxHashMap;

use super::chains::{Chain, Chains};
use super::letters::Letters;
use super::line::View;
use crate::num::{at, place};
use crate::prices::Prices;

/// Costs; all sums stay far below.
const INFINITE: i64 = i64::MAX / 4;

/// The repeated unit of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// The token that it begins with.
    Token,
    /// The block of this chain.
    Chain(u32),
}

/// Tokens `from..to` as copies of a unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinePart {
    pub from: u32,
    pub to: u32,
    pub unit: Unit,
}

/// The input of the search.
pub(super) struct Ground<'a> {
    pub line: View<'a>,
    pub letters: &'a Letters<'a>,
    pub chains: &'a Chains,
    pub costs: Costs,
}

/// Prices of the parts, the two entries in the strc included.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    entry: i64,
    vec: i64,
    idx: i64,
    idxbuc: i64,
    lookup: i64,
}

impl Costs {
    pub(super) fn new(prices: &Prices) -> Costs {
        let of = |cost: u64| i64::try_from(cost).unwrap_or(INFINITE).min(INFINITE);
        let lookup = of(prices.model.lookup);
        Costs {
            entry: 2 * lookup,
            vec: of(prices.vec()),
            idx: of(prices.model.idx),
            idxbuc: of(prices.model.idxbuc),
            lookup,
        }
    }
}

/// A value of the search, and the cut with which its part begins.
#[derive(Debug, Clone, Copy)]
struct Best {
    cost: i64,
    from: u32,
}

impl Best {
    const NONE: Best = Best { cost: INFINITE, from: 0 };

    fn take(&mut self, other: Best) {
        if other.cost < self.cost {
            *self = other;
        }
    }

    fn plus(self, cost: i64) -> Best {
        Best { cost: self.cost + cost, ..self }
    }
}

/// How a cut is reached: in 16 bytes, as there may be as many cuts as tokens.
#[derive(Debug, Clone, Copy)]
struct Via {
    cost: i64,
    from: u32,
    /// The chain of the part, if any.
    chain: u32,
}

/// No chain.
const TOKEN: u32 = u32::MAX;

/// The search over one stretch; kept for the next one, so that nothing is allocated anew.
#[derive(Default)]
pub(super) struct Shortest {
    places: Vec<u32>,
    via: Vec<Via>,
    /// Of chains with several links, once one was met: most chains have one link only.
    chains: Vec<Option<Box<ChainState>>>,
    buckets: FxHashMap<i64, Bucket>,
}

/// An idxbuc part at the last token of the latest letter of its stride.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    best: Best,
    end: u32,
}

impl Shortest {
    /// Tokens `a..b` in parts. `slots` numbers the chains with a link inside, `blocks` tells the
    /// costs of their blocks by these numbers, where they are known.
    pub(super) fn parts(
        &mut self,
        ground: &Ground<'_>,
        a: u32,
        b: u32,
        slots: &[u32],
        blocks: &[Option<i64>],
    ) -> Vec<LinePart> {
        let between = ground.chains.cuts.between(a, b);
        self.places.clear();
        self.places.push(a);
        self.places.extend(between.clone().map(|c| ground.chains.cuts.place(c)));
        self.places.push(b);
        self.via.clear();
        self.via.resize(self.places.len(), Via { cost: INFINITE, from: 0, chain: TOKEN });
        self.via[0].cost = 0;
        self.chains.clear();
        self.chains.resize_with(blocks.len(), || None);
        self.buckets.clear();
        let mut scan = Scan::new(a);
        for c in 0..self.places.len() {
            if c > 0 {
                self.tokens(ground, &mut scan, c);
            }
            let number = match c {
                0 if ground.chains.cuts.before(a + 1) == ground.chains.cuts.before(a) => continue,
                0 => ground.chains.cuts.before(a),
                _ if c + 1 == self.places.len() => break,
                _ => between.start + c - 1,
            };
            for &chain in ground.chains.at(number) {
                let q = ground.chains.chains[at(chain)].period;
                let end = self.places[c] + 2 * q;
                if end > b {
                    continue;
                }
                let slot = at(slots[at(chain)]);
                if let Some(block) = blocks[slot] {
                    let to = match end == b {
                        true => self.places.len() - 1,
                        false => ground.chains.cuts.before(end) - between.start + 1,
                    };
                    self.link(ground, (chain, slot), c, to, block);
                }
            }
        }
        self.collected()
    }

    fn collected(&self) -> Vec<LinePart> {
        let mut parts = Vec::new();
        let mut to = self.places.len() - 1;
        while to > 0 {
            let via = self.via[to];
            let from = at(via.from);
            let unit = if via.chain == TOKEN { Unit::Token } else { Unit::Chain(via.chain) };
            parts.push(LinePart { from: self.places[from], to: self.places[to], unit });
            to = from;
        }
        parts.reverse();
        parts
    }

    /// The cheapest way to cut `c`, as the start of a part.
    fn start(&self, c: usize) -> Best {
        Best { cost: self.via[c].cost, from: place(c) }
    }

    fn offer(&mut self, c: usize, best: Best, chain: u32) {
        let via = &mut self.via[c];
        if best.cost < via.cost {
            *via = Via { cost: best.cost, from: best.from, chain };
        }
    }

    /// Parts of tokens that end at cut `c`.
    fn tokens(&mut self, ground: &Ground<'_>, scan: &mut Scan, c: usize) {
        let Costs { entry, vec, idx, idxbuc, lookup } = ground.costs;
        let (x, y) = (self.places[c - 1], self.places[c]);
        let line = ground.line;
        let cost = line.atom(at(y) - 1).plain.cost;
        let atom = entry + i64::try_from(cost).unwrap_or(INFINITE).min(INFINITE);
        if y - x == 1 {
            self.offer(c, self.start(c - 1).plus(atom), TOKEN);
        }
        if x > self.places[0] && line.number(at(x)) != line.number(at(x) - 1) {
            self.buckets.clear();
            scan.other_atom(c - 1);
        }
        scan.list.take(self.start(c - 1).plus(-lookup * i64::from(x)));
        self.offer(c, scan.list.plus(lookup * i64::from(y) + idx + atom), TOKEN);
        if y - self.places[0] < 2 || line.number(at(y) - 2) != line.number(at(y) - 1) {
            return;
        }
        self.enter(ground, scan, y - 2);
        while self.places[scan.in_vec] + 2 <= y {
            if self.places[scan.in_vec] >= scan.low {
                scan.vec.take(self.start(scan.in_vec));
            }
            scan.in_vec += 1;
        }
        while self.places[scan.in_bucket] < y {
            if self.places[scan.in_bucket] > scan.low {
                scan.bucket.take(self.start(scan.in_bucket).plus(2 * lookup));
            }
            scan.in_bucket += 1;
        }
        self.offer(c, scan.vec.plus(vec + atom), TOKEN);
        self.offer(c, scan.bucket.plus(idxbuc + atom), TOKEN);
        let after = 2 * lookup * (i64::from(y) - 1) + idxbuc + atom;
        self.offer(c, scan.closed.plus(after), TOKEN);
    }

    /// Goes on to the letter of step `t`, if it is another one.
    fn enter(&mut self, ground: &Ground<'_>, scan: &mut Scan, t: u32) {
        let letters = ground.letters;
        let price = 2 * ground.costs.lookup;
        let entered = scan.letter.is_some_and(|k| t < letters.start(k + 1));
        if entered {
            return;
        }
        let letter = match scan.letter {
            Some(k) => {
                let end = letters.start(k + 1);
                self.buckets.insert(letters.symbol(k), Bucket { best: scan.bucket, end });
                scan.closed.take(scan.bucket.plus(-price * i64::from(end)));
                if t < letters.start(k + 2) { k + 1 } else { letters.of_step(t) }
            }
            None => letters.of_step(t),
        };
        scan.letter = Some(letter);
        scan.low = letters.start(letter).max(self.places[0]);
        let low = i64::from(scan.low);
        while self.places[scan.in_prefix] <= scan.low {
            let x = i64::from(self.places[scan.in_prefix]);
            scan.prefix.take(self.start(scan.in_prefix).plus(-price * x));
            scan.in_prefix += 1;
        }
        scan.vec = Best::NONE;
        scan.bucket = scan.prefix.plus(price * (low + 1));
        if let Some(Bucket { best, end }) = self.buckets.get(&letters.symbol(letter)) {
            scan.bucket.take(best.plus(price * (low - i64::from(*end))));
        }
    }

    /// Parts that end with the second block of a link from cut `c`, at cut `to`.
    fn link(
        &mut self,
        ground: &Ground<'_>,
        (chain, slot): (u32, usize),
        c: usize,
        to: usize,
        block: i64,
    ) {
        let Costs { entry, vec, idx, idxbuc, lookup } = ground.costs;
        let Chain { period: q, links } = ground.chains.chains[at(chain)];
        let x = self.places[c];
        let starts = ground.line.starts;
        let distance = starts[at(x + q)] - starts[at(x)];
        let start = self.start(c);
        let ends = match links {
            1 => ChainState::default().advance(x, q, distance, start, lookup),
            _ => {
                let state = self.chains[slot].get_or_insert_default();
                state.advance(x, q, distance, start, lookup)
            }
        };
        self.offer(to, ends.vec.plus(entry + vec + block), chain);
        self.offer(to, ends.idx.plus(entry + idx + block), chain);
        self.offer(to, ends.idxbuc.plus(entry + idxbuc + block), chain);
    }
}

/// Running minima over the tokens of one atom.
struct Scan {
    /// idx: distance less the entries before.
    list: Best,
    /// idxbuc: distance less twice the entries before, over the cuts before `in_prefix`.
    prefix: Best,
    in_prefix: usize,
    /// The letter at hand, and its first token in the stretch.
    letter: Option<usize>,
    low: u32,
    /// vec in this letter, over the cuts before `in_vec`.
    vec: Best,
    in_vec: usize,
    /// idxbuc of this letter's stride, over the cuts before `in_bucket`.
    bucket: Best,
    in_bucket: usize,
    /// idxbuc of any stride behind its last letter, less twice the entries before.
    closed: Best,
}

impl Scan {
    fn new(a: u32) -> Scan {
        Scan {
            list: Best::NONE,
            prefix: Best::NONE,
            in_prefix: 0,
            letter: None,
            low: a,
            vec: Best::NONE,
            in_vec: 0,
            bucket: Best::NONE,
            in_bucket: 0,
            closed: Best::NONE,
        }
    }

    /// Nothing goes on into the tokens from cut `c` on.
    fn other_atom(&mut self, c: usize) {
        *self = Scan { in_prefix: c, in_vec: c, in_bucket: c, ..Scan::new(self.low) };
    }
}

/// The parts along one chain.
#[derive(Default)]
struct ChainState {
    /// The place of the next link, and the number of its block.
    next: Option<(u32, i64)>,
    distance: i64,
    vec: Option<Best>,
    idx: Option<Best>,
    prefix: Option<Best>,
    closed: Option<Best>,
    /// The bucket of the latest stride, and those of the strides before.
    bucket: Option<ChainBucket>,
    others: Vec<ChainBucket>,
}

/// The best idxbuc part at the end of the latest bucket of its stride, block `end`.
#[derive(Debug, Clone, Copy)]
struct ChainBucket {
    stride: i64,
    best: Best,
    end: i64,
}

/// The cost of parts along a chain up to their last block, without node and block.
struct Ends {
    vec: Best,
    idx: Best,
    idxbuc: Best,
}

/// Strides of buckets that are kept in mind for a chain.
const STRIDES: usize = 24;

impl ChainState {
    fn advance(&mut self, x: u32, q: u32, distance: i64, start: Best, lookup: i64) -> Ends {
        let number = match self.next {
            Some((next, number)) if next == x => number,
            _ => {
                *self = ChainState { others: std::mem::take(&mut self.others), ..Self::default() };
                self.others.clear();
                0
            }
        };
        self.next = Some((x + q, number + 1));
        let least = |known: Option<Best>, offered: Best| match known {
            Some(known) if known.cost <= offered.cost => known,
            _ => offered,
        };
        let same = self.distance == distance;
        let vec = least(self.vec.filter(|_| same), start);
        let idx = least(self.idx.map(|b| b.plus(lookup)), start.plus(2 * lookup));
        let prefix = least(self.prefix, start.plus(-2 * lookup * number));
        // Into a bucket of this stride: from any start, or from the bucket before.
        let opened = prefix.plus(2 * lookup * (number + 1));
        let best = match self.latest(distance) {
            Some(known) => least(Some(opened), known.best.plus(2 * lookup * (number - known.end))),
            None => opened,
        };
        self.bucket = Some(ChainBucket { stride: distance, best, end: number + 1 });
        let closed = least(self.closed, best.plus(-2 * lookup * (number + 1)));
        self.distance = distance;
        (self.vec, self.idx) = (Some(vec), Some(idx));
        (self.prefix, self.closed) = (Some(prefix), Some(closed));
        Ends { vec, idx, idxbuc: closed.plus(2 * lookup * (number + 1)) }
    }

    /// The bucket of this stride, out of its place: the one of another stride moves to the others.
    fn latest(&mut self, stride: i64) -> Option<ChainBucket> {
        let latest = self.bucket.take()?;
        if latest.stride == stride {
            return Some(latest);
        }
        if self.others.len() == STRIDES {
            self.others.remove(0);
        }
        let known = self.others.iter().position(|b| b.stride == stride);
        let known = known.map(|index| self.others.swap_remove(index));
        self.others.push(latest);
        known
    }
}
