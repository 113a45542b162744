//! Combiners: by which constructor a datatype was made (MPI 4.1, section 5.1.13).

use std::ffi::c_int;
use std::fmt;

use super::AbiKind;

/// Stands for "this ABI has no such combiner". No ABI uses the value.
const NONE: c_int = c_int::MIN;

macro_rules! combiners {
    ($($variant:ident $name:literal $m:tt $o:tt $s:tt;)*) => {
        /// The constructor that made a datatype, as `MPI_Type_get_envelope` tells it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Combiner {
            $(#[doc = concat!("`MPI_COMBINER_", $name, "`.")] $variant),*
        }

        /// Combiner, name in `mpi.h`, values of MPICH, Open MPI and the standard ABI.
        const TABLE: &[(Combiner, &str, [c_int; 3])] = &[
            $((Combiner::$variant, concat!("MPI_COMBINER_", $name), [$m, $o, $s])),*
        ];
    };
}

// The *_INTEGER combiners were removed from MPI in version 3; Open MPI's header hides their names
// but still has the values.
combiners! {
    Named "NAMED" 1 0 101;
    Dup "DUP" 2 1 102;
    Contiguous "CONTIGUOUS" 3 2 103;
    Vector "VECTOR" 4 3 104;
    HvectorInteger "HVECTOR_INTEGER" 5 4 NONE;
    Hvector "HVECTOR" 6 5 105;
    Indexed "INDEXED" 7 6 106;
    HindexedInteger "HINDEXED_INTEGER" 8 7 NONE;
    Hindexed "HINDEXED" 9 8 107;
    IndexedBlock "INDEXED_BLOCK" 10 9 108;
    HindexedBlock "HINDEXED_BLOCK" 19 18 109;
    StructInteger "STRUCT_INTEGER" 11 10 NONE;
    Struct "STRUCT" 12 11 110;
    Subarray "SUBARRAY" 13 12 111;
    Darray "DARRAY" 14 13 112;
    F90Real "F90_REAL" 15 14 113;
    F90Complex "F90_COMPLEX" 16 15 114;
    F90Integer "F90_INTEGER" 17 16 115;
    Resized "RESIZED" 18 17 116;
    ValueIndex "VALUE_INDEX" 20 NONE 117;
}

impl Combiner {
    /// The combiner with this value in this ABI.
    #[must_use]
    pub fn from_value(abi: AbiKind, value: c_int) -> Option<Combiner> {
        Self::values(abi).find(|&(_, _, v)| v == value).map(|(c, _, _)| c)
    }

    /// Every combiner of this ABI: itself, its name in `mpi.h`, its value.
    pub fn values(abi: AbiKind) -> impl Iterator<Item = (Combiner, &'static str, c_int)> {
        TABLE
            .iter()
            .map(move |&(c, name, values)| (c, name, values[abi.column()]))
            .filter(|&(_, _, value)| value != NONE)
    }

    /// The name of the constant in `mpi.h`.
    #[must_use]
    pub fn name(self) -> &'static str {
        TABLE.iter().find(|row| row.0 == self).map_or("an unnamed combiner", |row| row.1)
    }

    /// Whether a type of this combiner is predefined, named or not, and so must never be freed
    /// (MPI 4.1, sections 5.1.9, 5.1.13 and 19.1.5).
    #[must_use]
    pub fn is_predefined(self) -> bool {
        use Combiner::{F90Complex, F90Integer, F90Real, Named, ValueIndex};
        matches!(self, Named | F90Real | F90Complex | F90Integer | ValueIndex)
    }
}

impl fmt::Display for Combiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_leads_back_to_its_combiner() {
        for abi in [AbiKind::Mpich, AbiKind::OpenMpi, AbiKind::Standard] {
            for (combiner, name, value) in Combiner::values(abi) {
                assert_eq!(Combiner::from_value(abi, value), Some(combiner), "{abi}: {name}");
                assert_eq!(combiner.name(), name);
            }
            assert_eq!(Combiner::from_value(abi, 99), None);
            assert_eq!(Combiner::from_value(abi, NONE), None);
        }
    }
}
