//! Fresh names.

use std::collections::{HashMap, HashSet};

use commloom_read::c::{Define, directives};
use commloom_source::{FileId, Span};

/// Names that are not used anywhere.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// In lower case: Fortran does not tell cases apart, and people confuse them.
    taken: HashSet<String>,
    /// Macros of C, each with all that it is defined as somewhere.
    macros: HashMap<String, Vec<Define>>,
    /// Whether some text asks MPI for more than one thread at a time, or may.
    has_threads: bool,
    /// Those that were made, in order.
    made: Vec<String>,
    /// Functions by the place of their file, and their text but for their name.
    functions: HashMap<(Span, String), String>,
}

impl Names {
    /// All words of these texts are taken: of the file, and of all that it includes.
    pub fn in_use<'t>(texts: impl IntoIterator<Item = &'t str>) -> Names {
        let mut names = Names::default();
        for text in texts {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            let words = words.filter(|w| w.starts_with(|c: char| c.is_alphabetic() || c == '_'));
            names.taken.extend(words.map(str::to_lowercase));
            names.has_threads |= asks_for_threads(text);
            for define in directives(text, FileId(0)).defines {
                names.macros.entry(define.name.clone()).or_default().push(define);
            }
        }
        names
    }

    /// Whether a name is a macro.
    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.macros.contains_key(name)
    }

    /// All that a macro without parameters is defined as; none where a name is no macro.
    pub(super) fn definitions(&self, name: &str) -> Option<impl Iterator<Item = &str>> {
        Some(self.macros.get(name)?.iter().map(|define| define.body.trim()))
    }

    /// Whether a name is a macro with parameters.
    pub(crate) fn is_macro(&self, name: &str) -> bool {
        self.macros.get(name).is_some_and(|all| all.iter().any(|d| d.parameters.is_some()))
    }

    /// Whether a macro may bring one of some names that are not its arguments.
    pub(crate) fn brings(&self, name: &str, wanted: &dyn Fn(&str) -> bool) -> bool {
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
            if self.take(&name) {
                return name;
            }
        }
    }

    /// Whether a name was free; it is not any more.
    fn take(&mut self, name: &str) -> bool {
        let is_free = self.taken.insert(name.to_lowercase());
        if is_free {
            self.made.push(name.to_lowercase());
        }
        is_free
    }

    /// The names that were made so far, for [`Names::give_back`].
    pub(super) fn so_far(&self) -> usize {
        self.made.len()
    }

    /// Names that were made since then are free again: only a function of its own has them.
    pub(super) fn give_back(&mut self, so_far: usize) {
        for name in self.made.drain(so_far..) {
            self.taken.remove(&name);
        }
    }

    /// The name of a function at a place, whose text is this but for its name.
    pub(super) fn function(&mut self, at: Span, text: &str, stem: &str) -> String {
        if let Some(name) = self.functions.get(&(at, text.to_owned())) {
            return name.clone();
        }
        let name = if self.take(stem) { stem.to_owned() } else { self.fresh(stem) };
        self.functions.insert((at, text.to_owned()), name.clone());
        name
    }

    /// All macros.
    pub(super) fn all_macros(&self) -> impl Iterator<Item = String> + '_ {
        self.macros.keys().cloned()
    }

    /// Whether several threads may call MPI at a time.
    pub(super) fn has_threads(&self) -> bool {
        self.has_threads
    }

    /// Whether a word of the program is this one, in any case.
    pub(super) fn has(&self, word: &str) -> bool {
        self.taken.contains(&word.to_lowercase())
    }
}

/// Whether a call of `MPI_Init_thread` asks for anything but a level that it names, and that lets
/// one thread at a time call MPI.
fn asks_for_threads(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.match_indices("init_thread").any(|(at, word)| {
        let behind = text.get(at + word.len()..).unwrap_or("").trim_start();
        let Some(given) = behind.strip_prefix('(') else { return false };
        let given = given.get(..given.find(';').unwrap_or(given.len())).unwrap_or("");
        let given = given.lines().take(3).collect::<String>();
        let one = ["mpi_thread_single", "mpi_thread_funneled", "mpi_thread_serialized"];
        given.contains("mpi_thread_multiple") || !one.iter().any(|level| given.contains(level))
    })
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

    #[test]
    fn threads_are_where_a_program_asks_for_them() {
        for (text, asks) in [
            ("MPI_Init(&argc, &argv);", false),
            ("MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &p);", false),
            ("MPI_Init_thread(0, 0,\n  MPI_THREAD_MULTIPLE, &p); // MPI_THREAD_SINGLE", true),
            ("call mpi_init_thread(MPI_Thread_Serialized, p, ierr)", false),
            ("MPI_Init_thread(0, 0, wanted, &p);", true),
            ("if (p == MPI_THREAD_MULTIPLE) puts(\"MPI_Init_thread\");", false),
        ] {
            assert_eq!(Names::in_use([text]).has_threads(), asks, "{text}");
        }
    }
}
