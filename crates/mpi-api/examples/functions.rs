//! Prints book/src/reference/functions.md: what commloom does with each function of MPI, and why.

use std::fmt::Write as _;

use commloom_mpi_api::{Function, Role, functions};

/// The treatment of the functions of a section.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Treatment {
    /// The preloads export them all.
    Wrapped,
    /// The same, but not the forms with large counts.
    WrappedInt,
    /// None is exported: calls go to the library without us.
    Passed,
}

use Treatment::{Passed, Wrapped, WrappedInt};

/// Functions of which the same is true, in the order in which they are looked for.
pub struct Section {
    title: &'static str,
    /// Whether the preloads export its functions.
    pub treatment: Treatment,
    why: &'static str,
    has: fn(&Function) -> bool,
}

const SECTIONS: [Section; 20] = [
    Section {
        title: "Reductions and barriers: recorded",
        treatment: Wrapped,
        why: "`commloom trace` records them. `commloom exec` leaves them alone: a reduction \
            computes with the elements, so packed bytes cannot take their place.",
        has: |f| {
            is_collective(f)
                && (has(f, Role::Operation)
                    || f.name.ends_with("arrier")
                    || f.name == "MPI_Barrier_init")
        },
    },
    Section {
        title: "Collectives that move data: accelerated, recorded",
        treatment: Wrapped,
        why: "Blocks are packed, or sent as an equivalent datatype, where that is faster.",
        has: |f| is_collective(f) && has_message(f),
    },
    Section {
        title: "Messages between two processes that are left alone",
        treatment: Wrapped,
        why: "They go to the library as they are, and are not recorded. `--replace` has to \
            know that they were made.",
        has: |f| is(f, "Isendrecv Isendrecv_replace Cancel"),
    },
    Section {
        title: "What a program asks about messages: recorded",
        treatment: Wrapped,
        why: "They go to the library as they are. A receive whose request was freed has its \
            data when a probe returns.",
        has: |f| is(f, "Probe Iprobe Mprobe Improbe Get_count Get_elements Get_elements_x"),
    },
    Section {
        title: "Messages between two processes: accelerated, recorded",
        treatment: Wrapped,
        why: "Packed, or sent as an equivalent datatype, where that is faster.",
        has: |f| has_message(f) && is_message(f) && !is(f, "Psend_init Precv_init"),
    },
    Section {
        title: "Packing: accelerated",
        treatment: Wrapped,
        why: "commloom's engine packs and unpacks. Nothing is communicated, so nothing is \
            recorded.",
        has: |f| is(f, "Pack Unpack"),
    },
    Section {
        title: "Completion: accelerated, recorded",
        treatment: Wrapped,
        why: "What was received packed is unpacked here, and commloom's own requests end \
            here.",
        has: |f| is(f, COMPLETION),
    },
    Section {
        title: "New communicators: recorded",
        treatment: Wrapped,
        why: "A trace numbers communicators so that all members agree. `--replace` follows \
            some of them.",
        has: |f| is(f, COMMUNICATORS),
    },
    Section {
        title: "Beginning and end: wrapped",
        treatment: Wrapped,
        why: "commloom starts and ends with the library, and writes its reports then. \
            `MPI_Pcontrol` sets marks in a trace.",
        has: |f| {
            is(
                f,
                "\
                Init Init_thread Session_init Session_finalize Finalize Abort Pcontrol",
            )
        },
    },
    Section {
        title: "Committed datatypes: analysed",
        treatment: Wrapped,
        why: "A type is analysed once its messages have cost about as much as that takes.",
        has: |f| is(f, "Type_commit"),
    },
    Section {
        title: "Data of files: accelerated",
        treatment: Wrapped,
        why: "Memory with gaps is packed before a write and unpacked after a read, where that is \
            faster. Where ROMIO reads and writes (MPICH, Intel MPI), accesses that another call \
            ends go to the library as they are.",
        has: |f| is(f, FILE_DATA),
    },
    Section {
        title: "Puts into windows: accelerated",
        treatment: Wrapped,
        why: "Between two processes of a machine, in epochs that fences or groups end, the origin \
            packs what has gaps into memory of both, and the target unpacks it, where that is \
            faster.",
        has: |f| is(f, "Put"),
    },
    Section {
        title: "Windows and their epochs: followed",
        treatment: Wrapped,
        why: "They go to the library as they are. What was put into a window is there when a \
            call returns that ends an epoch.",
        has: |f| is(f, WINDOWS),
    },
    Section {
        title: "Left alone after earlier receives",
        treatment: WrappedInt,
        why: "They can tell the program that a message has arrived: a receive whose request \
            was freed has its data when they return. Otherwise they go to the library as \
            they are. So far this holds for the forms without `_c`.",
        has: |f| is(f, ARRIVALS),
    },
    Section {
        title: "Other functions of files: passed through",
        treatment: Passed,
        why: "Nothing is read or written, or at the shared file pointer, where a read that ends \
            with the file cannot be made again.",
        has: |f| has(f, Role::File) || is(f, "File_* Register_datarep"),
    },
    Section {
        title: "Other one-sided communication: passed through",
        treatment: Passed,
        why: "The process at the other end makes no call in which packed data could be \
            packed or unpacked, or more than bytes are put there.",
        has: |f| has(f, Role::Window) || is(f, "Win_*"),
    },
    Section {
        title: "Partitioned messages and portable packing: passed through",
        treatment: Passed,
        why: "Not supported: parts of a message become ready one by one, and `external32` \
            changes the bytes.",
        has: |f| {
            is(
                f,
                "\
                Psend_init Precv_init Pready* Parrived Pack_external* Unpack_external*",
            )
        },
    },
    Section {
        title: "Datatypes: passed through",
        treatment: Passed,
        why: "A type is what its constructors were given. commloom asks the library for that \
            when it analyses the type.",
        has: |f| is(f, "Type_* Address Get_address Aint_* Sizeof"),
    },
    Section {
        title: "Tools: passed through",
        treatment: Passed,
        why: "Variables and events of the library.",
        has: |f| is(f, "T_*"),
    },
    Section {
        title: "Everything else: passed through",
        treatment: Passed,
        why: "No data of messages moves: groups, attributes, names, error handlers, info, \
            topologies, statuses, generalized requests, processes, handles of Fortran.",
        has: |_| true,
    },
];

