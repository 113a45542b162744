//! The number of a communicator, from how it was made and who is in it.

use std::ffi::c_int;
use std::hash::Hasher;

use commloom_trace::Communicator;
use twox_hash::XxHash3_64;

/// The seed of a communicator's number, besides its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Seed {
    pub parent: u64,
    pub tag: Option<c_int>,
    /// How many there were before; `None` where that is counted by the members.
    pub nth: Option<u64>,
}

impl Seed {
    /// The number of a communicator with these members; `nth` where the seed has none.
    pub fn number(self, [members, remote]: [&[u32]; 2], nth: u64) -> u64 {
        // Both sides of an intercommunicator have the same number.
        let groups = if remote.is_empty() || members < remote {
            [members, remote]
        } else {
            [remote, members]
        };
        let mut hasher = XxHash3_64::new();
        hasher.write(&self.parent.to_le_bytes());
        hasher.write(&self.tag.map_or([0xff; 8], |tag| i64::from(tag).to_le_bytes()));
        hasher.write(&self.nth.unwrap_or(nth).to_le_bytes());
        for group in groups {
            hasher.write(&group.len().to_le_bytes());
            group.iter().for_each(|rank| hasher.write(&rank.to_le_bytes()));
        }
        // 0 is the world.
        let hash = (hasher.finish() & !Communicator::PRIVATE).max(1);
        hash | (self.parent & Communicator::PRIVATE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_differ_by_all_that_tells_communicators_apart() {
        let seed = Seed { parent: 0, tag: None, nth: Some(0) };
        let numbers = [
            seed.number([&[0, 1], &[]], 0),
            seed.number([&[1, 0], &[]], 0),
            seed.number([&[0], &[1]], 0),
            Seed { nth: Some(1), ..seed }.number([&[0, 1], &[]], 0),
            Seed { parent: 5, ..seed }.number([&[0, 1], &[]], 0),
            Seed { tag: Some(0), nth: None, ..seed }.number([&[0, 1], &[]], 0),
            Seed { tag: Some(0), nth: None, ..seed }.number([&[0, 1], &[]], 1),
        ];
        for (i, number) in numbers.iter().enumerate() {
            assert!(!numbers[..i].contains(number) && number & Communicator::PRIVATE == 0);
        }
        assert_eq!(seed.number([&[1], &[0]], 0), numbers[2], "seen from the other side");
        let private = Seed { parent: Communicator::PRIVATE | 3, ..seed };
        assert_ne!(private.number([&[0, 1], &[]], 0) & Communicator::PRIVATE, 0);
    }
}
