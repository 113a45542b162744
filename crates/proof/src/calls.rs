//! Which calls of MPI send or receive a buffer.

use commloom_copies::Direction;
use commloom_mpi_api::{Buffer, Call, Form, Function, Role, find};

/// One buffer of a call; arguments are numbered from 0, as in C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Side {
    /// Whether copies come before or after.
    pub direction: Direction,
    /// The buffer.
    pub buffer: usize,
    /// Its count.
    pub count: usize,
    /// Its datatype; none where the procedure sends one only.
    pub datatype: Option<usize>,
    /// The request of a non-blocking call, or of one that is started later.
    pub request: Option<usize>,
    /// How often the buffer is used, and by whom.
    pub manner: Manner,
    /// Why no datatype of one process can take the buffer's place.
    pub obstacle: Option<Obstacle>,
}

/// How often a call uses its buffer, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// All of it, once, by this process.
    Once,
    /// Whenever the request is started.
    Persistent,
    /// The root sends it, and the others receive it.
    Broadcast {
        /// The argument that names the root.
        root: usize,
        /// The communicator.
        comm: usize,
    },
    /// A part for each process of the communicator.
    Parts {
        /// The process that has all parts; none where all have.
        root: Option<usize>,
        /// The communicator.
        comm: usize,
    },
}

/// An obstacle to all rewriting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The buffer has a part for each process, and arrays say where it lies.
    Lists,
    /// The elements are computed with.
    Reduction,
    /// One buffer is sent and received.
    Replaced,
}

impl Obstacle {
    /// The sentence that says it.
    pub fn message(self) -> &'static str {
        match self {
            Obstacle::Lists => {
                "arrays say how long each process's part of the buffer is and where it lies; \
                 what is in them is not looked at"
            }
            Obstacle::Replaced => {
                "one buffer is sent and received into: what comes would go to where the copies \
                 are from; send and receive with MPI_Sendrecv"
            }
            Obstacle::Reduction => {
                "a reduction computes with the elements and needs a predefined datatype"
            }
        }
    }
}

/// The calls whose buffers copies may be written into.
const NAMES: &str = "\
    Allgather Allgatherv Allreduce Alltoall Alltoallv Alltoallw Bcast Bsend Bsend_init \
    Exscan Gather Gatherv Iallgather Iallgatherv Ialltoall Ialltoallv Ialltoallw Ibcast \
    Ibsend Igather Igatherv Irecv Irsend Iscatter Iscatterv Isend Issend Mrecv Recv \
    Recv_init Reduce Rsend Rsend_init Scan Scatter Scatterv Send Send_init Sendrecv \
    Sendrecv_replace Ssend Ssend_init";

/// The buffers of a call, by the name of the function (of C, or of Fortran in any case).
pub(super) fn sides(function: &str) -> Vec<Side> {
    let Some(Call { function, form: Form::Int }) = find(function) else { return Vec::new() };
    let name = function.name.trim_start_matches("MPI_");
    if !NAMES.split_whitespace().any(|known| known == name) {
        return Vec::new();
    }
    function.buffers().into_iter().filter_map(|buffer| side(function, buffer)).collect()
}

fn side(function: &Function, buffer: Buffer) -> Option<Side> {
    let name = function.name;
    let is_out = buffer.direction == commloom_mpi_api::Direction::Out;
    let position = |role| function.position(role);
    let is_reduction = position(Role::Operation).is_some();
    let is_listed = buffer.displacements.is_some();
    let request = position(Role::Request);
    // The result of a reduction is computed.
    if is_reduction && is_out {
        return None;
    }
    let of_root = |at| function.parameters(Form::Int).nth(at).is_some_and(|p| p.is_root_only);
    // What one process gives to a root, or gets from it, is one part.
    let has_parts = of_root(buffer.address)
        || name.ends_with("lltoall")
        || (name.ends_with("llgather") && is_out);
    let manner = match (position(Role::Root), position(Role::Communicator)) {
        _ if name.ends_with("_init") => Manner::Persistent,
        (Some(root), Some(comm)) if name.ends_with("cast") => Manner::Broadcast { root, comm },
        (root, Some(comm)) if has_parts && !is_listed && !is_reduction => {
            Manner::Parts { root, comm }
        }
        _ => Manner::Once,
    };
    let obstacle = match (is_listed, is_reduction) {
        _ if name.ends_with("_replace") => Some(Obstacle::Replaced),
        (true, _) => Some(Obstacle::Lists),
        (_, true) => Some(Obstacle::Reduction),
        _ => None,
    };
    Some(Side {
        direction: if is_out { Direction::Unpack } else { Direction::Pack },
        buffer: buffer.address,
        count: buffer.count?,
        datatype: buffer.datatype,
        request,
        manner,
        obstacle,
    })
}