const COMPLETION: &str = "\
    Wait Waitall Waitany Waitsome Test Testall Testany Testsome Start Startall Request_free \
    Request_get_status Request_get_status_all Request_get_status_any Request_get_status_some";

const COMMUNICATORS: &str = "\
    Comm_dup Comm_dup_with_info Comm_idup Comm_create Comm_create_group Comm_split \
    Comm_split_type Cart_create Cart_sub Graph_create Dist_graph_create \
    Dist_graph_create_adjacent Intercomm_create Intercomm_merge";

const ARRIVALS: &str = "\
    Comm_free Comm_disconnect Comm_set_info Comm_accept Comm_connect Comm_spawn \
    Win_create_dynamic Win_unlock Win_unlock_all \
    Win_flush Win_flush_all Win_flush_local Win_flush_local_all Win_sync File_open \
    File_close File_sync File_set_size File_preallocate File_set_view File_seek_shared \
    File_read_shared File_read_ordered";

const WINDOWS: &str = "\
    Win_create Win_allocate Win_allocate_shared Win_free Win_fence Win_post Win_start \
    Win_complete Win_wait Win_test Win_lock Win_lock_all";

const FILE_DATA: &str = "\
    File_write File_write_at File_write_all File_write_at_all File_write_shared \
    File_write_ordered File_iwrite File_iwrite_at File_iwrite_all File_iwrite_at_all \
    File_iwrite_shared File_write_all_begin File_write_all_end File_write_at_all_begin \
    File_write_at_all_end File_write_ordered_begin File_write_ordered_end \
    File_read File_read_at File_read_all File_read_at_all File_iread File_iread_at \
    File_iread_all File_iread_at_all File_read_all_begin File_read_all_end \
    File_read_at_all_begin File_read_at_all_end";

