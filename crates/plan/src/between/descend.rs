//! Down two nests at once: loops are split to equal counts until one side is a block.

use std::sync::Arc;

use crate::between::kernel::of_loop;
use crate::between::slice::slice;
use crate::merge::repeat;
use crate::node::Node;
use crate::number::{add, count as number, times, within};
use crate::{CopyKernel, Kernel, Pair, PairStep, Pairing, PlanError, Shape, Stage, Steps, Target};

/// A plan has at most so many pairs that are neither packs nor unpacks; the rest is staged. Shared
/// parts of types are met once for each partner, so that without a limit they could be many.
const MOST_PAIRS: u64 = 256;

/// Below so many bytes a body that has no kernel together with its loop is not worth a visit.
const SHORT: u64 = 512;

/// Blocks of this length and less are moved faster through a buffer, if there are vector programs
/// for both ways. Zen 5, against one by one: 4 bytes .5, 2 bytes .2 to .4, 8 bytes 1.1 to 1.4.
const WORDS: u64 = 4;

/// The same for the average block of a period, which is moved in more steps.
const PART: u64 = 6;

/// At most so many runs are paired one by one.
const FEW_RUNS: usize = 16;

/// Runs of this length are a stage themselves: finding their place on the other side costs less
/// than moving their bytes twice.
const LONG_RUN: u64 = 2 << 10;

/// Nodes that are looked at to estimate the length of runs.
const LOOKED_AT: u32 = 256;

/// The pair of two nodes of equal packed size.
pub(super) fn pair(a: &Arc<Node>, b: &Arc<Node>, target: &Target) -> Result<Arc<Pair>, PlanError> {
    Descent { target, left: MOST_PAIRS }.pair(a, b)
}

/// The two sides of one pair.
type Sides<'n> = (&'n Arc<Node>, &'n Arc<Node>);

struct Descent<'t> {
    target: &'t Target,
    left: u64,
}

impl Descent<'_> {
    fn pair(&mut self, a: &Arc<Node>, b: &Arc<Node>) -> Result<Arc<Pair>, PlanError> {
        if b.block().is_some() {
            return Ok(Pair::new(Pairing::Pack(Arc::clone(a)), a.bytes()));
        }
        if a.block().is_some() {
            return Ok(Pair::new(Pairing::Unpack(Arc::clone(b)), b.bytes()));
        }
        if self.left == 0 {
            return Ok(self.staged((a, b)));
        }
        self.left -= 1;
        match (a.shape(), b.shape()) {
            (Shape::Seq(_), _) | (_, Shape::Seq(_)) => self.sequence((a, b)),
            (
                Shape::Loop { count: n, stride: s, body: x },
                Shape::Loop { stride: t, body: y, .. },
            ) => {
                let common = gcd(x.bytes(), y.bytes());
                let (k, l) = (y.bytes() / common, x.bytes() / common);
                // n copies of x are as long as those of y, so that k divides n.
                let groups = n / k;
                if groups == 1 {
                    return self.few_runs((a, b));
                }
                let x = repeat(k, *s, Arc::clone(x), self.target)?;
                let y = repeat(l, *t, Arc::clone(y), self.target)?;
                let (s, t) = (Steps::Stride(times(k, *s)?), Steps::Stride(times(l, *t)?));
                self.repeated((groups, s, t), (&x, &y), (a, b))
            }
            (Shape::List { offsets: p, body: x }, Shape::List { offsets: q, body: y })
                if p.len() == q.len() =>
            {
                let places = (number(p.len()), Steps::List(p.clone()), Steps::List(q.clone()));
                self.repeated(places, (x, y), (a, b))
            }
            (Shape::List { offsets: p, body: x }, Shape::Loop { count: n, stride: t, body: y })
                if number(p.len()) == *n =>
            {
                self.repeated((*n, Steps::List(p.clone()), Steps::Stride(*t)), (x, y), (a, b))
            }
            (Shape::Loop { count: n, stride: s, body: x }, Shape::List { offsets: q, body: y })
                if number(q.len()) == *n =>
            {
                self.repeated((*n, Steps::Stride(*s), Steps::List(q.clone())), (x, y), (a, b))
            }
            _ => Ok(self.staged((a, b))),
        }
    }

    /// Copies of a pair of `bodies`; `sides` is all of them.
    fn repeated(
        &mut self,
        (count, a, b): (u64, Steps, Steps),
        bodies: Sides<'_>,
        sides: Sides<'_>,
    ) -> Result<Arc<Pair>, PlanError> {
        let body = self.pair(bodies.0, bodies.1)?;
        let kernel = of_loop(count, &a, &b, &body, self.target);
        let buffered =
            matches!(body.pairing(), Pairing::Staged { stage: Stage::Buffer { .. }, .. });
        let short = match &kernel {
            CopyKernel::Walk => body.bytes() < if buffered { Stage::LARGEST } else { SHORT },
            CopyKernel::Grid { length, .. } => *length <= WORDS && has_programs(sides),
            CopyKernel::Period { parts, .. } => {
                body.bytes() <= PART * number(parts.len()) && has_programs(sides)
            }
            CopyKernel::Tiles { .. } | CopyKernel::Blocks { .. } => false,
        };
        if short {
            return Ok(self.staged(sides));
        }
        Ok(Pair::new(Pairing::Loop { count, a, b, body, kernel }, sides.0.bytes()))
    }

    /// Step by step, where at least one side is a sequence.
    fn sequence(&mut self, sides: Sides<'_>) -> Result<Arc<Pair>, PlanError> {
        let (a, b) = sides;
        if let Some(pair) = paired_runs(a, b)? {
            return Ok(pair);
        }
        let (steps, whole, first) = match (a.shape(), b.shape()) {
            (Shape::Seq(steps), _) => (steps, b, true),
            (_, Shape::Seq(steps)) => (steps, a, false),
            _ => return Ok(self.staged(sides)),
        };
        if number(steps.len()) > self.left || a.bytes() / number(steps.len()) < 64 {
            return Ok(self.staged(sides));
        }
        let mut paired = Vec::with_capacity(steps.len());
        for step in steps {
            let range = step.b..step.b + step.node.bytes();
            let Some((at, part)) = slice(whole, range, self.target)? else {
                return Ok(self.staged(sides));
            };
            paired.push(if first {
                PairStep { a: step.a, b: at, at: step.b, pair: self.pair(&step.node, &part)? }
            } else {
                PairStep { a: at, b: step.a, at: step.b, pair: self.pair(&part, &step.node)? }
            });
        }
        Ok(Pair::new(Pairing::Seq(paired.into()), a.bytes()))
    }

    /// Run by run where there are few, else staged.
    fn few_runs(&mut self, sides: Sides<'_>) -> Result<Arc<Pair>, PlanError> {
        Ok(paired_runs(sides.0, sides.1)?.unwrap_or_else(|| self.staged(sides)))
    }

    fn staged(&self, (a, b): Sides<'_>) -> Arc<Pair> {
        let average = |node: &Node| node.bytes() / runs(node, &mut { LOOKED_AT }).max(1);
        let stage = match (average(a), average(b)) {
            (x, y) if x >= LONG_RUN && x >= y => Stage::SourceRuns,
            (_, y) if y >= LONG_RUN => Stage::DestinationRuns,
            _ => {
                let most = Stage::LARGEST.min(self.target.l1 / 6).max(64);
                let (p, q) = (unit(a), unit(b));
                let whole = (p / gcd(p, q)).saturating_mul(q);
                let piece = if whole <= most { most / whole * whole } else { most };
                Stage::Buffer { piece }
            }
        };
        let (source, destination) = (Arc::clone(a), Arc::clone(b));
        Pair::new(Pairing::Staged { source, destination, stage }, a.bytes())
    }
}

