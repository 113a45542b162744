//! Messages to the user when MPI begins: once for all processes, by the first of them.

use commloom_guard::{can_write, one_line};
use commloom_mpi::Abi;

use crate::preload::state::Preload;
use crate::runtime::config::ReportTo;
use crate::runtime::say;

impl<A: Abi> Preload<A> {
    /// Tells of wrong settings when the library begins, in `MPI_Init` or in a session.
    pub(crate) fn tell_at_the_beginning(&'static self) {
        // A tool behind us comes in once more as `PMPI_Init`.
        self.beginning.call_once(|| {
            if !self.speaks_for_all() {
                return;
            }
            let problems = self.config().problems.iter().cloned();
            for problem in problems.chain(self.report_refused()) {
                say::text(&format!("commloom: {problem}\n"));
            }
            if self.config().model.is_some() {
                // It says why it is not used.
                self.measured();
            }
        });
    }

    /// After `MPI_Init`: says that the launcher and the library do not know each other.
    pub(crate) fn tell_if_alone(&'static self) {
        self.alone.call_once(|| {
            if let Some(problem) = self.alone().filter(|_| self.speaks_for_all()) {
                say::text(&format!("commloom: {problem}\n"));
            }
        });
    }

    /// The report will not be written.
    fn report_refused(&self) -> Option<String> {
        let Some(ReportTo::File(file)) = &self.config().report else { return None };
        let error = can_write(file).err()?;
        let place = file.display().to_string();
        Some(format!("the report cannot be written to {}: {error}", one_line(&place)))
    }

    /// Several processes were started, and to the library each of them is the only one.
    fn alone(&self) -> Option<String> {
        let config = self.config();
        let started = config.started.filter(|_| !config.off)?;
        let size = started.size.filter(|&size| size > 1)?;
        let mpi = self.mpi();
        if mpi.size(mpi.handles.comm_world) != Ok(1) {
            return None;
        }
        let library = short(&mpi.library_version().unwrap_or_default());
        Some(format!(
            "a launcher of {by} started {size} processes ({variable}={size}), but each of them is \
             alone: MPI_COMM_WORLD of the program's library, {library} ({path}), has 1 process. \
             Start the program with the mpiexec of that library, or build it with the library of \
             the launcher",
            by = started.by,
            variable = started.size_variable,
            path = mpi.library().path(),
        ))
    }
}

/// Name and version in what `MPI_Get_library_version` says.
fn short(version: &str) -> String {
    let line = version.lines().next().unwrap_or_default();
    let line = line.split(',').next().unwrap_or_default().replace("Version:", "");
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn libraries_are_named_with_their_version() {
        assert_eq!(short("MPICH Version:      4.0.2\nMPICH Release date"), "MPICH 4.0.2");
        assert_eq!(short("Open MPI v4.1.4, package: Debian"), "Open MPI v4.1.4");
        assert_eq!(short(""), "");
    }
}
