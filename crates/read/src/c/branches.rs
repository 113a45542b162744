//! Branches of the preprocessor, as text: what each `#if` decides about.

use commloom_source::tree::Name;
use commloom_source::{FileId, Span};

use super::directives::{each_directive, word};
use super::token::{Kind, tokens};

/// An `#if` with all its branches, to its `#endif`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// All of it.
    pub span: Span,
    /// The lines that begin branches, without white space that says nothing.
    pub conditions: Vec<String>,
    /// The names in these.
    pub names: Vec<Name>,
    /// The text of each branch, and whether an `#error` in it stops every compiler.
    pub branches: Vec<(Span, bool)>,
    /// Whether another `#if`, which is no guard around a header, decides whether it is there.
    pub is_inner: bool,
    /// Whether it is the guard around a header.
    pub is_guard: bool,
}

impl Group {
    /// Whether one of the branches is compiled, whatever holds.
    pub fn has_else(&self) -> bool {
        self.conditions.last().is_some_and(|condition| condition == "else")
    }
}

/// All groups of a text, in the order of their ends. What is not closed is none. Linear.
pub fn groups(text: &str, file: FileId) -> Vec<Group> {
    let mut all: Vec<Group> = Vec::new();
    let mut open: Vec<Group> = Vec::new();
    let mut is_first = false;
    each_directive(text, file, &mut |directive, span| {
        let (word, rest) = word(directive);
        let begins = matches!(word, "if" | "ifdef" | "ifndef");
        if begins {
            let is_inner = open.iter().any(|outer| !outer.is_guard);
            let (conditions, names, branches) = Default::default();
            let is_guard = false;
            open.push(Group { span, conditions, names, branches, is_inner, is_guard });
        }
        let guards = std::mem::replace(&mut is_first, word == "ifndef");
        let Some(group) = open.last_mut() else { return };
        if word == "define" && guards {
            let mut words = tokens(rest);
            let name = words.next().map(|token| token.text.to_owned());
            let is_empty = words.next().is_none();
            group.is_guard = is_empty && name.is_some() && group.names.first() == name.as_ref();
        }
        if word == "error"
            && let Some((_, fails)) = group.branches.last_mut()
        {
            *fails = true;
        }
        let is_next = matches!(word, "elif" | "elifdef" | "elifndef" | "else");
        if (is_next || word == "endif")
            && let Some((branch, _)) = group.branches.last_mut()
        {
            branch.end = span.start;
        }
        if begins || is_next {
            let said = tokens(rest).map(|token| format!(" {}", token.text)).collect::<String>();
            group.conditions.push(format!("{word}{said}"));
            let names = tokens(rest).filter(|t| t.kind == Kind::Name && t.text != "defined");
            group.names.extend(names.map(|token| token.text.to_owned()));
            // A guard with two branches is none.
            group.is_guard &= !is_next;
            let start = (span.end + 1).min(text.len());
            group.branches.push((Span { start, ..span }, false));
        } else if word == "endif"
            && let Some(mut group) = open.pop()
        {
            group.span.end = span.end;
            all.push(group);
        }
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_their_branches() {
        let text = "#ifndef H\n#define H\n#if  A>1 // why\n#define T 1\n#elif B\n#error no\n\
            #else\n# ifdef C\n# endif\n#endif\n#endif\n#if D\n";
        let all = groups(text, FileId(0));
        let conditions: Vec<_> = all.iter().map(|g| g.conditions.join(", ")).collect();
        assert_eq!(conditions, ["ifdef C", "if A > 1, elif B, else", "ifndef H"]);
        let inner: Vec<bool> = all.iter().map(|g| g.is_inner).collect();
        assert_eq!(inner, [true, false, false]);
        let branches: Vec<(&str, bool)> =
            all[1].branches.iter().map(|(span, fails)| (&text[span.range()], *fails)).collect();
        let last = "# ifdef C\n# endif\n";
        assert_eq!(branches, [("#define T 1\n", false), ("#error no\n", true), (last, false)]);
        assert_eq!((all[1].names.join(" "), all[1].has_else()), ("A B".to_owned(), true));
    }
}
