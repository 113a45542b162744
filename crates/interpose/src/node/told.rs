//! The times that one process tells the others: of its last exchanges, each in a place of its own.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use commloom_choice::Took;

/// Times that each process tells at once. Those of exchanges that are looked for at the same time
/// are few: with 16 of them, one in 16 has been overwritten by another one.
const TOLD: usize = 256;
/// Processes that tell theirs. Those of more would take longer to read than they are worth.
pub(super) const TELLERS: usize = 16;

/// The times that one process tells. Every bit pattern is some, and zeros are none.
#[repr(C)]
pub(super) struct ToldTimes([ToldTime; TOLD]);

/// One exchange.
#[repr(C)]
struct ToldTime {
    /// Which one; 0 while it is written.
    key: AtomicU64,
    all: AtomicU64,
    made: AtomicU64,
    counted: AtomicU64,
}

/// Exchanges have at most so many sides: a message is sent and received.
pub(super) const SIDES: u64 = 2;

/// One side of the exchange with this number of a contest that has this name in all processes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExchangeOnNode {
    pub contest: u64,
    pub number: u64,
    pub side: u64,
}

impl ExchangeOnNode {
    /// Mixed until every bit of it depends on all of them (the finalizer of SplitMix64: Steele,
    /// Lea and Flood, 2014). By a product alone the places of two contests were always as far
    /// apart: of two that go on by turns one overwrote the other in every exchange, and nothing
    /// was ever tried in it.
    fn key(self) -> u64 {
        let number = self.number.wrapping_mul(SIDES).wrapping_add(self.side);
        let mixed = self.contest ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ mixed >> 31) | 1
    }

    /// All sides of it.
    pub(super) fn sides(self) -> impl Iterator<Item = ExchangeOnNode> {
        (0..SIDES).map(move |side| ExchangeOnNode { side, ..self })
    }

    /// Drawn by chance: of two contests that go on side by side one would always overwrite the
    /// other.
    fn place(self) -> usize {
        usize::try_from(self.key() >> 32).unwrap_or(0) % TOLD
    }
}

impl ToldTimes {
    pub fn tell(&self, exchange: ExchangeOnNode, took: Took) {
        let told = &self.0[exchange.place()];
        told.key.store(0, Ordering::Relaxed);
        fence(Ordering::Release);
        told.all.store(took.all, Ordering::Relaxed);
        told.made.store(took.made, Ordering::Relaxed);
        told.counted.store(took.counted, Ordering::Relaxed);
        told.key.store(exchange.key(), Ordering::Release);
    }

    pub fn read(&self, exchange: ExchangeOnNode) -> Option<Took> {
        let (told, key) = (&self.0[exchange.place()], exchange.key());
        if told.key.load(Ordering::Acquire) != key {
            return None;
        }
        let read = |time: &AtomicU64| time.load(Ordering::Relaxed);
        let took =
            Took { all: read(&told.all), made: read(&told.made), counted: read(&told.counted) };
        fence(Ordering::Acquire);
        (told.key.load(Ordering::Relaxed) == key).then_some(took)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(all: u64) -> Took {
        Took { all, made: all / 2, counted: all + 1 }
    }

    fn empty() -> ToldTimes {
        let none = || ToldTime { key: 0.into(), all: 0.into(), made: 0.into(), counted: 0.into() };
        ToldTimes(std::array::from_fn(|_| none()))
    }

    #[test]
    fn times_are_read_of_the_exchange_that_they_are_of() {
        let times = empty();
        let exchange = |contest, number| ExchangeOnNode { contest, number, side: 0 };
        let mut there = 0;
        for number in 0..1000 {
            times.tell(exchange(7, number), took(1000 + number));
            assert_eq!(times.read(exchange(7, number)), Some(took(1000 + number)));
            assert_eq!(times.read(exchange(8, number)), None, "of another contest");
            let before = number.checked_sub(4).map(|before| times.read(exchange(7, before)));
            there += usize::from(before.flatten().is_some());
        }
        assert!(there > 960, "{there} of 996 are still there four exchanges later");
        assert_eq!(times.read(exchange(7, 1)), None, "another one is there since");
    }

    /// Four kinds of exchange by turns, as in the transposes of an FFT: of each nearly all times
    /// are there when they are looked for.
    #[test]
    fn no_contest_always_overwrites_another() {
        for seed in 0..500u64 {
            let names =
                [0, 1, 2, 3].map(|kind| (seed * 4 + kind).wrapping_mul(0xF135_7AEA_2E62_A9C5));
            let times = empty();
            let mut there = [0; 4];
            for number in 0..200u64 {
                for contest in names {
                    times.tell(ExchangeOnNode { contest, number, side: 0 }, took(number));
                }
                for (contest, there) in names.into_iter().zip(&mut there) {
                    let number = number.saturating_sub(4);
                    let read = times.read(ExchangeOnNode { contest, number, side: 0 });
                    *there += usize::from(read.is_some());
                }
            }
            assert!(there.iter().all(|there| *there > 160), "seed {seed}: {there:?} of 200");
        }
    }

    /// Whoever reads while it is written gets both times of one exchange, or none.
    #[test]
    fn nobody_reads_half_of_an_exchange() {
        let times = empty();
        let at = |number| ExchangeOnNode { contest: 1, number, side: 1 };
        let last = AtomicU64::new(0);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for n in 1..400_000 {
                    times.tell(at(n), took(n));
                    last.store(n, Ordering::Relaxed);
                }
            });
            while !writer.is_finished() {
                let last = last.load(Ordering::Relaxed);
                for n in last.saturating_sub(300)..last + 3 {
                    assert!(times.read(at(n)).is_none_or(|read| read == took(n)));
                }
            }
        });
    }
}
