//! The texts that the server looks at: those of open files as the editor has them, all others from
//! the disk.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use commloom_guard::Origin;
use commloom_refactor::project::Setup;
use commloom_refactor::source::{Language, Source};
use lsp_types::Uri;

use crate::cmd::refactor::{compile, config, files};
use crate::files::{TEXT, foreign};

/// The folders, and the open files by path.
#[derive(Debug, Default)]
pub struct Documents {
    folders: Vec<PathBuf>,
    open: BTreeMap<PathBuf, String>,
}

impl Documents {
    pub fn new(folders: Vec<PathBuf>) -> Documents {
        Documents { folders, open: BTreeMap::new() }
    }

    /// A file is open, with this text.
    pub fn put(&mut self, path: PathBuf, text: String) {
        self.open.insert(path, text);
    }

    /// A file is open no more.
    pub fn close(&mut self, path: &Path) {
        self.open.remove(path);
    }

    pub fn is_open(&self, path: &Path) -> bool {
        self.open.contains_key(path)
    }

    /// The settings of the program in its folders; adds the headers that it has elsewhere. A file
    /// that cannot be read is not looked at: `commloom refactor` says what is wrong with it.
    pub fn setup(&self, sources: &mut Vec<Source>) -> Setup {
        let first = self.folders.first().map(PathBuf::as_path);
        // What others have put there is not used.
        let mine = |path: &PathBuf| foreign(path, first).is_none();
        let wrappers =
            config::find(first).filter(mine).and_then(|path| config::wrappers(&path).ok());
        let commands = compile::find(&self.folders).filter(mine);
        let compiled = commands.and_then(|path| compile::compiled(&path, sources).ok());
        Setup { wrappers: wrappers.unwrap_or_default(), compiled: compiled.unwrap_or_default() }
    }

    /// All texts, by path. Files that cannot be read, or are no UTF-8, are left out.
    pub fn sources(&self) -> Vec<(PathBuf, Source)> {
        let mut paths = Vec::new();
        for folder in &self.folders {
            // What cannot be read is not looked at; an editor has better places to say so.
            let _ = files::below(folder, &mut paths);
        }
        paths.extend(self.open.keys().cloned());
        paths.sort();
        paths.dedup();
        let source = |path: PathBuf| {
            let name = path.to_str()?;
            let language = Language::of_name(name)?;
            let text = match self.open.get(&path) {
                Some(text) => text.clone(),
                None => commloom_guard::text(&path, Origin::Found, TEXT).ok()?,
            };
            let source = Source { name: name.to_owned(), language, text };
            Some((path, source))
        };
        paths.into_iter().filter_map(source).collect()
    }
}

/// The path of a `file:` address.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    url::Url::parse(uri.as_str()).ok()?.to_file_path().ok()
}

/// The address of a path.
pub fn uri_of(path: &Path) -> Option<Uri> {
    url::Url::from_file_path(path).ok()?.as_str().parse().ok()
}
