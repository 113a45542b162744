//! The loops, compiled by the C compiler of this machine.

use std::collections::HashSet;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use commloom_refactor::verify::Sample;

use super::process::Process;
use super::{Way, pattern, program};
use crate::signals::Group;

pub struct Loops {
    name: String,
    process: Result<Process, String>,
    /// The samples that have loops.
    known: HashSet<usize>,
    folder: PathBuf,
}

impl Loops {
    /// Compiles all loops: with `CC` and `CFLAGS` where they are set, else `cc -O3`.
    pub fn new(samples: &[&Sample], folder: &Path) -> Loops {
        let variable =
            |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let compiler = variable("CC").unwrap_or_else(|| "cc".to_owned());
        let flags = variable("CFLAGS").unwrap_or_else(|| "-O3".to_owned());
        let functions: Vec<(usize, String)> = samples
            .iter()
            .enumerate()
            .filter_map(|(number, sample)| Some((number, program::function(number, sample)?)))
            .collect();
        let text = program::program(&functions, samples);
        let mut words = compiler.split_whitespace().chain(flags.split_whitespace());
        let command = words.next().unwrap_or("cc");
        Loops {
            name: format!("loop, {compiler} {flags}"),
            process: start(command, words, &text, folder),
            known: functions.into_iter().map(|(number, _)| number).collect(),
            folder: folder.to_owned(),
        }
    }
}

fn start<'w>(
    compiler: &str,
    words: impl Iterator<Item = &'w str>,
    text: &str,
    folder: &Path,
) -> Result<Process, String> {
    let (source, program) = (folder.join("loops.c"), folder.join("loops"));
    std::fs::write(&source, text).map_err(|error| format!("{}: {error}", source.display()))?;
    let child = Command::new(compiler)
        .args(words)
        .arg("-o")
        .args([&program, &source])
        // What the compiler leaves, when it is ended, goes with the folder.
        .env("TMPDIR", folder)
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("no C compiler: {compiler}: {error}"))?;
    let group = Group::new(child.id());
    let output = child.wait_with_output().map_err(|error| format!("{compiler}: {error}"))?;
    drop(group);
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find(|line| line.contains("error")).unwrap_or_default();
        return Err(format!("{compiler} does not compile them: {first}"));
    }
    Process::start(&mut Command::new(program))
}

impl Way for Loops {
    fn name(&self) -> &str {
        &self.name
    }

    fn prepare(&mut self, number: usize, sample: &Sample) -> Result<(), String> {
        let process = self.process.as_mut().map_err(|reason| reason.clone())?;
        if !self.known.contains(&number) {
            return Err("too many loops that differ".to_owned());
        }
        let file = self.folder.join("written");
        process.ask(&format!("do {number} {}", file.display()))?;
        let written = std::fs::read(&file).map_err(|error| error.to_string())?;
        pattern::wrong(sample, &written).map_or(Ok(()), Err)
    }

    fn time(&mut self, times: u64) -> Result<f64, String> {
        let process = self.process.as_mut().map_err(|reason| reason.clone())?;
        let answer = process.ask(&format!("time {times}"))?;
        answer.parse().map_err(|_| format!("{answer} is no time"))
    }
}
