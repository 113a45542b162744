//! [`Flat`]: a short message as a flat list of moves, for which nothing is walked, counted or
//! divided: 100 bytes are moved in the time of a few cache hits.
//!
//! Every move is known in full when the plan is made, with its distance from the origin of the
//! buffer. Where blocks lie densely enough, moves are vector permutations ([`Picks`]).

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use crate::number::count;
use crate::picks::{Picks, Side};
use crate::{PeriodBlock, Pieces, Target};

/// More blocks than this are no short message.
const MOST_BLOCKS: u64 = 128;

/// A message in both directions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flat {
    bytes: u64,
    pack: Script,
    unpack: Script,
}

/// The moves of one direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    number: u16,
    moves: Moves,
}

/// The moves of a script. All displacements in memory are from the origin of the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moves {
    /// Blocks at equal distances, dense in the packed stream.
    Column {
        /// Bytes in a block: 1 or 2 with at least 8 blocks, or 4, 8, 16.
        length: u64,
        /// Number of blocks.
        count: u64,
        /// Displacement of the first.
        first: i64,
        /// Distance of neighbours.
        stride: i64,
    },
    /// Blocks of one length out of [`Script::LENGTHS`], dense in the packed stream.
    Blocks {
        /// Bytes in a block.
        length: u64,
        /// Displacement of each.
        places: Box<[i64]>,
    },
    /// Pieces of 1 to 64 bytes.
    Pieces(Pieces),
    /// Vectors.
    Picks(Picks),
}

impl Script {
    /// Lengths of blocks with a function of their own.
    pub const LENGTHS: [u64; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 40, 48, 64];

    /// The functions begin with blocks, by [`Script::LENGTHS`]. Then comes pieces.
    pub const PIECES: usize = Self::LENGTHS.len();
    /// Columns of 2 to 32 blocks of 4 bytes.
    pub const FOURS: usize = Self::PIECES + 1;
    /// Columns of 2 to 32 blocks of 8 bytes.
    pub const EIGHTS: usize = Self::FOURS + 31;
    /// Columns of 2 to 16 blocks of 16 bytes.
    pub const SIXTEENS: usize = Self::EIGHTS + 31;
    /// Columns of blocks of 1 byte, and of 2.
    pub const SMALL: usize = Self::SIXTEENS + 15;
    /// With registers of 32 bytes: blocks of 32, 40, 48 and 64 bytes, pieces, columns of 1 byte
    /// and of 2.
    pub const WIDE: usize = Self::SMALL + 2;
    /// Lists of exactly so many blocks, by [`Script::EXACT`] and count from 2 on.
    pub const LISTS: usize = Self::WIDE + 7;
    /// Lengths of blocks of which lists of few have functions of their own, and how many those are
    /// at most: 256 bytes.
    pub const EXACT: [(u64, u64); 9] =
        [(8, 32), (12, 21), (16, 16), (20, 12), (24, 10), (32, 8), (40, 6), (48, 5), (64, 4)];
    /// Vectors of words, by [`Picks::number`].
    pub const WORDS: usize = Self::LISTS + 105;
    /// Vectors of bytes.
    pub const BYTES: usize = Self::WORDS + Picks::FUNCTIONS;
    /// Length of a table of functions.
    pub const COUNT: usize = Self::BYTES + Picks::FUNCTIONS;

    /// The moves.
    #[must_use]
    #[inline]
    pub fn moves(&self) -> &Moves {
        &self.moves
    }

    /// Index into a table of functions, below [`Script::COUNT`].
    #[must_use]
    #[inline]
    pub fn number(&self) -> usize {
        self.number.into()
    }

    fn new(moves: Moves, target: &Target) -> Script {
        let count = |count: &u64| usize::try_from(*count).ok();
        let number = match &moves {
            Moves::Column { length: 4, count: n, .. } => count(n).map(|n| Self::FOURS + n - 2),
            Moves::Column { length: 8, count: n, .. } => count(n).map(|n| Self::EIGHTS + n - 2),
            Moves::Column { length: 16, count: n, .. } => count(n).map(|n| Self::SIXTEENS + n - 2),
            Moves::Column { length, .. } => {
                let first = if target.vector >= 32 { Self::WIDE + 5 } else { Self::SMALL };
                Some(first + usize::from(*length > 1))
            }
            Moves::Blocks { length, places } if Self::exact(*length, places.len()).is_some() => {
                Self::exact(*length, places.len())
            }
            Moves::Blocks { length, .. } => {
                let class = Self::LENGTHS.iter().position(|l| l == length);
                let wide = target.vector >= 32 && *length >= 32;
                class.map(|class| if wide { Self::WIDE + class - 12 } else { class })
            }
            Moves::Pieces(_) if target.vector >= 32 => Some(Self::WIDE + 4),
            Moves::Pieces(_) => Some(Self::PIECES),
            Moves::Picks(picks) if picks.unit() == 4 => Some(Self::WORDS + picks.number()),
            Moves::Picks(picks) => Some(Self::BYTES + picks.number()),
        };
        let number = number.and_then(|n| u16::try_from(n).ok()).expect("one of the forms");
        Script { number, moves }
    }

    /// The function of a list of exactly so many blocks, if there is one.
    fn exact(length: u64, blocks: usize) -> Option<usize> {
        let mut first = Self::LISTS;
        for (of, most) in Self::EXACT {
            let most = usize::try_from(most).ok()?;
            if of == length {
                return (2..=most).contains(&blocks).then(|| first + blocks - 2);
            }
            first += most - 1;
        }
        None
    }
}

