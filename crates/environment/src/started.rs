//! [`Started`]: who started this process, and as which rank, by the variables of launchers.

use std::ffi::OsString;

/// A process, as its launcher describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Started {
    /// Whose launcher it is.
    pub by: &'static str,
    /// The variable in which it gives the number of processes.
    pub size_variable: &'static str,
    /// The variable that is 0 in the first process of each machine; in the first of all, where
    /// there is none of that kind.
    pub first_variable: &'static str,
    /// Of all processes that were started together.
    pub rank: u32,
    /// How many they are, where that is told.
    pub size: Option<u32>,
    /// Rank among those of this machine, where that is told.
    pub local: Option<u32>,
    /// How many are on this machine, where that is told.
    pub together: Option<u32>,
}

/// Launchers with the variables for rank, size, and rank and size within the machine. An inner
/// launcher wins over the resource manager around it, so that those come last. `SLURM_PROCID` is
/// also in the environment of a batch script, where nobody has started ranks: there is no step
/// then.
const LAUNCHERS: [(&str, [&str; 4]); 7] = [
    (
        "Open MPI",
        [
            "OMPI_COMM_WORLD_RANK",
            "OMPI_COMM_WORLD_SIZE",
            "OMPI_COMM_WORLD_LOCAL_RANK",
            "OMPI_COMM_WORLD_LOCAL_SIZE",
        ],
    ),
    (
        "MVAPICH",
        [
            "MV2_COMM_WORLD_RANK",
            "MV2_COMM_WORLD_SIZE",
            "MV2_COMM_WORLD_LOCAL_RANK",
            "MV2_COMM_WORLD_LOCAL_SIZE",
        ],
    ),
    (HYDRA, ["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"]),
    ("Cray PALS", ["PALS_RANKID", "PALS_SIZE", "PALS_LOCAL_RANKID", ""]),
    ("Flux", ["FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", ""]),
    ("Slurm", ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", ""]),
    ("PMIx", ["PMIX_RANK", "PMIX_SIZE", "PMIX_LOCAL_RANK", "PMIX_LOCAL_SIZE"]),
];

/// The launcher that MPICH and its relatives have.
const HYDRA: &str = "MPICH or Intel MPI";

impl Started {
    /// This process by the variables of its launcher; `None` if it is not one of several.
    pub fn by_launcher(get: impl Fn(&str) -> Option<OsString>) -> Option<Started> {
        let number = |name: &str| get(name)?.to_str()?.parse::<u32>().ok();
        LAUNCHERS.into_iter().find_map(|(by, [rank_variable, size_variable, local, together])| {
            let rank = number(rank_variable)?;
            let size = number(size_variable);
            let is_told = size.is_some() || rank_variable == "PMIX_RANK";
            let first_variable = if number(local).is_some() { local } else { rank_variable };
            is_told.then(|| Started {
                by,
                size_variable,
                first_variable,
                rank,
                size,
                local: number(local),
                together: number(together),
            })
        })
    }

    /// Whether this is the first process of its machine; of all, where the launcher tells no more.
    #[must_use]
    pub fn is_first_here(&self) -> bool {
        self.local.unwrap_or(self.rank) == 0
    }

    /// Whether all processes are on this machine.
    #[must_use]
    pub fn is_on_one_machine(&self) -> bool {
        self.size.is_some() && self.size == self.together
    }

    /// Whether the launcher lets the others wait for ever in `MPI_Init` when a process ends
    /// before its own, whatever its status, unless that is a signal. Hydra is known for it.
    #[must_use]
    pub fn waits_for_all(&self) -> bool {
        self.by == HYDRA
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(
        variables: &[(&str, &str)],
    ) -> Option<(&'static str, u32, Option<u32>, Option<u32>)> {
        let get = |name: &str| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(*v))
        };
        Started::by_launcher(get).map(|s| (s.by, s.rank, s.size, s.local))
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        assert_eq!(started(&[]), None);
        let hydra = [("PMI_RANK", "3"), ("PMI_SIZE", "4"), ("MPI_LOCALRANKID", "1")];
        assert_eq!(started(&hydra), Some(("MPICH or Intel MPI", 3, Some(4), Some(1))));
        let prrte =
            [("PMIX_RANK", "1"), ("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "2")];
        assert_eq!(started(&prrte), Some(("Open MPI", 1, Some(2), None)));
        assert_eq!(started(&[("PMIX_RANK", "1")]), Some(("PMIx", 1, None, None)));
    }

    #[test]
    fn the_inner_launcher_wins_and_a_batch_script_is_no_rank() {
        let batch = [("SLURM_PROCID", "0"), ("SLURM_NTASKS", "64")];
        assert_eq!(started(&batch), None);
        let step = [("SLURM_PROCID", "5"), ("SLURM_STEP_NUM_TASKS", "64"), ("SLURM_LOCALID", "1")];
        assert_eq!(started(&step), Some(("Slurm", 5, Some(64), Some(1))));
        let inner = [("SLURM_PROCID", "0"), ("PMI_RANK", "2"), ("PMI_SIZE", "4")];
        assert_eq!(started(&inner), Some(("MPICH or Intel MPI", 2, Some(4), None)));
    }

    #[test]
    fn variables_that_are_no_numbers_say_nothing() {
        assert_eq!(started(&[("PMI_RANK", "x"), ("PMI_SIZE", "4")]), None);
        assert_eq!(started(&[("PMI_RANK", "-1"), ("PMI_SIZE", "4")]), None);
    }
}
