//! Conditions of `#if`, as far as macros that the compiler was given decide them.

use std::collections::HashMap;

use commloom_source::tree::Name;

use super::token::{Kind, Token, tokens};

/// Macros that a compiler was given (`-D`), with their bodies.
pub type Given = HashMap<Name, String>;

/// Parentheses and signs in each other.
const DEEPEST: usize = 32;

/// Whether the branch of `#if`, `#ifdef`, ... is compiled; none: not known, since it may depend on
/// what files define.
pub(super) fn holds(word: &str, rest: &str, given: &Given) -> Option<bool> {
    let has = || {
        let name = tokens(rest).next()?;
        given.contains_key(name.text).then_some(true)
    };
    match word {
        "ifdef" | "elifdef" => has(),
        "ifndef" | "elifndef" => has().map(|defined| !defined),
        "if" | "elif" => {
            let all: Vec<Token<'_>> = tokens(rest).collect();
            let mut condition = Condition { all: &all, at: 0, given };
            let value = condition.either(0);
            (condition.at == all.len()).then_some(value).flatten().map(|value| value != 0)
        }
        _ => None,
    }
}

struct Condition<'t> {
    all: &'t [Token<'t>],
    at: usize,
    given: &'t Given,
}

impl Condition<'_> {
    /// The next signs, if they are these and stand together.
    fn sign(&mut self, sign: &str) -> bool {
        let next = self.all.get(self.at..self.at + sign.len()).unwrap_or(&[]);
        let same = next.len() == sign.len()
            && next.iter().map(|t| t.text).collect::<String>() == sign
            && next.iter().skip(1).all(|t| !t.spaced);
        if same {
            self.at += sign.len();
        }
        same
    }

    fn either(&mut self, depth: usize) -> Option<i64> {
        let mut value = self.both(depth);
        while self.sign("||") {
            let other = self.both(depth);
            value = match (value, other) {
                (Some(a), _) | (_, Some(a)) if a != 0 => Some(1),
                (Some(_), Some(_)) => Some(0),
                _ => None,
            };
        }
        value
    }

    fn both(&mut self, depth: usize) -> Option<i64> {
        let mut value = self.compared(depth);
        while self.sign("&&") {
            let other = self.compared(depth);
            value = match (value, other) {
                (Some(0), _) | (_, Some(0)) => Some(0),
                (Some(_), Some(_)) => Some(1),
                _ => None,
            };
        }
        value
    }

    fn compared(&mut self, depth: usize) -> Option<i64> {
        let mut value = self.single(depth);
        for (sign, compare) in COMPARISONS {
            if self.sign(sign) {
                let other = self.single(depth);
                value = Some(i64::from(compare(&value?, &other?)));
                break;
            }
        }
        value
    }

    fn single(&mut self, depth: usize) -> Option<i64> {
        if depth > DEEPEST {
            return None;
        }
        if self.sign("!") {
            return self.single(depth + 1).map(|value| i64::from(value == 0));
        }
        if self.sign("-") {
            return self.single(depth + 1)?.checked_neg();
        }
        if self.sign("(") {
            let value = self.either(depth + 1);
            return if self.sign(")") { value } else { None };
        }
        let token = self.all.get(self.at)?;
        self.at += 1;
        match token.kind {
            Kind::Number => number(token.text),
            Kind::Name if token.text == "defined" => {
                let open = self.sign("(");
                let name = self.all.get(self.at)?;
                self.at += 1;
                if open && !self.sign(")") {
                    return None;
                }
                self.given.contains_key(name.text).then_some(1)
            }
            Kind::Name => number(self.given.get(token.text)?.trim()),
            _ => None,
        }
    }
}

type Comparison = (&'static str, fn(&i64, &i64) -> bool);

const COMPARISONS: [Comparison; 6] = [
    ("==", i64::eq),
    ("!=", i64::ne),
    ("<=", i64::le),
    (">=", i64::ge),
    ("<", i64::lt),
    (">", i64::gt),
];

fn number(text: &str) -> Option<i64> {
    let plain = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let hexadecimal = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None if plain.len() > 1 && plain.starts_with('0') => i64::from_str_radix(plain, 8).ok(),
        None => plain.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_decides_and_nothing_else() {
        let given: Given =
            [("N", "8"), ("MPI", "1"), ("EMPTY", "")].map(|(n, b)| (n.into(), b.into())).into();
        for (word, rest, expected) in [
            ("ifdef", "N", Some(true)),
            ("ifndef", " N // why", Some(false)),
            ("ifdef", "X", None),
            ("if", "N > 4 && defined(MPI)", Some(true)),
            ("if", "!defined MPI || X", None),
            ("if", "!defined MPI && X", Some(false)),
            ("if", "X || N == 0x8", Some(true)),
            ("if", "(N<=7)", Some(false)),
            ("if", "N + 1", None),
            ("if", "EMPTY", None),
            ("if", "defined(EMPTY)", Some(true)),
            ("if", "N - 8", None),
            ("if", "", None),
            ("if", "((((", None),
            ("if", "defined(", None),
            ("if", "! ! N", Some(true)),
        ] {
            assert_eq!(holds(word, rest, &given), expected, "#{word} {rest}");
        }
        assert_eq!(holds("if", &"(".repeat(100_000), &given), None);
        assert_eq!(holds("if", &"!".repeat(100_000), &given), None);
    }
}
