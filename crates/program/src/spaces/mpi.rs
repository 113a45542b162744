//! Names of MPI that procedures of Fortran see.

use std::collections::HashSet;

use commloom_source::tree::Use;

use super::Spaces;

impl Spaces {
    /// Whether a procedure has MPI's names from `mpi_f08`, where handles are types: the innermost
    /// scope that names a module of MPI decides.
    pub fn has_handles(&self, id: usize) -> bool {
        let lets_through = |through: &Use| {
            !through.only || through.names.iter().any(|(_, there)| there.starts_with("mpi_"))
        };
        let mut uses = self.layers[id]
            .iter()
            .filter(|layer| layer.through.as_ref().is_none_or(lets_through))
            .flat_map(|layer| &self.spaces[layer.space].uses);
        uses.find_map(|used| match used.module.as_str() {
            "mpi_f08" => Some(true),
            "mpi" => Some(false),
            _ => None,
        })
        .unwrap_or(false)
    }

    /// The names of MPI that a procedure sees, where all modules of MPI are used with `only`.
    pub fn names_of_mpi(&self, id: usize) -> Option<HashSet<&str>> {
        let uses = self.layers[id].iter().flat_map(|layer| &self.spaces[layer.space].uses);
        let of_mpi: Vec<&Use> =
            uses.filter(|used| matches!(used.module.as_str(), "mpi" | "mpi_f08")).collect();
        let limited = !of_mpi.is_empty() && of_mpi.iter().all(|used| used.only);
        let names = of_mpi.iter().flat_map(|used| &used.names).map(|(here, _)| here.as_str());
        limited.then(|| names.collect())
    }

    /// The names of MPI that `use` gives other names.
    pub fn renamed_names_of_mpi(&self, id: usize) -> HashSet<&str> {
        let uses = self.layers[id].iter().flat_map(|layer| &self.spaces[layer.space].uses);
        let of_mpi = uses.filter(|used| matches!(used.module.as_str(), "mpi" | "mpi_f08"));
        let names = of_mpi.flat_map(|used| &used.names).filter(|(here, there)| here != there);
        names.map(|(_, there)| there.as_str()).collect()
    }
}
