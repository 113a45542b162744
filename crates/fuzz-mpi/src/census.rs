//! How often each MPI call went through the preload.

use std::collections::BTreeMap;

use crate::session::Face;

/// Calls by name, of all ranks together.
#[derive(Debug, Default)]
pub struct Census {
    calls: BTreeMap<String, u64>,
    /// The library has the large-count forms of MPI 4.
    large: bool,
}

impl Census {
    /// Without any call. `large`: the library has the large-count forms.
    pub fn new(large: bool) -> Census {
        Census { calls: BTreeMap::new(), large }
    }

    /// One call, by its name without `MPI_`. Those of the library alone do not count.
    pub fn call(&mut self, face: Face, name: &str, large: bool) {
        if face == Face::Wrapped {
            let suffix = if large && self.large { "_c" } else { "" };
            *self.calls.entry(format!("MPI_{name}{suffix}")).or_default() += 1;
        }
    }

    /// `MPI_Bcast 12, MPI_Isend_c 3`: scripts add them up.
    pub fn text(&self) -> String {
        let calls: Vec<String> =
            self.calls.iter().map(|(name, number)| format!("{name} {number}")).collect();
        calls.join(", ")
    }
}

/// The non-blocking form of a name: `Bcast` is `Ibcast`.
pub fn non_blocking(name: &str) -> String {
    format!("I{}", name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_the_preload_are_counted_by_name() {
        let mut census = Census::new(true);
        for (face, name, large) in [
            (Face::Wrapped, "Send", false),
            (Face::Native, "Send", false),
            (Face::Wrapped, "Send", true),
            (Face::Wrapped, "Bcast", false),
            (Face::Wrapped, "Send", false),
        ] {
            census.call(face, name, large);
        }
        assert_eq!(census.text(), "MPI_Bcast 1, MPI_Send 2, MPI_Send_c 1");
    }

    #[test]
    fn without_large_counts_the_plain_call_is_made() {
        let mut census = Census::new(false);
        census.call(Face::Wrapped, "Recv", true);
        assert_eq!(census.text(), "MPI_Recv 1");
        assert_eq!(non_blocking("Neighbor_alltoallw"), "Ineighbor_alltoallw");
    }
}
