//! The arithmetic of reductions on bytes: those of MPI's predefined operations and types that Rust
//! has too.

use crate::operation::{Combine, Reduction};

/// `into = into (operation) from`, element by element; both have the same length.
pub(super) type Combiner = fn(&mut [u8], &[u8]);

/// The kind of numbers of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    Signed(u64),
    Unsigned(u64),
    Float(u64),
    /// Pairs of floating-point numbers.
    Complex(u64),
    /// Not zero is true.
    Logical(u64),
}

fn numbers(reduction: Reduction) -> Option<Numbers> {
    let size = reduction.element.size();
    Some(match reduction.element.name().strip_prefix("MPI_")? {
        "SIGNED_CHAR" | "SHORT" | "INT" | "LONG" | "LONG_LONG_INT" | "INT8_T" | "INT16_T"
        | "INT32_T" | "INT64_T" | "AINT" | "COUNT" | "OFFSET" | "INTEGER" | "INTEGER1"
        | "INTEGER2" | "INTEGER4" | "INTEGER8" => Numbers::Signed(size),
        "UNSIGNED_CHAR" | "BYTE" | "UNSIGNED_SHORT" | "UNSIGNED" | "UNSIGNED_LONG"
        | "UNSIGNED_LONG_LONG" | "UINT8_T" | "UINT16_T" | "UINT32_T" | "UINT64_T" => {
            Numbers::Unsigned(size)
        }
        "FLOAT" | "DOUBLE" | "REAL" | "DOUBLE_PRECISION" | "REAL4" | "REAL8" => {
            Numbers::Float(size)
        }
        "C_COMPLEX" | "C_DOUBLE_COMPLEX" | "CXX_FLOAT_COMPLEX" | "CXX_DOUBLE_COMPLEX"
        | "COMPLEX" | "DOUBLE_COMPLEX" | "COMPLEX8" | "COMPLEX16" => Numbers::Complex(size / 2),
        "C_BOOL" | "CXX_BOOL" | "LOGICAL" | "LOGICAL1" | "LOGICAL2" | "LOGICAL4" | "LOGICAL8" => {
            Numbers::Logical(size)
        }
        _ => return None,
    })
}

macro_rules! each {
    ($t:ty, $f:expr) => {
        Some(|into: &mut [u8], from: &[u8]| {
            const SIZE: usize = size_of::<$t>();
            let f: fn($t, $t) -> $t = $f;
            let (into, _) = into.as_chunks_mut::<SIZE>();
            for (a, b) in into.iter_mut().zip(from.as_chunks::<SIZE>().0) {
                *a = f(<$t>::from_ne_bytes(*a), <$t>::from_ne_bytes(*b)).to_ne_bytes();
            }
        })
    };
}

macro_rules! whole {
    ($t:ty, $combine:expr) => {
        match $combine {
            Combine::Sum => each!($t, |a, b| a.wrapping_add(b)),
            Combine::Product => each!($t, |a, b| a.wrapping_mul(b)),
            Combine::Min => each!($t, |a, b| a.min(b)),
            Combine::Max => each!($t, |a, b| a.max(b)),
            Combine::BitAnd => each!($t, |a, b| a & b),
            Combine::BitOr => each!($t, |a, b| a | b),
            Combine::BitXor => each!($t, |a, b| a ^ b),
            Combine::LogicalAnd => each!($t, |a, b| <$t>::from(a != 0 && b != 0)),
            Combine::LogicalOr => each!($t, |a, b| <$t>::from(a != 0 || b != 0)),
            Combine::LogicalXor => each!($t, |a, b| <$t>::from((a != 0) != (b != 0))),
            Combine::User(_) => None,
        }
    };
}

macro_rules! float {
    ($t:ty, $combine:expr) => {
        match $combine {
            Combine::Sum => each!($t, |a, b| a + b),
            Combine::Product => each!($t, |a, b| a * b),
            Combine::Min => each!($t, |a, b| a.min(b)),
            Combine::Max => each!($t, |a, b| a.max(b)),
            _ => None,
        }
    };
}

/// How elements are combined; `None` for what is not known here.
pub(super) fn combiner(reduction: Reduction) -> Option<Combiner> {
    let combine = reduction.combine;
    let logical = matches!(combine, Combine::LogicalAnd | Combine::LogicalOr | Combine::LogicalXor);
    match numbers(reduction)? {
        Numbers::Signed(1) => whole!(i8, combine),
        Numbers::Signed(2) => whole!(i16, combine),
        Numbers::Signed(4) => whole!(i32, combine),
        Numbers::Signed(8) => whole!(i64, combine),
        Numbers::Unsigned(1) => whole!(u8, combine),
        Numbers::Unsigned(2) => whole!(u16, combine),
        Numbers::Unsigned(4) => whole!(u32, combine),
        Numbers::Unsigned(8) => whole!(u64, combine),
        Numbers::Float(4) => float!(f32, combine),
        Numbers::Float(8) => float!(f64, combine),
        // Sums of pairs are sums of their parts; nothing else is.
        Numbers::Complex(4) if combine == Combine::Sum => float!(f32, combine),
        Numbers::Complex(8) if combine == Combine::Sum => float!(f64, combine),
        Numbers::Logical(1) if logical => whole!(u8, combine),
        Numbers::Logical(2) if logical => whole!(u16, combine),
        Numbers::Logical(4) if logical => whole!(u32, combine),
        Numbers::Logical(8) if logical => whole!(u64, combine),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use commloom_layout::Basic;

    use super::*;

    #[test]
    fn elements_are_combined_as_numbers_of_their_type() {
        let run = |combine, element, mut into: Vec<u8>, from: &[u8]| {
            combiner(Reduction { combine, element }).expect("known")(&mut into, from);
            into
        };
        let bytes = |n: i32| n.to_ne_bytes().to_vec();
        assert_eq!(run(Combine::Sum, Basic::INT, bytes(-7), &bytes(300)), bytes(293));
        assert_eq!(run(Combine::Min, Basic::INT, bytes(-7), &bytes(300)), bytes(-7));
        assert_eq!(run(Combine::Max, Basic::UNSIGNED, bytes(-7), &bytes(300)), bytes(-7));
        assert_eq!(run(Combine::LogicalAnd, Basic::INT, bytes(-7), &bytes(300)), bytes(1));
        let pair = |a: f64, b: f64| [a.to_ne_bytes(), b.to_ne_bytes()].concat();
        let sum = run(Combine::Sum, Basic::C_DOUBLE_COMPLEX, pair(1.5, 2.0), &pair(1.0, -3.0));
        assert_eq!(sum, pair(2.5, -1.0));
        let unknown = Reduction { combine: Combine::Product, element: Basic::C_DOUBLE_COMPLEX };
        assert!(combiner(unknown).is_none());
    }
}
