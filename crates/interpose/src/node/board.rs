//! The board: what equal exchanges took in the processes of this job and machine, so that all of
//! them decide by the same times.
//!
//! A process waits for others in its exchanges. By its own times alone it sees how late they were,
//! more than what a message took, and one that decides for itself is slower than all were before.
//! Nothing but times is told here: whatever is wrong or missing, messages arrive.

use std::sync::OnceLock;

use commloom_choice::Took;

use super::room::Room;
pub(crate) use super::told::ExchangeOnNode;

/// The board, as this process sees it.
pub(crate) struct Board {
    room: Room,
    seat: usize,
}

static BOARD: OnceLock<Board> = OnceLock::new();

/// The board of this process, once MPI has begun; `None` where the processes of its job do not
/// know each other.
pub(crate) fn board() -> Option<&'static Board> {
    BOARD.get().filter(|board| board.room.is_clear())
}

/// MPI has begun, and whoever comes has come.
pub(super) fn hang(room: Room, seat: usize) {
    if room.given() > 1 {
        // Another one hangs there already, if there is one.
        let _ = BOARD.set(Board { room, seat });
    }
}

impl Board {
    /// Tells what the exchange took here.
    pub fn tell(&self, exchange: ExchangeOnNode, took: Took) {
        if let Some(mine) = self.room.told(self.seat) {
            mine.tell(exchange, took);
        }
    }

    /// All sides of it together, each the mean of what it took in those that have told it: what is
    /// faster for who sends may cost whoever receives more.
    pub fn mean(&self, exchange: ExchangeOnNode) -> Option<Took> {
        let side = |side| mean(self.room.all_told().filter_map(|told| told.read(side)));
        exchange.sides().filter_map(side).reduce(plus)
    }
}

fn plus(a: Took, b: Took) -> Took {
    Took {
        all: a.all.saturating_add(b.all),
        made: a.made.saturating_add(b.made),
        counted: a.counted.saturating_add(b.counted),
    }
}

fn mean(told: impl Iterator<Item = Took>) -> Option<Took> {
    let (number, sum) = told.fold((0, Took::default()), |(n, sum), took| (n + 1, plus(sum, took)));
    (number > 0).then(|| Took {
        all: sum.all / number,
        made: sum.made / number,
        counted: sum.counted / number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(all: u64) -> Took {
        Took { all, made: all / 2, counted: all }
    }

    #[test]
    fn the_mean_is_of_those_that_have_told() {
        assert_eq!(mean([took(10), took(30)].into_iter()), Some(took(20)));
        assert_eq!(mean([].into_iter()), None);
    }
}
