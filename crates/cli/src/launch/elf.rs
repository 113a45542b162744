//! Which MPI a program is linked with.
//!
//! The program's own headers say whether it is dynamic and which libraries it names. The libraries
//! behind those are asked of its loader in trace mode, as `ldd` does: this runs the loader, never
//! the program. Where the loader cannot be asked, the names in the program itself must do.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use commloom_guard::Origin;
use goblin::elf::Elf;
use goblin::elf::header::EM_X86_64;

use super::Abi;
use crate::failure::Failure;
use crate::files::DATA;

/// The ABI of the MPI library that `program` loads.
///
/// # Errors
/// A script or static program, no MPI among its libraries, or several.
pub fn abi_of(program: &Path) -> Result<Abi, Failure> {
    let libraries = libraries(program)?;
    let mut found: BTreeMap<Abi, String> = BTreeMap::new();
    for library in &libraries {
        if let Some(abi) = Abi::of_library(library) {
            found.entry(abi).or_insert_with(|| library.clone());
        }
    }
    let shown = program.display();
    match found.len() {
        1 => Ok(*found.keys().next().expect("one is there")),
        0 => Err(no_mpi(program, &libraries)),
        _ => {
            let names: Vec<String> =
                found.iter().map(|(abi, library)| format!("{library} ({abi})")).collect();
            Err(Failure::message(format!(
                "{shown} loads several MPI libraries: {}; choose one with --mpi",
                names.join(", ")
            )))
        }
    }
}

/// Whether a program says nothing of its MPI library because it loads it later: a script, or the
/// interpreter of Python.
pub fn loads_later(program: &Path) -> bool {
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or("");
    ["python", "pypy"].iter().any(|start| name.starts_with(start))
        || read(program).is_ok_and(|bytes| bytes.starts_with(b"#!"))
}

/// Fails where nothing can be put in front of the program's libraries. Files that are no ELF
/// programs pass: the kernel knows what to do with them.
///
/// # Errors
/// A static program, or a file that cannot be read.
pub fn check_dynamic(program: &Path) -> Result<(), Failure> {
    match Elf::parse(&read(program)?) {
        Ok(elf) if !fits(&elf) => Err(is_of_another_machine(program)),
        Ok(elf) if elf.interpreter.is_none() => Err(is_static(program)),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Whether the preloads are for the same kind of machine as the program: the loader ignores
/// others, after a warning, and the program would run without.
fn fits(elf: &Elf) -> bool {
    elf.is_64 && elf.little_endian && elf.header.e_machine == EM_X86_64
}

fn is_of_another_machine(program: &Path) -> Failure {
    Failure::message(format!(
        "{} is no program for 64-bit x86: the preloads work in those only",
        program.display()
    ))
}

fn is_static(program: &Path) -> Failure {
    Failure::message(format!(
        "{} is statically linked: no library can be put in front of its MPI; link it with the \
         shared MPI library",
        program.display()
    ))
}

fn read(program: &Path) -> Result<Vec<u8>, Failure> {
    commloom_guard::read(program, Origin::Named, DATA).map_err(|error| Failure::File {
        doing: "read",
        name: program.display().to_string(),
        error,
    })
}

/// Sonames of all libraries that the program loads at start.
fn libraries(program: &Path) -> Result<Vec<String>, Failure> {
    let shown = program.display();
    let bytes = read(program)?;
    if bytes.starts_with(b"#!") {
        let line = String::from_utf8_lossy(&bytes[2..bytes.len().min(100)]).into_owned();
        let interpreter = line.lines().next().unwrap_or("").trim().to_owned();
        return Err(Failure::message(format!(
            "{shown} is a script (for {interpreter}), so its MPI library cannot be told from it; \
             say which with --mpi mpich|openmpi|abi"
        )));
    }
    let elf = Elf::parse(&bytes).map_err(|error| {
        Failure::message(format!(
            "{shown} is not an ELF program ({error}); if it starts one, name the kind of its MPI \
             library with --mpi mpich|openmpi|abi"
        ))
    })?;
    if !fits(&elf) {
        return Err(is_of_another_machine(program));
    }
    let Some(loader) = elf.interpreter else { return Err(is_static(program)) };
    let named: Vec<String> = elf.libraries.iter().map(|&l| l.to_owned()).collect();
    Ok(traced(loader, program).unwrap_or(named))
}

/// All libraries as the loader finds them, also those that it does not find; `None` where it has
/// no trace mode.
fn traced(loader: &str, program: &Path) -> Option<Vec<String>> {
    let program = std::path::absolute(program).ok()?;
    let trace = Command::new(loader).arg("--list").arg(program).env_remove("LD_PRELOAD").output();
    let trace = trace.ok().filter(|t| t.status.success() || !t.stdout.is_empty())?;
    let lines = String::from_utf8_lossy(&trace.stdout).into_owned();
    Some(lines.lines().filter_map(soname).collect())
}

/// A line such as `libmpi.so.40 => /usr/lib/libmpi.so.40 (0x0000)` has the soname in front.
fn soname(line: &str) -> Option<String> {
    let first = line.split_whitespace().next()?;
    Path::new(first).file_name()?.to_str().map(str::to_owned)
}

fn no_mpi(program: &Path, libraries: &[String]) -> Failure {
    let shown = program.display();
    let name = program.file_name().and_then(|n| n.to_str()).unwrap_or("");
    if ["mpirun", "mpiexec", "srun", "orterun", "prterun"].iter().any(|l| name.starts_with(l)) {
        return Failure::message(format!(
            "{shown} starts MPI programs and is none itself: write `{name} ... commloom exec -- \
             PROGRAM`, so that every process is started by commloom"
        ));
    }
    Failure::message(format!(
        "{shown} is linked with no MPI library (looked for libmpich.so.12, libmpi.so.12, \
         libmpi.so.40, libmpi_abi.so.* among {}); if it loads one later, as Python does, name its \
         kind with --mpi mpich|openmpi|abi",
        if libraries.is_empty() { "no libraries".to_owned() } else { libraries.join(", ") }
    ))
}
