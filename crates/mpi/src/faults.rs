//! The known mistakes of MPI libraries with datatypes: one table, by library and version.
//!
//! Datatypes of the program go to the library as the program made them, faults included. Those
//! that commloom makes itself must not run into a fault that the program's would not have met, so
//! [`encode`](crate::encode()) describes the same data in another way where a row of [`FAULTS`]
//! applies, and the other readers leave such messages to the library.
//!
//! Rows are found, and shown to be complete as far as that goes, by the test `libraries`: it sends
//! random layouts through `encode` with every library found (`make test-messages` for many).

use std::cmp::Ordering;

/// Who makes an MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// MPICH itself.
    Mpich,
    /// Intel MPI, which descends from MPICH.
    Intel,
    /// Open MPI.
    OpenMpi,
    /// Any other: Cray MPICH, MVAPICH, whatever was not tested.
    Other,
}

/// Major, minor and patch number.
pub type Version = [u32; 3];

/// An MPI library by name and version, as it names itself at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Release {
    /// Who makes it.
    pub family: Family,
    /// Which one.
    pub version: Version,
}

/// The subject of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A struct whose fields touch, in order, and whose lower bound is not 0.
    RunWithOffset,
    /// An hvector of bytes, each below the last.
    DescendingBytes,
    /// A long message of several basic types that one side sends packed.
    LongMixed,
    /// Any message of several basic types of one size.
    MixedOfOneSize,
    /// An `MPI_Allgather` into elements without gaps that sends in other elements than it receives
    /// in.
    AllgatherWithoutGaps,
    /// An `MPI_Allgatherv` in which elements have another extent on one process than on others.
    AllgathervOfOtherExtents,
    /// A non-blocking or persistent `MPI_Alltoallw` in place, of elements of different sizes.
    UnevenAlltoallwInPlace,
    /// A message that ends inside a basic element of a receive without gaps.
    EndsInsideElement,
    /// A message of basic elements of more than 16 bytes with gaps, in some descriptions.
    WideElements,
    /// A message that ends inside an `MPI_REAL16` or `MPI_COMPLEX32`, which is no error as with
    /// other elements.
    QuadsAreBytes,
    /// A derived datatype with gaps whose elements are `MPI_INTEGER16`, `MPI_LOGICAL16`,
    /// `MPI_REAL16` or `MPI_COMPLEX32`.
    QuadsAreLongDoubles,
    /// A contiguous derived datatype of several bytes an element, while more than 512 are alive.
    ManyHandles,
    /// A read into memory with gaps that goes past the end of the file.
    ShortReads,
}

/// The remedy for a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// `encode` describes the same data without it.
    Described,
    /// `encode` refuses the layout: the program's datatype is used.
    Refused,
    /// `interpose` leaves the message to the library as the program gave it.
    Native,
    /// Nothing: a message in the program's own datatype meets it as well.
    None,
    /// `interpose` gives the library the predefined datatype instead.
    Predefined,
    /// `interpose` does the same where it receives.
    Followed,
    /// `interpose` receives packed bytes as `MPI_PACKED`, and judges itself where they end.
    Judged,
}

/// A row of the table: one fault of the releases of one family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Its subject.
    pub subject: Subject,
    /// Whose it is.
    pub family: Family,
    /// The first version that has it, as far as is known.
    pub first: Version,
    /// The first version after those that have it.
    pub fixed: Option<Version>,
    /// The wrong result, and how a program without commloom shows it.
    pub shown: &'static str,
    /// The remedy.
    pub remedy: Remedy,
}

/// The newest release of each family with which the self-test passes. Later ones are unknown.
const TESTED: [Release; 3] = [
    Release { family: Family::Mpich, version: [5, 0, 2] },
    Release { family: Family::Intel, version: [2021, 18, 1] },
    Release { family: Family::OpenMpi, version: [5, 0, 11] },
];

const OFFSET: Fault = Fault {
    subject: Subject::RunWithOffset,
    family: Family::Mpich,
    first: [0, 0, 0],
    fixed: None,
    shown: "its piece is counted once for each field and listed once: the rest of the list is \
            what malloc gave. Receive 40 KB from another process with hvector(500, 1, 160, \
            struct{4 MPI_INT at 8, 8 MPI_DOUBLE at 24}), after malloc(16000) was filled and \
            freed: process_vm_readv fails (5.0). 4.0 to 4.2 count the same, but move no message \
            by such a list",
    remedy: Remedy::Described,
};

