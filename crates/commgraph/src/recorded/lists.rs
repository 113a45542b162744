//! A list for each of many: one vector for all of them, where a vector for each would take more
//! memory than what is in it.

use crate::number::at;

/// Lists by number.
pub(super) struct Lists<T> {
    /// Where each ends in `all`; the first begins at 0.
    ends: Vec<usize>,
    all: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { ends: Vec::new(), all: Vec::new() }
    }
}

impl<T> Lists<T> {
    /// Adds the next list.
    pub fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.all.extend(list);
        self.ends.push(self.all.len());
    }

    /// The list of a number.
    pub fn of(&self, number: usize) -> &[T] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[number]]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.ends.len()).map(|number| self.of(number))
    }
}

impl Lists<u32> {
    /// The places of each of so many values, in order. O(n).
    pub fn places(count: usize, values: &[u32]) -> Lists<u32> {
        let mut ends = vec![0; count];
        values.iter().for_each(|value| ends[at(*value)] += 1);
        let mut next = 0;
        for end in &mut ends {
            next += std::mem::replace(end, next);
        }
        let mut all = vec![0; values.len()];
        for (place, value) in (0..).zip(values) {
            let end = &mut ends[at(*value)];
            all[*end] = place;
            *end += 1;
        }
        Lists { ends, all }
    }
}