/// Whether it is one of those; a star at the end stands for any rest.
fn is(function: &Function, names: &str) -> bool {
    let own = function.name.trim_start_matches("MPI_");
    names.split_whitespace().any(|name| match name.strip_suffix('*') {
        Some(start) => own.starts_with(start),
        None => own == name,
    })
}

fn has(function: &Function, role: Role) -> bool {
    function.position(role).is_some()
}

fn has_message(function: &Function) -> bool {
    function.buffers().iter().any(|buffer| buffer.datatype.is_some())
}

fn is_message(function: &Function) -> bool {
    has(function, Role::Tag) || has(function, Role::Message)
}

fn is_collective(function: &Function) -> bool {
    let packs = function.buffers().iter().any(|buffer| buffer.datatype.is_none());
    has(function, Role::Communicator)
        && !is_message(function)
        && !packs
        && (has_message(function) || function.name.contains("arrier"))
}

/// The section of a function.
pub fn section(function: &Function) -> &'static Section {
    SECTIONS.iter().find(|section| (section.has)(function)).expect("the last has all")
}

/// The page.
pub fn page() -> String {
    let mut text =
        format!("# What commloom does with each function of MPI\n\n{}", lines(words(MADE)));
    let _ = write!(text, "\n{}", lines(words(TERMS)));
    for section in &SECTIONS {
        let of = |function: &&Function| std::ptr::eq(self::section(function), section);
        let mut names: Vec<String> = functions().iter().filter(of).map(entry).collect();
        if let Some(last) = names.last_mut() {
            last.truncate(last.len() - 1);
            last.push('.');
        }
        let _ = write!(text, "\n## {}\n\n{}", section.title, lines(words(section.why)));
        let _ = write!(text, "\n{}", lines(names.iter().map(String::as_str)));
    }
    text
}

const MADE: &str = "\
    Every function up to MPI 5.0, also those that were removed. Made by `cargo run -p \
    commloom-mpi-api --example functions` of the table in `crates/mpi-api`; a test compares \
    it with the symbols that the preloads export.";

const TERMS: &str = "\
    *Accelerated*: `commloom exec` may send or receive the data otherwise than the call \
    says, with the same result. *Recorded*: `commloom trace` writes an event. *Passed \
    through*: the program calls the library, and commloom is not there. In parentheses is \
    the version of MPI that brought the function. One with `_c` has a form with large counts \
    too, of which the same is true. The preload for Open MPI exports no such forms, and \
    nothing of MPI 4.1. Fortran's bindings call those of C.";

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

/// Lines that are not too wide.
fn lines<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let (mut text, mut width) = (String::new(), 0);
    for part in parts {
        let separator = if width == 0 {
            ""
        } else if width + part.len() < 98 {
            " "
        } else {
            "\n"
        };
        width = if separator == "\n" { part.len() } else { width + separator.len() + part.len() };
        text.push_str(separator);
        text.push_str(part);
    }
    text.push('\n');
    text
}

fn entry(function: &Function) -> String {
    let large = if function.large_since.is_some() { ", `_c`" } else { "" };
    let gone = match (function.removed, function.deprecated) {
        (Some(version), _) => format!(", removed in {version}"),
        (None, Some(version)) => format!(", deprecated in {version}"),
        (None, None) => String::new(),
    };
    let fortran = if function.in_c { "" } else { ", Fortran only" };
    format!("`{}` ({}{large}{gone}{fortran}),", function.name, function.since)
}

#[allow(dead_code, reason = "the test takes this file as a module")]
fn main() {
    print!("{}", page());
}
