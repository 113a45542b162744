//! What procedures of MPI (MPI 4.1), of C's library and of C++'s do with their arguments.

/// What is done with an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Its content is read, if it has one.
    Reads,
    /// Its content is written.
    Writes,
    /// Both.
    Both,
    /// Only its value is used.
    Value,
}

/// What is done with each argument; `r`, `w`, `b`, `-` as in [`Use`]; the last stands for all that follow. None: not known.
pub(super) fn uses(name: &str, count: usize, is_fortran: bool) -> Option<Vec<Use>> {
    let lower;
    let pattern = if name.len() > 4 && name.get(..4).is_some_and(|p| p.eq_ignore_ascii_case("mpi_"))
    {
        lower = name.to_ascii_lowercase();
        // The other processes write to windows, and between which calls they do is not said.
        if lower.starts_with("mpi_win_") {
            return None;
        }
        let known = mpi(lower.strip_suffix("_c").unwrap_or(&lower)).unwrap_or("b");
        return Some(expand(known, count, is_fortran));
    } else if is_fortran {
        fortran(name)?
    } else {
        c(name)?
    };
    Some(expand(pattern, count, false))
}

/// Whether a procedure of a library keeps no address that it is given: when it has returned (and its request is complete), only the program
/// touches its arguments.
pub fn is_forgetful(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    match lower.strip_prefix("mpi_") {
        Some(rest) => {
            !(rest.starts_with("win_") || rest.contains("attach") || rest.contains("attr"))
        }
        None => c(name).is_some() && !matches!(name, "realloc" | "move" | "swap"),
    }
}

/// How many arguments a procedure of MPI that sends or receives has, without Fortran's `ierror`.
pub fn arguments(name: &str) -> Option<usize> {
    mpi(&name.to_ascii_lowercase()).map(str::len)
}

/// Which arguments (from 0) a procedure of MPI reads while it communicates.
pub fn arguments_read(name: &str, count: usize) -> Vec<usize> {
    let Some(pattern) = mpi(&name.to_ascii_lowercase()) else { return Vec::new() };
    pattern.char_indices().filter(|(at, c)| *c == 'r' && *at < count).map(|(at, _)| at).collect()
}

/// `error`: Fortran's last argument.
fn expand(pattern: &str, count: usize, error: bool) -> Vec<Use> {
    let all: Vec<Use> = pattern
        .chars()
        .map(|c| match c {
            'r' => Use::Reads,
            'w' => Use::Writes,
            'b' => Use::Both,
            _ => Use::Value,
        })
        .collect();
    (0..count)
        .map(|index| match all.get(index) {
            Some(&one) => one,
            None if error && index + 1 == count => Use::Writes,
            None => all.last().copied().unwrap_or(Use::Value),
        })
        .collect()
}

/// Arguments in the order of the standard, without `ierror`.
fn mpi(name: &str) -> Option<&'static str> {
    Some(match name {
        "mpi_send" | "mpi_ssend" | "mpi_rsend" | "mpi_bsend" => "r-----",
        "mpi_isend" | "mpi_issend" | "mpi_irsend" | "mpi_ibsend" | "mpi_send_init"
        | "mpi_ssend_init" | "mpi_bsend_init" | "mpi_rsend_init" => "r-----w",
        "mpi_recv" | "mpi_mrecv" => "w-----w",
        "mpi_irecv" | "mpi_recv_init" => "w-----w",
        "mpi_sendrecv" => "r----w-----w",
        "mpi_isendrecv" => "r----w-----w",
        "mpi_sendrecv_replace" => "b-------w",
        "mpi_wait" => "bw",
        "mpi_test" => "bww",
        "mpi_waitall" => "-bw",
        "mpi_testall" => "-bww",
        "mpi_waitany" => "-bww",
        "mpi_waitsome" | "mpi_testsome" => "-bwww",
        "mpi_testany" => "-bwww",
        "mpi_start" | "mpi_request_free" | "mpi_cancel" => "b",
        "mpi_startall" => "-b",
        "mpi_probe" => "---w",
        "mpi_iprobe" => "---ww",
        "mpi_get_count" | "mpi_get_elements" => "r-w",
        "mpi_bcast" => "b----",
        "mpi_ibcast" => "b----w",
        "mpi_barrier" => "-",
        "mpi_reduce" => "rw-----",
        "mpi_allreduce" | "mpi_scan" | "mpi_exscan" => "rw----",
        "mpi_iallreduce" => "rw----w",
        "mpi_gather" | "mpi_scatter" => "r--w----",
        "mpi_igather" | "mpi_iscatter" => "r--w----w",
        "mpi_allgather" | "mpi_alltoall" => "r--w---",
        "mpi_iallgather" | "mpi_ialltoall" => "r--w---w",
        "mpi_gatherv" => "r--wrr---",
        "mpi_scatterv" => "rrr-w----",
        "mpi_allgatherv" => "r--wrr--",
        "mpi_alltoallv" => "rrr-wrr--",
        "mpi_alltoallw" => "rrrrwrrr-",
        "mpi_ialltoallv" => "rrr-wrr--w",
        "mpi_neighbor_alltoall" | "mpi_neighbor_allgather" => "r--w---",
        "mpi_neighbor_alltoallv" => "rrr-wrr--",
        "mpi_neighbor_alltoallw" => "rrrrwrrr-",
        "mpi_pack" => "r--b-b-",
        "mpi_unpack" => "r-bw---",
        "mpi_pack_size" => "---w",
        "mpi_put" => "r-------",
        "mpi_get" => "w-------",
        "mpi_accumulate" => "r--------",
        "mpi_comm_rank" | "mpi_comm_size" | "mpi_comm_dup" | "mpi_comm_group" => "-w",
        "mpi_comm_split" => "---w",
        "mpi_comm_free" | "mpi_type_free" | "mpi_type_commit" | "mpi_op_free" => "b",
        "mpi_cart_create" => "--rr-w",
        "mpi_cart_shift" => "---ww",
        "mpi_cart_coords" => "---w",
        "mpi_cart_rank" => "-rw",
        "mpi_cart_sub" => "-rw",
        "mpi_dims_create" => "--b",
        "mpi_type_contiguous" | "mpi_type_size" => "--w",
        "mpi_type_vector" | "mpi_type_create_hvector" | "mpi_type_hvector" => "----w",
        "mpi_type_indexed" | "mpi_type_create_hindexed" => "-rr-w",
        "mpi_type_create_indexed_block" => "--r-w",
        "mpi_type_create_struct" | "mpi_type_struct" => "-rrrw",
        "mpi_type_create_resized" => "---w",
        "mpi_type_create_subarray" => "-rrr--w",
        "mpi_type_get_extent" => "-ww",
        "mpi_get_address" | "mpi_address" => "-w",
        "mpi_wtime" | "mpi_wtick" | "mpi_finalize" | "mpi_abort" => "-",
        "mpi_init" => "-",
        "mpi_init_thread" => "---w",
        "mpi_initialized" | "mpi_finalized" => "w",
        "mpi_error_string" => "-ww",
        "mpi_get_processor_name" => "ww",
        _ => return None,
    })
}

