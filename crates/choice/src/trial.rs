//! Trials: which exchanges they consist of. What the number of the exchange says is the same for
//! all processes of a program that exchange as often.

/// Exchanges of a phase, in which one way is tried.
pub(crate) const PHASE: u64 = 16;
/// The first ones of them, in which that may begin.
const BEGINNING: u64 = 8;
/// Phases between two returns, at most.
const MOST_PHASES: u64 = 64;
/// Exchanges before the first phase.
const EARLY: u64 = 8;

/// A try of a way, in one phase.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trial {
    pub way: u8,
    pub phase: u64,
    /// The other processes try it in the same exchanges, if they can.
    pub is_joint: bool,
    /// The first exchange in a way pays for buffers that later ones have.
    pub is_cold: bool,
    /// The way that completes the pair that has begun.
    pub due: Option<u8>,
    /// Pairs in a row of which the try had another content, so that it cannot be compared.
    pub unanswered: u32,
    /// The times of the pair that has begun, and what the try was charged for.
    pub tried: Option<u64>,
    pub partner: Option<u64>,
    pub charged: f64,
}

/// Where an exchange stands among the phases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub phase: u64,
    /// Exchanges of the phase before it.
    before: u64,
    exchange: u64,
}

impl Place {
    pub fn of(exchange: u64) -> Place {
        let (phase, before) = match exchange.checked_sub(EARLY) {
            Some(since) => (since / PHASE, since % PHASE),
            None => (0, PHASE),
        };
        Place { phase, before, exchange }
    }

    /// Whether a trial may begin.
    pub fn is_beginning(self) -> bool {
        self.before < BEGINNING
    }

    /// Whether there were so many exchanges in the phase before it.
    pub fn is_later_than(self, exchanges: u64) -> bool {
        self.before >= exchanges
    }

    /// Whether a pair may begin, at the same time as those of other processes or not.
    pub fn takes_pair(self, is_joint: bool) -> bool {
        self.before + 1 < PHASE && (!is_joint || self.before.is_multiple_of(2))
    }

    /// A random number that all processes draw.
    pub fn order(self) -> u64 {
        roll(&mut (self.exchange.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1))
    }
}

/// The next random number (Marsaglia, Xorshift RNGs, 2003).
pub(crate) fn roll(dice: &mut u64) -> u64 {
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    *dice >> 33
}

/// The first exchange from this one on at which ways are tried again: few, and the same for all
/// processes, so that they try together although each has put them off by itself.
pub(crate) fn next_return(exchange: u64) -> u64 {
    let phases = exchange.saturating_sub(EARLY).div_ceil(PHASE).max(1);
    let spread = phases.checked_next_power_of_two().unwrap_or(phases);
    // From some time on they are as far apart as ever.
    let step = spread.min(MOST_PHASES);
    EARLY.saturating_add(PHASE.saturating_mul(phases.next_multiple_of(step)))
}

/// Whether processes try together: mostly. One whose own try is better may not see it while the
/// tries of others lose.
pub(crate) fn is_joint_at(exchange: u64) -> bool {
    (exchange / PHASE / MOST_PHASES) % 4 != 3
}
