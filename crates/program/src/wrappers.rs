//! Procedures of a program that stand for one of MPI each (`isend_cr(u, n, type, to, request)`),
//! as a person has listed them.
//!
//! Such a procedure does with its arguments as MPI's does; its body, if there is one at
//! hand, is not looked at.

use std::fmt::Write;

use commloom_source::Language;
use commloom_source::tree::Name;

use super::library::{self, Use, is_mpi};
use super::names::last;
use super::signatures::Signature;

/// The place of an argument of MPI's procedure in a call of the wrapper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// This argument, from 1.
    Argument(usize),
    /// A text of the program's language, always the same (`MPI_COMM_WORLD`), or one with an
    /// argument in it: `&{7}`.
    Text(String),
}

/// A procedure of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapper {
    name: Name,
    stands_for: &'static Signature,
    /// Of each argument of MPI's procedure, and of Fortran's `ierror`; none: nobody said.
    given: Vec<Option<Given>>,
}

/// Which part of a wrapper's description is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Its name.
    Name,
    /// The procedure of MPI that it stands for.
    Call,
    /// An argument, as it was called.
    Argument(String),
}

/// Why a description is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WrapperError {
    /// Where the reason lies.
    pub part: Part,
    /// The mistake, and what is expected.
    pub message: String,
    /// Names that could have been meant.
    pub known: Vec<&'static str>,
}

impl WrapperError {
    fn new(part: Part, message: impl Into<String>) -> WrapperError {
        WrapperError { part, message: message.into(), known: Vec::new() }
    }
}

/// More arguments than these has no procedure.
const MOST: usize = 255;

impl Wrapper {
    /// A procedure that stands for `call`; `given` has the names of MPI's arguments.
    ///
    /// # Errors
    /// The first part that is no description, or lacks something: buffer and count of each
    /// message, its datatype, the requests.
    pub fn new(name: &str, call: &str, given: &[(&str, Given)]) -> Result<Wrapper, WrapperError> {
        let plain = last(name);
        if plain.is_empty() || !plain.chars().all(|c| c.is_alphanumeric() || c == '_') {
            let message = format!("`{name}` is no name of a procedure");
            return Err(WrapperError::new(Part::Name, message));
        }
        if is_mpi(plain) {
            let message = format!("`{name}` is MPI's own: what it does is known");
            return Err(WrapperError::new(Part::Name, message));
        }
        let Some(signature) = Signature::of(call) else {
            let mut error = WrapperError::new(
                Part::Call,
                format!("`{call}` is no procedure of MPI that a wrapper can stand for"),
            );
            error.known = Signature::names().collect();
            return Err(error);
        };
        let mut wrapper = Wrapper {
            name: name.to_owned(),
            stands_for: signature,
            given: vec![None; signature.arguments.len() + 1],
        };
        for (argument, given) in given {
            wrapper.give(argument, given.clone())?;
        }
        wrapper.is_complete()?;
        Ok(wrapper)
    }

    fn give(&mut self, argument: &str, given: Given) -> Result<(), WrapperError> {
        let signature = self.stands_for;
        let wrong = |message| Err(WrapperError::new(Part::Argument(argument.to_owned()), message));
        let Some(at) = signature.position(argument) else {
            let mut error = WrapperError::new(
                Part::Argument(argument.to_owned()),
                format!("{} has no argument `{argument}`, but {}", signature.name, self.all()),
            );
            error.known = signature.arguments.clone();
            return Err(error);
        };
        match &given {
            Given::Argument(number) if !(1..=MOST).contains(number) => {
                return wrong(format!("arguments are counted from 1 (to {MOST}), not {number}"));
            }
            Given::Text(text) => {
                if text.trim().is_empty() || text.contains(['\n', '\r', ';']) {
                    return wrong(format!("`{argument}` must be an expression in one line"));
                }
                if text.contains('{') && placeholder(text).is_none() {
                    return wrong(
                        "an argument is written as {N}, from 1, and only once".to_owned(),
                    );
                }
                if signature.argument(at).starts_with("request") && placeholder(text).is_none() {
                    return wrong(format!(
                        "`{argument}` must be the number of an argument, or have one in \
                         it: \"&{{7}}\""
                    ));
                }
                let is_datatype = is_datatype(signature.argument(at));
                if is_memory(signature.argument(at)) && !(is_datatype && is_mpi(text)) {
                    return wrong(if is_datatype {
                        format!(
                            "`{argument}` must be the number of an argument, or a predefined \
                             datatype such as \"MPI_DOUBLE\""
                        )
                    } else {
                        format!("`{argument}` must be the number of an argument, from 1")
                    });
                }
            }
            Given::Argument(_) => {}
        }
        match self.given.get_mut(at) {
            Some(place) if place.is_none() => *place = Some(given),
            _ => return wrong(format!("`{argument}` is given twice")),
        }
        Ok(())
    }

