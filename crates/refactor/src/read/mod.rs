//! Front ends: from text to the [`tree`](crate::tree).

pub mod c;
pub mod fortran;
