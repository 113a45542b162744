//! All that is of no use any more once edits are made: buffers with their memory, indices that are
//! only set, declarations of both, and constructs with nothing in them. Only what is certainly
//! dead goes: locals that nothing else mentions.

use std::collections::{BTreeMap, BTreeSet};

use commloom_program::{Project, View};
use commloom_proof::is_live_after;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Declaration, Expression, ExpressionKind as Kind, Name, Procedure, Statement, StatementKind,
    Storage, Type, Unary,
};
use commloom_source::{FileId, Source, Span};

use crate::edit;
use crate::finding::Edit;
use crate::lists;
use crate::mentions::mentioned;

/// The edits that take away what others leave over, in all files that they change. With
/// `constructs`, loops and branches without content go, too, and edits inside of them.
pub(crate) fn without(project: &Project, edits: Vec<Edit>, constructs: bool) -> Vec<Edit> {
    let files: BTreeSet<FileId> = edits.iter().map(|edit| edit.span.file).collect();
    let mut all = edits;
    for file in files {
        let Some(source) = project.source(file) else { continue };
        for id in project.procedures() {
            let view = project.view(id);
            let span = view.procedure().span;
            let touched = |edit: &Edit| span.contains(edit.span);
            if span.file != file || !all.iter().any(touched) || !is_plain(&view) {
                continue;
            }
            let cleaning = Cleaning::new(&view, source, &all);
            let more = cleaning.edits(constructs);
            all.retain(|edit| {
                let within = |m: &Edit| {
                    m.span.start < edit.span.end && edit.span.start < m.span.end && m != edit
                };
                !more.iter().any(within)
            });
            all.extend(more);
        }
    }
    all.sort_by_key(|edit| (edit.span.file, edit.span.start, edit.span.end));
    all
}

/// Whether all that may mention a local is in sight: no internal procedures, no places that were
/// not read.
fn is_plain(view: &View<'_>) -> bool {
    let procedure = view.procedure();
    let is_host = view.project().units().iter().flat_map(|unit| &unit.procedures).any(|other| {
        other.span.file == procedure.span.file
            && other.span != procedure.span
            && procedure.span.contains(other.span)
    });
    let is_function = view.language().is_fortran() && procedure.result.is_some();
    !is_host && !is_function && !procedure.has_errors
}

/// A statement that does nothing but give a variable a value, memory, or a declaration.
struct Setter {
    name: Name,
    statement: Span,
    is_declaration: bool,
}

/// Whether a text does something: `continue` and `;` stand for nothing.
fn is_statement(text: &str) -> bool {
    !matches!(text.trim(), "" | "continue" | ";")
}

struct Cleaning<'a> {
    view: &'a View<'a>,
    procedure: &'a Procedure,
    source: &'a Source,
    /// The text that the edits take away or replace.
    gone: Vec<Span>,
    /// Text with other words in its place: a call in new lines.
    replaced: Vec<Span>,
    /// Words of what they bring, in lower case.
    new: BTreeSet<String>,
}

