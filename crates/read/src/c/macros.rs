//! The meanings of names of the preprocessor, and their expansion by tokens (C11 6.10.3).

use std::collections::{HashMap, HashSet};

use commloom_source::tree::Name;

use super::directives::Define;
use super::token::{FINISHED, Kind, Token, tokens};

/// Bytes that one use of a macro may become; a few nested definitions can double their way to any
/// size.
const EXPANSION_LIMIT: usize = 1 << 16;
/// Macros inside of macros.
const NESTING_LIMIT: usize = 32;

/// The macros that a file sees.
#[derive(Debug, Clone, Default)]
pub struct Macros {
    meanings: HashMap<Name, Meaning>,
    /// Of each number the names that it is made of.
    numbers: HashMap<Name, Vec<Name>>,
}

/// The meaning of a macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A number that is computed from numbers: its name says more than its value, so it stays.
    Constant,
    /// Nothing, or a word that says nothing about memory (`inline`, `restrict`): passed over.
    Empty,
    /// Tokens that take its place.
    Tokens {
        /// In parentheses after the name, where it has some.
        parameters: Option<Vec<Name>>,
        /// Text of the tokens.
        body: String,
    },
    /// Defined several times, or with `...`: what it is here is not known, but what it may name.
    Uncertain(Vec<Name>),
}

