//! Changed programs, before and after, compiled and run under one library.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use commloom_refactor::source::Language;
use commloom_testkit::ranks::on_one_machine;
use commloom_testkit::runner::side_by_side;

use super::Outcome;

/// The lines that each program printed, by its number.
pub type Printed = BTreeMap<usize, String>;

/// Compiles the programs with the texts that `text` gives, and runs them in both modes.
///
/// # Errors
/// The words of a compiler, or where the program was when it failed.
pub fn run(
    library: &str,
    folder: &Path,
    all: &[&Outcome],
    text: &dyn Fn(&Outcome) -> String,
) -> Result<Printed, String> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let write =
        |name: &str, text: &str| fs::write(folder.join(name), text).map_err(|e| e.to_string());
    let (mut c, mut cpp, mut fortran) = (String::new(), String::new(), String::new());
    let mut table = String::from(
        "#include <mpi.h>\ntypedef double procedure(double *, double *, int *, int, int, int, \
         MPI_Comm);\n\
         typedef void subroutine(double *, double *, int *, int *, int *, int *, MPI_Fint *, \
         double *);\n",
    );
    let mut rows = String::new();
    for outcome in all {
        let number = outcome.program.number;
        let is_c = outcome.program.language == Language::C;
        if is_c || outcome.program.language == Language::Cpp {
            let file = if is_c { &mut c } else { &mut cpp };
            let suffix = outcome.program.suffix();
            let _ = writeln!(file, "#line 1 \"p{number}.{suffix}\"\n{}", text(outcome));
            let _ = writeln!(table, "procedure p{number};");
            let _ = writeln!(rows, "{{{number}, p{number}, 0}},");
        } else {
            fortran.push_str(&text(outcome));
            let _ = writeln!(table, "subroutine p{number}_;");
            let _ = writeln!(rows, "{{{number}, 0, p{number}_}},");
        }
    }
    let _ = writeln!(
        table,
        "const struct {{ int number; procedure *c; subroutine *fortran; }} \
         procedures[] = {{{rows}{{-1, 0, 0}}}};"
    );
    write("c.c", &c)?;
    write("cpp.cpp", &cpp)?;
    write("f.f90", &fortran)?;
    write("table.c", &table)?;
    write("driver.c", include_str!("driver.c"))?;
    write("bottom.f90", include_str!("bottom.f90"))?;
    compile(library, folder)?;
    let mut printed = Printed::new();
    for mode in ["e", "l"] {
        let mut command = Command::new("./program");
        on_one_machine(&mut command).current_dir(folder).arg(mode);
        for line in finish(&mut command)?.lines() {
            let Some((number, rest)) = line.split_once(' ') else { continue };
            let Ok(number) = number.parse() else { return Err(line.to_owned()) };
            let _ = writeln!(printed.entry(number).or_default(), "{mode} {rest}");
        }
    }
    Ok(printed)
}

/// The texts in a folder become its program.
fn compile(library: &str, folder: &Path) -> Result<(), String> {
    let tool = |name: &str| format!("{name}.{library}");
    let warnings = [
        "-std=gnu17",
        "-w",
        "-Werror=implicit-function-declaration",
        "-Werror=incompatible-pointer-types",
        "-Werror=int-conversion",
    ];
    let mut link = Command::new(tool("mpif90"));
    link.current_dir(folder).args(["-fopenmp", "-o", "program"]);
    // The old classes of MPI need a library of their own.
    let cpp_options = ["-std=gnu++17", "-w", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"];
    // Lines with `!$` are statements.
    let fortran = ["-w", "-fcheck=all", "-fallow-argument-mismatch", "-fopenmp"];
    let mut compilers = Vec::new();
    for file in ["c.c", "cpp.cpp", "f.f90", "table.c", "driver.c", "bottom.f90"] {
        let (compiler, options) = match file.rsplit_once('.').map(|(_, suffix)| suffix) {
            Some("c") => ("mpicc", &warnings[..]),
            Some("cpp") => ("mpicxx", &cpp_options[..]),
            _ => ("mpif90", &fortran[..]),
        };
        let mut command = Command::new(tool(compiler));
        command.current_dir(folder).args(["-O0", "-c", file]).args(options);
        compilers.push(command);
        link.arg(Path::new(file).with_extension("o"));
    }
    for (compiler, output) in side_by_side(compilers) {
        finished(&compiler, output)?;
    }
    link.arg("-lstdc++");
    finish(&mut link).map(drop)
}

fn finish(command: &mut Command) -> Result<String, String> {
    let output = command.output();
    finished(command, output)
}

fn finished(command: &Command, output: io::Result<Output>) -> Result<String, String> {
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = errors.lines().take(30).collect();
    let last = said.lines().last().unwrap_or("");
    Err(format!("{command:?}: {}\n{last}\n{}\n", output.status, first.join("\n")))
}

/// Where programs of a state are compiled.
pub fn folder(library: &str, state: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("campaign-{library}-{state}"))
}
