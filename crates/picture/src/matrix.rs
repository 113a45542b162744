//! Who sends how much to whom, in few enough squares that a page can hold them: a quadtree of the
//! matrix of all pairs of ranks, as fine as it may be.
//!
//! A square is not divided where all of its pairs are equal: an exchange of all with all of 4,096
//! ranks is some 12,000 squares, without loss. Where squares run out, those with fewest bytes
//! stay whole.

use std::cmp::Reverse;

/// The bytes that one rank sends to another, in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Rank of the sender.
    pub from: u32,
    /// Rank of the receiver.
    pub to: u32,
    /// Messages.
    pub messages: u64,
    /// Bytes of all of them.
    pub bytes: u64,
}

/// The pairs of `side` senders and as many receivers, or of all that are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Square {
    /// First sender.
    pub from: u32,
    /// First receiver.
    pub to: u32,
    /// A power of two.
    pub side: u64,
    /// Pairs with messages.
    pub pairs: u64,
    /// Messages of all of them.
    pub messages: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Most messages of a pair.
    pub most_messages: u64,
    /// Most bytes of a pair.
    pub most_bytes: u64,
}

/// At most `most` squares (or one), that together hold all pairs, sorted by sender and receiver.
/// Pairs may come several times; ranks are below `ranks`. O(n log n + n log ranks).
#[must_use]
pub fn squares(ranks: u32, pairs: Vec<Pair>, most: usize) -> Vec<Square> {
    let pairs = summed(pairs);
    if pairs.is_empty() {
        return Vec::new();
    }
    let mut open = vec![Node { pairs: &pairs, exponent: ranks.next_power_of_two().ilog2() }];
    let mut done = Vec::new();
    while !open.is_empty() {
        open.sort_by_key(|node| Reverse(node.square().bytes));
        let mut next = Vec::new();
        let mut waiting = open.len();
        for node in open {
            waiting -= 1;
            if node.is_even(ranks) {
                done.push(node.square());
                continue;
            }
            let children = node.children();
            if done.len() + next.len() + children.len() + waiting > most {
                done.push(node.square());
            } else {
                next.extend(children);
            }
        }
        open = next;
    }
    done.sort_by_key(|square| (square.from, square.to));
    done
}

/// Each pair once, in the order in which a quadtree visits them.
#[must_use]
pub fn summed(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_unstable_by_key(place);
    pairs.dedup_by(|more, sum| {
        let same = (more.from, more.to) == (sum.from, sum.to);
        if same {
            sum.messages = sum.messages.saturating_add(more.messages);
            sum.bytes = sum.bytes.saturating_add(more.bytes);
        }
        same
    });
    pairs
}

/// The bits of both ranks in turn: G. M. Morton, "A computer oriented geodetic data base" (IBM,
/// 1966).
fn place(pair: &Pair) -> u64 {
    spread(pair.from) << 1 | spread(pair.to)
}

/// Bit k becomes bit 2k.
fn spread(rank: u32) -> u64 {
    let masks = [
        (16, 0x0000_FFFF_0000_FFFF),
        (8, 0x00FF_00FF_00FF_00FF),
        (4, 0x0F0F_0F0F_0F0F_0F0F),
        (2, 0x3333_3333_3333_3333),
        (1, 0x5555_5555_5555_5555),
    ];
    masks.iter().fold(u64::from(rank), |bits, (by, mask)| (bits | bits << by) & mask)
}

/// The pairs in a square of side 2^exponent; at least one.
#[derive(Clone, Copy)]
struct Node<'a> {
    pairs: &'a [Pair],
    exponent: u32,
}

impl<'a> Node<'a> {
    /// Whether nothing is gained by dividing it.
    fn is_even(&self, ranks: u32) -> bool {
        let Square { from, to, side, .. } = self.square();
        let there = |first: u32| side.min(u64::from(ranks.saturating_sub(first)));
        let full = there(from).checked_mul(there(to)) == Some(length(self.pairs));
        let amounts = |pair: &Pair| (pair.messages, pair.bytes);
        self.exponent == 0
            || full && self.pairs.iter().all(|pair| amounts(pair) == amounts(&self.pairs[0]))
    }

