//! One call with a C `int` or a large count.

/// Calls `plain` of a table of functions with the count as a C `int`, or `large` with a 64-bit
/// count where that is wanted and the library has it. Arguments: those before the count, the
/// count, those after it.
macro_rules! sized {
    ($f:expr, $plain:ident, $large:ident, $wanted:expr,
     ($($before:expr),*), $count:expr, ($($after:expr),*)) => {
        match $f.$large.filter(|_| $wanted) {
            Some(large) => large($($before,)* $crate::number::wide($count), $($after),*),
            None => ($f.$plain)($($before,)* $crate::number::int($count), $($after),*),
        }
    };
}

pub(crate) use sized;
