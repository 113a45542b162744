//! The findings of `commloom refactor`, with the texts that they are about.

use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

use commloom_refactor::check::{self, Options, Project};
use commloom_refactor::source::{FileId, Source};

use super::documents::Documents;

/// One call with packing code.
pub struct Finding {
    /// The file.
    pub path: PathBuf,
    /// Its text as it was looked at.
    pub text: Rc<str>,
    /// The call.
    pub bytes: Range<usize>,
    /// `packing`, or the code of the refusal.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// Other places of this file that belong to it.
    pub related: Vec<(Range<usize>, String)>,
    /// The edits; none for a refusal.
    pub edits: Vec<(Range<usize>, String)>,
}

/// All findings in all texts, by file.
pub fn findings(documents: &Documents) -> Vec<Finding> {
    let (paths, mut sources): (Vec<PathBuf>, Vec<Source>) = documents.sources().into_iter().unzip();
    let texts: Vec<Rc<str>> = sources.iter().map(|source| Rc::from(source.text.as_str())).collect();
    let setup = documents.setup(&mut sources);
    let project = Project::with(sources, setup);
    let mut found = Vec::new();
    for finding in check::check(&project, &Options::default()) {
        let file = finding.site.file;
        let at = |FileId(file)| usize::try_from(file).ok();
        let Some((path, text)) = at(file).and_then(|k| Some((paths.get(k)?, texts.get(k)?))) else {
            continue;
        };
        let mut here = Finding {
            path: path.clone(),
            text: Rc::clone(text),
            bytes: finding.site.range(),
            code: "packing".to_owned(),
            message: String::new(),
            related: Vec::new(),
            edits: Vec::new(),
        };
        match finding.outcome {
            Ok(change) => {
                here.message = format!("a datatype can replace this packing: {}", change.summary);
                let edits = change.edits.into_iter();
                // An editor shows what it changes; other files are for
                // `commloom refactor --apply`.
                here.edits = edits
                    .filter(|e| e.span.file == file)
                    .map(|e| (e.span.range(), e.text))
                    .collect();
            }
            Err(refusal) => {
                here.code = refusal.code.to_string();
                here.message = refusal.message;
                if let Some(fact) = refusal.fact {
                    here.message.push_str(&format!(" (missing: {fact})"));
                }
                let related = refusal.related.into_iter();
                here.related = related
                    .filter(|(span, _)| span.file == file)
                    .map(|(span, text)| (span.range(), text))
                    .collect();
            }
        }
        found.push(here);
    }
    found
}
