//! Arithmetic of numbers in bytes, as MPI's operations and the loops of programs do it.

use commloom_trace::Operator;

/// Whether a number is the sum of two.
#[inline(always)]
pub(super) fn adds<const N: usize>(
    sum: &[u8],
    a: &[u8],
    b: &[u8],
    add: impl Fn([u8; N], [u8; N]) -> [u8; N],
) -> bool {
    match (a.first_chunk(), b.first_chunk()) {
        (Some(a), Some(b)) => sum == add(*a, *b),
        _ => false,
    }
}

/// The first place, from one on, where a number has grown as it is told.
#[inline(always)]
pub(super) fn grows<const N: usize>(
    (before, now): (&[u8], &[u8]),
    from: usize,
    grown: impl Fn([u8; N]) -> [u8; N],
) -> Option<usize> {
    let (before, now) = (before.as_chunks::<N>().0, now.as_chunks::<N>().0);
    let mut pairs = before.iter().zip(now).enumerate().skip(from);
    pairs.find(|(_, (old, new))| old != new && grown(**old) == **new).map(|(at, _)| at)
}

pub(super) trait Real:
    Copy + PartialOrd + std::ops::Add<Output = Self> + std::ops::Mul<Output = Self>
{
}
impl Real for f32 {}
impl Real for f64 {}

/// Two floating-point numbers, combined.
pub(super) fn float<T: Real>(operator: Operator, x: T, y: T) -> T {
    match operator {
        Operator::Sum => x + y,
        Operator::Product => x * y,
        Operator::Min => {
            if y < x {
                y
            } else {
                x
            }
        }
        Operator::Max => {
            if y > x {
                y
            } else {
                x
            }
        }
    }
}

/// Whether of some pair none is the larger one, and they are not equal bit by bit, or no numbers.
pub(super) fn unordered<const N: usize, T: PartialOrd>(
    a: &[u8],
    b: &[u8],
    number: impl Fn([u8; N]) -> T,
) -> bool {
    let mut pairs = a.as_chunks::<N>().0.iter().zip(b.as_chunks::<N>().0);
    pairs.any(|(a, b)| {
        let (x, y) = (number(*a), number(*b));
        x.partial_cmp(&y).is_none_or(|order| order.is_eq() && a != b)
    })
}

/// Two integers, combined.
pub(super) fn whole<T: Ord + Copy>(
    operator: Operator,
    x: T,
    y: T,
    add: impl Fn(T, T) -> T,
    multiply: impl Fn(T, T) -> T,
) -> T {
    match operator {
        Operator::Sum => add(x, y),
        Operator::Product => multiply(x, y),
        Operator::Min => x.min(y),
        Operator::Max => x.max(y),
    }
}

/// Combines the numbers of two arrays, one by one.
pub(super) fn each<const N: usize>(
    a: &mut [u8],
    b: &[u8],
    combine: impl Fn([u8; N], [u8; N]) -> [u8; N],
) {
    let (a, b) = (a.as_chunks_mut::<N>().0, b.as_chunks::<N>().0);
    for (x, y) in a.iter_mut().zip(b) {
        *x = combine(*x, *y);
    }
}
