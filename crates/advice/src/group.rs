//! Findings that are one piece of advice.

use std::collections::BTreeSet;

use crate::finding::Finding;
use crate::model::Predicted;
use crate::place::Called;
use crate::replacement::Replacement;
use crate::whole::Unseen;

/// Findings of one kind at the same places, and what is written for them.
pub struct Group<'f, 'a> {
    pub same: Vec<&'f Finding<'a>>,
    pub most: &'f Finding<'a>,
    pub groups: BTreeSet<Vec<u32>>,
    pub written: Replacement,
    pub predicted: Predicted,
    /// Why that is not printed.
    pub withheld: Option<String>,
    /// The needs of the call that the trace does not show.
    pub conditions: Vec<String>,
    /// The same at times when the recorder did not look at it.
    pub unseen: Unseen,
    /// All messages that its lines send.
    pub sent_there: u64,
}

/// A message: its part, and its number there.
pub type Number = (usize, usize);

impl Group<'_, '_> {
    /// How often it was found.
    pub fn times(&self) -> u64 {
        self.same.iter().map(|finding| finding.ran.times()).sum()
    }

    /// The lines of its messages.
    pub fn lines(&self) -> BTreeSet<(bool, &Called)> {
        let of = |are_sent| {
            let places = self.same.iter().flat_map(move |finding| finding.places(are_sent));
            places.map(move |place| (are_sent, place))
        };
        of(true).chain(of(false)).collect()
    }

    /// Its messages.
    pub fn numbers(&self) -> BTreeSet<Number> {
        let of = |f: &&Finding| f.ends.keys().map(|number| (f.part, *number)).collect::<Vec<_>>();
        self.same.iter().flat_map(of).collect()
    }
}
