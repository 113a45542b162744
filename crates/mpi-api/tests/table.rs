//! The table: what it says of functions that everybody knows, what holds for all, and that it is
//! the Forum's.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use commloom_mpi_api::{Buffer, Direction, Form, Function, Role, Version, find, functions};

fn function(name: &str) -> &'static Function {
    find(name).unwrap_or_else(|| panic!("{name}")).function
}

fn version(major: u8, minor: u8) -> Version {
    Version { major, minor }
}

#[test]
fn names_are_found_in_any_case_and_form() {
    let send = find("mpi_SEND").unwrap();
    assert_eq!((send.function.name, send.form), ("MPI_Send", Form::Int));
    assert_eq!(find("MPI_Send_c").unwrap().form, Form::Large);
    assert!(find("MPI_Barrier_c").is_none());
    assert!(find("MPI_Comm_dup_fn").is_none(), "predefined functions are values of keyvals");
    let names: BTreeSet<&str> = functions().iter().map(|f| f.name).collect();
    assert_eq!(names.len(), functions().len());
}

#[test]
fn pointers_are_those_of_c() {
    let of = |name: &str| {
        let call = find(name).unwrap();
        call.function.pointer(call.form)
    };
    assert_eq!(of("MPI_Send"), "int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm)");
    assert_eq!(of("MPI_Wtime"), "double (*)(void)");
    assert_eq!(of("MPI_Pcontrol"), "int (*)(int, ...)");
    assert_eq!(of("MPI_Group_range_incl"), "int (*)(MPI_Group, int, int (*)[3], MPI_Group *)");
    assert_eq!(
        of("MPI_Type_get_envelope_c"),
        "int (*)(MPI_Datatype, MPI_Count *, MPI_Count *, MPI_Count *, MPI_Count *, int *)"
    );
    assert_eq!(of("MPI_Op_create_c"), "int (*)(MPI_User_function_c *, int, MPI_Op *)");
}

#[test]
fn versions_tell_what_a_library_can_have() {
    assert_eq!(function("MPI_Send").since, version(1, 0));
    assert_eq!(function("MPI_Send").large_since, Some(version(4, 0)));
    assert_eq!(function("MPI_Type_create_struct").since, version(2, 0));
    let removed = function("MPI_Type_struct");
    assert_eq!((removed.deprecated, removed.removed), (Some(version(2, 0)), Some(version(3, 0))));
    assert_eq!(function("MPI_Status_set_elements").large_since, Some(version(4, 1)));
    assert_eq!(function("MPI_Abi_get_version").since, version(5, 0));
    for f in functions() {
        assert!(f.large_since.is_none_or(|large| large >= f.since), "{}", f.name);
        assert!(f.deprecated.is_none_or(|deprecated| deprecated > f.since), "{}", f.name);
        assert!(f.removed.is_none_or(|removed| Some(removed) > f.deprecated), "{}", f.name);
    }
}

#[test]
fn buffers_have_what_describes_them() {
    let of = |name: &str| -> Vec<_> {
        let tell = |b: Buffer| (b.address, b.count, b.displacements, b.datatype, b.direction);
        function(name).buffers().into_iter().map(tell).collect()
    };
    use Direction::{In, InOut, Out};
    assert_eq!(of("MPI_Bcast"), [(0, Some(1), None, Some(2), InOut)]);
    assert_eq!(
        of("MPI_Scatterv"),
        [(0, Some(1), Some(2), Some(3), In), (4, Some(5), None, Some(6), Out)]
    );
    assert_eq!(
        of("MPI_Allreduce"),
        [(0, Some(2), None, Some(3), In), (1, Some(2), None, Some(3), Out)]
    );
    assert_eq!(of("MPI_Precv_init"), [(0, Some(2), None, Some(3), Out)]);
    assert_eq!(of("MPI_Pack"), [(0, Some(1), None, Some(2), In), (3, None, None, None, Out)]);
    assert_eq!(of("MPI_Unpack"), [(0, None, None, None, In), (3, Some(4), None, Some(5), Out)]);
    assert_eq!(
        of("MPI_Fetch_and_op"),
        [(0, None, None, Some(2), In), (1, None, None, Some(2), Out)]
    );
    assert_eq!(of("MPI_Wait"), []);
    assert_eq!(function("MPI_Igatherv").position(Role::Root), Some(7));
    assert_eq!(function("MPI_Igatherv").position(Role::Request), Some(9));
}

/// A buffer without a count and a datatype would be a mistake of ours.
#[test]
fn every_message_has_a_count_and_a_datatype() {
    // What moves one element, packed data, or bytes of any kind.
    const OTHERWISE: [&str; 4] = ["_and_", "MPI_Pack", "MPI_Unpack", "MPI_T_"];
    for f in functions() {
        if f.position(Role::Datatype).is_none() || OTHERWISE.iter().any(|o| f.name.contains(o)) {
            continue;
        }
        for buffer in f.buffers() {
            assert!(buffer.count.is_some() && buffer.datatype.is_some(), "{}", f.name);
        }
    }
}

/// Compares the table with the Forum's data, where the package is installed; `COMMLOOM_PYTHON`
/// names the interpreter that has it.
#[test]
fn the_table_is_the_forums() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/mpi-api");
    let python = std::env::var_os("COMMLOOM_PYTHON").unwrap_or_else(|| "python3".into());
    let output = Command::new(&python).arg(script).arg("--check").output();
    match output {
        Ok(output) if output.status.code() != Some(3) => {
            let difference = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "scripts/mpi-api writes the table:\n{difference}");
        }
        // Not eprintln: the test harness would hide it.
        _ => {
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED the_table_is_the_forums: {} has no pympistandard",
                python.display()
            );
        }
    }
}
