//! Predefined handles of the three ABIs, side by side: generated from the headers, and compared by
//! `tests/abi_probe.rs` with every `mpi.h` that it finds.

use std::ffi::c_int;

use super::AbiKind;

/// Where a predefined handle comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Its bits are fixed by the ABI.
    Bits(usize),
    /// It is the address of this exported object.
    Symbol(&'static str),
}

/// Name in `mpi.h`, bits in MPICH and in the standard ABI (0: absent), symbol in Open MPI.
type Row = (&'static str, [usize; 2], &'static str);

/// The predefined handles that are not datatypes.
pub fn objects(abi: AbiKind) -> impl Iterator<Item = (&'static str, Source)> {
    column(OBJECTS, abi)
}

/// MPICH has these handles since MPI 5.0 only; older versions abort when they are asked about
/// them.
const SINCE_MPI_5: [&str; 8] = [
    "MPI_INTEGER16",
    "MPI_REAL2",
    "MPI_COMPLEX4",
    "MPI_LOGICAL1",
    "MPI_LOGICAL2",
    "MPI_LOGICAL4",
    "MPI_LOGICAL8",
    "MPI_LOGICAL16",
];

/// Whether a library of this ABI that implements MPI `version` can be asked about a predefined
/// datatype at all.
#[must_use]
pub fn is_safe(abi: AbiKind, version: c_int, name: &str) -> bool {
    abi != AbiKind::Mpich || version >= 5 || !SINCE_MPI_5.contains(&name)
}

/// The predefined datatypes that this ABI knows. A library of the ABI may lack some of them: they
/// depend on the version, and the Fortran ones on the compiler that it was built with.
pub fn datatypes(abi: AbiKind) -> impl Iterator<Item = (&'static str, Source)> {
    column(DATATYPES, abi)
}

fn column(rows: &'static [Row], abi: AbiKind) -> impl Iterator<Item = (&'static str, Source)> {
    rows.iter().filter_map(move |&(name, [mpich, standard], symbol)| {
        let source = match abi {
            AbiKind::Mpich => Source::Bits(mpich),
            AbiKind::OpenMpi => Source::Symbol(symbol),
            AbiKind::Standard => Source::Bits(standard),
        };
        (source != Source::Bits(0)).then_some((name, source))
    })
}

#[rustfmt::skip]
const OBJECTS: &[Row] = &[
    ("MPI_COMM_NULL", [0x0400_0000, 0x100], "ompi_mpi_comm_null"),
    ("MPI_COMM_WORLD", [0x4400_0000, 0x101], "ompi_mpi_comm_world"),
    ("MPI_COMM_SELF", [0x4400_0001, 0x102], "ompi_mpi_comm_self"),
    ("MPI_REQUEST_NULL", [0x2c00_0000, 0x180], "ompi_request_null"),
    ("MPI_ERRHANDLER_NULL", [0x1400_0000, 0x140], "ompi_mpi_errhandler_null"),
    ("MPI_ERRORS_ARE_FATAL", [0x5400_0000, 0x141], "ompi_mpi_errors_are_fatal"),
    ("MPI_ERRORS_RETURN", [0x5400_0001, 0x143], "ompi_mpi_errors_return"),
    ("MPI_DATATYPE_NULL", [0x0c00_0000, 0x200], "ompi_mpi_datatype_null"),
    ("MPI_SUM", [0x5800_0003, 0x21], "ompi_mpi_op_sum"),
    ("MPI_PROD", [0x5800_0004, 0x24], "ompi_mpi_op_prod"),
    ("MPI_MIN", [0x5800_0002, 0x22], "ompi_mpi_op_min"),
    ("MPI_MAX", [0x5800_0001, 0x23], "ompi_mpi_op_max"),
    ("MPI_LAND", [0x5800_0005, 0x30], "ompi_mpi_op_land"),
    ("MPI_BAND", [0x5800_0006, 0x28], "ompi_mpi_op_band"),
    ("MPI_LOR", [0x5800_0007, 0x31], "ompi_mpi_op_lor"),
    ("MPI_BOR", [0x5800_0008, 0x29], "ompi_mpi_op_bor"),
    ("MPI_LXOR", [0x5800_0009, 0x32], "ompi_mpi_op_lxor"),
    ("MPI_BXOR", [0x5800_000a, 0x2a], "ompi_mpi_op_bxor"),
];

