//! The page about settings is made of the table, and no variable of the project is forgotten.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use commloom_environment::{markdown, unknown};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_page_has_the_table() {
    let page = std::fs::read_to_string(root().join("book/src/reference/environment.md"))
        .expect("the page");
    let table = markdown();
    assert!(page.contains(&table), "put this into book/src/reference/environment.md:\n{table}");
}

/// All files below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Whoever adds a variable to a test, a script or the preload puts it into a table: otherwise
/// every run would be told that it means nothing.
#[test]
fn every_variable_of_the_project_is_known() {
    let mut all = vec![root().join("Makefile")];
    for folder in ["crates", "scripts"] {
        files(&root().join(folder), &mut all);
    }
    let mut names = BTreeSet::new();
    // In headers and C programs they are macros; this crate misspells some.
    let is_read = |path: &PathBuf| {
        let text = path.strip_prefix(root()).expect("below").to_string_lossy();
        let ends = path.extension().is_none_or(|e| e == "rs" || e == "py" || e == "sh");
        ends && !text.starts_with("crates/environment")
    };
    for path in all.into_iter().filter(is_read) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for (at, _) in text.match_indices("COMMLOOM_") {
            let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            let name: String = text[at..].chars().take_while(|&c| is_name(c)).collect();
            let is_macro = name.ends_with("_H") || name.ends_with("_DRIVER") || name.ends_with('_');
            if !is_macro && text[..at].chars().next_back().is_none_or(|c| !is_name(c)) {
                names.insert(name);
            }
        }
    }
    assert!(names.len() > 20, "{names:?}");
    // Tests of what is said of such names.
    assert!(names.remove("COMMLOOM_REPROT"));
    let news = unknown(names.into_iter().map(OsString::from));
    assert!(news.is_empty(), "add to SETTINGS or DEVELOPMENT: {news:?}");
}
