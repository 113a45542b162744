//! Who uses which channel: messages between two processes of a communicator with one tag, seen
//! from one of them.
//!
//! MPI matches the messages of a channel with its receives in the order in which both were started
//! (MPI 4.1, section 3.5). A group may be replaced only while nobody else uses its channels: then
//! its k-th start here is matched by its k-th start there, and leaving out the same starts on both
//! sides changes no other message.

use std::collections::hash_map::Entry;
use std::ffi::c_int;

use rustc_hash::FxHashMap;

/// One end of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Channel {
    /// The number of the communicator.
    pub comm: usize,
    pub way: Way,
    pub peer: c_int,
    pub tag: c_int,
}

/// Which end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    Out,
    In,
}

/// A receive that takes messages of several channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Wild {
    pub comm: usize,
    /// `None`: of anyone.
    pub source: Option<c_int>,
    /// `None`: with any tag.
    pub tag: Option<c_int>,
}

impl Wild {
    fn takes(&self, channel: &Channel) -> bool {
        channel.way == Way::In
            && channel.comm == self.comm
            && self.source.is_none_or(|source| source == channel.peer)
            && self.tag.is_none_or(|tag| tag == channel.tag)
    }
}

/// Who has ever used a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum User {
    /// The group of this number, alone.
    Group(usize),
    Others,
}

/// Channels that are remembered. Past that no more groups are taken.
const MOST: usize = 1 << 16;

/// All channels of this process.
#[derive(Debug, Default)]
pub(super) struct Channels {
    users: FxHashMap<Channel, User>,
    wild: Vec<Wild>,
    /// Something was forgotten.
    full: bool,
}

impl Channels {
    /// Messages of this channel that belong to no group; back comes the group that this spoils.
    pub fn used(&mut self, channel: Channel) -> Option<usize> {
        let full = self.users.len() >= MOST;
        match self.users.entry(channel) {
            Entry::Occupied(mut known) => match known.insert(User::Others) {
                User::Group(group) => Some(group),
                User::Others => None,
            },
            Entry::Vacant(_) if full => {
                self.full = true;
                None
            }
            Entry::Vacant(free) => {
                free.insert(User::Others);
                None
            }
        }
    }

    /// A receive that may take messages of several; the groups that this spoils.
    pub fn used_wildly(&mut self, wild: Wild) -> Vec<usize> {
        if self.wild.contains(&wild) {
            return Vec::new();
        }
        match self.wild.len() < MOST / 64 {
            true => self.wild.push(wild),
            false => self.full = true,
        }
        let mut spoilt = Vec::new();
        for (channel, user) in &mut self.users {
            if let (User::Group(group), true) = (*user, wild.takes(channel)) {
                *user = User::Others;
                spoilt.push(group);
            }
        }
        spoilt
    }

    /// Gives these channels to a group, if nobody else has used one of them.
    pub fn claim(&mut self, channels: &[Channel], group: usize) -> bool {
        let user = User::Group(group);
        let free = |channel: &Channel| match self.users.get(channel) {
            Some(known) => *known == user,
            None => !self.wild.iter().any(|wild| wild.takes(channel)),
        };
        if self.full || self.users.len() + channels.len() > MOST || !channels.iter().all(free) {
            return false;
        }
        self.users.extend(channels.iter().map(|channel| (*channel, user)));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TO_1: Channel = Channel { comm: 0, way: Way::Out, peer: 1, tag: 5 };
    const OF_1: Channel = Channel { way: Way::In, ..TO_1 };

    #[test]
    fn a_channel_belongs_to_one_group_or_to_others() {
        let mut channels = Channels::default();
        assert!(channels.claim(&[TO_1, TO_1, OF_1], 0), "several messages of one channel");
        assert!(!channels.claim(&[OF_1], 1));
        assert_eq!(channels.used(Channel { tag: 6, ..TO_1 }), None);
        assert!(!channels.claim(&[Channel { tag: 6, ..TO_1 }], 1), "it was used before");
        assert_eq!(channels.used(TO_1), Some(0));
        assert_eq!(channels.used(TO_1), None, "once is enough");
    }

    #[test]
    fn receives_from_anyone_take_what_comes_in_on_their_communicator() {
        let mut channels = Channels::default();
        assert!(channels.claim(&[TO_1, OF_1], 0));
        let wild = Wild { comm: 1, source: None, tag: None };
        assert!(channels.used_wildly(wild).is_empty());
        assert!(channels.used_wildly(Wild { comm: 0, source: None, tag: Some(6) }).is_empty());
        assert_eq!(channels.used_wildly(Wild { comm: 0, source: None, tag: Some(5) }), vec![0]);
        assert!(!channels.claim(&[Channel { comm: 1, ..OF_1 }], 1));
        assert!(channels.claim(&[Channel { comm: 1, ..TO_1 }], 1), "sends are not received");
    }

    #[test]
    fn what_is_forgotten_is_never_given_to_a_group() {
        let mut channels = Channels::default();
        for tag in 0..=c_int::try_from(MOST).unwrap() {
            assert_eq!(channels.used(Channel { tag, ..TO_1 }), None);
        }
        assert!(!channels.claim(&[OF_1], 0));
        assert!(channels.users.len() <= MOST);
    }
}