impl Macros {
    /// From the lines of a file and of all that it includes, in any order.
    pub fn new<'a>(defines: impl IntoIterator<Item = &'a Define>) -> Macros {
        let mut bodies: HashMap<&str, Vec<&Define>> = HashMap::new();
        for define in defines {
            let all = bodies.entry(&define.name).or_default();
            let known =
                all.iter().any(|d| d.parameters == define.parameters && d.body == define.body);
            if !known {
                all.push(define);
            }
        }
        let mut constants = HashMap::new();
        let names: Vec<&str> = bodies.keys().copied().collect();
        for name in names {
            is_constant(name, &bodies, &mut constants, 0);
        }
        let meanings = bodies
            .iter()
            .map(|(&name, all)| {
                let meaning = if constants.get(name) == Some(&true) {
                    Meaning::Constant
                } else {
                    meaning(all)
                };
                (name.to_owned(), meaning)
            })
            .collect();
        let inside = |define: &&Define| -> Vec<Name> {
            let names = tokens(&define.body).filter(|token| token.kind == Kind::Name);
            names.map(|token| token.text.to_owned()).collect()
        };
        let is_number = |name: &&str| constants.get(name) == Some(&true);
        let numbers = bodies.iter().filter(|(name, _)| is_number(name));
        let numbers = numbers
            .map(|(&name, all)| (name.to_owned(), all.iter().flat_map(inside).collect()))
            .collect();
        Macros { meanings, numbers }
    }

    /// The same, where some names lose their meaning on the way (`#undef`): they, and numbers that
    /// are made of them, may be one thing here and another one there.
    #[must_use]
    pub fn without<'a>(mut self, undefined: impl IntoIterator<Item = &'a Name>) -> Macros {
        let mut waiting: Vec<Name> = undefined.into_iter().cloned().collect();
        while let Some(name) = waiting.pop() {
            let Some(meaning) = self.meanings.get_mut(&name) else { continue };
            if matches!(meaning, Meaning::Uncertain(_)) {
                continue;
            }
            *meaning = Meaning::Uncertain(Vec::new());
            let made_of = self.numbers.iter().filter(|(_, inside)| inside.contains(&name));
            waiting.extend(made_of.map(|(other, _)| other.clone()));
        }
        self
    }

    /// The meaning of a name, if it is a macro.
    pub(super) fn get(&self, name: &str) -> Option<&Meaning> {
        self.meanings.get(name)
    }

    /// Whether any macro has parameters.
    pub(super) fn has_parameters(&self) -> bool {
        let with = |m: &Meaning| matches!(m, Meaning::Tokens { parameters: Some(_), .. });
        self.meanings.values().any(with)
    }

    /// Where a use of a macro with parameters ends that a text begins with.
    pub(super) fn end_of_use(&self, text: &str) -> Option<usize> {
        let mut all = tokens(text);
        let name = all.next().filter(|t| t.start == 0)?;
        let Meaning::Tokens { parameters: Some(_), .. } = self.get(name.text)? else {
            return None;
        };
        let mut depth = 0_usize;
        for token in all {
            match token.text {
                "(" => depth += 1,
                _ if depth == 0 => return None,
                ")" => depth -= 1,
                _ => continue,
            }
            if depth == 0 {
                return Some(token.start + token.text.len());
            }
        }
        None
    }

    /// Whether a name is one of a number.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Meaning::Constant))
    }

    /// The text with blanks for names that stand for nothing: every other byte stays where it is.
    pub(super) fn without_empty(&self, text: &str) -> Option<String> {
        let empty = |name: &str| matches!(self.get(name), Some(Meaning::Empty));
        if !self.meanings.values().any(|m| *m == Meaning::Empty) {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        // Not in the definition itself, nor in `#ifdef`.
        for token in tokens(text).filter(|t| t.kind == Kind::Name && empty(t.text)) {
            let line = text[..token.start].rfind('\n').map_or(0, |n| n + 1);
            if text[line..].trim_start().starts_with('#') {
                continue;
            }
            out.push_str(&text[copied..token.start]);
            out.extend(std::iter::repeat_n(' ', token.text.len()));
            copied = token.start + token.text.len();
        }
        out.push_str(&text[copied..]);
        Some(out)
    }

    /// The text that a text becomes, constants left as they are. None: a limit was reached, or a
    /// macro in it is not certain.
    pub(super) fn expand(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        self.expand_into(text, &mut Vec::new(), &mut out)?;
        Some(out.replace(FINISHED, ""))
    }

    /// `hidden`: macros that are being expanded, which do not stand for anything in themselves.
    fn expand_into(&self, text: &str, hidden: &mut Vec<Name>, out: &mut String) -> Option<()> {
        let all: Vec<Token<'_>> = tokens(text).collect();
        let mut at = 0;
        while let Some(token) = all.get(at) {
            at += 1;
            if token.spaced && !out.is_empty() {
                out.push(' ');
            }
            let meaning = match token.kind {
                Kind::Name if hidden.iter().any(|h| h == token.text) => {
                    out.push(FINISHED);
                    None
                }
                Kind::Name => self.get(token.text),
                _ => None,
            };
            match meaning {
                None | Some(Meaning::Constant) => out.push_str(token.text),
                Some(Meaning::Empty) => {}
                Some(Meaning::Uncertain(_)) => return None,
                Some(Meaning::Tokens { parameters: None, body }) => {
                    self.replace(token.text, body, hidden, out)?;
                }
                Some(Meaning::Tokens { parameters: Some(parameters), body }) => {
                    let Some((arguments, next)) = arguments(text, &all, at) else {
                        out.push_str(token.text);
                        continue;
                    };
                    at = next;
                    let raw = arguments;
                    let mut values = Vec::with_capacity(raw.len());
                    for argument in &raw {
                        let mut value = String::new();
                        self.expand_into(argument, hidden, &mut value)?;
                        values.push(value);
                    }
                    let body = substitute(parameters, &raw, &values, body)?;
                    self.replace(token.text, &body, hidden, out)?;
                }
            }
            if out.len() > EXPANSION_LIMIT {
                return None;
            }
        }
        Some(())
    }

    fn replace(
        &self,
        name: &str,
        body: &str,
        hidden: &mut Vec<Name>,
        out: &mut String,
    ) -> Option<()> {
        if hidden.len() >= NESTING_LIMIT {
            return None;
        }
        hidden.push(name.to_owned());
        let mut inner = String::new();
        self.expand_into(body, hidden, &mut inner)?;
        hidden.pop();
        // Blanks, so that no token grows together with its neighbour.
        out.push(' ');
        out.push_str(&inner);
        out.push(' ');
        Some(())
    }
}