/// Whether both halves of the way through a buffer are vector programs.
fn has_programs((a, b): Sides<'_>) -> bool {
    matches!(a.kernel(), Kernel::Programs { pack: Some(_), .. })
        && matches!(b.kernel(), Kernel::Programs { unpack: Some(_), .. })
}

/// The runs of both sides against one another, if neither has many.
fn paired_runs(a: &Node, b: &Node) -> Result<Option<Arc<Pair>>, PlanError> {
    let (Some(x), Some(y)) = (a.few_parts(FEW_RUNS), b.few_parts(FEW_RUNS)) else {
        return Ok(None);
    };
    let [mut x, mut y] = [x, y].map(|parts| parts.into_iter().map(|part| (part.a, part.length)));
    let (mut steps, mut at) = (Vec::new(), 0);
    let (mut from, mut to) = (x.next(), y.next());
    while let (Some((p, n)), Some((q, m))) = (from, to) {
        let length = n.min(m);
        let pair = Pair::new(Pairing::Pack(Node::new_block(length)?), length);
        steps.push(PairStep { a: p, b: q, at, pair });
        at += length;
        let rest = |place: i64, left: u64| -> Result<Option<(i64, u64)>, PlanError> {
            Ok(if left > length {
                Some((add(place, within(length, 1))?, left - length))
            } else {
                None
            })
        };
        from = rest(p, n)?.or_else(|| x.next());
        to = rest(q, m)?.or_else(|| y.next());
    }
    Ok(Some(Pair::new(Pairing::Seq(steps.into()), at)))
}

/// About how many runs a node has. Where too many nodes would have to be seen, as many as bytes.
fn runs(node: &Node, left: &mut u32) -> u64 {
    if *left == 0 {
        return node.bytes();
    }
    *left -= 1;
    match node.shape() {
        Shape::Block => 1,
        Shape::Runs { offsets, .. } => number(offsets.len()),
        Shape::Loop { body, .. } | Shape::List { body, .. } | Shape::Buckets { body, .. } => {
            node.copies().saturating_mul(runs(body, left))
        }
        Shape::Seq(steps) => {
            steps.iter().map(|step| runs(&step.node, left)).fold(0, u64::saturating_add)
        }
    }
}

/// Bytes after which a node begins again.
fn unit(node: &Node) -> u64 {
    match node.shape() {
        Shape::Loop { body, .. } | Shape::List { body, .. } | Shape::Buckets { body, .. } => {
            body.bytes()
        }
        _ => 1,
    }
}

/// The greatest common divisor of two numbers, not both 0.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
