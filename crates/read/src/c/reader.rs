//! The state that all parts of the front end share.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use commloom_source::tree::{MAX_DEPTH, Name, Record, Scope};
use commloom_source::{FileId, Language, Lines, Span};
use tree_sitter::{Node, Parser, Point, Tree};

use super::locals::Locals;
use super::macros::Macros;

/// Bytes that all uses of macros in one file may become.
pub(super) const EXPANSION_BUDGET: usize = 1 << 22;

/// The things that one file has once, also for the texts that macros become.
pub(super) struct Shared<'a> {
    parser: RefCell<Parser>,
    pub language: Language,
    pub macros: &'a Macros,
    /// Whether a pragma changes the layout of structures.
    pub packs: bool,
    expanded: Cell<usize>,
    fresh: Cell<usize>,
}

impl<'a> Shared<'a> {
    pub fn new(parser: Parser, language: Language, macros: &'a Macros, packs: bool) -> Shared<'a> {
        Shared {
            parser: RefCell::new(parser),
            language,
            macros,
            packs,
            expanded: Cell::new(0),
            fresh: Cell::new(0),
        }
    }

    /// Parses what a macro became, as long as the budget lasts.
    pub fn parse(&self, text: &str) -> Option<Tree> {
        self.expanded.set(self.expanded.get() + text.len());
        if self.expanded.get() > EXPANSION_BUDGET {
            return None;
        }
        self.parser.borrow_mut().parse(text, None)
    }

    /// Parses a part of a text, as if nothing stood around it.
    pub fn parse_part(&self, text: &str, range: Range<usize>, lines: &Lines) -> Option<Tree> {
        let point = |at: usize| {
            let (row, before) = lines.before(text, at);
            Point { row, column: before.len() }
        };
        let part = tree_sitter::Range {
            start_byte: range.start,
            end_byte: range.end,
            start_point: point(range.start),
            end_point: point(range.end),
        };
        let mut parser = self.parser.borrow_mut();
        parser.set_included_ranges(&[part]).ok()?;
        let tree = parser.parse(text, None);
        // All of a text, for who comes next; that is never refused.
        let _ = parser.set_included_ranges(&[]);
        tree
    }

    /// A name that no program has.
    pub fn fresh(&self, what: &str) -> Name {
        self.fresh.set(self.fresh.get() + 1);
        format!("{what}@{}", self.fresh.get())
    }
}

/// Translates nodes of one text.
pub(super) struct Reader<'a> {
    pub text: &'a str,
    pub file: FileId,
    pub shared: &'a Shared<'a>,
    /// Where everything stands, in the text that a macro became: where it was used.
    pub used_at: Option<Span>,
    /// Levels of the tree above what is translated now.
    pub depth: usize,
    /// Names of the procedure.
    pub locals: Locals,
    /// Structures and names of types that were met where a type stands, until their scope takes
    /// them.
    pub met: Scope,
    /// Lines of the preprocessor in the procedure.
    pub directives: Vec<Span>,
    /// Where `break` and `continue` go to, if not where the tree's would.
    pub jumps: Vec<Jumps>,
}

/// Targets of `break` and `continue` in the innermost loop or `switch`.
#[derive(Debug, Clone, Default)]
pub(super) struct Jumps {
    /// The label that `break` goes to; none: it leaves the loop.
    pub leave: Option<Name>,
    /// The label that `continue` goes to; none: the loop's next turn.
    pub next: Option<Name>,
    /// Whether `next` was used.
    pub used_next: bool,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str, file: FileId, shared: &'a Shared<'a>) -> Reader<'a> {
        Reader {
            text,
            file,
            shared,
            used_at: None,
            depth: 0,
            locals: Locals::default(),
            met: Scope::default(),
            directives: Vec::new(),
            jumps: Vec::new(),
        }
    }

    /// Translates what a macro became, with the names and jumps of the place where it was used.
    pub fn inside<T>(
        &mut self,
        text: &str,
        at: Span,
        translate: impl FnOnce(&mut Reader<'_>) -> T,
    ) -> T {
        let mut inner = Reader {
            text,
            file: self.file,
            shared: self.shared,
            used_at: Some(at),
            depth: self.depth,
            locals: std::mem::take(&mut self.locals),
            met: std::mem::take(&mut self.met),
            directives: Vec::new(),
            jumps: std::mem::take(&mut self.jumps),
        };
        let translated = translate(&mut inner);
        self.locals = inner.locals;
        self.met = inner.met;
        self.jumps = inner.jumps;
        translated
    }

    /// One or more levels deeper, if the tree may be so deep.
    pub fn deeper<T>(
        &mut self,
        levels: usize,
        translate: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        if self.depth + levels > MAX_DEPTH {
            return None;
        }
        self.depth += levels;
        let translated = translate(self);
        self.depth -= levels;
        Some(translated)
    }

    pub fn span(&self, node: Node<'_>) -> Span {
        self.used_at.unwrap_or(Span {
            file: self.file,
            start: node.start_byte(),
            end: node.end_byte(),
        })
    }

    pub fn text_of(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    pub fn is_cpp(&self) -> bool {
        self.shared.language == Language::Cpp
    }

    /// A structure that stands where a type is named.
    pub fn meet(&mut self, record: Record) {
        let known = self.met.records.iter().any(|r| r.name == record.name);
        if !known {
            self.met.records.push(record);
        }
    }
}

/// Named children without comments, in order.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|c| c.kind() != "comment").collect()
}

/// Children of a field, in order.
pub(super) fn fields<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(name, &mut cursor).filter(|c| c.kind() != "comment").collect()
}

/// The child of a field.
pub(super) fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// The first named child that is no comment.
pub(super) fn first<'t>(node: Node<'t>) -> Option<Node<'t>> {
    children(node).into_iter().next()
}

/// Whether a node, or what stands directly in it, is no part of the language: then what it means
/// is a guess.
pub(super) fn is_broken(node: Node<'_>) -> bool {
    if node.is_error() || node.is_missing() {
        return true;
    }
    if !node.has_error() {
        return false;
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|c| c.is_error() || c.is_missing())
}
