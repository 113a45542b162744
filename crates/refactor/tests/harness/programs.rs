//! Programs of all cases, one before and one after the changes, under each MPI library.
//!
//! Starting compilers is what takes time, so all cases of a language are one text.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use commloom_refactor::source::Language;
use commloom_testkit::ranks::on_one_machine;
use commloom_testkit::runner::side_by_side;

use super::Case;

/// An MPI library, by the suffix that Debian gives its commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Library(pub &'static str);

/// Those that are installed with compilers for all languages. Where MPI is required (`CI`,
/// `COMMLOOM_REQUIRE_MPI`), all must be.
pub fn libraries() -> Vec<Library> {
    let required = ["CI", "COMMLOOM_REQUIRE_MPI"].iter().any(|v| std::env::var_os(v).is_some());
    let (found, missing): (Vec<Library>, Vec<Library>) =
        ["mpich", "openmpi"].map(Library).into_iter().partition(|library| {
            ["mpicc", "mpicxx", "mpif90"].iter().all(|compiler| {
                let version = Command::new(library.command(compiler)).arg("--version").output();
                version.is_ok_and(|output| output.status.success())
            })
        });
    for Library(name) in missing {
        assert!(!required, "no compilers of {name}, but MPI is required here");
        commloom_testkit::skipped(&format!("cases under {name}: its compilers are not installed"));
    }
    found
}

/// The parts of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    C,
    Cpp,
    Free,
    Fixed,
    RunsOfFortran,
    Driver,
    Unknown,
}

impl Part {
    const ALL: [Part; 7] = [
        Part::C,
        Part::Cpp,
        Part::Free,
        Part::Fixed,
        Part::RunsOfFortran,
        Part::Driver,
        Part::Unknown,
    ];

    fn file(self) -> &'static str {
        match self {
            Part::C => "c.c",
            Part::Cpp => "cpp.cpp",
            Part::Free => "free.f90",
            Part::Fixed => "fixed.f",
            Part::RunsOfFortran => "runs.c",
            Part::Driver => "driver.c",
            Part::Unknown => "unknown.c",
        }
    }

    fn compiler(self) -> &'static str {
        match self {
            Part::C | Part::RunsOfFortran | Part::Driver | Part::Unknown => "mpicc",
            Part::Cpp => "mpicxx",
            Part::Free | Part::Fixed => "mpif90",
        }
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Part::C | Part::RunsOfFortran | Part::Driver | Part::Unknown => &["-std=gnu17"],
            Part::Cpp => &["-std=gnu++17", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"],
            // Without interfaces one name is called with buffers of several types.
            // Optimized: compilers take what calls do not name for unchanged.
            Part::Free | Part::Fixed => &["-fallow-argument-mismatch", "-O2"],
        }
    }

    /// The text of all cases; each has its text from `text`.
    fn text(self, cases: &[Case], text: &dyn Fn(&Case) -> String) -> String {
        let of = |language| cases.iter().filter(move |c| c.language == language);
        match self {
            Part::C => c(of(Language::C), text),
            Part::Cpp => cpp(of(Language::Cpp), text),
            Part::Free => of(Language::FortranFree).map(text).collect(),
            Part::Fixed => of(Language::FortranFixed).map(text).collect(),
            Part::RunsOfFortran => {
                let all = cases.iter().filter(|c| c.language.is_fortran());
                let mut whole = String::from("#include \"driver.h\"\n");
                runs(all, "cases_of_fortran", "", &mut whole);
                whole
            }
            Part::Driver => include_str!("driver.c").to_owned(),
            Part::Unknown => include_str!("unknown.c").to_owned(),
        }
    }
}

/// Each file as it is; the names of its macros and of its own functions are free again after it.
fn c<'c>(cases: impl Iterator<Item = &'c Case> + Clone, text: &dyn Fn(&Case) -> String) -> String {
    let mut whole = String::from("#include \"driver.h\"\n");
    for case in cases.clone() {
        let text = text(case);
        let own: Vec<&str> = text.lines().filter_map(own_function).collect();
        for name in &own {
            let _ = writeln!(whole, "#define {name} {name}_{}", case.identifier());
        }
        let _ = writeln!(whole, "#line 1 \"{}\"\n{text}", case.name);
        run(case, "", &mut whole);
        undefine(case, &mut whole);
        for name in &own {
            let _ = writeln!(whole, "#undef {name}");
        }
    }
    all_runs(cases, "cases_of_c", "", &mut whole);
    whole
}

/// The name in the head of a function that keeps a type.
fn own_function(line: &str) -> Option<&str> {
    let (head, _) = line.strip_prefix("static ")?.split_once('(')?;
    head.rsplit(' ').next().filter(|name| name.contains("_type"))
}