const EXTENTS: Fault = Fault {
    subject: Subject::AllgathervOfOtherExtents,
    family: Family::Mpich,
    first: [0, 0, 0],
    fixed: None,
    shown: "the blocks of a ring are cut by the extent of an element: message truncated where one \
            of 3 processes describes 6000 ints as pairs of MPI_INT and the others as pairs with \
            gaps",
    remedy: Remedy::Native,
};

const UNEVEN_IN_PLACE: Fault = Fault {
    subject: Subject::UnevenAlltoallwInPlace,
    family: Family::Mpich,
    first: [0, 0, 0],
    fixed: Some([4, 2, 0]),
    shown: "the size of the elements that a process keeps is taken for that of the others': \
            where they are larger, each block arrives and the call ends with MPI_ERR_TRUNCATE \
            (ialltoallw_intra_sched_inplace.c; tests/c/own_block.c of interpose). Packed, the \
            error would leave the program's memory as it was",
    remedy: Remedy::Native,
};

const SHORT_READS: Fault = Fault {
    subject: Subject::ShortReads,
    family: Family::Mpich,
    first: [0, 0, 0],
    fixed: None,
    shown: "MPI_File_read of MPI_Type_vector(128, 2, 4, MPI_INT) from a file of 700 bytes: \
            MPI_Get_count says 1024 bytes, the individual file pointer stands behind as many, and \
            324 bytes of the buffer that no file has are overwritten. As 256 MPI_INT it is 700 \
            bytes, and the others stay (ROMIO; tests/c/files.c of interpose)",
    remedy: Remedy::Native,
};

/// Bytes of a message that is not long as [`Subject::LongMixed`] means it.
pub const SHORT: usize = 4000;

