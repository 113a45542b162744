//! Programs: any text is read, judged and, where nothing forbids it, made into types, without a panic.

use commloom_refactor::legality::{Assumptions, sites};
use commloom_refactor::project::Project;
use commloom_refactor::source::{Language, Source};

/// Reads the bytes as a file of this name.
pub fn program(name: &str, data: &[u8]) {
    let Some(language) = Language::of_name(name) else { return };
    let text = String::from_utf8_lossy(data).into_owned();
    let project = Project::new(vec![Source { name: name.to_owned(), language, text }]);
    sites(&project, &Assumptions::new(["all".to_owned()]));
}
