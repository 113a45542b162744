//! Fresh names.

use std::collections::HashSet;

/// Names that are not used anywhere.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// In lower case: Fortran does not tell cases apart, and people confuse them.
    taken: HashSet<String>,
}

impl Names {
    /// All words of these texts are taken: of the file, and of all that it includes.
    pub fn in_use<'t>(texts: impl IntoIterator<Item = &'t str>) -> Names {
        let mut names = Names::default();
        for text in texts {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let words = words.filter(|w| w.starts_with(|c: char| c.is_alphabetic() || c == '_'));
            names.taken.extend(words.map(str::to_lowercase));
        }
        names
    }

    /// A name that begins like this and is taken from now on.
    pub fn fresh(&mut self, stem: &str) -> String {
        let mut number = 0_usize;
        loop {
            number += 1;
            let name = format!("{stem}_{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_new_in_any_case() {
        let mut names = Names::in_use(["MPI_Datatype Row_1, row_3;"]);
        let fresh: Vec<String> = (0..3).map(|_| names.fresh("row")).collect();
        assert_eq!(fresh, ["row_2", "row_4", "row_5"]);
    }
}