/// Every fault that is known.
pub const FAULTS: &[Fault] = &[
    OFFSET,
    Fault { family: Family::Intel, ..OFFSET },
    Fault {
        subject: Subject::DescendingBytes,
        family: Family::OpenMpi,
        first: [0, 0, 0],
        fixed: None,
        shown: "MPI_Pack with MPI_Type_create_hvector(2, 1, -1, MPI_BYTE) packs the bytes in \
                ascending order, and its true lower bound is 0",
        remedy: Remedy::Refused,
    },
    Fault {
        subject: Subject::LongMixed,
        family: Family::Mpich,
        first: [0, 0, 0],
        fixed: None,
        shown: "a receive of 10000 structs {MPI_CHAR at 0, 16 MPI_FLOAT at 4} that is posted \
                before they are sent as MPI_PACKED ends with an error of the signature, since a \
                segment of the message ends inside an element (5.0 too, with \
                MPIR_CVAR_CH4_CMA_ENABLE=0 or where processes may not read each other's memory). \
                With MPI_Sendrecv_replace of 1000 of them, 4.0 says: message truncated",
        remedy: Remedy::Native,
    },
    Fault {
        subject: Subject::MixedOfOneSize,
        family: Family::Mpich,
        first: [0, 0, 0],
        fixed: Some([5, 0, 0]),
        shown: "the library divides by zero when a struct {3 MPI_INT at 0, MPI_FLOAT at 20} is \
                sent through libfabric (MPIR_CVAR_NOLOCAL=1)",
        remedy: Remedy::None,
    },
    EXTENTS,
    Fault { family: Family::Intel, ..EXTENTS },
    UNEVEN_IN_PLACE,
    Fault { family: Family::Intel, fixed: None, ..UNEVEN_IN_PLACE },
    Fault {
        subject: Subject::AllgatherWithoutGaps,
        family: Family::Intel,
        first: [0, 0, 0],
        fixed: None,
        shown: "wrong bytes where 3 processes send 36 ints as 18 pairs of MPI_INT with gaps and \
                receive them as MPI_INT",
        remedy: Remedy::Native,
    },
    Fault {
        subject: Subject::EndsInsideElement,
        family: Family::Mpich,
        first: [4, 0, 0],
        fixed: None,
        shown: "3 bytes that another process of the machine has sent end the process that has \
                posted a receive of 4 MPI_INT (assertion in typerep_yaksa_pack.c). With gaps it is \
                MPI_ERR_TYPE; as MPI_PACKED, and where all goes through UCX (MPICH of Debian), 3 \
                bytes arrive",
        remedy: Remedy::Judged,
    },
    Fault {
        subject: Subject::WideElements,
        family: Family::OpenMpi,
        first: [0, 0, 0],
        fixed: None,
        shown: "MPI_Ibsend of 6562 MPI_C_LONG_DOUBLE_COMPLEX to the process itself, received by \
                MPI_Type_create_hvector(6562, 1, 48, ...): a part of the message ends inside an \
                element, of which opal_unpack_partial_datatype puts 32 bytes into 16 (4.1.4: \
                buffer overflow detected; 5.0.11: wrong bytes; tests/c/wide.c of interpose)",
        remedy: Remedy::Native,
    },
    Fault {
        subject: Subject::QuadsAreBytes,
        family: Family::Mpich,
        first: [4, 0, 0],
        fixed: Some([5, 0, 0]),
        shown: "80 bytes sent as MPI_BYTE are received into MPI_Type_vector(4, 1, 2, \
                MPI_COMPLEX32) without an error, all of them (typerep_yaksa_init.c has these \
                types as bytes)",
        remedy: Remedy::Followed,
    },
    Fault {
        subject: Subject::QuadsAreLongDoubles,
        family: Family::Mpich,
        first: [5, 0, 0],
        fixed: None,
        shown: "MPI_Pack of MPI_Type_vector(5, 1, 3, MPI_INTEGER16) moves 10 of the 16 bytes of \
                each element, as copies of x87 numbers do. A subarray of a subarray of the same \
                layout moves all (tests/c/quads.c of interpose)",
        remedy: Remedy::Refused,
    },
    Fault {
        subject: Subject::ManyHandles,
        family: Family::Mpich,
        first: [0, 0, 0],
        fixed: Some([4, 1, 0]),
        shown: "MPI_Pack of 5 bytes with the 513th live contiguous datatype of bytes packs 4 \
                (tests/c/many_types.c of interpose)",
        remedy: Remedy::Predefined,
    },
    SHORT_READS,
    Fault { family: Family::Intel, ..SHORT_READS },
];

impl Release {
    /// The release that `MPI_Get_library_version` names.
    #[must_use]
    pub fn of_text(text: &str) -> Release {
        const NAMES: [(&str, Family); 3] = [
            ("MPICH Version:", Family::Mpich),
            ("Intel(R) MPI Library", Family::Intel),
            ("Open MPI v", Family::OpenMpi),
        ];
        let named = NAMES.iter().find_map(|(name, family)| {
            Some((*family, version(text.trim_start().strip_prefix(name)?)?))
        });
        match named {
            Some((family, version)) => Release { family, version },
            None => Release { family: Family::Other, version: [0; 3] },
        }
    }

    /// Whether the library has a fault, or may have it. Where nothing is known of a library, it
    /// has all of them; where a version is newer than those that were tested, it has all that cost
    /// nothing to avoid, whoever's they are.
    #[must_use]
    pub fn may_have(self, subject: Subject) -> bool {
        let mut rows = FAULTS.iter().filter(|fault| fault.subject == subject);
        match self.standing() {
            Standing::Unknown => true,
            Standing::Newer if rows.clone().any(|fault| fault.remedy == Remedy::Described) => true,
            Standing::Newer | Standing::Tested => rows.any(|fault| fault.concerns(self)),
        }
    }

    fn standing(self) -> Standing {
        match TESTED.iter().find(|tested| tested.family == self.family) {
            None => Standing::Unknown,
            Some(tested) => match self.version.cmp(&tested.version) {
                Ordering::Greater => Standing::Newer,
                Ordering::Less | Ordering::Equal => Standing::Tested,
            },
        }
    }
}

/// The knowledge about a release.
enum Standing {
    Unknown,
    Newer,
    Tested,
}

