//! The uses that procedures of MPI, of C's library and of C++'s make of their arguments.

use commloom_mpi_api::{Call, Direction, Parameter, find};

use super::names::last;

/// The use of an argument.
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

/// Whether a name is MPI's: a function or a constant.
#[must_use]
pub fn is_mpi(name: &str) -> bool {
    name.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case("mpi_"))
}

/// The use of each argument. None: not known.
pub(super) fn uses(name: &str, count: usize, is_fortran: bool) -> Option<Vec<Use>> {
    if is_mpi(name) {
        // The other processes write to windows, and between which calls they do is not said.
        if name.get(4..8).is_some_and(|rest| rest.eq_ignore_ascii_case("win_")) {
            return None;
        }
        let Some(known) = mpi(name, is_fortran) else { return Some(vec![Use::Both; count]) };
        let rest = if is_fortran { Use::Writes } else { Use::Both };
        return Some((0..count).map(|at| known.get(at).copied().unwrap_or(rest)).collect());
    }
    Some(expand(if is_fortran { fortran(name)? } else { c(name)? }, count))
}

/// Whether a procedure of a library keeps no address that it is given: when it has returned (and
/// its request is complete), only the program touches its arguments.
pub fn is_forgetful(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    match lower.strip_prefix("mpi_") {
        Some(rest) => {
            !(rest.starts_with("win_") || rest.contains("attach") || rest.contains("attr"))
        }
        None => c(name).is_some() && !matches!(last(name), "realloc" | "move" | "swap"),
    }
}

/// Whether a procedure of a library gives memory that nobody else knows.
pub(super) fn is_maker(name: &str) -> bool {
    matches!(name, "malloc" | "calloc" | "aligned_alloc" | "_mm_malloc" | "new")
}

/// How many arguments a procedure of MPI has in Fortran, without `ierror`.
pub fn arguments(name: &str) -> Option<usize> {
    let Call { function, form } = find(name)?;
    Some(function.parameters(form).filter(|parameter| !parameter.is_c_only).count())
}

/// Which arguments (from 0) a procedure of MPI reads while it communicates.
pub fn arguments_read(name: &str, count: usize) -> Vec<usize> {
    let all = mpi(name, false).unwrap_or_default();
    let read = all.iter().take(count).enumerate().filter(|(_, what)| **what == Use::Reads);
    read.map(|(at, _)| at).collect()
}

/// `r`, `w`, `b`, `-` as in [`Use`]; the last stands for all that follow.
fn expand(pattern: &str, count: usize) -> Vec<Use> {
    let all = pattern.chars().map(|c| match c {
        'r' => Use::Reads,
        'w' => Use::Writes,
        'b' => Use::Both,
        _ => Use::Value,
    });
    let last = all.clone().next_back().unwrap_or(Use::Value);
    all.chain(std::iter::repeat(last)).take(count).collect()
}

/// The uses that a procedure of MPI makes of its arguments, by the table of all; `ierror` is not
/// among them.
fn mpi(name: &str, is_fortran: bool) -> Option<Vec<Use>> {
    let Call { function, form } = find(name)?;
    // Nobody knows what is done with a state that functions of the program are given.
    if function.parameters(form).any(|parameter| parameter.callback.is_some()) {
        return None;
    }
    let partial = function.buffers().into_iter().filter(|buffer| buffer.datatype.is_none());
    let partial: Vec<usize> = partial.map(|buffer| buffer.address).collect();
    let one = |at: usize, parameter: &Parameter| match parameter.direction {
        _ if parameter.kind.name == "VARARGS" => Use::Both,
        _ if !parameter.is_address() || parameter.is_c_only => Use::Value,
        // An address that is computed with, and memory that is given back.
        Direction::In if function.name.ends_with("ddress") && at == 0 => Use::Value,
        Direction::In if function.name == "MPI_Free_mem" => Use::Both,
        Direction::In => Use::Reads,
        // Packed data come behind others.
        Direction::Out if !partial.contains(&at) => Use::Writes,
        Direction::Out | Direction::InOut => Use::Both,
    };
    let all = function.parameters(form).filter(|parameter| !(is_fortran && parameter.is_c_only));
    Some(all.enumerate().map(|(at, parameter)| one(at, parameter)).collect())
}

