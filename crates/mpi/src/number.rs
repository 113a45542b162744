//! Conversions between the integers of MPI and of layouts, all checked. Casts live here only.

use std::ffi::c_int;

/// A C `int`, an `MPI_Aint`, a length or a size of a layout as a signed 64-bit number. All of them
/// fit (this crate builds for 64-bit systems only); anything else would become the largest number.
pub(crate) fn wide<T>(n: T) -> i64
where
    i64: TryFrom<T>,
{
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// A number of things as the length of a buffer.
pub(crate) fn length(n: i64) -> Option<usize> {
    usize::try_from(n).ok()
}

/// A list as C integers, or `None` where one does not fit.
pub(crate) fn ints<T: Copy>(list: &[T]) -> Option<Vec<c_int>>
where
    c_int: TryFrom<T>,
{
    list.iter().map(|&n| c_int::try_from(n).ok()).collect()
}

/// A list as 64-bit integers, or `None` where one does not fit.
pub(crate) fn counts<T: Copy>(list: &[T]) -> Option<Vec<i64>>
where
    i64: TryFrom<T>,
{
    list.iter().map(|&n| i64::try_from(n).ok()).collect()
}

/// A displacement in bytes as an `MPI_Aint`, which is as wide.
pub(crate) fn aint(n: i64) -> isize {
    isize::try_from(n).unwrap_or(isize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(ints(&[1u64, 1 << 31]), None);
        assert_eq!(ints(&[1u64, (1 << 31) - 1]), Some(vec![1, c_int::MAX]));
        assert_eq!(counts(&[u64::MAX]), None);
        assert_eq!(length(-1), None);
        assert_eq!((wide(-7), aint(i64::MIN)), (-7i64, isize::MIN));
    }
}
