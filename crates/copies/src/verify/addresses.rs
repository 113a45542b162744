//! Addresses of what a datatype has parts of.

use std::collections::HashMap;

use super::memory::{Byte, Object};
use super::stop::Stop;

/// Addresses of variables, and of what pointers point to. Their distances are large and all
/// different, so that none of them looks like a stride.
#[derive(Debug, Clone, Default)]
pub(super) struct Addresses {
    numbers: HashMap<Object, usize>,
    pub objects: Vec<Object>,
    /// Of each object, ascending.
    starts: Vec<i64>,
    /// Where the first of them are to begin.
    given: Vec<i64>,
}

impl Addresses {
    /// Room on both sides of each.
    const ROOM: i64 = 1 << 40;

    /// With objects that begin there, in the order in which they are met.
    pub fn placed(given: Vec<i64>) -> Addresses {
        Addresses { given, ..Addresses::default() }
    }

    pub fn of(&mut self, byte: Byte) -> Result<i64, Stop> {
        let at = match self.numbers.get(&byte.object) {
            Some(&at) => at,
            None => {
                let at = self.objects.len();
                let number = i64::try_from(at + 1).map_err(|_| Stop::Limit)?;
                let distances = number.checked_mul(number + 1).ok_or(Stop::Limit)?;
                let start = match self.given.get(at) {
                    Some(&given) => given,
                    None => distances.checked_mul(Addresses::ROOM).ok_or(Stop::Limit)?,
                };
                self.starts.push(start);
                self.objects.push(byte.object);
                self.numbers.insert(byte.object, at);
                at
            }
        };
        self.starts[at].checked_add(byte.offset).ok_or(Stop::Limit)
    }

    /// The object that an address is in, by its number in [`Addresses::objects`], and the distance
    /// from its start.
    pub fn object(&self, address: i64) -> (usize, i64) {
        let end = address.saturating_add(Addresses::ROOM);
        let at = self.starts.partition_point(|&start| start <= end).saturating_sub(1);
        (at, address.wrapping_sub(self.starts.get(at).copied().unwrap_or(0)))
    }
}
