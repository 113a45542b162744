//! On what machine, and with what, the numbers were had.

use super::mpi::Library;
use commloom_measure::date;
use commloom_measure::machine::Machine;
use serde::{Deserialize, Serialize};
use std::time::SystemTime;

/// Facts that a reader of the numbers needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// As the kernel names it.
    pub cpu: String,
    /// That this process may use.
    pub cpus: u32,
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
    let machine = Machine::here();
    Environment {
        cpu: machine.full_processor(),
        cpus: machine.cores,
        kernel: machine.kernel,
        date: date::utc(SystemTime::now()),
        load: machine.load,
        libraries: libraries.iter().map(version).collect(),
    }
}
