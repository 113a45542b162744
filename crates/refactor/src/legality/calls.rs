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
    /// The request of a non-blocking call.
    pub request: Option<usize>,
    /// Why no datatype of one process can take the buffer's place.
    pub obstacle: Option<Obstacle>,
}

/// What stands in the way of all rewriting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// The buffer has a part for each process.
    Parts,
    /// The elements are computed with.
    Reduction,
    /// The same buffer is sent by one process and received by the others.
    Root,
    /// The request is started again and again.
    Persistent,
}

impl Obstacle {
    /// The sentence that says it.
    pub fn message(self) -> &'static str {
        match self {
            Obstacle::Parts => {
                "the buffer has a part for each process; a type for one of them is not enough"
            }
            Obstacle::Reduction => {
                "a reduction computes with the elements and needs a predefined datatype"
            }
            Obstacle::Root => {
                "the buffer is packed by one process and unpacked by the others, in one call"
            }
            Obstacle::Persistent => {
                "the request is made once and started later, when the buffer was packed again"
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
        obstacle: None,
    };
    let pack = |buffer| side(Direction::Pack, buffer);
    let unpack = |buffer| side(Direction::Unpack, buffer);
    let pending = |one: Side, request| Side { request: Some(request), ..one };
    let against = |one: Side, obstacle| Side { obstacle: Some(obstacle), ..one };
    match name {
        "send" | "ssend" | "rsend" | "bsend" => vec![pack(0)],
        "isend" | "issend" | "irsend" | "ibsend" => vec![pending(pack(0), 6)],
        "send_init" | "ssend_init" | "rsend_init" | "bsend_init" => {
            vec![against(pack(0), Obstacle::Persistent)]
        }
        "recv" | "mrecv" => vec![unpack(0)],
        "irecv" => vec![pending(unpack(0), 6)],
        "recv_init" => vec![against(unpack(0), Obstacle::Persistent)],
        "sendrecv" => vec![pack(0), unpack(5)],
        "bcast" => vec![against(pack(0), Obstacle::Root)],
        // What one process sends, or what one receives, is one part.
        "gather" | "gatherv" | "allgather" | "allgatherv" => vec![pack(0)],
        "igather" | "igatherv" => vec![pending(pack(0), if name == "igather" { 8 } else { 9 })],
        "iallgather" | "iallgatherv" => {
            vec![pending(pack(0), if name == "iallgather" { 7 } else { 8 })]
        }
        "scatter" => vec![unpack(3)],
        "scatterv" => vec![unpack(4)],
        "alltoall" | "alltoallv" | "alltoallw" => vec![against(pack(0), Obstacle::Parts)],
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
