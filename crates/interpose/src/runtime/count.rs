//! Counts and displacements as the calls of MPI have them: `int`, or `MPI_Count` and `MPI_Aint` in
//! the forms whose names end in `_c` (MPI 4.1, section 2.5.8). Inside this crate all of them are
//! 64 bits wide; each wrapped function is written once for both.

use std::ffi::c_int;

use commloom_mpi::{Aint, Count};

/// An integer argument of a call.
pub trait Integer: Copy + Default + 'static {
    /// Its value.
    fn wide(self) -> i64;
    /// The argument with this value; `None` where it is past what the call can say.
    fn narrow(value: i64) -> Option<Self>;
}

/// A number of elements, or of bytes of a packed buffer.
pub trait CallCount: Integer {
    /// Displacements in the same call, in elements.
    type Displacement: Integer;
}

macro_rules! integers {
    ($($ty:ty),*) => {
        $(
            impl Integer for $ty {
                fn wide(self) -> i64 {
                    // Nothing is lost: no type of MPI is wider on the systems that this builds
                    // for.
                    i64::try_from(self).unwrap_or(i64::MAX)
                }

                fn narrow(value: i64) -> Option<Self> {
                    <$ty>::try_from(value).ok()
                }
            }
        )*
    };
}

integers!(c_int, Count, Aint);

impl CallCount for c_int {
    type Displacement = c_int;
}

impl CallCount for Count {
    type Displacement = Aint;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_cannot_say_is_refused() {
        assert_eq!(<c_int as Integer>::narrow(1 << 31), None);
        assert_eq!(<Count as Integer>::narrow(1 << 31), Some(1 << 31));
        assert_eq!(<c_int as Integer>::narrow(-5), Some(-5));
        assert_eq!(Aint::MIN.wide(), i64::MIN);
    }
}
