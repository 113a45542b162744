//! The MPI basic datatypes: name, size and alignment (MPI 4.1, sections 3.2.2 and 19.1.5).

use std::fmt;

/// An MPI basic datatype: `size` contiguous bytes of one kind.
///
/// Two basic types are equal when MPI treats them as the same element of a type signature, so
/// `MPI_INT` and `MPI_INTEGER` differ although both are four bytes. Pair types such as
/// `MPI_DOUBLE_INT` are not basic here: [`Type::predefined`](crate::Type::predefined) gives them
/// as the structs that they are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Basic(u8);

struct Info {
    name: &'static str,
    size: u8,
    align: u8,
}

macro_rules! basics {
    ($($id:ident $size:literal $align:literal $doc:literal;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u8)]
        enum Index { $($id),* }

        impl Basic {
            $(#[doc = $doc] pub const $id: Basic = Basic(Index::$id as u8);)*
        }

        const TABLE: &[Info] = &[
            $(Info { name: concat!("MPI_", stringify!($id)), size: $size, align: $align }),*
        ];
    };
}

// Sizes are those of LP64 systems (Linux, macOS) on x86-64 and aarch64; `mpi` checks them against
// the installed library (`MPI_Type_size`) before it uses them.
basics! {
    CHAR 1 1 "C `char`, as printable character.";
    SIGNED_CHAR 1 1 "C `signed char`.";
    UNSIGNED_CHAR 1 1 "C `unsigned char`.";
    BYTE 1 1 "Uninterpreted byte.";
    PACKED 1 1 "Output of `MPI_Pack`.";
    WCHAR 4 4 "C `wchar_t`.";
    SHORT 2 2 "C `short`.";
    UNSIGNED_SHORT 2 2 "C `unsigned short`.";
    INT 4 4 "C `int`.";
    UNSIGNED 4 4 "C `unsigned`.";
    LONG 8 8 "C `long`.";
    UNSIGNED_LONG 8 8 "C `unsigned long`.";
    LONG_LONG_INT 8 8 "C `long long`.";
    UNSIGNED_LONG_LONG 8 8 "C `unsigned long long`.";
    FLOAT 4 4 "C `float`.";
    DOUBLE 8 8 "C `double`.";
    LONG_DOUBLE 16 16 "C `long double`.";
    C_BOOL 1 1 "C `_Bool`.";
    INT8_T 1 1 "C `int8_t`.";
    INT16_T 2 2 "C `int16_t`.";
    INT32_T 4 4 "C `int32_t`.";
    INT64_T 8 8 "C `int64_t`.";
    UINT8_T 1 1 "C `uint8_t`.";
    UINT16_T 2 2 "C `uint16_t`.";
    UINT32_T 4 4 "C `uint32_t`.";
    UINT64_T 8 8 "C `uint64_t`.";
    AINT 8 8 "`MPI_Aint`.";
    COUNT 8 8 "`MPI_Count`.";
    OFFSET 8 8 "`MPI_Offset`.";
    C_COMPLEX 8 4 "C `float _Complex`.";
    C_DOUBLE_COMPLEX 16 8 "C `double _Complex`.";
    C_LONG_DOUBLE_COMPLEX 32 16 "C `long double _Complex`.";
    CXX_BOOL 1 1 "C++ `bool`.";
    CXX_FLOAT_COMPLEX 8 4 "C++ `std::complex<float>`.";
    CXX_DOUBLE_COMPLEX 16 8 "C++ `std::complex<double>`.";
    CXX_LONG_DOUBLE_COMPLEX 32 16 "C++ `std::complex<long double>`.";
    CHARACTER 1 1 "Fortran `CHARACTER(1)`.";
    LOGICAL 4 4 "Fortran `LOGICAL`.";
    INTEGER 4 4 "Fortran `INTEGER`.";
    REAL 4 4 "Fortran `REAL`.";
    DOUBLE_PRECISION 8 8 "Fortran `DOUBLE PRECISION`.";
    COMPLEX 8 4 "Fortran `COMPLEX`.";
    DOUBLE_COMPLEX 16 8 "Fortran `DOUBLE COMPLEX`.";
    INTEGER1 1 1 "Fortran `INTEGER*1`.";
    INTEGER2 2 2 "Fortran `INTEGER*2`.";
    INTEGER4 4 4 "Fortran `INTEGER*4`.";
    INTEGER8 8 8 "Fortran `INTEGER*8`.";
    INTEGER16 16 16 "Fortran `INTEGER*16`.";
    REAL2 2 2 "Fortran `REAL*2`.";
    REAL4 4 4 "Fortran `REAL*4`.";
    REAL8 8 8 "Fortran `REAL*8`.";
    REAL16 16 16 "Fortran `REAL*16`.";
    COMPLEX4 4 2 "Fortran `COMPLEX*4`.";
    COMPLEX8 8 4 "Fortran `COMPLEX*8`.";
    COMPLEX16 16 8 "Fortran `COMPLEX*16`.";
    COMPLEX32 32 16 "Fortran `COMPLEX*32`.";
    LOGICAL1 1 1 "Fortran `LOGICAL*1`.";
    LOGICAL2 2 2 "Fortran `LOGICAL*2`.";
    LOGICAL4 4 4 "Fortran `LOGICAL*4`.";
    LOGICAL8 8 8 "Fortran `LOGICAL*8`.";
    LOGICAL16 16 16 "Fortran `LOGICAL*16`.";
}

/// Other names of the same types (MPI 4.1, table 3.2: synonyms).
const ALIASES: &[(&str, Basic)] = &[
    ("MPI_LONG_LONG", Basic::LONG_LONG_INT),
    ("MPI_C_FLOAT_COMPLEX", Basic::C_COMPLEX),
    ("MPI_UNSIGNED_INT", Basic::UNSIGNED),
];

impl Basic {
    /// The basic type of this MPI name, synonyms included.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Basic> {
        Self::all()
            .find(|b| b.name() == name)
            .or_else(|| ALIASES.iter().find(|(alias, _)| *alias == name).map(|&(_, b)| b))
    }

    /// Every basic type, each once.
    pub fn all() -> impl Iterator<Item = Basic> {
        (0u8..).take(TABLE.len()).map(Basic)
    }

    /// The MPI name, `MPI_` included.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Size in bytes; also the extent.
    #[must_use]
    pub fn size(self) -> u64 {
        u64::from(self.info().size)
    }

    /// Alignment in bytes that a C or Fortran compiler gives it inside a struct.
    #[must_use]
    pub fn align(self) -> u64 {
        u64::from(self.info().align)
    }

    fn info(self) -> &'static Info {
        &TABLE[usize::from(self.0)]
    }
}

impl fmt::Debug for Basic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Basic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_type_and_every_size_is_a_multiple_of_the_alignment() {
        for b in Basic::all() {
            assert_eq!(Basic::by_name(b.name()), Some(b));
            assert_eq!(b.size() % b.align(), 0, "{b}");
        }
        assert_eq!(Basic::by_name("MPI_LONG_LONG"), Some(Basic::LONG_LONG_INT));
        assert_eq!(Basic::by_name("MPI_FROB"), None);
    }
}