    fn children(&self) -> Vec<Node<'a>> {
        let exponent = self.exponent - 1;
        let of = |pair: &Pair| place(pair) >> (2 * exponent);
        let children = self.pairs.chunk_by(|a, b| of(a) == of(b));
        children.map(|pairs| Node { pairs, exponent }).collect()
    }

    fn square(&self) -> Square {
        let first = |rank: u32| match self.exponent {
            0..32 => rank >> self.exponent << self.exponent,
            _ => 0,
        };
        let sum = |of: fn(&Pair) -> u64| self.pairs.iter().map(of).fold(0, u64::saturating_add);
        let most = |of: fn(&Pair) -> u64| self.pairs.iter().map(of).max().unwrap_or(0);
        Square {
            from: first(self.pairs[0].from),
            to: first(self.pairs[0].to),
            side: 1 << self.exponent,
            pairs: length(self.pairs),
            messages: sum(|pair| pair.messages),
            bytes: sum(|pair| pair.bytes),
            most_messages: most(|pair| pair.messages),
            most_bytes: most(|pair| pair.bytes),
        }
    }
}

fn length(pairs: &[Pair]) -> u64 {
    u64::try_from(pairs.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(from: u32, to: u32, bytes: u64) -> Pair {
        Pair { from, to, messages: 1, bytes }
    }

    fn contains(square: &Square, pair: &Pair) -> bool {
        let inside = |first: u32, rank: u32| {
            (u64::from(first)..u64::from(first) + square.side).contains(&u64::from(rank))
        };
        inside(square.from, pair.from) && inside(square.to, pair.to)
    }

    #[test]
    fn every_pair_is_in_one_square_and_sums_are_kept() {
        for seed in 0..200 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let ranks = rng.u32(1..70);
            let pairs: Vec<Pair> = (0..rng.usize(0..400))
                .map(|_| pair(rng.u32(0..ranks), rng.u32(0..ranks), rng.u64(0..3)))
                .collect();
            let most = rng.usize(1..300);
            let squares = squares(ranks, pairs.clone(), most);
            assert!(squares.len() <= most, "seed {seed}: {} of {most}", squares.len());
            for square in &squares {
                let inside: Vec<&Pair> = pairs.iter().filter(|p| contains(square, p)).collect();
                let bytes: u64 = inside.iter().map(|p| p.bytes).sum();
                let messages: u64 = inside.iter().map(|p| p.messages).sum();
                assert_eq!((square.bytes, square.messages), (bytes, messages), "seed {seed}");
                let mut each: Vec<_> = inside.iter().map(|p| (p.from, p.to)).collect();
                each.sort_unstable();
                each.dedup();
                assert_eq!(square.pairs, length_of(&each), "seed {seed}");
            }
            for pair in &pairs {
                let holders = squares.iter().filter(|square| contains(square, pair)).count();
                assert_eq!(holders, 1, "seed {seed}: {pair:?}");
            }
        }
    }

    fn length_of<T>(list: &[T]) -> u64 {
        u64::try_from(list.len()).expect("few")
    }

    #[test]
    fn with_enough_squares_pairs_are_single_or_equal() {
        let ring: Vec<Pair> = (0..100).map(|rank| pair(rank, (rank + 1) % 100, 8)).collect();
        let single = squares(100, ring, 1000);
        assert_eq!(single.len(), 100);
        assert!(single.iter().all(|square| square.side == 1 && square.most_bytes == 8));
        let all = |n: u32| (0..n).flat_map(move |from| (0..n).map(move |to| pair(from, to, 8)));
        assert_eq!(squares(100, all(100).collect(), 1000).len(), 1);
        let others = all(64).filter(|pair| pair.from != pair.to).collect();
        let squares = squares(64, others, 1000);
        assert!(squares.len() <= 64 * 3, "{}", squares.len());
        assert!(squares.iter().all(|square| square.pairs == square.side * square.side));
    }
}