    /// Whether all is known that the analysis needs.
    fn is_complete(&self) -> Result<(), WrapperError> {
        let missing: Vec<&str> = (0..self.stands_for.arguments.len())
            .filter(|at| self.given[*at].is_none())
            .map(|at| self.stands_for.argument(at))
            .filter(|argument| is_memory(argument) || argument.starts_with("request"))
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let message = format!(
            "it is not said which argument of `{}` is {} of {}",
            self.name,
            quoted(&missing),
            self.stands_for.name
        );
        Err(WrapperError::new(Part::Name, message))
    }

    fn all(&self) -> String {
        quoted(&self.stands_for.arguments)
    }

    /// As the program calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The procedure of MPI that it stands for.
    pub fn stands_for(&self) -> &'static Signature {
        self.stands_for
    }

    /// The place of an argument (from 0) of MPI's procedure in the call.
    pub fn given(&self, argument: usize) -> Option<&Given> {
        self.given.get(argument)?.as_ref()
    }

    /// Which argument of the wrapper, from 0, an argument of MPI's procedure is, or is computed
    /// from.
    pub fn at(&self, argument: usize) -> Option<usize> {
        let number = match self.given(argument)? {
            Given::Argument(number) => *number,
            Given::Text(text) => placeholder(text)?.1,
        };
        number.checked_sub(1)
    }

    /// The datatype of the message whose buffer is an argument of the wrapper (from 0), if it is
    /// always the same: which argument of MPI's procedure it is, and its name.
    pub fn fixed(&self, buffer: usize) -> Option<(usize, &str)> {
        let names = &self.stands_for.arguments;
        let start = (0..names.len())
            .find(|at| self.at(*at) == Some(buffer) && names[*at].contains("buf"))?;
        let datatype = (start..names.len()).find(|at| is_datatype(names[*at]))?;
        match self.given(datatype) {
            Some(Given::Text(name)) => Some((datatype, name)),
            _ => None,
        }
    }

    /// The text for an argument that nobody has told, and that nobody needs.
    pub fn usual(&self, argument: usize) -> Option<&'static str> {
        match self.stands_for.argument(argument) {
            "status" => Some("MPI_STATUS_IGNORE"),
            "statuses" => Some("MPI_STATUSES_IGNORE"),
            _ => None,
        }
    }

    /// The use of each of `count` arguments; with those that nobody has named, anything.
    pub(super) fn uses(&self, count: usize) -> Vec<Use> {
        let own = self.stands_for.arguments.len();
        let known = library::uses(self.stands_for.name, own, false).unwrap_or_default();
        let mut all: Vec<Option<Use>> = vec![None; count];
        for argument in 0..=own {
            let Some(place) = self.at(argument).and_then(|at| all.get_mut(at)) else { continue };
            let this = known.get(argument).copied().unwrap_or(Use::Writes);
            *place = Some(place.map_or(this, |other| both(other, this)));
        }
        all.into_iter().map(|one| one.unwrap_or(Use::Both)).collect()
    }
}

fn both(one: Use, other: Use) -> Use {
    match (one, other) {
        (Use::Value, any) | (any, Use::Value) => any,
        (Use::Reads, Use::Reads) => Use::Reads,
        (Use::Writes, Use::Writes) => Use::Writes,
        _ => Use::Both,
    }
}

/// `{7}` in a text: where it stands, and the number.
pub fn placeholder(text: &str) -> Option<(std::ops::Range<usize>, usize)> {
    let start = text.find('{')?;
    let end = start + text[start..].find('}')?;
    let number = text[start + 1..end].trim().parse().ok()?;
    let alone = !text[end..].contains('{') && (1..=MOST).contains(&number);
    alone.then_some((start..end + 1, number))
}

fn is_datatype(argument: &str) -> bool {
    argument.ends_with("type")
}

/// Buffers, and what says how much of them is meant.
fn is_memory(argument: &str) -> bool {
    let ends = ["buf", "buffer", "counts", "displs", "type"];
    ends.iter().any(|end| argument.ends_with(end))
        || matches!(argument, "sendcount" | "recvcount" | "count")
}

