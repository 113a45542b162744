//! Whether names mean at the place of new text what they meant in the loops (C and C++).
//!
//! The tree has one name for one variable (`t@2` is the second `t` of a procedure); the text has
//! scopes. So each name that is written is looked up again, from the call outwards: it must be the
//! declaration that the copies saw. Types and constants that a procedure declares itself are
//! looked for in its text.

use std::collections::HashMap;

use commloom_program::View;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Declaration, Name, Statement, StatementKind};
use commloom_source::words::{is_word, words};
use commloom_source::{Source, Span};

use crate::emit::Text;

/// The variables of a procedure that are seen at a place: of each name, as the text has it, what
/// the tree calls it, and where it is declared.
type Seen = HashMap<String, (Name, Span)>;

/// The same text with the names as the program writes them, or a sentence about the name that
/// means something else at the call than at one of the copies.
pub(crate) fn written(
    view: &View<'_>,
    source: &Source,
    text: &Text,
    call: Span,
    copies: &[Span],
) -> Result<Text, String> {
    let here = seen(view, call);
    let there: Vec<Seen> = copies.iter().map(|copy| seen(view, *copy)).collect();
    let declared = declared(view);
    let whole = view.procedure().span;
    let offsets = copies.iter().chain([&call]).map(|s| s.start.saturating_sub(whole.start));
    let offsets: Vec<usize> = offsets.collect();
    let types = local_types(source.text.get(whole.range()).unwrap_or(""), &offsets);
    let is_type_seen = |plain: &str| types.get(plain).copied().unwrap_or(true);
    let is_outer = |name: &str, plain: &str| !types.contains_key(plain) && !name.contains('@');
    let one = |line: &String| {
        rewritten(line, &mut |name, stands| {
            let plain = name.split('@').next().unwrap_or(name);
            let elsewhere = declared.iter().filter(|(n, _)| n == name).count();
            let seen = here.get(plain);
            // `sizeof(cell)` is the size of a variable where one of that name hides the type: one
            // of the procedure, a member of its class, or a function.
            let hides = seen.is_some() || view.variable(plain).is_some() || view.has_own(plain);
            let is_right = match (stands, seen) {
                (Stands::Type, _) if hides => {
                    return Err(format!("'{plain}' is a variable at the call, and hides the type"));
                }
                (Stands::Type, None) if is_outer(name, plain) && elsewhere == 0 => {
                    let is_right = |written: &String| {
                        !written.starts_with("::") || stands_outside(view, plain)
                    };
                    return view.type_in_class(plain).filter(is_right).ok_or_else(|| {
                        format!("'{plain}' may be a member of the class, and hide the type")
                    });
                }
                (Stands::Tag, _) => is_type_seen(plain),
                (_, Some((called, at))) => {
                    let is_same = |seen: &Seen| seen.get(plain).is_none_or(|(_, o)| o == at);
                    called == name && (elsewhere < 2 || there.iter().all(is_same))
                }
                (_, None) => elsewhere == 0 && !name.contains('@') && is_type_seen(plain),
            };
            if is_right {
                Ok(plain.to_owned())
            } else {
                Err(format!("'{plain}' means something else at the call than in the copies"))
            }
        })
    };
    let all = |lines: &[String]| lines.iter().map(one).collect::<Result<Vec<_>, _>>();
    Ok(Text {
        // They see nothing of the procedure.
        functions: text.functions.clone(),
        declarations: all(&text.declarations)?,
        before: all(&text.before)?,
        buffer: one(&text.buffer)?,
        count: one(&text.count)?,
        datatype: one(&text.datatype)?,
        after: all(&text.after)?,
    })
}

