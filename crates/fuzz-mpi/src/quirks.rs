//! What a library alone gets so wrong (it crashes or hangs) that nothing can be compared.

use commloom_mpi::{Abi, AbiKind, Mpi};

/// What is not asked of a library.
#[derive(Debug, Clone, Copy)]
pub struct Quirks {
    /// `MPI_Get_elements` and `MPI_Unpack` divide by the size of a type without data, and the first does
    /// not know all combiners.
    pub divides_by_size: bool,
    /// `MPI_Isendrecv` gives back references to derived types that it did not take.
    pub isendrecv_drops_types: bool,
    /// `MPI_Test` and what waits for any of several never see that a persistent collective is complete.
    pub tests_no_persistent_collective: bool,
    /// `MPI_Request_get_status` never says that a non-blocking collective is complete.
    pub hides_status_of_collectives: bool,
}

impl Quirks {
    /// Found with MPICH 4.0.2 and Open MPI 4.1.4, each alone.
    pub fn of<A: Abi>(mpi: &Mpi<A>) -> Quirks {
        let old_mpich = A::KIND == AbiKind::Mpich && mpi.version() <= (4, 0);
        Quirks {
            divides_by_size: old_mpich,
            isendrecv_drops_types: old_mpich,
            tests_no_persistent_collective: old_mpich,
            hides_status_of_collectives: A::KIND == AbiKind::OpenMpi,
        }
    }
}