impl Fault {
    fn concerns(&self, release: Release) -> bool {
        let before = self.fixed.is_none_or(|fixed| release.version < fixed);
        self.family == release.family && self.first <= release.version && before
    }
}

/// The version at the beginning of a text.
fn version(text: &str) -> Option<Version> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let mut parts = text[..end].split('.').map(|part| part.parse().ok());
    let major = parts.next()??;
    Some([major, parts.next().flatten().unwrap_or(0), parts.next().flatten().unwrap_or(0)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(family: Family, version: Version) -> Release {
        Release { family, version }
    }

    #[test]
    fn libraries_are_known_by_what_they_say_of_themselves() {
        for (text, expected) in [
            ("MPICH Version:      5.0.2\nMPICH Release date:", (Family::Mpich, [5, 0, 2])),
            ("MPICH Version:\t4.0.2\nMPICH Release date:", (Family::Mpich, [4, 0, 2])),
            ("MPICH Version:      5.1.0b1\n", (Family::Mpich, [5, 1, 0])),
            ("MPICH Version:      4.2\n", (Family::Mpich, [4, 2, 0])),
            ("Intel(R) MPI Library 2021.18.1 for Linux* OS\n", (Family::Intel, [2021, 18, 1])),
            ("Open MPI v4.1.4, package: Debian OpenMPI", (Family::OpenMpi, [4, 1, 4])),
            ("Open MPI v6.0.0a1, package", (Family::OpenMpi, [6, 0, 0])),
            (
                "MPI VERSION    : CRAY MPICH version 8.1.21.5 (ANL base 3.4a2)",
                (Family::Other, [0; 3]),
            ),
            ("MVAPICH Version:\t3.0", (Family::Other, [0; 3])),
            ("MPICH Version: soon", (Family::Other, [0; 3])),
            ("", (Family::Other, [0; 3])),
        ] {
            assert_eq!(Release::of_text(text), release(expected.0, expected.1), "{text}");
        }
    }

    #[test]
    fn a_fault_is_expected_where_it_was_seen_and_where_nobody_has_looked() {
        use Subject::{
            AllgatherWithoutGaps, AllgathervOfOtherExtents, DescendingBytes, EndsInsideElement,
            LongMixed, ManyHandles, MixedOfOneSize, QuadsAreBytes, QuadsAreLongDoubles,
            RunWithOffset, UnevenAlltoallwInPlace, WideElements,
        };
        let old = [
            RunWithOffset,
            LongMixed,
            MixedOfOneSize,
            ManyHandles,
            AllgathervOfOtherExtents,
            EndsInsideElement,
            QuadsAreBytes,
            UnevenAlltoallwInPlace,
        ];
        let all = [
            RunWithOffset,
            DescendingBytes,
            LongMixed,
            MixedOfOneSize,
            ManyHandles,
            AllgatherWithoutGaps,
            AllgathervOfOtherExtents,
            EndsInsideElement,
            QuadsAreBytes,
            QuadsAreLongDoubles,
            UnevenAlltoallwInPlace,
            WideElements,
        ];
        let new = [
            RunWithOffset,
            LongMixed,
            AllgathervOfOtherExtents,
            EndsInsideElement,
            QuadsAreLongDoubles,
        ];
        for (family, version, expected) in [
            (Family::Mpich, [4, 0, 2], &old[..]),
            (Family::Mpich, [5, 0, 2], &new),
            (Family::Mpich, [5, 1, 0], &new),
            (
                Family::Intel,
                [2021, 9, 0],
                &[
                    RunWithOffset,
                    AllgatherWithoutGaps,
                    AllgathervOfOtherExtents,
                    UnevenAlltoallwInPlace,
                ],
            ),
            (Family::OpenMpi, [4, 1, 4], &[DescendingBytes, WideElements]),
            (Family::OpenMpi, [6, 0, 0], &[DescendingBytes, RunWithOffset, WideElements]),
            (Family::Other, [0, 0, 0], &all),
        ] {
            for subject in all {
                let may = release(family, version).may_have(subject);
                assert_eq!(may, expected.contains(&subject), "{family:?} {version:?} {subject:?}");
            }
        }
    }
}