fn quoted(names: &[&str]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let joint = match index {
            0 => "",
            _ if index + 1 == names.len() => " and ",
            _ => ", ",
        };
        let _ = write!(text, "{joint}`{name}`");
    }
    text
}

/// All of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wrappers {
    all: Vec<Wrapper>,
}

impl Wrappers {
    /// One more; of two with one name the last counts.
    pub fn add(&mut self, wrapper: Wrapper) {
        self.all.retain(|known| known.name != wrapper.name);
        self.all.push(wrapper);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The wrapper that is called by a name. Those of Fortran have no case; `a::b` is found as `b`
    /// too.
    pub fn find(&self, called: &str, language: Language) -> Option<&Wrapper> {
        self.all.iter().find(|wrapper| {
            let same = |one: &str, other: &str| {
                if language.is_fortran() { one.eq_ignore_ascii_case(other) } else { one == other }
            };
            let name = wrapper.name.as_str();
            same(name, called)
                || (!name.contains("::") && same(name, last(called)))
                || called.strip_suffix(name).is_some_and(|before| before.ends_with("::"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(number: usize) -> Given {
        Given::Argument(number)
    }

    fn text(text: &str) -> Given {
        Given::Text(text.into())
    }

    #[test]
    fn what_is_used_is_what_mpi_uses() {
        let given =
            [("buf", at(2)), ("count", at(3)), ("datatype", at(1)), ("request", text("&{5}"))];
        let wrapper = Wrapper::new("put", "mpi_isend", &given).unwrap();
        let uses = wrapper.uses(6);
        let expected = [Use::Value, Use::Reads, Use::Value, Use::Both, Use::Writes, Use::Both];
        assert_eq!(uses, expected);
        assert_eq!((wrapper.at(0), wrapper.at(6), wrapper.at(4)), (Some(1), Some(4), None));
    }

    #[test]
    fn names_are_found_as_languages_write_them() {
        let mut all = Wrappers::default();
        let given = [("buf", at(1)), ("count", at(2)), ("datatype", text("MPI_INT"))];
        all.add(Wrapper::new("Put", "MPI_Send", &given).unwrap());
        all.add(Wrapper::new("net::get", "MPI_Send", &given).unwrap());
        assert!(all.find("put", Language::FortranFree).is_some());
        assert!(all.find("put", Language::C).is_none());
        assert!(all.find("a::Put", Language::Cpp).is_some());
        assert!(all.find("a::net::get", Language::Cpp).is_some());
        assert!(all.find("get", Language::Cpp).is_none());
        assert!(all.find("planet::get", Language::Cpp).is_none());
    }

    #[test]
    fn wrong_descriptions_say_what_is_wrong() {
        let message = |name, call, given: &[(&str, Given)]| {
            let error = Wrapper::new(name, call, given).unwrap_err();
            (error.part.clone(), error.to_string())
        };
        let argument = |name: &str| Part::Argument(name.into());
        let good = [("buf", at(1)), ("count", at(2)), ("datatype", at(3))];
        let with = |more: (&'static str, Given)| {
            let mut all = good.to_vec();
            all.push(more);
            all
        };
        for (found, part, says) in [
            (message("a b", "MPI_Send", &good), Part::Name, "no name of a procedure"),
            (message("MPI_Send", "MPI_Send", &good), Part::Name, "MPI's own"),
            (message("f", "MPI_Type_commit", &good), Part::Call, "no procedure of MPI"),
            (message("f", "MPI_Send", &good[..2]), Part::Name, "is `datatype` of MPI_Send"),
            (message("f", "MPI_Isend", &good), Part::Name, "is `request` of MPI_Isend"),
            (message("f", "MPI_Waitall", &[]), Part::Name, "`count` and `requests`"),
            (message("f", "MPI_Send", &with(("src", at(4)))), argument("src"), "`tag` and `comm`"),
            (message("f", "MPI_Send", &with(("tag", at(0)))), argument("tag"), "from 1"),
            (message("f", "MPI_Send", &with(("tag", text(" ")))), argument("tag"), "expression"),
            (message("f", "MPI_Send", &with(("tag", text("{x}")))), argument("tag"), "{N}"),
            (message("f", "MPI_Send", &with(("buf", at(2)))), argument("buf"), "given twice"),
            (message("f", "MPI_Send", &[("buf", text("b"))]), argument("buf"), "the number"),
            (
                message("f", "MPI_Send", &[("datatype", text("T"))]),
                argument("datatype"),
                "predefined",
            ),
        ] {
            assert_eq!(found.0, part, "{}", found.1);
            assert!(found.1.contains(says), "{}: {says}", found.1);
        }
    }
}