// Synonyms (MPI_LONG_LONG, MPI_C_FLOAT_COMPLEX) are left out: names are those of `layout::Basic`.
// MPI_LB and MPI_UB were removed in MPI 3.0, but MPICH still has the handles.
#[rustfmt::skip]
const DATATYPES: &[Row] = &[
    ("MPI_CHAR", [0x4c00_0101, 0x243], "ompi_mpi_char"),
    ("MPI_SIGNED_CHAR", [0x4c00_0118, 0x244], "ompi_mpi_signed_char"),
    ("MPI_UNSIGNED_CHAR", [0x4c00_0102, 0x245], "ompi_mpi_unsigned_char"),
    ("MPI_BYTE", [0x4c00_010d, 0x247], "ompi_mpi_byte"),
    ("MPI_PACKED", [0x4c00_010f, 0x207], "ompi_mpi_packed"),
    ("MPI_WCHAR", [0x4c00_040e, 0x23c], "ompi_mpi_wchar"),
    ("MPI_SHORT", [0x4c00_0203, 0x208], "ompi_mpi_short"),
    ("MPI_UNSIGNED_SHORT", [0x4c00_0204, 0x20c], "ompi_mpi_unsigned_short"),
    ("MPI_INT", [0x4c00_0405, 0x209], "ompi_mpi_int"),
    ("MPI_UNSIGNED", [0x4c00_0406, 0x20d], "ompi_mpi_unsigned"),
    ("MPI_LONG", [0x4c00_0807, 0x20a], "ompi_mpi_long"),
    ("MPI_UNSIGNED_LONG", [0x4c00_0808, 0x20e], "ompi_mpi_unsigned_long"),
    ("MPI_LONG_LONG_INT", [0x4c00_0809, 0x20b], "ompi_mpi_long_long_int"),
    ("MPI_UNSIGNED_LONG_LONG", [0x4c00_0819, 0x20f], "ompi_mpi_unsigned_long_long"),
    ("MPI_FLOAT", [0x4c00_040a, 0x210], "ompi_mpi_float"),
    ("MPI_DOUBLE", [0x4c00_080b, 0x214], "ompi_mpi_double"),
    ("MPI_LONG_DOUBLE", [0x4c00_100c, 0x220], "ompi_mpi_long_double"),
    ("MPI_C_BOOL", [0x4c00_013f, 0x238], "ompi_mpi_c_bool"),
    ("MPI_INT8_T", [0x4c00_0137, 0x240], "ompi_mpi_int8_t"),
    ("MPI_INT16_T", [0x4c00_0238, 0x248], "ompi_mpi_int16_t"),
    ("MPI_INT32_T", [0x4c00_0439, 0x250], "ompi_mpi_int32_t"),
    ("MPI_INT64_T", [0x4c00_083a, 0x258], "ompi_mpi_int64_t"),
    ("MPI_UINT8_T", [0x4c00_013b, 0x241], "ompi_mpi_uint8_t"),
    ("MPI_UINT16_T", [0x4c00_023c, 0x249], "ompi_mpi_uint16_t"),
    ("MPI_UINT32_T", [0x4c00_043d, 0x251], "ompi_mpi_uint32_t"),
    ("MPI_UINT64_T", [0x4c00_083e, 0x259], "ompi_mpi_uint64_t"),
    ("MPI_AINT", [0x4c00_0843, 0x201], "ompi_mpi_aint"),
    ("MPI_COUNT", [0x4c00_0845, 0x202], "ompi_mpi_count"),
    ("MPI_OFFSET", [0x4c00_0844, 0x203], "ompi_mpi_offset"),
    ("MPI_C_COMPLEX", [0x4c00_0840, 0x212], "ompi_mpi_c_float_complex"),
    ("MPI_C_DOUBLE_COMPLEX", [0x4c00_1041, 0x216], "ompi_mpi_c_double_complex"),
    ("MPI_C_LONG_DOUBLE_COMPLEX", [0x4c00_2042, 0x224], "ompi_mpi_c_long_double_complex"),
    ("MPI_CXX_BOOL", [0x4c00_0133, 0x239], "ompi_mpi_cxx_bool"),
    ("MPI_CXX_FLOAT_COMPLEX", [0x4c00_0834, 0x213], "ompi_mpi_cxx_cplex"),
    ("MPI_CXX_DOUBLE_COMPLEX", [0x4c00_1035, 0x217], "ompi_mpi_cxx_dblcplex"),
    ("MPI_CXX_LONG_DOUBLE_COMPLEX", [0x4c00_2036, 0x225], "ompi_mpi_cxx_ldblcplex"),
    ("MPI_CHARACTER", [0x4c00_011a, 0x21e], "ompi_mpi_character"),
    ("MPI_LOGICAL", [0x4c00_041d, 0x218], "ompi_mpi_logical"),
    ("MPI_INTEGER", [0x4c00_041b, 0x219], "ompi_mpi_integer"),
    ("MPI_REAL", [0x4c00_041c, 0x21a], "ompi_mpi_real"),
    ("MPI_DOUBLE_PRECISION", [0x4c00_081f, 0x21c], "ompi_mpi_dblprec"),
    ("MPI_COMPLEX", [0x4c00_081e, 0x21b], "ompi_mpi_cplex"),
    ("MPI_DOUBLE_COMPLEX", [0x4c00_1022, 0x21d], "ompi_mpi_dblcplex"),
    ("MPI_INTEGER1", [0x4c00_012d, 0x2c1], "ompi_mpi_integer1"),
    ("MPI_INTEGER2", [0x4c00_022f, 0x2c9], "ompi_mpi_integer2"),
    ("MPI_INTEGER4", [0x4c00_0430, 0x2d1], "ompi_mpi_integer4"),
    ("MPI_INTEGER8", [0x4c00_0831, 0x2d9], "ompi_mpi_integer8"),
    ("MPI_INTEGER16", [0x4c00_1032, 0x2e1], "ompi_mpi_integer16"),
    ("MPI_REAL2", [0x4c00_0226, 0x2ca], "ompi_mpi_real2"),
    ("MPI_REAL4", [0x4c00_0427, 0x2d2], "ompi_mpi_real4"),
    ("MPI_REAL8", [0x4c00_0829, 0x2da], "ompi_mpi_real8"),
    ("MPI_REAL16", [0x4c00_102b, 0x2e2], "ompi_mpi_real16"),
    ("MPI_COMPLEX4", [0x4c00_042e, 0x2d3], "ompi_mpi_complex4"),
    ("MPI_COMPLEX8", [0x4c00_0828, 0x2db], "ompi_mpi_complex8"),
    ("MPI_COMPLEX16", [0x4c00_102a, 0x2e3], "ompi_mpi_complex16"),
    ("MPI_COMPLEX32", [0x4c00_202c, 0x2eb], "ompi_mpi_complex32"),
    ("MPI_LOGICAL1", [0x4c00_0147, 0x2c0], "ompi_mpi_logical1"),
    ("MPI_LOGICAL2", [0x4c00_0248, 0x2c8], "ompi_mpi_logical2"),
    ("MPI_LOGICAL4", [0x4c00_0449, 0x2d0], "ompi_mpi_logical4"),
    ("MPI_LOGICAL8", [0x4c00_084a, 0x2d8], "ompi_mpi_logical8"),
    ("MPI_LOGICAL16", [0x4c00_104b, 0x2e0], "ompi_mpi_logical16"),
    ("MPI_FLOAT_INT", [0x8c00_0000, 0x228], "ompi_mpi_float_int"),
    ("MPI_DOUBLE_INT", [0x8c00_0001, 0x229], "ompi_mpi_double_int"),
    ("MPI_LONG_INT", [0x8c00_0002, 0x22a], "ompi_mpi_long_int"),
    ("MPI_2INT", [0x4c00_0816, 0x22b], "ompi_mpi_2int"),
    ("MPI_SHORT_INT", [0x8c00_0003, 0x22c], "ompi_mpi_short_int"),
    ("MPI_LONG_DOUBLE_INT", [0x8c00_0004, 0x22d], "ompi_mpi_longdbl_int"),
    ("MPI_2REAL", [0x4c00_0821, 0x230], "ompi_mpi_2real"),
    ("MPI_2DOUBLE_PRECISION", [0x4c00_1023, 0x231], "ompi_mpi_2dblprec"),
    ("MPI_2INTEGER", [0x4c00_0820, 0x232], "ompi_mpi_2integer"),
    ("MPI_LB", [0x4c00_0010, 0], "ompi_mpi_lb"),
    ("MPI_UB", [0x4c00_0011, 0], "ompi_mpi_ub"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_layout::{Basic, Type};

    #[test]
    fn every_basic_type_of_layout_has_a_handle_in_every_abi() {
        for abi in [AbiKind::Mpich, AbiKind::OpenMpi, AbiKind::Standard] {
            for basic in Basic::all() {
                assert!(datatypes(abi).any(|(name, _)| name == basic.name()), "{abi}: {basic}");
            }
        }
    }

    #[test]
    fn every_named_datatype_but_the_markers_is_a_type_of_layout() {
        for (name, _) in datatypes(AbiKind::Mpich) {
            let marker = name == "MPI_LB" || name == "MPI_UB";
            assert_eq!(Type::predefined(name).is_none(), marker, "{name}");
        }
    }

    #[test]
    fn no_two_names_share_a_handle() {
        for abi in [AbiKind::Mpich, AbiKind::OpenMpi, AbiKind::Standard] {
            let rows: Vec<_> = datatypes(abi).collect();
            for (i, (name, source)) in rows.iter().enumerate() {
                assert!(rows[..i].iter().all(|(_, s)| s != source), "{abi}: {name}");
            }
        }
    }

    #[test]
    fn mpich_handles_carry_the_size_that_layout_gives_the_type() {
        for (name, source) in datatypes(AbiKind::Mpich) {
            let (Some(basic), Source::Bits(bits)) = (Basic::by_name(name), source) else {
                continue;
            };
            assert_eq!(u64::try_from((bits >> 8) & 0xff), Ok(basic.size()), "{name}");
        }
    }
}