/// Whether all that has this name in the texts is one type in a file or a namespace: no type in a
/// class or a procedure, no parameter of a template, no function.
fn stands_outside(view: &View<'_>, name: &str) -> bool {
    let sources = view.project().sources().iter().filter(|s| !s.language.is_fortran());
    let texts = sources.map(|source| source.text.as_str()).filter(|text| text.contains(name));
    let mut found: Vec<bool> = Vec::new();
    for text in texts {
        // Of each brace, whether it is that of a namespace (or `extern "C"`).
        let mut open: Vec<bool> = Vec::new();
        let mut head: Vec<&str> = Vec::new();
        let mut all = words(text).map(|(_, word)| word).peekable();
        while let Some(word) = all.next() {
            let is_outside = open.iter().all(|is_space| *is_space);
            let next = all.peek().copied().unwrap_or("");
            if word == name {
                let last = head.last().copied().unwrap_or("");
                let is_tag = ["struct", "class"].contains(&last);
                let is_alias = head.iter().any(|w| ["typedef", "using"].contains(w));
                if is_tag && ["{", ":"].contains(&next) || is_alias && [";", "="].contains(&next) {
                    found.push(is_outside);
                }
                let is_parameter =
                    ["typename", "class"].contains(&last) && [",", ">", "="].contains(&next);
                let is_function = next == "(" && is_outside && last.starts_with(is_word);
                if is_parameter || is_function {
                    return false;
                }
            }
            match word {
                "{" => {
                    open.push(head.iter().any(|w| ["namespace", "extern"].contains(w)));
                    head.clear();
                }
                "}" => {
                    open.pop();
                    // `typedef struct { ... } name;`
                    head.clear();
                    head.extend((next == name).then_some("typedef"));
                }
                ";" => head.clear(),
                _ => head.push(word),
            }
        }
    }
    !found.is_empty() && found.iter().all(|is_outside| *is_outside)
}

/// All variables that a procedure declares in its body.
fn declared(view: &View<'_>) -> Vec<(Name, Span)> {
    let mut all = Vec::new();
    for statement in &view.procedure().body {
        statement.each(&mut |s| match &s.kind {
            StatementKind::Declare(some) => {
                all.extend(some.iter().map(|d| (d.name.clone(), d.span)));
            }
            StatementKind::Loop(counted) if counted.declares => {
                all.push((counted.variable.clone(), s.span));
            }
            _ => {}
        });
    }
    all.dedup();
    all
}

fn seen(view: &View<'_>, place: Span) -> Seen {
    let mut seen = Seen::new();
    let procedure = view.procedure();
    for declaration in &procedure.scope.variables {
        add(&mut seen, declaration);
    }
    down(&procedure.body, place, &mut seen);
    seen
}

fn add(seen: &mut Seen, declaration: &Declaration) {
    let name = &declaration.name;
    let plain = name.split('@').next().unwrap_or(name);
    seen.insert(plain.to_owned(), (name.clone(), declaration.span));
}

fn down(list: &[Statement], place: Span, seen: &mut Seen) {
    for statement in list {
        let is_around = statement.span.contains(place) && statement.span != place;
        if statement.span.start > place.start {
            return;
        }
        match &statement.kind {
            StatementKind::Declare(all) => all.iter().for_each(|d| add(seen, d)),
            StatementKind::Loop(counted) if is_around && counted.declares => {
                let name = counted.variable.clone();
                let plain = name.split('@').next().unwrap_or(&name).to_owned();
                seen.insert(plain, (name, statement.span));
            }
            _ => {}
        }
        if is_around {
            statement.bodies().into_iter().for_each(|body| down(body, place, seen));
        }
    }
}

/// Types and constants that a procedure declares in its text, each with whether that is once, and
/// around all places. Linear in the text, times how deep its blocks are.
fn local_types(text: &str, places: &[usize]) -> HashMap<String, bool> {
    let mut found: Vec<(&str, usize)> = Vec::new();
    let mut closed: Vec<(usize, usize)> = Vec::new();
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut head: Vec<&str> = Vec::new();
    for (at, word) in words(text) {
        match word {
            "{" => {
                open.push((at, head.contains(&"enum")));
                head.clear();
            }
            "}" => {
                // The list of an enumeration is no scope.
                let block = open.pop();
                closed.extend(block.filter(|(_, is_list)| !is_list).map(|(from, _)| (from, at)));
                head.clear();
            }
            ";" | "," => head.clear(),
            _ => {
                let is_named = ["typedef", "using"].iter().any(|key| head.contains(key));
                let opens = || {
                    text.get(at + word.len()..)
                        .is_some_and(|rest| rest.trim_start().starts_with('{'))
                };
                let tags = ["struct", "union", "enum", "class"];
                let is_tag = head.last().is_some_and(|last| tags.contains(last)) && opens();
                let is_constant =
                    open.last().is_some_and(|(_, is_list)| *is_list) && head.is_empty();
                if is_named || is_tag || is_constant {
                    found.push((word, at));
                }
                head.push(word);
            }
        }
    }
    let is_around = |at: usize| {
        let mut inner = closed.iter().filter(|(from, to)| *from < at && at < *to);
        places.iter().all(|place| at < *place)
            && inner.all(|(from, to)| places.iter().all(|place| from < place && place < to))
    };
    let mut seen = HashMap::new();
    for (name, at) in found {
        let is_right = !seen.contains_key(name) && is_around(at);
        seen.insert(name.to_owned(), is_right);
    }
    seen
}