/// Functions of C and C++ that are given values, or give memory.
#[rustfmt::skip]
const BY_VALUE: &[&str] = &[
    "malloc", "calloc", "aligned_alloc", "_mm_malloc", "new", "fflush", "fclose", "fopen", "exit",
    "abort", "putchar", "time", "clock", "rand", "srand", "drand48", "lrand48", "assert",
    "abs", "labs", "fabs", "fabsf", "sqrt", "sqrtf", "sin", "cos", "tan", "exp", "log",
    "log10", "log2", "pow", "floor", "ceil", "fmin", "fmax", "fmod", "atan", "atan2",
    "asin", "acos", "hypot", "cbrt", "round", "min", "max", "isnan", "omp_get_thread_num",
    "omp_get_num_threads", "omp_get_wtime", "gettimeofday", "clock_gettime", "usleep",
    "sleep", "make_unique", "make_shared", "size", "to_string",
];

fn c(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("std::").unwrap_or(name);
    Some(match name {
        "memcpy" | "memmove" | "strcpy" | "strncpy" | "__builtin_memcpy" => "wr-",
        "strcat" | "strncat" => "br-",
        "bcopy" => "rw-",
        "memset" | "bzero" => "w--",
        "memcmp" | "strcmp" | "strncmp" | "strlen" | "strchr" | "strrchr" | "strstr" | "atoi"
        | "atof" | "atol" | "puts" | "perror" | "fputs" | "getenv" => "r",
        "printf" | "exception" | "runtime_error" | "logic_error" | "invalid_argument"
        | "out_of_range" | "length_error" | "domain_error" | "range_error" | "overflow_error"
        | "underflow_error" => "r",
        "fprintf" => "-r",
        "sprintf" => "wr",
        "snprintf" => "w-r",
        "fwrite" => "r--b",
        "fread" => "w--b",
        "free" | "delete" | "_mm_free" | "posix_memalign" => "w-",
        "realloc" => "b-",
        _ if BY_VALUE.contains(&name) => "-",
        // Whoever gets what is moved may take it away.
        "move" | "swap" => "b",
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

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(name: &str, count: usize, is_fortran: bool) -> String {
        let mark = |one| match one {
            Use::Reads => 'r',
            Use::Writes => 'w',
            Use::Both => 'b',
            Use::Value => '-',
        };
        uses(name, count, is_fortran).unwrap().into_iter().map(mark).collect()
    }

    #[test]
    fn arguments_of_mpi_are_read_and_written_as_the_table_says() {
        assert_eq!(marks("MPI_Sendrecv", 12, false), "r----w-----w");
        assert_eq!(marks("mpi_sendrecv", 13, true), "r----w-----ww");
        assert_eq!(marks("MPI_Waitsome", 5, false), "-bwww");
        assert_eq!(marks("MPI_Mrecv", 5, false), "w--bw");
        assert_eq!(marks("MPI_Type_size", 2, false), "-w");
        assert_eq!(marks("MPI_Alltoallw_c", 9, false), "rrrrwrrr-");
        assert_eq!(marks("MPI_Pack", 7, false), "r--b-b-");
        assert_eq!(marks("MPI_Get_address", 2, false), "-w");
        assert_eq!(marks("MPI_Type_struct", 5, false), "-rrrw");
        assert_eq!(marks("MPI_Pcontrol", 3, false), "-bb");
        assert_eq!(marks("MPI_Foo", 2, false), "bb", "an extension of some library");
        assert_eq!(marks("MPI_Op_create", 3, false), "bbb");
        assert_eq!(uses("MPI_Win_fence", 2, false), None);
    }

    #[test]
    fn fortran_has_other_arguments() {
        assert_eq!(marks("MPI_Init_thread", 4, false), "---w");
        assert_eq!(marks("mpi_init_thread", 3, true), "-ww");
        assert_eq!(arguments("MPI_INIT_THREAD"), Some(2));
        assert_eq!(arguments_read("MPI_Scatterv", 9), [0, 1, 2]);
    }
}