impl<'a> Cleaning<'a> {
    fn new(view: &'a View<'a>, source: &'a Source, edits: &[Edit]) -> Cleaning<'a> {
        let procedure = view.procedure();
        let own = edits.iter().filter(|e| procedure.span.contains(e.span));
        let lower = |text: &str| words(text).map(str::to_lowercase).collect::<Vec<_>>();
        Cleaning {
            view,
            procedure,
            source,
            replaced: own.clone().filter(|e| is_statement(&e.text)).map(|e| e.span).collect(),
            gone: own.clone().filter(|e| e.span.end > e.span.start).map(|e| e.span).collect(),
            new: own.flat_map(|e| lower(&e.text)).collect(),
        }
    }

    fn is_gone(&self, span: Span) -> bool {
        self.gone.iter().any(|gone| gone.contains(span))
    }

    fn edits(mut self, constructs: bool) -> Vec<Edit> {
        let before = self.gone.len();
        let mut stuck = BTreeSet::new();
        let mut edits;
        loop {
            let (dead, dying) = self.dead(&stuck);
            if constructs && let Some(span) = self.empty(&dead, &dying) {
                self.gone.push(span);
                continue;
            }
            edits = Vec::new();
            let again = stuck.len();
            for (name, span) in &dying {
                match self.removed(*span) {
                    Some(edit) if !edits.contains(&edit) => edits.push(edit),
                    Some(_) => {}
                    None => drop(stuck.insert(name.clone())),
                }
            }
            if stuck.len() == again {
                edits.extend(self.declarations(&dead, constructs));
                // Of two calls each would change the same list in another way.
                if constructs {
                    edits.extend(self.shortened(&dead, &dying));
                }
                break;
            }
        }
        let constructs: Vec<Span> = self.gone.split_off(before);
        let outer = |span: &&Span| !constructs.iter().any(|o| o != *span && o.contains(**span));
        let whole = constructs.iter().filter(outer).filter_map(|span| self.removed(*span));
        edits.extend(whole);
        edits
    }

    /// The edit that takes a statement away, where it leaves nothing in its place.
    fn removed(&self, span: Span) -> Option<Edit> {
        let change = edit::remove(self.source, span).ok()?;
        let span = Span { file: span.file, start: change.range.start, end: change.range.end };
        change.new.is_empty().then_some(Edit { span, text: change.new })
    }

    /// Variables that nothing needs any more, and the statements that set them.
    fn dead(&self, stuck: &BTreeSet<Name>) -> (BTreeSet<Name>, Vec<(Name, Span)>) {
        let setters = self.setters();
        let mut mentions: BTreeMap<Name, Vec<Span>> = BTreeMap::new();
        for statement in &self.procedure.body {
            statement.each(&mut |s| mentioned(s, &mut mentions));
        }
        let mut wanted: BTreeSet<Name> = mentions
            .iter()
            .filter(|(_, spans)| spans.iter().any(|span| self.is_gone(*span)))
            .map(|(name, _)| name.clone())
            .collect();
        loop {
            let mut dead: BTreeSet<Name> =
                wanted.iter().filter(|n| !stuck.contains(*n) && self.may_go(n)).cloned().collect();
            let mut dying;
            loop {
                dying = self.dying(&setters, &dead);
                let is_dead = |name: &Name| {
                    let spans = mentions.get(name).map_or(&[][..], Vec::as_slice);
                    spans.iter().all(|span| {
                        self.is_gone(*span) || dying.iter().any(|(_, s)| s.contains(*span))
                    })
                };
                let alive: Vec<Name> = dead.iter().filter(|n| !is_dead(n)).cloned().collect();
                if alive.is_empty() {
                    break;
                }
                dead.retain(|name| !alive.contains(name));
            }
            // What only the dying statements mention may be dead, too.
            let before = wanted.len();
            let within = |span: &Span| dying.iter().any(|(_, s)| s.contains(*span));
            wanted.extend(
                mentions
                    .iter()
                    .filter(|(_, spans)| spans.iter().any(within))
                    .map(|(name, _)| name.clone()),
            );
            if wanted.len() == before {
                return (dead, dying);
            }
        }
    }

    /// The statements that only set dead variables: a declaration of several goes when all of them
    /// are dead.
    fn dying(&self, setters: &[Setter], dead: &BTreeSet<Name>) -> Vec<(Name, Span)> {
        let declared = |span: Span| {
            let mut all = setters.iter().filter(|s| s.is_declaration && s.statement == span);
            all.all(|s| dead.contains(&s.name))
        };
        setters
            .iter()
            .filter(|s| dead.contains(&s.name) && !self.is_gone(s.statement))
            .filter(|s| declared(s.statement))
            .map(|s| (s.name.clone(), s.statement))
            .collect()
    }

    /// Whether a variable is of this procedure alone, and of a type without actions of its own.
    fn may_go(&self, name: &str) -> bool {
        let Some(declaration) = self.view.variable(name) else { return false };
        let is_fortran = self.view.language().is_fortran();
        let equivalent = self.procedure.scope.equivalences.iter().flat_map(|e| &e.places);
        declaration.storage == Storage::Local
            && self.procedure.span.contains(declaration.span)
            && !self.new.contains(&name.to_lowercase())
            && !equivalent.clone().any(|place| place.mentions(name))
            && !self.in_directives(name)
            && if is_fortran {
                self.specified(name) <= 1
            } else {
                !name.contains('@') && self.is_passive(declaration)
            }
    }

    fn is_passive(&self, declaration: &Declaration) -> bool {
        if !self.view.is_passive(&declaration.of) {
            return false;
        }
        let mut of = self.view.resolve(&declaration.of);
        while let Type::Array(inner, _) = of {
            of = self.view.resolve(&inner);
        }
        match of {
            Type::Basic(..) | Type::Pointer(_) => true,
            Type::Record(_) => {
                let is_c = self.view.language() == commloom_source::Language::C;
                is_c || self.view.uniform(&of).is_some()
            }
            _ => false,
        }
    }

    fn in_directives(&self, name: &str) -> bool {
        let is_it = |text: &str| words(text).any(|word| word.eq_ignore_ascii_case(name));
        let whole = self.source.text.get(self.procedure.span.range()).unwrap_or("");
        // Those of OpenMP are comments of Fortran, and go on behind `&`.
        let is_directive = |line: &&str| edit::is_directive(self.source.language, line);
        self.procedure.directives.iter().any(|span| {
            let text = self.source.text.get(span.range()).unwrap_or("");
            is_it(text)
        }) || whole.lines().filter(is_directive).any(is_it)
    }

    /// How often declarations of Fortran mention a name.
    fn specified(&self, name: &str) -> usize {
        let end = self.procedure.body_start;
        let text = self.source.text.get(self.procedure.span.start..end).unwrap_or("");
        let is_comment = |line: &str| {
            let first = line.chars().next().unwrap_or(' ');
            matches!(first, 'c' | 'C' | '*' | '!') && self.is_fixed()
        };
        let lines = text.lines().filter(|line| !is_comment(line));
        let code = lines.map(|line| line.split('!').next().unwrap_or(""));
        code.map(|line| words(line).filter(|w| w.eq_ignore_ascii_case(name)).count()).sum()
    }

    fn is_fixed(&self) -> bool {
        self.source.language == commloom_source::Language::FortranFixed
    }

    /// Statements with nothing but an effect on one variable.
    fn setters(&self) -> Vec<Setter> {
        let mut all = Vec::new();
        let is_fortran = self.view.language().is_fortran();
        for statement in &self.procedure.body {
            statement.each(&mut |s| {
                let text = self.source.text.get(s.span.range()).unwrap_or("");
                // In the head of a loop a statement has no end of its own.
                if !is_fortran && !text.ends_with(';') {
                    return;
                }
                if let StatementKind::Declare(declared) = &s.kind {
                    all.extend(declared.iter().map(|d| Setter {
                        name: d.name.clone(),
                        statement: s.span,
                        is_declaration: true,
                    }));
                } else if let Some(name) = set(&s.kind) {
                    all.push(Setter {
                        name: name.clone(),
                        statement: s.span,
                        is_declaration: false,
                    });
                }
            });
        }
        all
    }

    /// A loop, branch or block that nothing is left in.
    fn empty(&self, dead: &BTreeSet<Name>, dying: &[(Name, Span)]) -> Option<Span> {
        let mut found = None;
        for statement in &self.procedure.body {
            statement.each(&mut |s| {
                let bodies = s.bodies();
                let mut inner = bodies.iter().flat_map(|body| body.iter()).peekable();
                let is_removed = |s: &Statement| {
                    self.is_gone(s.span) && !self.replaced.iter().any(|r| r.contains(s.span))
                };
                let goes = |s: &Statement| {
                    is_removed(s)
                        || dying.iter().any(|(_, span)| span.contains(s.span))
                        || s.kind == StatementKind::Nothing
                };
                if found.is_some() || self.is_gone(s.span) || inner.peek().is_none() {
                    return;
                }
                let own = bodies.iter().flat_map(|b| b.iter()).any(is_removed);
                if !own || !inner.all(goes) || !s.expressions().into_iter().all(is_pure) {
                    return;
                }
                let counted = match &s.kind {
                    StatementKind::Loop(l) => {
                        l.declares
                            || dead.contains(&l.variable)
                            || (self.is_local(&l.variable)
                                && !is_live_after(self.procedure, s.span, &l.variable, &self.gone))
                    }
                    StatementKind::If { .. } | StatementKind::Block(_) => true,
                    _ => false,
                };
                let directive = |d: &Span| s.span.contains(*d);
                if counted
                    && !self.procedure.directives.iter().any(directive)
                    && self.removed(s.span).is_some()
                {
                    found = Some(s.span);
                }
            });
        }
        found
    }

    fn is_local(&self, name: &str) -> bool {
        self.view.variable(name).is_some_and(|d| d.storage == Storage::Local)
    }

    /// Declarations of C without those of several variables that nothing else mentions.
    fn shortened(&self, dead: &BTreeSet<Name>, dying: &[(Name, Span)]) -> Vec<Edit> {
        if self.view.language().is_fortran() {
            return Vec::new();
        }
        let mut mentions: BTreeMap<Name, Vec<Span>> = BTreeMap::new();
        let mut declared: BTreeMap<Name, Span> = BTreeMap::new();
        for statement in &self.procedure.body {
            statement.each(&mut |s| {
                mentioned(s, &mut mentions);
                if let StatementKind::Declare(all) = &s.kind {
                    declared.extend(all.iter().map(|d| (d.name.clone(), s.span)));
                }
            });
        }
        let mut lists: BTreeMap<usize, (Span, BTreeSet<Name>)> = BTreeMap::new();
        for (name, span) in declared {
            let all = mentions.get(&name).map_or(&[][..], Vec::as_slice);
            let own = all.iter().filter(|other| **other == span).count();
            let is_over = |other: &Span| {
                *other == span
                    || self.is_gone(*other)
                    || dying.iter().any(|(_, dying)| dying.contains(*other))
            };
            let was_used = all.iter().any(|other| self.is_gone(*other));
            let goes = own == 1 && was_used && all.iter().all(is_over) && self.may_go(&name);
            let is_whole = self.is_gone(span) || dying.iter().any(|(_, dying)| *dying == span);
            if goes && !is_whole && !dead.contains(&name) {
                lists.entry(span.start).or_insert((span, BTreeSet::new())).1.insert(name);
            }
        }
        let text = |span: &Span| self.source.text.get(span.range());
        let shorter = lists.into_values().filter_map(|(span, names)| {
            Some(Edit { span, text: lists::without_in_c(text(&span)?, &names)? })
        });
        shorter.collect()
    }

    /// Lines of Fortran that declare dead variables, and, with `partly`, others.
    fn declarations(&self, dead: &BTreeSet<Name>, partly: bool) -> Vec<Edit> {
        if !self.view.language().is_fortran() {
            return Vec::new();
        }
        let variables = self.procedure.scope.variables.iter();
        let spans = variables.filter(|v| dead.contains(&v.name)).map(|v| v.span);
        let mut edits: Vec<Edit> = Vec::new();
        for edit in spans.filter_map(|span| self.declaration(span, dead)) {
            if (partly || edit.text.is_empty()) && !edits.contains(&edit) {
                edits.push(edit);
            }
        }
        edits
    }

    fn declaration(&self, name: Span, dead: &BTreeSet<Name>) -> Option<Edit> {
        let text = self.source.text.as_str();
        let start = text.get(..name.start)?.rfind('\n')?;
        let end = name.end + text.get(name.end..)?.find('\n')?;
        let line = text.get(start + 1..end)?.trim_end_matches('\r');
        let previous = text.get(..start)?.rsplit('\n').next()?.trim_end();
        let next = text.get(end + 1..)?.lines().next()?;
        let continues = |line: &str| {
            self.is_fixed()
                && line.get(..5).is_some_and(|l| l.trim().is_empty())
                && line.chars().nth(5).is_some_and(|c| !matches!(c, ' ' | '0'))
        };
        let is_long = previous.ends_with('&') || continues(line) || continues(next);
        if is_long || line.contains(['&', '!', ';', '\t', '"', '\'', '=']) {
            return None;
        }
        let from = lists::list_in_fortran(line)?;
        let entities = line.get(from..)?;
        let is_dead = |name: &str| dead.contains(&name.to_ascii_lowercase());
        // Without the end of the line: new declarations may come there.
        let begin = start - usize::from(text.get(..start)?.ends_with('\r'));
        let end = begin + text.get(begin..end)?.trim_end_matches('\r').len();
        if lists::names(entities)?.into_iter().all(is_dead) {
            let span = Span { file: name.file, start: begin, end };
            return Some(Edit { span, text: String::new() });
        }
        let span = Span { file: name.file, start: start + 1 + from, end };
        Some(Edit { span, text: format!(" {}", lists::without(entities, &is_dead)?) })
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether nothing happens when it is evaluated.
fn is_pure(value: &Expression) -> bool {
    let mut pure = true;
    value.each(&mut |e| {
        pure &= !matches!(
            e.kind,
            Kind::Call { .. } | Kind::Step { .. } | Kind::Assign { .. } | Kind::Unknown(_)
        );
    });
    pure
}

/// The variable that a statement sets, and does nothing else.
fn set(kind: &StatementKind) -> Option<&Name> {
    match kind {
        StatementKind::Assign { target, value, .. } => {
            let Kind::Name(name) = &target.kind else { return None };
            (is_pure(value) || is_memory(value)).then_some(name)
        }
        StatementKind::Evaluate(Expression { kind: Kind::Step { target, .. }, .. }) => {
            name_of(target)
        }
        StatementKind::Evaluate(Expression {
            kind: Kind::Call { function, arguments }, ..
        }) => {
            let called = function.root()?.as_str();
            match (called, arguments.as_slice()) {
                ("free" | "std::free" | "MPI_Free_mem" | "$deallocate", [only]) => name_of(only),
                ("MPI_Alloc_mem", [bytes, _, pointer]) if is_pure(bytes) => match &pointer.kind {
                    Kind::Unary(Unary::Address, inner) => name_of(inner),
                    _ => None,
                },
                ("$allocate", [Expression { kind: Kind::Element { base, .. }, .. }]) => {
                    let only = &arguments[0];
                    is_pure(only).then(|| name_of(base)).flatten()
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn name_of(value: &Expression) -> Option<&Name> {
    match &value.kind {
        Kind::Name(name) => Some(name),
        Kind::Cast(_, inner) => name_of(inner),
        _ => None,
    }
}

/// `(double *)malloc(n * sizeof(double))`
fn is_memory(value: &Expression) -> bool {
    match &value.kind {
        Kind::Cast(_, inner) => is_memory(inner),
        Kind::Call { function, arguments } => {
            let allocates = ["malloc", "calloc", "std::malloc", "std::calloc"];
            function.root().is_some_and(|name| allocates.contains(&name.as_str()))
                && arguments.iter().all(is_pure)
        }
        _ => false,
    }
}