/// Texts of the arguments in the parentheses at token `at`, and the token after them.
fn arguments<'a>(text: &'a str, all: &[Token<'a>], at: usize) -> Option<(Vec<&'a str>, usize)> {
    let open = all.get(at).filter(|t| t.text == "(")?;
    let mut found = Vec::new();
    let mut start = open.start + 1;
    let mut depth = 0usize;
    for (index, token) in all.iter().enumerate().skip(at) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            "," if depth == 1 => {
                found.push(text[start..token.start].trim());
                start = token.start + 1;
            }
            ")" | "]" | "}" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    found.push(text[start..token.start].trim());
                    return Some((found, index + 1));
                }
            }
            _ => {}
        }
    }
    None
}

/// `#x` becomes some string: nobody asks which. `a##b` becomes one token.
fn substitute(parameters: &[Name], raw: &[&str], values: &[String], body: &str) -> Option<String> {
    let given = match values {
        [only] if only.is_empty() && parameters.is_empty() => 0,
        _ => values.len(),
    };
    if given != parameters.len() {
        return None;
    }
    let all: Vec<Token<'_>> = tokens(body).collect();
    let is_hash = |at: usize| all.get(at).is_some_and(|t| t.text == "#");
    let is_paste = |at: usize| is_hash(at) && is_hash(at + 1);
    let position = |at: usize| {
        let token = all.get(at)?;
        parameters.iter().position(|p| p == token.text)
    };
    let mut out = String::new();
    let mut at = 0;
    let mut pasted = false;
    while let Some(token) = all.get(at) {
        if is_paste(at) {
            out.truncate(out.trim_end().len());
            pasted = true;
            at += 2;
            continue;
        }
        if is_hash(at) {
            position(at + 1)?;
            out.push_str(" \"\" ");
            at += 2;
            continue;
        }
        if token.spaced && !pasted {
            out.push(' ');
        }
        match position(at) {
            Some(index) if pasted || is_paste(at + 1) => out.push_str(raw[index]),
            // Blanks for the same reason as above.
            Some(index) => out.extend([" ", values[index].as_str(), " "]),
            None => out.push_str(token.text),
        }
        pasted = false;
        at += 1;
        if out.len() > EXPANSION_LIMIT {
            return None;
        }
    }
    Some(out)
}

fn meaning(all: &[&Define]) -> Meaning {
    match all {
        [define] if is_certain(define) => {
            if define.parameters.is_none() && is_silent(&define.body) {
                Meaning::Empty
            } else {
                Meaning::Tokens { parameters: define.parameters.clone(), body: define.body.clone() }
            }
        }
        _ if all.iter().all(|d| d.parameters.is_none() && is_silent(&d.body)) => Meaning::Empty,
        _ => {
            let mut names: Vec<Name> = all.iter().flat_map(|d| d.names()).collect();
            names.sort();
            names.dedup();
            Meaning::Uncertain(names)
        }
    }
}

fn has_hash(define: &Define) -> bool {
    tokens(&define.body).any(|t| t.text == "#")
}

/// Whether one knows what it becomes: `#` means something in macros with parameters only.
fn is_certain(define: &Define) -> bool {
    !is_variadic(define) && (define.parameters.is_some() || !has_hash(define))
}

fn is_variadic(define: &Define) -> bool {
    define.parameters.iter().flatten().any(|p| p == "...")
}

/// Whether nothing about memory is said, so that it can be passed over. `restrict` says that there
/// is no alias; without it less is known, which is safe.
fn is_silent(body: &str) -> bool {
    tokens(body).all(|t| {
        matches!(
            t.text,
            "inline"
                | "__inline"
                | "__inline__"
                | "restrict"
                | "__restrict"
                | "__restrict__"
                | "__forceinline"
                | "__extension__"
                | "register"
                | "noexcept"
        )
    })
}

