//! Names and numbers of cards, in columns 73 to 80 of fixed form, on lines that edits change.

use std::collections::BTreeSet;

use commloom_program::Project;
use commloom_source::{FileId, Span};

use crate::edit::{self, Change};
use crate::finding::Edit;

/// The edits, with those that take cards away which would move into the program's text.
pub(crate) fn without(project: &Project, mut edits: Vec<Edit>) -> Vec<Edit> {
    let files: BTreeSet<FileId> = edits.iter().map(|edit| edit.span.file).collect();
    for file in files {
        let Some(source) = project.source(file) else { continue };
        let in_file = edits.iter().filter(|edit| edit.span.file == file);
        let changes: Vec<Change> = in_file
            .map(|edit| Change { range: edit.span.range(), new: edit.text.clone() })
            .collect();
        edits.extend(edit::without_cards(source, &changes).into_iter().map(|change| {
            let span = Span { file, start: change.range.start, end: change.range.end };
            Edit { span, text: change.new }
        }));
    }
    edits
}