/// The kind of thing that a name of new text is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stands {
    /// A variable, a constant or a function; or what is between the brackets of a template, which
    /// may be types and numbers.
    Value,
    /// A type: `sizeof(cell)`, `offsetof(cell, v)`.
    Type,
    /// The tag of a type, which no variable hides: `sizeof(struct cell)`.
    Tag,
}

/// Follows the words of a line, and tells where types are: nowhere but in these two operators,
/// which new text uses for types only.
#[derive(Default)]
struct Types {
    /// Brackets that are open since one of them began.
    depth: Option<usize>,
    /// Brackets of templates that are open in it.
    templates: usize,
    last: String,
}

impl Types {
    fn next(&mut self, word: &str) -> Stands {
        let is_tag = ["struct", "union", "enum", "class"].contains(&self.last.as_str());
        let stands = match self.depth {
            None => Stands::Value,
            Some(_) if is_tag => Stands::Tag,
            Some(_) if self.templates > 0 => Stands::Value,
            Some(_) => Stands::Type,
        };
        match (word, self.depth) {
            ("(", None) if ["sizeof", "offsetof"].contains(&self.last.as_str()) => {
                self.depth = Some(0);
                self.templates = 0;
            }
            ("(", Some(depth)) => self.depth = Some(depth + 1),
            // The second operand of `offsetof` is a member.
            (",", Some(0)) if self.templates == 0 => self.depth = None,
            (")", Some(depth)) => self.depth = depth.checked_sub(1),
            ("<", Some(_)) => self.templates += 1,
            (">", Some(_)) => self.templates = self.templates.saturating_sub(1),
            _ => {}
        }
        word.clone_into(&mut self.last);
        stands
    }
}

/// A line with other words for its names; components of structures stay.
pub(crate) fn rewritten(
    line: &str,
    change: &mut dyn FnMut(&str, Stands) -> Result<String, String>,
) -> Result<String, String> {
    let mut out = String::with_capacity(line.len());
    let mut copied = 0;
    let mut last = "";
    let mut types = Types::default();
    for (at, word) in words(line) {
        let stands = types.next(word);
        let before = line.get(..at).unwrap_or("").trim_end();
        let is_component = last == "." || before.ends_with("->");
        if word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !is_component {
            out.push_str(line.get(copied..at).unwrap_or(""));
            out.push_str(&change(word, stands)?);
            copied = at + word.len();
        }
        last = word;
    }
    out.push_str(line.get(copied..).unwrap_or(""));
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_seen(text: &str, name: &str) -> bool {
        let places = ["send", "copy"].map(|mark| text.find(mark).expect("a mark"));
        local_types(text, &places).get(name).copied().unwrap_or(true)
    }

    #[test]
    fn types_and_constants_of_blocks_are_seen_in_them() {
        assert!(is_seen("f() { copy; send; }", "T"));
        assert!(is_seen("f() { typedef double T; copy; send; }", "T"));
        assert!(!is_seen("f() { { typedef double T; copy; } send; }", "T"));
        assert!(!is_seen("f() { { struct T { int a; }; copy; } send; }", "T"));
        assert!(is_seen("f() { struct T { int a; }; copy; send; }", "T"));
        assert!(!is_seen("f() { { enum { A, N = 8 }; copy; } send; }", "N"));
        assert!(is_seen("f() { enum { A, N = 8 }; copy; send; }", "N"));
        assert!(!is_seen("f() { copy; { enum { N = 8 }; send; } }", "N"));
    }

    #[test]
    fn types_are_told_from_variables_of_their_names() {
        let mut types = Vec::new();
        let mut note = |name: &str, stands: Stands| {
            if stands != Stands::Value {
                types.push(format!("{name} {stands:?}"));
            }
            Ok(name.to_owned())
        };
        let line = "n * sizeof(cell) + offsetof(a::row<M>, n) + sizeof(struct face) * m";
        assert_eq!(rewritten(line, &mut note).as_deref(), Ok(line));
        let tag = "struct Type";
        assert_eq!(types, ["cell Type", "a Type", "row Type", tag, "face Tag"]);
    }

    #[test]
    fn components_keep_their_names() {
        let mut change = |name: &str, _: Stands| Ok(format!("<{name}>"));
        let line = rewritten("&u@2.x[n] + p->n /* n */ \"n\"", &mut change);
        assert_eq!(line.as_deref(), Ok("&<u@2>.x[<n>] + <p>->n /* n */ \"n\""));
    }
}
