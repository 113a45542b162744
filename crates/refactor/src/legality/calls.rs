//! Which calls of MPI send or receive a buffer.

use crate::copies::Direction;

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

/// What stands in the way of all rewriting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The buffer has a part for each process, and arrays say where it lies.
    Lists,
    /// The elements are computed with.
    Reduction,
}

impl Obstacle {
    /// The sentence that says it.
    pub fn message(self) -> &'static str {
        match self {
            Obstacle::Lists => {
                "arrays say how long each process's part of the buffer is and where it lies; what is in them is not looked at"
            }
            Obstacle::Reduction => {
                "a reduction computes with the elements and needs a predefined datatype"
            }
        }
    }
}

/// The buffers of a call, by the name of the function (of C, or of Fortran in lower case).
pub(super) fn sides(function: &str) -> Vec<Side> {
    let lower = function.to_ascii_lowercase();
    let Some(name) = lower.strip_prefix("mpi_") else { return Vec::new() };
    let side = |direction, buffer| Side {
        direction,
        buffer,
        count: buffer + 1,
        datatype: Some(buffer + 2),
        request: None,
        manner: Manner::Once,
        obstacle: None,
    };
    let pack = |buffer| side(Direction::Pack, buffer);
    let unpack = |buffer| side(Direction::Unpack, buffer);
    let pending = |one: Side, request| Side { request: Some(request), ..one };
    let persistent = |one: Side| Side { request: Some(6), manner: Manner::Persistent, ..one };
    let parts = |one: Side, comm| Side { manner: Manner::Parts { root: None, comm }, ..one };
    let of_root = |one: Side, root| Side {
        manner: Manner::Parts { root: Some(root), comm: root + 1 },
        ..one
    };
    let broadcast = Side { manner: Manner::Broadcast { root: 3, comm: 4 }, ..pack(0) };
    let against = |one: Side, obstacle| Side { obstacle: Some(obstacle), ..one };
    let listed = |one: Side, datatype: usize| Side {
        count: datatype - 1,
        datatype: Some(datatype),
        ..against(one, Obstacle::Lists)
    };
    match name {
        "send" | "ssend" | "rsend" | "bsend" => vec![pack(0)],
        "isend" | "issend" | "irsend" | "ibsend" => vec![pending(pack(0), 6)],
        "send_init" | "ssend_init" | "rsend_init" | "bsend_init" => vec![persistent(pack(0))],
        "recv" | "mrecv" => vec![unpack(0)],
        "irecv" => vec![pending(unpack(0), 6)],
        "recv_init" => vec![persistent(unpack(0))],
        "sendrecv" => vec![pack(0), unpack(5)],
        "bcast" => vec![broadcast],
        "ibcast" => vec![pending(broadcast, 5)],
        // What one process gives, or what one gets, is one part.
        "gather" => vec![pack(0), of_root(unpack(3), 6)],
        "igather" => vec![pending(pack(0), 8), pending(of_root(unpack(3), 6), 8)],
        "gatherv" => vec![pack(0), listed(unpack(3), 6)],
        "igatherv" => vec![pending(pack(0), 9)],
        "allgather" => vec![pack(0), parts(unpack(3), 6)],
        "iallgather" => vec![pending(pack(0), 7), pending(parts(unpack(3), 6), 7)],
        "allgatherv" => vec![pack(0), listed(unpack(3), 6)],
        "iallgatherv" => vec![pending(pack(0), 8)],
        "scatter" => vec![of_root(pack(0), 6), unpack(3)],
        "iscatter" => vec![pending(of_root(pack(0), 6), 8), pending(unpack(3), 8)],
        "scatterv" => vec![listed(pack(0), 3), unpack(4)],
        "iscatterv" => vec![pending(unpack(4), 9)],
        "alltoall" => vec![parts(pack(0), 6), parts(unpack(3), 6)],
        "ialltoall" => vec![pending(parts(pack(0), 6), 7), pending(parts(unpack(3), 6), 7)],
        "alltoallv" | "ialltoallv" => vec![listed(pack(0), 3), listed(unpack(4), 7)],
        "alltoallw" | "ialltoallw" => vec![listed(pack(0), 3), listed(unpack(4), 7)],
        "reduce" | "allreduce" | "scan" | "exscan" => {
            // The result stands between.
            vec![Side { count: 2, datatype: Some(3), ..against(pack(0), Obstacle::Reduction) }]
        }
        _ => Vec::new(),
    }
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
