//! On what machine, and with what, the numbers were had.

use super::mpi::Library;
use serde::{Deserialize, Serialize};
use std::fs;
use std::process::Command;

/// Facts that a reader of the numbers needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// As the kernel names it.
    pub cpu: String,
    /// That this process may use.
    pub cpus: usize,
    /// Name and release.
    pub kernel: String,
    /// Coordinated universal time at the start, ISO 8601.
    pub date: String,
    /// Load average over one minute at the start.
    pub load: String,
    /// Every MPI library used.
    pub libraries: Vec<Version>,
}

/// A library and its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// As given to `--mpi`.
    pub name: String,
    /// As told by its `mpiexec`.
    pub version: String,
    /// Whether its launcher could bind each rank to a core.
    pub bound: bool,
}

/// Describes this machine. What cannot be found out is "unknown".
#[must_use]
pub fn describe(libraries: &[Library]) -> Environment {
    let version = |l: &Library| Version {
        name: l.name.clone(),
        version: l.version.clone(),
        bound: l.binds(),
    };
    let first_word = |text: String| text.split_whitespace().next().map(str::to_owned);
    let unknown = || "unknown".to_owned();
    Environment {
        cpu: fs::read_to_string("/proc/cpuinfo")
            .ok()
            .and_then(|text| cpu_model(&text))
            .unwrap_or_else(unknown),
        cpus: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        kernel: fs::read_to_string("/proc/sys/kernel/osrelease")
            .map_or_else(|_| unknown(), |release| format!("Linux {}", release.trim())),
        date: date().unwrap_or_else(unknown),
        load: fs::read_to_string("/proc/loadavg").ok().and_then(first_word).unwrap_or_else(unknown),
        libraries: libraries.iter().map(version).collect(),
    }
}

/// The first model in a `/proc/cpuinfo`, with family and model where the name alone says little.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let field = |name: &str| {
        let line = cpuinfo
            .lines()
            .find(|line| line.split_once(':').is_some_and(|(key, _)| key.trim() == name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let name = field("model name")?;
    match (field("cpu family"), field("model")) {
        (Some(family), Some(model)) => Some(format!("{name} (family {family}, model {model})")),
        _ => Some(name),
    }
}

fn date() -> Option<String> {
    let output = Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ"]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::cpu_model;

    #[test]
    fn the_cpu_is_named_with_family_and_model() {
        let text = "processor\t: 0\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\n";
        assert_eq!(cpu_model(text).unwrap(), "AMD EPYC (family 26, model 2)");
        assert_eq!(cpu_model("model name : X\n").unwrap(), "X");
        assert_eq!(cpu_model("nothing here"), None);
    }
}
