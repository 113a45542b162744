//! Conversions between the integers of layouts and of MPI. Everything here is small by
//! construction; what is not ends the test.

use std::ffi::c_int;

/// A count, rank or displacement as a C `int`.
pub fn int<T: TryInto<c_int>>(n: T) -> c_int {
    n.try_into().unwrap_or_else(|_| panic!("a number that fits in a C int"))
}

/// A number with 64 bits and sign.
pub fn wide<T: TryInto<i64>>(n: T) -> i64 {
    n.try_into().unwrap_or_else(|_| panic!("a number that fits in 64 bits"))
}

/// A number of bytes or things in memory.
pub fn length<T: TryInto<usize>>(n: T) -> usize {
    n.try_into().unwrap_or_else(|_| panic!("a length"))
}

/// An address or displacement in bytes.
pub fn aint<T: TryInto<isize>>(n: T) -> isize {
    n.try_into().unwrap_or_else(|_| panic!("an address"))
}