fn c(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("std::").unwrap_or(name);
    Some(match name {
        "memcpy" | "memmove" | "strcpy" | "strncpy" | "__builtin_memcpy" => "wr-",
        "strcat" | "strncat" => "br-",
        "bcopy" => "rw-",
        "memset" | "bzero" => "w--",
        "memcmp" | "strcmp" | "strncmp" | "strlen" | "strchr" | "strrchr" | "strstr" | "atoi"
        | "atof" | "atol" | "puts" | "perror" | "fputs" | "getenv" => "r",
        "printf" => "r",
        "fprintf" => "-r",
        "sprintf" => "wr",
        "snprintf" => "w-r",
        "fwrite" => "r--b",
        "fread" => "w--b",
        "free" | "delete" => "w",
        "realloc" => "b-",
        "malloc"
        | "calloc"
        | "aligned_alloc"
        | "new"
        | "fflush"
        | "fclose"
        | "fopen"
        | "exit"
        | "abort"
        | "putchar"
        | "time"
        | "clock"
        | "rand"
        | "srand"
        | "drand48"
        | "lrand48"
        | "assert"
        | "abs"
        | "labs"
        | "fabs"
        | "fabsf"
        | "sqrt"
        | "sqrtf"
        | "sin"
        | "cos"
        | "tan"
        | "exp"
        | "log"
        | "log10"
        | "log2"
        | "pow"
        | "floor"
        | "ceil"
        | "fmin"
        | "fmax"
        | "fmod"
        | "atan"
        | "atan2"
        | "asin"
        | "acos"
        | "hypot"
        | "cbrt"
        | "round"
        | "min"
        | "max"
        | "isnan"
        | "omp_get_thread_num"
        | "omp_get_num_threads"
        | "omp_get_wtime"
        | "gettimeofday"
        | "clock_gettime"
        | "usleep"
        | "sleep"
        | "make_unique"
        | "make_shared"
        | "size"
        | "move" => "-",
        "swap" => "b",
        "copy" | "copy_n" => "r-w",
        // Made from another one, perhaps.
        "vector" | "array" => "r",
        "fill" => "w--",
        _ => return None,
    })
}

fn fortran(name: &str) -> Option<&'static str> {
    if let Some(statement) = name.strip_prefix('$') {
        return Some(match statement {
            "write" => "r",
            // Nobody reads what memory had before; `source=` is looked at by who asks.
            "allocate" | "deallocate" | "nullify" => "w",
            _ => "b",
        });
    }
    Some(match name {
        "abs" | "iabs" | "dabs" | "max" | "min" | "amax1" | "amin1" | "dmax1" | "dmin1"
        | "max0" | "min0" | "sqrt" | "dsqrt" | "exp" | "dexp" | "log" | "dlog" | "sin" | "cos"
        | "tan" | "dsin" | "dcos" | "atan" | "atan2" | "mod" | "dmod" | "int" | "nint"
        | "idnint" | "real" | "dble" | "float" | "dfloat" | "cmplx" | "dcmplx" | "conjg"
        | "dconjg" | "aimag" | "dimag" | "size" | "lbound" | "ubound" | "shape" | "sum"
        | "product" | "maxval" | "minval" | "any" | "all" | "count" | "reshape" | "transpose"
        | "spread" | "pack" | "matmul" | "dot_product" | "sign" | "dsign" | "isign" | "ceiling"
        | "floor" | "len" | "trim" | "len_trim" | "index" | "char" | "ichar" | "present"
        | "allocated" | "associated" | "kind" | "huge" | "tiny" | "epsilon"
        | "selected_real_kind" | "selected_int_kind" | "btest" | "iand" | "ior" | "ieor"
        | "ishft" | "merge" | "cshift" | "is_iostat_end" | "c_loc" | "c_sizeof"
        | "storage_size" | "adjustl" | "repeat" => "r",
        "flush" | "exit" | "abort" => "r",
        "cpu_time" | "system_clock" | "date_and_time" | "random_number" => "w",
        "random_seed" | "get_command_argument" => "b",
        "move_alloc" => "bw",
        _ => return None,
    })
}