impl Flat {
    /// Bytes on the heap at most, for both directions: lists of pieces and of blocks are shorter
    /// than vectors.
    pub(crate) const MOST_HEAP: usize = size_of::<Flat>() + 2 * Picks::MOST_HEAP;

    /// Packed bytes.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// From memory to the packed stream.
    #[must_use]
    #[inline]
    pub fn pack(&self) -> &Script {
        &self.pack
    }

    /// From the packed stream to memory.
    #[must_use]
    #[inline]
    pub fn unpack(&self) -> &Script {
        &self.unpack
    }

    /// Whether a message may be short enough.
    pub(crate) fn suits(bytes: u64, blocks: u64, target: &Target) -> bool {
        bytes <= target.flat_up_to && (2..=MOST_BLOCKS).contains(&blocks)
    }

    /// The moves of these blocks, which [`Flat::suits`]; nothing where they are too many pieces.
    /// `bounds`: of all blocks in memory.
    pub(crate) fn new(blocks: &[PeriodBlock], bounds: (i64, i64), target: &Target) -> Option<Flat> {
        let last = blocks.last()?;
        let scalar = Scalar::new(blocks);
        let script = |side| {
            let limit = scalar.as_ref().map_or(u64::MAX, |scalar| scalar.cost(side));
            let vectors = (target.vector >= 64)
                .then(|| Picks::cheapest(blocks, bounds, side, target.byte_permute))
                .flatten()
                .filter(|picks| picks.cost() < limit);
            let moves = match vectors {
                Some(picks) => Moves::Picks(picks),
                None => scalar.as_ref()?.moves.clone(),
            };
            Some(Script::new(moves, target))
        };
        let (pack, unpack) = (script(Side::Packed)?, script(Side::Memory)?);
        Some(Flat { bytes: last.b + last.length, pack, unpack })
    }
}

/// The flat list of a plan, made when so many messages were moved that it pays. It follows from
/// the rest of the plan, so plans are equal whether they have it or not.
#[derive(Debug, Default)]
pub(crate) struct Lazy {
    made: OnceLock<Option<Arc<Flat>>>,
    /// Messages that were moved without it, roughly: threads may count over one another.
    moved: AtomicU32,
}

impl Clone for Lazy {
    fn clone(&self) -> Lazy {
        let moved = AtomicU32::new(self.moved.load(Ordering::Relaxed));
        Lazy { made: self.made.clone(), moved }
    }
}

impl PartialEq for Lazy {
    fn eq(&self, _: &Lazy) -> bool {
        true
    }
}

impl Eq for Lazy {}

impl Lazy {
    /// Of a message that is not short.
    pub(crate) fn none() -> Lazy {
        Lazy { made: OnceLock::from(None), moved: AtomicU32::new(0) }
    }

    /// Made now, if not before.
    pub(crate) fn get(&self, make: impl FnOnce() -> Option<Flat>) -> Option<&Flat> {
        self.made.get_or_init(|| make().map(Arc::new)).as_deref()
    }

    /// Made if `after` messages were moved without it; one more is now.
    #[inline]
    pub(crate) fn get_after(
        &self,
        after: u32,
        make: impl FnOnce() -> Option<Flat>,
    ) -> Option<&Flat> {
        match self.made.get() {
            Some(made) => made.as_deref(),
            None => self.count(after).then(|| self.get(make)).flatten(),
        }
    }

    #[cold]
    fn count(&self, after: u32) -> bool {
        let moved = self.moved.load(Ordering::Relaxed);
        self.moved.store(moved.saturating_add(1), Ordering::Relaxed);
        moved >= after
    }
}

/// Moves without vectors, for both directions.
struct Scalar {
    moves: Moves,
    /// Loads and stores.
    pieces: u64,
}

impl Scalar {
    fn new(blocks: &[PeriodBlock]) -> Option<Scalar> {
        let first = blocks.first()?;
        let length = first.length;
        let equal = blocks.iter().all(|block| block.length == length);
        if !equal || !Script::LENGTHS.contains(&length) {
            let pieces = Pieces::cut(blocks)?;
            let count = count(pieces.len());
            return Some(Scalar { moves: Moves::Pieces(pieces), pieces: count });
        }
        let n = count(blocks.len());
        let pieces = n * (u64::from((length % 64).count_ones()) + length / 64);
        let stride = blocks.get(1)?.a.checked_sub(first.a)?;
        let column = blocks.windows(2).all(|w| w[1].a.checked_sub(w[0].a) == Some(stride))
            && match length {
                1 | 2 => n >= 8,
                4 | 8 => n <= 32,
                16 => n <= 16,
                _ => false,
            };
        let moves = if column {
            Moves::Column { length, count: n, first: first.a, stride }
        } else {
            Moves::Blocks { length, places: blocks.iter().map(|block| block.a).collect() }
        };
        Some(Scalar { moves, pieces })
    }

    /// In tenths of a cycle, as measured on Zen 5. Stores to the same line are cheaper.
    fn cost(&self, side: Side) -> u64 {
        let each = match (side, &self.moves) {
            (_, Moves::Pieces(_)) => 16,
            (Side::Memory, Moves::Column { length: ..=2, .. }) => 10,
            (Side::Memory, Moves::Column { length: 4, .. } | Moves::Blocks { length: 4, .. }) => 9,
            (Side::Packed, Moves::Column { length: 8.., .. }) => 4,
            (Side::Packed, Moves::Column { length: 4, .. }) => 5,
            _ => 6,
        };
        each * self.pieces
    }
}
