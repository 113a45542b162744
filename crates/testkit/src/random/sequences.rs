//! Random displacement sequences, by family.

use commloom_layout::{Basic, Type};

use super::{Limits, Rng};
use crate::oracle;

/// The kind of regularity of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// A path of vec and idx nodes, from displacement 0.
    Nested,
    /// A nested sequence moved as a whole.
    Shifted,
    /// A nested sequence with one displacement changed.
    OneChanged,
    /// A nested sequence with one displacement left out.
    OneMissing,
    /// Two nested sequences, one after the other.
    Concatenated,
    /// Buckets of different lengths.
    Buckets,
    /// Independent displacements.
    Noise,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 7] = [
        Family::Nested,
        Family::Shifted,
        Family::OneChanged,
        Family::OneMissing,
        Family::Concatenated,
        Family::Buckets,
        Family::Noise,
    ];
}

/// A random sequence of this family, of 1 to `most` displacements in bytes.
pub fn random_sequence(rng: &mut Rng, family: Family, most: usize) -> Vec<i64> {
    match family {
        Family::Nested => nested(rng, most),
        Family::Shifted => {
            let shift = rng.i64(-50..50);
            nested(rng, most).into_iter().map(|d| d + shift).collect()
        }
        Family::OneChanged => {
            let mut sequence = nested(rng, most);
            let k = rng.usize(0..sequence.len());
            sequence[k] += rng.i64(1..5);
            sequence
        }
        Family::OneMissing => {
            let mut sequence = nested(rng, most);
            if sequence.len() > 1 {
                sequence.remove(rng.usize(0..sequence.len()));
            }
            sequence
        }
        Family::Concatenated => {
            let mut sequence = nested(rng, most.div_ceil(2));
            let shift = sequence.iter().max().expect("not empty") + rng.i64(1..20);
            sequence.extend(nested(rng, most.div_ceil(2)).into_iter().map(|d| d + shift));
            sequence.truncate(most.max(1));
            sequence
        }
        Family::Buckets => {
            let stride = rng.i64(1..4);
            let (mut sequence, mut at) = (Vec::new(), 0);
            while sequence.len() < most && rng.u32(0..8) > 0 || sequence.is_empty() {
                let length = rng.i64(1..6);
                sequence.extend((0..length).map(|k| at + k * stride));
                at += length * stride + rng.i64(1..4);
            }
            sequence.truncate(most.max(1));
            sequence
        }
        Family::Noise => {
            let n = rng.usize(1..=most.max(1));
            (0..n).map(|_| rng.i64(-100..1000)).collect()
        }
    }
}

/// A path of up to four levels, cut off nowhere: a whole number of copies at each level.
fn nested(rng: &mut Rng, most: usize) -> Vec<i64> {
    let limits = Limits { bytes: u64::try_from(most).expect("small"), ..Limits::default() };
    let mut path = Type::leaf(Basic::BYTE);
    for _ in 0..rng.usize(1..5) {
        let room = limits.bytes / path.size().max(1);
        if room < 2 {
            break;
        }
        let count = rng.u64(2..=room.min(9));
        let made = if rng.bool() {
            Type::vec(count, path.true_extent() + rng.i64(0..12), path.clone())
        } else {
            let mut at = 0;
            let indices: Vec<i64> = (0..count)
                .map(|_| {
                    let here = at;
                    at += path.true_extent() + rng.i64(0..9);
                    here
                })
                .collect();
            Type::idx(indices, path.clone())
        };
        path = made.expect("small numbers");
    }
    oracle::displacements(&path)
}
