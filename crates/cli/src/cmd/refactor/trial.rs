//! The new texts are compiled before they are shown: in a folder of their own, by the command that
//! compiles the file (`--compile`, `compile_commands.json`).

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use commloom_guard::Folder;
use commloom_refactor::check::{self, Finding, Project};
use commloom_refactor::refusal::Code;
use commloom_refactor::source::Source;

use crate::failure::Failure;
use crate::terminal::say;

use super::compile::CompileStep;

/// More files than these beside a source are not linked to.
const MOST_BESIDE: usize = 10_000;

/// Compilers that are started where a file that was found, and not named, says so.
const COMPILERS: [&str; 24] = [
    "cc",
    "c++",
    "gcc",
    "g++",
    "clang",
    "clang++",
    "gfortran",
    "flang",
    "f95",
    "ftn",
    "CC",
    "icx",
    "icpx",
    "ifx",
    "icc",
    "icpc",
    "ifort",
    "nvc",
    "nvc++",
    "nvfortran",
    "mpicc",
    "mpicxx",
    "mpif90",
    "mpifort",
];

/// Refuses changes that do not compile.
pub fn compiled(
    project: &Project,
    findings: &mut [Finding],
    command: Option<&str>,
    works: &HashMap<String, CompileStep>,
) -> Result<(), Failure> {
    let mut bad: HashMap<String, bool> = HashMap::new();
    let mut failure = None;
    check::withhold(project, findings, Code::Compile, &mut |source, text| {
        let how = match (command, works.get(&source.name)) {
            (Some(command), _) => How::Shell(command),
            (None, Some(work)) if work.is_named || is_compiler(work) => How::Command(work),
            _ => return None,
        };
        let is_bad = *bad.entry(source.name.clone()).or_insert_with(|| {
            let before = how.fault(source, &source.text);
            if let Ok(Some(message)) = &before {
                say!(
                    "{} does not compile as it is, so changes are only parsed: {message}",
                    source.name
                );
            }
            !matches!(before, Ok(None))
        });
        if is_bad {
            return None;
        }
        match how.fault(source, text) {
            Ok(fault) => fault.map(|message| format!("the new text does not compile: {message}")),
            Err(error) => {
                failure.get_or_insert(error);
                None
            }
        }
    });
    failure.map_or(Ok(()), Err)
}

/// The command for a file.
#[derive(Clone, Copy)]
enum How<'a> {
    /// For a shell, with `{}` where the path goes.
    Shell(&'a str),
    Command(&'a CompileStep),
}

impl How<'_> {
    /// The compiler's first message about a text, if it does not compile.
    fn fault(self, source: &Source, text: &str) -> Result<Option<String>, Failure> {
        let failure = |error| Failure::File { doing: "compile", name: source.name.clone(), error };
        let folder = Folder::new(&std::env::temp_dir()).map_err(failure)?;
        let original =
            fs::canonicalize(&source.name).unwrap_or_else(|_| source.name.clone().into());
        let path = placed(folder.path(), &original, text).map_err(failure)?;
        let mut command = match self {
            How::Shell(line) => shell(line, &path),
            How::Command(work) => of_work(work, &original, &path, folder.path()),
        };
        let output = command.stdin(Stdio::null()).output().map_err(failure)?;
        if output.status.success() {
            return Ok(None);
        }
        let said = [output.stderr, output.stdout].concat();
        let said = String::from_utf8_lossy(&said);
        let place = format!("{}/", folder.path().display());
        let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
        let error = lines().find(|line| line.to_lowercase().contains("error")).or(lines().next());
        let message = error.unwrap_or("the command failed").replace(&place, "");
        Ok(Some(message.chars().take(300).collect()))
    }
}