/// Which argument of a call that completes requests has them.
pub(super) fn completes(function: &str) -> Option<usize> {
    match function.to_ascii_lowercase().as_str() {
        "mpi_wait" => Some(0),
        "mpi_waitall" => Some(1),
        _ => None,
    }
}

/// Bytes of an element of a predefined datatype, under LP64 (MPI 4.1, section 3.2.2).
pub(super) fn element_size(datatype: &str) -> Option<u64> {
    let name = datatype.to_ascii_uppercase();
    Some(match name.strip_prefix("MPI_")? {
        "CHAR" | "SIGNED_CHAR" | "UNSIGNED_CHAR" | "BYTE" | "PACKED" | "CHARACTER" | "INT8_T"
        | "UINT8_T" | "C_BOOL" | "CXX_BOOL" | "INTEGER1" => 1,
        "SHORT" | "UNSIGNED_SHORT" | "INT16_T" | "UINT16_T" | "INTEGER2" | "REAL2" => 2,
        "INT" | "UNSIGNED" | "FLOAT" | "INT32_T" | "UINT32_T" | "INTEGER" | "REAL" | "LOGICAL"
        | "INTEGER4" | "REAL4" | "WCHAR" => 4,
        "DOUBLE" | "LONG" | "UNSIGNED_LONG" | "LONG_LONG" | "LONG_LONG_INT"
        | "UNSIGNED_LONG_LONG" | "INT64_T" | "UINT64_T" | "DOUBLE_PRECISION" | "COMPLEX"
        | "INTEGER8" | "REAL8" | "AINT" | "OFFSET" | "COUNT" | "C_COMPLEX" | "C_FLOAT_COMPLEX"
        | "COMPLEX8" | "CXX_FLOAT_COMPLEX" => 8,
        "LONG_DOUBLE" | "DOUBLE_COMPLEX" | "C_DOUBLE_COMPLEX" | "COMPLEX16" | "REAL16"
        | "CXX_DOUBLE_COMPLEX" => 16,
        _ => return None,
    })
}

/// Whether a predefined datatype is a pair of two values (MPI 4.1, section 6.9.4): its size is the
/// standard's, whatever the buffer is made of, and some have gaps.
pub(super) fn is_pair(datatype: &str) -> bool {
    let name = datatype.to_ascii_uppercase();
    name.strip_prefix("MPI_").is_some_and(|rest| {
        ["2INT", "2INTEGER", "2REAL", "2DOUBLE_PRECISION"].contains(&rest)
            || ["FLOAT_INT", "DOUBLE_INT", "LONG_INT", "SHORT_INT", "LONG_DOUBLE_INT"]
                .contains(&rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_buffers_of_the_table() {
        let of = |name: &str| -> Vec<_> {
            let tell = |s: &Side| (s.direction, s.buffer, s.count, s.datatype, s.request);
            sides(name).iter().map(tell).collect()
        };
        use Direction::{Pack, Unpack};
        assert_eq!(of("mpi_irecv"), [(Unpack, 0, 1, Some(2), Some(6))]);
        let both = [(Pack, 0, 1, Some(2), None), (Unpack, 5, 6, Some(7), None)];
        assert_eq!(of("MPI_Sendrecv"), both);
        assert_eq!(of("MPI_Reduce"), [(Pack, 0, 2, Some(3), None)]);
        assert_eq!(of("MPI_Put"), []);
        assert_eq!(of("MPI_Send_c"), []);
    }

    #[test]
    fn collectives_have_parts_where_all_processes_meet() {
        let of = |name: &str| -> Vec<_> { sides(name).iter().map(|s| s.manner).collect() };
        let parts = |root, comm| Manner::Parts { root, comm };
        assert_eq!(of("MPI_Ibcast"), [Manner::Broadcast { root: 3, comm: 4 }]);
        assert_eq!(of("MPI_Gather"), [Manner::Once, parts(Some(6), 7)]);
        assert_eq!(of("MPI_Scatter"), [parts(Some(6), 7), Manner::Once]);
        assert_eq!(of("MPI_Allgather"), [Manner::Once, parts(None, 6)]);
        assert_eq!(of("MPI_Ialltoall"), [parts(None, 6), parts(None, 6)]);
        assert_eq!(of("MPI_Recv_init"), [Manner::Persistent]);
        let obstacles: Vec<_> = sides("MPI_Gatherv").iter().map(|s| s.obstacle).collect();
        assert_eq!(obstacles, [None, Some(Obstacle::Lists)]);
    }
}