/// Whether all that a name is defined as is made of numbers. Where its definitions differ (`#if`),
/// it is the same constant all the same wherever one sees it, as long as no line of the
/// preprocessor stands between two uses.
fn is_constant<'a>(
    name: &'a str,
    bodies: &HashMap<&'a str, Vec<&'a Define>>,
    known: &mut HashMap<&'a str, bool>,
    depth: usize,
) -> bool {
    if let Some(&answer) = known.get(name) {
        return answer;
    }
    let Some(all) = bodies.get(name) else { return false };
    if depth > NESTING_LIMIT {
        return false;
    }
    known.insert(name, false); // while it is looked at: a circle is no constant
    let answer = all.iter().all(|define| {
        let mut numbers: HashSet<&str> = HashSet::new();
        define.parameters.is_none()
            && tokens(&define.body).all(|t| match t.kind {
                Kind::Number => {
                    numbers.insert(t.text);
                    true
                }
                Kind::Name => {
                    let inner = is_constant(t.text, bodies, known, depth + 1);
                    numbers.insert(t.text);
                    inner
                }
                Kind::Sign => "+-*/%()<>|&~^".contains(t.text),
                Kind::Text => false,
            })
            && !numbers.is_empty()
    });
    known.insert(name, answer);
    answer
}

#[cfg(test)]
mod tests {
    use super::super::directives::directives;
    use super::*;
    use commloom_source::FileId;

    fn macros(text: &str) -> Macros {
        Macros::new(&directives(text, FileId(0)).defines)
    }

    fn squeezed(text: Option<String>) -> Option<String> {
        text.map(|t| t.chars().filter(|c| !c.is_whitespace()).collect())
    }

    #[test]
    fn tokens_take_the_place_of_names() {
        let all = macros(
            "#define N 5\n#define NX (N+2)\n#define SQ(x) x*x\n#define IDX(i,j) ((i)*NX+(j))\n\
             #define AT(i) IDX(i,k)\n#define k p->k",
        );
        assert_eq!(all.get("NX"), Some(&Meaning::Constant));
        assert_eq!(squeezed(all.expand("SQ(a+b)")).as_deref(), Some("a+b*a+b"));
        assert_eq!(squeezed(all.expand("u[AT(i+1)]")).as_deref(), Some("u[((i+1)*NX+(p->k))]"));
        assert_eq!(
            squeezed(all.expand("IDX(f(a,b),c[1,2])")).as_deref(),
            Some("((f(a,b))*NX+(c[1,2]))")
        );
        assert_eq!(squeezed(all.expand("IDX (1)")), None);
        assert_eq!(squeezed(all.expand("IDX + 1")).as_deref(), Some("IDX+1"));
    }

    #[test]
    fn circles_and_explosions_end() {
        let all = macros("#define A B\n#define B A+A");
        assert_eq!(squeezed(all.expand("A")).as_deref(), Some("A+A"));
        let mut laughs = String::from("#define X0 (x+x)\n");
        for i in 1..40 {
            laughs += &format!("#define X{i} X{}+X{}\n", i - 1, i - 1);
        }
        assert_eq!(macros(&laughs).expand("X30"), None);
    }

    #[test]
    fn what_differs_is_uncertain_unless_it_is_a_number() {
        let all =
            macros("#define N 4\n#define N 5\n#define F(x) x\n#define F(x) x+y\n#define S(x) #x\n");
        assert_eq!(all.get("N"), Some(&Meaning::Constant));
        assert!(matches!(all.get("F"), Some(Meaning::Uncertain(_))));
    }

    #[test]
    fn strings_and_pasted_tokens() {
        let all =
            macros("#define S(x) f(#x, x)\n#define P(T, n) T pack_ ## n##_##T(n)\n#define n m");
        assert_eq!(squeezed(all.expand("S(a+b)")).as_deref(), Some("f(\"\",a+b)"));
        assert_eq!(squeezed(all.expand("P(int, x)")).as_deref(), Some("intpack_x_int(x)"));
        assert!(macros("#define V(...) #__VA_ARGS__").expand("V(1)").is_none());
    }

    #[test]
    fn empty_words_become_blanks_of_the_same_length() {
        let all = macros("#define RESTRICT __restrict\n#define API");
        let text = "#ifdef API\nAPI void f(double *RESTRICT a);";
        let blanked = all.without_empty(text).unwrap();
        assert_eq!(blanked, "#ifdef API\n    void f(double *         a);");
    }
}