/// Puts a text into the folder, beside links to what stands beside the file itself: that is where
/// includes in quotes are looked for.
fn placed(folder: &Path, original: &Path, text: &str) -> std::io::Result<PathBuf> {
    let beside = original.parent().unwrap_or(Path::new("."));
    let own = original.file_name().unwrap_or_default();
    for entry in fs::read_dir(beside)?.take(MOST_BESIDE) {
        let entry = entry?;
        if entry.file_name() != own {
            symlink(entry.path(), folder.join(entry.file_name()))?;
        }
    }
    let path = folder.join(own);
    fs::write(&path, text)?;
    Ok(path)
}

fn shell(line: &str, path: &Path) -> Command {
    let path = format!("'{}'", path.display().to_string().replace('\'', "'\\''"));
    let mut command = Command::new("sh");
    command.arg("-c").arg(line.replace("{}", &path));
    command
}

/// The command of the file with other paths; what it writes goes into the folder.
fn of_work(work: &CompileStep, original: &Path, path: &Path, folder: &Path) -> Command {
    let mut command = Command::new(&work.compiler);
    command.current_dir(&work.folder);
    let mut rest = work.arguments.iter();
    while let Some(argument) = rest.next() {
        let named = Path::new(&work.folder).join(argument);
        match argument.as_str() {
            "-o" | "-MF" | "-MT" | "-MQ" => drop(rest.next()),
            "-MD" | "-MMD" | "-c" => {}
            "-J" | "-module" => {
                command.args(["-I".as_ref(), rest.next().map_or("", String::as_str).as_ref()]
                    as [&std::ffi::OsStr; 2]);
            }
            _ if argument.starts_with("-o") && argument.len() > 2 && !argument.contains('=') => {}
            _ if argument.starts_with("-J") => {
                command.arg(format!("-I{}", argument.trim_start_matches("-J")));
            }
            _ if fs::canonicalize(named).is_ok_and(|named| named == original) => {
                command.arg(path);
            }
            _ => drop(command.arg(argument)),
        }
    }
    command.arg("-c").arg("-o").arg(folder.join("commloom-trial.o"));
    if work.is_fortran {
        // Modules that it makes.
        command.env("PWD", &work.folder).arg("-J").arg(folder);
    }
    command
}

/// Whether a command is one of a compiler of this machine that starts nothing else.
fn is_compiler(work: &CompileStep) -> bool {
    let path = Path::new(&work.compiler);
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    let plain = name.split(['-', '.']).find(|part| COMPILERS.contains(part)).is_some();
    let is_system = !work.compiler.contains('/')
        || ["/usr/", "/opt/", "/bin/"].iter().any(|folder| work.compiler.starts_with(folder));
    let starts = ["-fplugin", "-wrapper", "-B", "-specs", "--config", "@", "-Xclang"];
    let asks = |argument: &String| starts.iter().any(|option| argument.starts_with(option));
    plain && is_system && !work.arguments.iter().any(asks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(compiler: &str, arguments: &[&str]) -> CompileStep {
        CompileStep {
            folder: "/p".into(),
            compiler: compiler.into(),
            arguments: arguments.iter().map(|a| (*a).to_owned()).collect(),
            is_fortran: false,
            is_named: false,
        }
    }

    #[test]
    fn only_compilers_are_started() {
        assert!(is_compiler(&work("mpicc", &["-c", "a.c"])));
        assert!(is_compiler(&work("/usr/bin/x86_64-linux-gnu-gcc-12", &["a.c"])));
        assert!(!is_compiler(&work("./cc", &["a.c"])));
        assert!(!is_compiler(&work("sh", &["-c", "cc a.c"])));
        assert!(!is_compiler(&work("cc", &["-fplugin=./x.so", "a.c"])));
    }

    #[test]
    fn outputs_go_into_the_folder() {
        let own = work("cc", &["-DA", "-o", "build/a.o", "-MD", "-MF", "a.d", "-c", "a.c"]);
        let command = of_work(&own, Path::new("/q/a.c"), Path::new("/t/a.c"), Path::new("/t"));
        let all: Vec<String> =
            command.get_args().map(|a| a.to_string_lossy().into_owned()).collect();
        assert_eq!(all, ["-DA", "a.c", "-c", "-o", "/t/commloom-trial.o"]);
    }
}
