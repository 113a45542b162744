//! Fresh names.

use std::collections::{HashMap, HashSet};

use commloom_read::c::{Define, directives};
use commloom_source::FileId;

/// Names that are not used anywhere.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// In lower case: Fortran does not tell cases apart, and people confuse them.
    taken: HashSet<String>,
    /// Macros of C, each with all that it is defined as somewhere.
    macros: HashMap<String, Vec<Define>>,
}

impl Names {
    /// All words of these texts are taken: of the file, and of all that it includes.
    pub fn in_use<'t>(texts: impl IntoIterator<Item = &'t str>) -> Names {
        let mut names = Names::default();
        for text in texts {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let words = words.filter(|w| w.starts_with(|c: char| c.is_alphabetic() || c == '_'));
            names.taken.extend(words.map(str::to_lowercase));
            for define in directives(text, FileId(0)).defines {
                names.macros.entry(define.name.clone()).or_default().push(define);
            }
        }
        names
    }

    /// Whether a name is a macro with parameters.
    pub(super) fn is_macro(&self, name: &str) -> bool {
        self.macros.get(name).is_some_and(|all| all.iter().any(|d| d.parameters.is_some()))
    }

    /// Whether a macro may bring one of some names that are not its arguments.
    pub(super) fn brings(&self, name: &str, wanted: &dyn Fn(&str) -> bool) -> bool {
        let mut waiting = vec![name];
        let mut known: HashSet<&str> = HashSet::new();
        while let Some(name) = waiting.pop() {
            for define in self.macros.get(name).into_iter().flatten() {
                let parameters = define.parameters.iter().flatten();
                let given: Vec<&String> = parameters.collect();
                let words = define.body.split(|c: char| !c.is_alphanumeric() && c != '_');
                for word in words.filter(|word| !given.iter().any(|g| g == word)) {
                    if wanted(word) {
                        return true;
                    }
                    if self.macros.contains_key(word) && known.insert(word) {
                        waiting.push(word);
                    }
                }
            }
        }
        false
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