/// Each file in a namespace of its own; headers are included before.
fn cpp<'c>(
    cases: impl Iterator<Item = &'c Case> + Clone,
    text: &dyn Fn(&Case) -> String,
) -> String {
    let mut whole = String::from("#include \"driver.h\"\n");
    for case in cases.clone() {
        for line in case.text.lines().filter(|line| line.starts_with("#include")) {
            let _ = writeln!(whole, "{line}");
        }
    }
    for case in cases.clone() {
        let name = case.identifier();
        // What is named from outside is inside of it, too.
        let outside = |before: &str| (format!("{before}::"), format!("{before}{name}::"));
        let mut text = text(case);
        for (from, to) in ["(", "struct "].map(outside) {
            text = text.replace(&from, &to);
        }
        let _ = writeln!(whole, "namespace {name} {{");
        let _ = writeln!(whole, "#line 1 \"{}\"\n{text}", case.name);
        run(case, "", &mut whole);
        whole.push_str("}\n");
        undefine(case, &mut whole);
    }
    let space = |case: &Case| format!("{}::", case.identifier());
    let calls: String = cases.filter(|c| c.run.is_some()).map(|c| call(c, &space(c))).collect();
    let _ = writeln!(whole, "extern \"C\" void cases_of_cpp(void)\n{{\n{calls}}}");
    whole
}

fn undefine(case: &Case, whole: &mut String) {
    for line in case.text.lines() {
        let Some(rest) = line.strip_prefix("#define ") else { continue };
        let name: String =
            rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let _ = writeln!(whole, "#undef {name}");
    }
}

fn runs<'c>(
    cases: impl Iterator<Item = &'c Case> + Clone,
    all: &str,
    space: &str,
    whole: &mut String,
) {
    for case in cases.clone() {
        run(case, space, whole);
    }
    all_runs(cases, all, space, whole);
}

fn run(case: &Case, space: &str, whole: &mut String) {
    if let Some(run) = &case.run {
        let name = case.identifier();
        let _ = writeln!(whole, "void {space}run_{name}(void)\n{{\n{run}\n}}");
    }
}

fn call(case: &Case, space: &str) -> String {
    let identifier = case.identifier();
    format!("    case_begin(\"{}\");\n    {space}run_{identifier}();\n    case_end();\n", case.name)
}

fn all_runs<'c>(cases: impl Iterator<Item = &'c Case>, all: &str, space: &str, whole: &mut String) {
    let calls: String = cases.filter(|c| c.run.is_some()).map(|c| call(c, space)).collect();
    let _ = writeln!(whole, "void {all}(void)\n{{\n{calls}}}");
}

/// The lines that both ranks wrote, by case.
pub type Written = BTreeMap<String, [String; 2]>;

impl Library {
    pub fn command(self, program: &str) -> String {
        format!("{program}.{}", self.0)
    }

    /// Compiles all cases with the texts that `text` gives them, those of C and C++ with options
    /// for `layout`, and runs them.
    pub fn run(
        self,
        state: &str,
        cases: &[Case],
        text: &dyn Fn(&Case) -> String,
        layout: &[&str],
    ) -> Result<Written, String> {
        let name = format!("refactor-{}-{state}", self.0);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // Files of the last run would be taken for this one's.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for programs");
        fs::write(folder.join("driver.h"), include_str!("driver.h")).expect("the header");
        let mut link = Command::new(self.command("mpif90"));
        link.current_dir(&folder).args(["-o", "program"]);
        let mut compilers = Vec::new();
        for part in Part::ALL {
            fs::write(folder.join(part.file()), part.text(cases, text)).expect("a source");
            let object = Path::new(part.file()).with_extension("o");
            let mut command = Command::new(self.command(part.compiler()));
            command.current_dir(&folder).args(["-O0", "-w", "-c", part.file()]);
            if matches!(part, Part::C | Part::Cpp) {
                command.args(layout);
            }
            command.args(part.options()).arg("-o").arg(&object);
            compilers.push(command);
            link.arg(object);
        }
        for (compiler, output) in side_by_side(compilers) {
            finished(&compiler, output)?;
        }
        finish(link.arg("-lstdc++"))?;
        let written = folder.join("written");
        finish(self.mpiexec(&folder.join("program")).arg(&written))
            .map_err(|error| format!("{error}{}", last_lines(&written)))?;
        let mut all = Written::new();
        for rank in 0..2 {
            let path = PathBuf::from(format!("{}.{rank}", written.display()));
            let text = fs::read_to_string(&path).expect("what a rank wrote");
            for block in text.split("case ").skip(1) {
                let (name, lines) = block.split_once('\n').unwrap_or((block, ""));
                all.entry(name.to_owned()).or_default()[rank] = lines.to_owned();
            }
        }
        Ok(all)
    }

    /// Two ranks, and not for ever.
    pub fn mpiexec(self, program: &Path) -> Command {
        let mut command = Command::new("timeout");
        command.arg("100").arg(self.command("mpiexec"));
        on_one_machine(&mut command).args(["-n", "2"]).arg(program);
        command
    }
}

fn finish(command: &mut Command) -> Result<(), String> {
    let output = command.output();
    finished(command, output)
}

fn finished(command: &Command, output: io::Result<Output>) -> Result<(), String> {
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = said.lines().take(40).collect();
    Err(format!("{command:?}: {}\n{}\n", output.status, first.join("\n")))
}

/// Where both ranks were when a program failed.
fn last_lines(written: &Path) -> String {
    let last = |rank: usize| {
        let path = format!("{}.{rank}", written.display());
        let text = fs::read_to_string(path).unwrap_or_default();
        let case = text.lines().rfind(|line| line.starts_with("case "));
        format!("rank {rank} was in {}\n", case.unwrap_or("no case"))
    };
    format!("{}{}", last(0), last(1))
}
