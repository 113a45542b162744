//! What a library alone gets so wrong (it crashes or hangs) that nothing can be compared.

use commloom_mpi::{Abi, AbiKind, Mpi};

/// What is not asked of a library.
#[derive(Debug, Clone, Copy)]
pub struct Quirks {
    /// `MPI_Get_elements` and `MPI_Unpack` divide by the size of a type without data, and the first does
    /// not know all combiners.
    pub divides_by_size: bool,
    /// A rank may wait for ever for a persistent collective that was started again.
    pub loses_restarted_collectives: bool,
}

impl Quirks {
    /// Found with MPICH 4.0.2 alone.
    pub fn of<A: Abi>(mpi: &Mpi<A>) -> Quirks {
        let old_mpich = A::KIND == AbiKind::Mpich && mpi.version() <= (4, 0);
        Quirks {
            divides_by_size: old_mpich,
            loses_restarted_collectives: old_mpich,
        }
    }
}
