//! How often each block is repeated from each place.

use std::collections::HashMap;

/// For a place i and a length q: how many equal blocks of q tokens follow each other from i, and
/// how many of them start at equal distances.
pub(super) struct Repetitions {
    equal: Vec<Vec<u32>>,
    strided: Vec<Vec<u32>>,
    /// For each q: ranks of the differences `starts[t+q] - starts[t]`, filled when asked for.
    ranks: Vec<Vec<u32>>,
}

impl Repetitions {
    /// O(n^2) time and space.
    pub(super) fn new(starts: &[i64], atoms: &[u32]) -> Repetitions {
        let n = starts.len();
        let both = (1..=n / 2).map(|q| counts(starts, atoms, q));
        let (equal, strided) = both.unzip();
        Repetitions { equal, strided, ranks: vec![Vec::new(); n / 2] }
    }

    /// Equal blocks from `i`, itself included.
    pub(super) fn equal(&self, i: usize, q: usize) -> usize {
        at(&self.equal, i, q)
    }

    /// Equal blocks from `i` whose starts are equally far apart, itself included: at least 2 where
    /// there are two equal blocks.
    pub(super) fn strided(&self, i: usize, q: usize) -> usize {
        at(&self.strided, i, q)
    }

    /// Equal numbers for equal differences `starts[t+q] - starts[t]`, below n.
    pub(super) fn ranks(&mut self, starts: &[i64], q: usize) -> &[u32] {
        let ranks = &mut self.ranks[q - 1];
        if ranks.is_empty() {
            let mut seen = HashMap::new();
            ranks.extend(starts.iter().zip(&starts[q..]).map(|(a, b)| {
                let next = u32::try_from(seen.len()).expect("n is far below 2^32");
                *seen.entry(b - a).or_insert(next)
            }));
        }
        ranks
    }
}

fn at(table: &[Vec<u32>], i: usize, q: usize) -> usize {
    let found = table.get(q - 1).and_then(|row| row.get(i));
    found.map_or(1, |&blocks| usize::try_from(blocks).expect("32 bits fit"))
}

/// Both numbers for all places i with room for two blocks of q.
fn counts(starts: &[i64], atoms: &[u32], q: usize) -> (Vec<u32>, Vec<u32>) {
    let places = starts.len() - 2 * q + 1;
    let (mut equal, mut strided) = (vec![1; places], vec![1; places]);
    let distance = |t: usize| starts[t + q] - starts[t];
    // How far from t on the atoms and the steps are those q later.
    let (mut same_atoms, mut same_steps) = (0, 0);
    for t in (0..starts.len() - q).rev() {
        same_atoms = if atoms[t] == atoms[t + q] { same_atoms + 1 } else { 0 };
        if t + q + 1 < starts.len() {
            let same = distance(t) == distance(t + 1);
            same_steps = if same { same_steps + 1 } else { 0 };
        }
        if t < places && same_atoms >= q && same_steps + 1 >= q {
            let next = t + q;
            equal[t] = 1 + equal.get(next).copied().unwrap_or(1);
            let goes_on = next < places && equal[next] >= 2 && distance(t) == distance(next);
            strided[t] = if goes_on { 1 + strided[next] } else { 2 };
        }
    }
    (equal, strided)
}
