//! Which messages are looked at as a whole: hashed, kept and searched for what they are made of.
//!
//! That costs more than sending a message through shared memory. Short messages are looked at
//! always. Of longer ones those of each call in the program until [`CREDIT`] of them were all new;
//! from then on only at some places of each ([`probes`](super::layout::Content::probes)), which
//! tell when something is passed on or added up after all. A halo exchange pays for its first
//! steps.

use std::sync::Arc;

use commloom_trace::Site;
use rustc_hash::FxHashMap;

/// Messages up to this length are looked at always, in bytes.
pub(super) const SHORT: usize = 1024;
/// Messages of one call, all of them new, after which the others are not looked at.
const CREDIT: u32 = 48;
/// Calls that are remembered.
const CALLS: usize = 4096;

pub(crate) struct Attention {
    /// Messages that will be looked at, by call and length in powers of two: of a program whose
    /// messages get shorter step by step none is the first.
    credit: FxHashMap<Call, u32>,
    /// Everything is looked at.
    all: bool,
}

/// Messages of one call and length have much in common.
pub(super) type Call = (usize, usize);

pub(super) fn call(site: Option<&Arc<Site>>, length: usize) -> Call {
    (site.map_or(0, |site| Arc::as_ptr(site).addr()), length)
}

fn class(length: usize) -> usize {
    usize::try_from(length.max(1).ilog2()).unwrap_or(0)
}

impl Attention {
    /// Of a process all of whose messages may be wanted.
    pub fn new(all: bool) -> Attention {
        Attention { credit: FxHashMap::default(), all }
    }

    /// Whether this message is looked at.
    pub fn wants(&mut self, site: Option<&Arc<Site>>, length: usize) -> bool {
        if length <= SHORT || self.all {
            return true;
        }
        if self.credit.len() >= CALLS {
            self.credit.clear();
        }
        let credit = self.credit.entry(call(site, class(length))).or_insert(CREDIT);
        let wants = *credit > 0;
        *credit = credit.saturating_sub(1);
        wants
    }

    /// Something was found of messages of about this length: they are looked at, whoever sends or
    /// receives them.
    pub fn wake(&mut self, length: usize) {
        let class = class(length);
        let alike = self.credit.iter_mut().filter(|((_, other), _)| *other == class);
        alike.for_each(|(_, credit)| *credit = CREDIT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn site(offset: u64) -> Option<Arc<Site>> {
        Some(Arc::new(Site { module: "a".to_owned(), offset }))
    }

    #[test]
    fn a_call_whose_messages_are_all_new_is_left_alone_until_something_is_found() {
        let mut attention = Attention::new(false);
        let (here, there) = (site(1), site(2));
        for _ in 0..CREDIT {
            assert!(attention.wants(here.as_ref(), 8192));
        }
        assert!(!attention.wants(here.as_ref(), 8192), "none of them was found anything of");
        assert!(attention.wants(there.as_ref(), 8192), "another call");
        assert!(attention.wants(here.as_ref(), 20_000), "another length");
        assert!(attention.wants(here.as_ref(), SHORT));
        attention.wake(20_000);
        assert!(!attention.wants(here.as_ref(), 8192));
        attention.wake(9000);
        assert!(attention.wants(here.as_ref(), 8192));
        let mut all = Attention::new(true);
        assert!((0..2 * CREDIT).all(|_| all.wants(here.as_ref(), 8192)));
    }
}
