//! Whether what is sent is the sum of what was sent from there before and of what has come since: so that a reduction
//! that was written by hand is recognised. "Is" means bit by bit.

use std::sync::Arc;

use commloom_layout::Basic;
use rustc_hash::FxHashMap;

use super::layout::Data;

/// What can be added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element {
    /// The name of the basic type.
    pub name: &'static str,
    kind: Number,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Float,
    Double,
    /// With or without sign: in two's complement both are added alike.
    Int32,
    Int64,
}

impl Element {
    /// `None` for types that are not added up, or that the compiler has no arithmetic for. Complex numbers are
    /// added part by part. Sizes are those of `layout::Basic`.
    pub fn of(basic: Basic) -> Option<Element> {
        let name = basic.name();
        let kind = match name {
            "MPI_FLOAT"
            | "MPI_REAL"
            | "MPI_REAL4"
            | "MPI_COMPLEX"
            | "MPI_COMPLEX8"
            | "MPI_C_COMPLEX"
            | "MPI_CXX_FLOAT_COMPLEX" => Number::Float,
            "MPI_DOUBLE"
            | "MPI_DOUBLE_PRECISION"
            | "MPI_REAL8"
            | "MPI_DOUBLE_COMPLEX"
            | "MPI_COMPLEX16"
            | "MPI_C_DOUBLE_COMPLEX"
            | "MPI_CXX_DOUBLE_COMPLEX" => Number::Double,
            "MPI_INT" | "MPI_UNSIGNED" | "MPI_INT32_T" | "MPI_UINT32_T" | "MPI_INTEGER"
            | "MPI_INTEGER4" => Number::Int32,
            "MPI_LONG"
            | "MPI_UNSIGNED_LONG"
            | "MPI_LONG_LONG_INT"
            | "MPI_UNSIGNED_LONG_LONG"
            | "MPI_INT64_T"
            | "MPI_UINT64_T"
            | "MPI_INTEGER8" => Number::Int64,
            _ => return None,
        };
        Some(Element { name, kind })
    }

    /// Whether `sum` is `a` plus `b`, and not simply `a`. Ends at the first element that is not.
    pub fn is_sum(self, sum: &[u8], a: &[u8], b: &[u8]) -> bool {
        if sum.len() != a.len() || sum.len() != b.len() || sum.is_empty() {
            return false;
        }
        let adds = match self.kind {
            Number::Float => all::<4>(sum, a, b, |x, y| {
                (f32::from_ne_bytes(x) + f32::from_ne_bytes(y)).to_ne_bytes()
            }),
            Number::Double => all::<8>(sum, a, b, |x, y| {
                (f64::from_ne_bytes(x) + f64::from_ne_bytes(y)).to_ne_bytes()
            }),
            Number::Int32 => all::<4>(sum, a, b, |x, y| {
                i32::from_ne_bytes(x).wrapping_add(i32::from_ne_bytes(y)).to_ne_bytes()
            }),
            Number::Int64 => all::<8>(sum, a, b, |x, y| {
                i64::from_ne_bytes(x).wrapping_add(i64::from_ne_bytes(y)).to_ne_bytes()
            }),
        };
        adds && sum != a
    }
}

/// Whether `add` makes all elements of `sum`.
fn all<const N: usize>(
    sum: &[u8],
    a: &[u8],
    b: &[u8],
    add: impl Fn([u8; N], [u8; N]) -> [u8; N],
) -> bool {
    let ([sum, a, b], whole) =
        ([sum, a, b].map(|bytes| bytes.as_chunks::<N>().0), sum.len().is_multiple_of(N));
    whole && sum.iter().zip(a.iter().zip(b)).all(|(sum, (a, b))| *sum == add(*a, *b))
}

/// What was sent last from each buffer, up to a number of bytes in all.
pub(crate) struct Sent {
    last: FxHashMap<(usize, usize), Last>,
    bytes: usize,
    limit: usize,
    /// Counts the messages that were kept.
    clock: u64,
}

struct Last {
    /// Keeps the key its own.
    data: Data,
    /// Number of the event.
    event: u64,
    bytes: Vec<u8>,
    stamp: u64,
}

/// Buffers that are remembered at most.
const BUFFERS: usize = 1024;

impl Sent {
    /// At most so many bytes are kept.
    pub fn new(limit: usize) -> Sent {
        Sent { last: FxHashMap::default(), bytes: 0, limit, clock: 0 }
    }

    /// What was sent from this buffer before: number of the event, and the bytes.
    pub fn before(&self, data: &Data) -> Option<(u64, &[u8])> {
        self.last.get(&data.key()).map(|last| (last.event, last.bytes.as_slice()))
    }

    /// Remembers what is sent now.
    pub fn keep(&mut self, data: &Data, event: u64, bytes: &[u8]) {
        if bytes.len() > self.limit {
            return;
        }
        self.clock += 1;
        let stamp = self.clock;
        if let Some(last) = self.last.get_mut(&data.key()) {
            self.bytes = self.bytes - last.bytes.len() + bytes.len();
            (last.event, last.stamp) = (event, stamp);
            last.bytes.clear();
            last.bytes.extend_from_slice(bytes);
        } else {
            self.bytes += bytes.len();
            let bytes = bytes.to_vec();
            self.last.insert(data.key(), Last { data: data.clone(), event, bytes, stamp });
        }
        while self.bytes > self.limit || self.last.len() > BUFFERS {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let Some(key) = self.last.values().min_by_key(|l| l.stamp).map(|l| l.data.key()) else {
            return;
        };
        if let Some(last) = self.last.remove(&key) {
            self.bytes -= last.bytes.len();
        }
    }
}

/// The element as the trace names it.
impl From<Element> for Arc<str> {
    fn from(element: Element) -> Arc<str> {
        element.name.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(name: &str) -> Element {
        Element::of(Basic::by_name(name).unwrap()).unwrap()
    }

    fn bytes(values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_ne_bytes()).collect()
    }

    #[test]
    fn sums_are_those_bit_by_bit() {
        let double = element("MPI_DOUBLE");
        let (a, b) = (bytes(&[0.1, 1e300, -0.0]), bytes(&[0.2, 1e300, -0.0]));
        assert!(double.is_sum(&bytes(&[0.1 + 0.2, 2e300, -0.0]), &a, &b));
        assert!(!double.is_sum(&bytes(&[0.3, 2e300, -0.0]), &a, &b), "0.1 + 0.2 is not 0.3");
        assert!(!double.is_sum(&bytes(&[0.1 + 0.2, 2e300, 0.0]), &a, &b), "the sign of zero");
        assert!(!double.is_sum(&a, &a, &bytes(&[0.0, 0.0, 0.0])), "nothing was added");
        assert!(!double.is_sum(&a, &a, &b[..16]));
    }

    #[test]
    fn integers_wrap_and_complex_numbers_have_two_parts() {
        let ints = |values: [i32; 2]| values.map(i32::to_ne_bytes).concat();
        let int = element("MPI_INT");
        assert!(int.is_sum(&ints([i32::MIN, 5]), &ints([i32::MAX, 2]), &ints([1, 3])));
        let complex = element("MPI_C_DOUBLE_COMPLEX");
        assert!(complex.is_sum(&bytes(&[3.0, 5.0]), &bytes(&[1.0, 2.0]), &bytes(&[2.0, 3.0])));
        assert_eq!(Element::of(Basic::by_name("MPI_CHAR").unwrap()), None);
    }
}
