//! Type signatures: the basic types of a type map without displacements (MPI 4.1, section 5.1).

use crate::{Basic, Type};

/// The basic types in order, as runs (type, how often in a row).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Signature(Vec<(Basic, u64)>);

impl Signature {
    /// The runs: neighbours differ, no count is zero.
    #[must_use]
    pub fn runs(&self) -> &[(Basic, u64)] {
        &self.0
    }
}

impl Type {
    /// The signature. Homogeneous types take O(1); others are walked, O(elements).
    #[must_use]
    pub fn signature(&self) -> Signature {
        match self.base() {
            crate::Base::Empty => Signature::default(),
            crate::Base::One(basic) => Signature(vec![(basic, self.elements())]),
            crate::Base::Mixed => {
                let mut runs: Vec<(Basic, u64)> = Vec::new();
                for entry in self.type_map() {
                    match runs.last_mut() {
                        Some((basic, n)) if *basic == entry.basic => *n += 1,
                        _ => runs.push((entry.basic, 1)),
                    }
                }
                Signature(runs)
            }
        }
    }
}
