//! The mistakes of a library alone that are so bad (it crashes or hangs) that nothing can be
//! compared.

use commloom_mpi::{Abi, AbiKind, Mpi};

/// The operations that are not asked of a library.
#[derive(Debug, Clone, Copy)]
pub struct Quirks {
    /// `MPI_Pack`, `MPI_Unpack` and `MPI_Get_elements` divide by zero for some types of which a
    /// part has no data.
    pub empty_types_crash: bool,
    /// `MPI_Get_elements` does not know structs of several kinds, nor all combiners.
    pub elements_crash: bool,
    /// `MPI_Pack` and `MPI_Unpack` refuse `MPI_BOTTOM`.
    pub pack_refuses_bottom: bool,
    /// A rank may wait for ever for a persistent collective that was started again (Intel MPI: for
    /// scatters); most of the calls
    /// that test or wait for some requests do not see when a persistent collective is complete or
    /// inactive.
    pub loses_persistent_collectives: bool,
    /// A rank whose blocks are empty leaves a collective of neighbours at once: nobody gets
    /// anything from it.
    pub skips_empty_neighbors: bool,
    /// `MPI_Waitall` may wait for ever where a request fails.
    pub waitall_misses_failures: bool,
    /// `MPI_Ialltoallv` and `MPI_Ialltoallw` wait for ever, write past the end, or move wrong
    /// bytes, in place.
    pub ialltoall_fails_in_place: bool,
    /// `MPI_Ialltoall` does so too.
    pub plain_ialltoall_fails_in_place: bool,
    /// A persistent buffered send that is started again while its last message is still under way
    /// gives that one the new bytes, or the new one the old bytes.
    pub restarts_spoil_buffered: bool,
    /// Collectives write past their own buffers, or wait for ever, where elements have a negative
    /// extent.
    pub collectives_need_extents: bool,
    /// `MPI_Gather` moves wrong bytes, and leaves messages behind that later ones take, where the
    /// types of the ranks differ.
    pub gather_needs_one_type: bool,
    /// A message that fits but ends in the middle of an element ends the process where all are of
    /// one kind (MPICH 5.0: `typerep_yaksa_pack.c` asserts that there is none), or is received
    /// with one of two errors or none, by whether it was there before the receive and by the call
    /// that completes it (Intel MPI).
    pub partial_elements_differ: bool,
    /// A receive of no bytes succeeds now and then though the message has some.
    pub empty_receives_take_all: bool,
    /// A session after the last one has ended crashes.
    pub starts_once: bool,
    /// The calls for several requests say `MPI_ERR_IN_STATUS` now and then where all succeeded.
    pub misreads_statuses: bool,
    /// Receives of some arrays of records fail: the message is too long, or its signature another
    /// one.
    pub refuses_records: bool,
    /// A message that is too long is written past the end of a receive without gaps if the
    /// sender's elements have none, as packed ones have: those of the program may have some.
    pub receives_spill: bool,
    /// The bytes that a message that is too long leaves in the buffer depend on its length and on
    /// whether the sender's elements have gaps: all that there is room for, or nothing (MPICH 5:
    /// nothing for 8160 bytes without gaps, and for 8160 to 11120 bytes with gaps).
    pub truncation_varies: bool,
    /// Bytes that a type may cost for good that is committed and freed. With UCX, MPICH makes a
    /// datatype of UCX and destroys it only if bit 31 of its address is 0:
    /// `MPIDI_UCX_mpi_type_free_hook` takes it for an `int` and compares with -1.
    pub lost_by_commit: u64,
}

impl Quirks {
    /// Found with MPICH 4.0.2 and 5.0.2, Open MPI 4.1.4 and 5.0.11, and Intel MPI 2021.18 alone.
    pub fn of<A: Abi>(mpi: &Mpi<A>) -> Quirks {
        let old_mpich = A::KIND == AbiKind::Mpich && mpi.version() <= (4, 0);
        let old_open_mpi = A::KIND == AbiKind::OpenMpi && mpi.version() <= (3, 1);
        let intel = mpi.library_version().is_ok_and(|text| text.contains("Intel"));
        Quirks {
            empty_types_crash: old_mpich,
            elements_crash: A::KIND == AbiKind::Mpich,
            pack_refuses_bottom: old_mpich,
            loses_persistent_collectives: old_mpich || intel,
            skips_empty_neighbors: old_open_mpi,
            waitall_misses_failures: old_open_mpi,
            ialltoall_fails_in_place: old_open_mpi || old_mpich,
            plain_ialltoall_fails_in_place: old_open_mpi,
            restarts_spoil_buffered: old_open_mpi,
            collectives_need_extents: old_open_mpi,
            gather_needs_one_type: old_open_mpi,
            partial_elements_differ: intel
                || A::KIND != AbiKind::OpenMpi && mpi.version() >= (5, 0),
            empty_receives_take_all: intel,
            starts_once: old_mpich || intel || A::KIND == AbiKind::OpenMpi,
            misreads_statuses: A::KIND != AbiKind::OpenMpi,
            refuses_records: A::KIND != AbiKind::OpenMpi,
            receives_spill: A::KIND == AbiKind::OpenMpi,
            truncation_varies: A::KIND != AbiKind::OpenMpi && mpi.version() >= (5, 0),
            lost_by_commit: if old_mpich { 64 } else { 0 },
        }
    }
}
