//! Facts that the analysis cannot see and that a person may vouch for (`--assume`).
//!
//! A fact has a sentence, for people, and an identifier, for command lines: its kind, the
//! procedure and what it is about (`buffer-dead:exchange/buff`). The identifier follows from the
//! program's names alone: neither a better wording nor lines that are added above change it.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use commloom_source::Span;
use commloom_source::tree::Name;

use crate::View;

/// A statement about a program that would remove a refusal, if it holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// Nobody but the call reads the buffer.
    BufferDead(Name),
    /// Two names are names of different memory.
    NoAlias(Name, Name),
    /// Nobody writes a source between its copy and the call.
    UnwrittenBeforeCall(Name),
    /// Nobody writes sources (joined by `', '`) before the send is complete.
    UnwrittenWhileSent(Name),
    /// No element is received twice.
    DistinctElements(Name),
    /// Nobody uses the target between the call and its copies.
    UnusedBeforeUnpacked(Name),
    /// The target is not what a send still reads.
    ReceivedNotSent(Name),
    /// All that is unpacked arrives.
    AllReceived(Name),
    /// A non-blocking receive is complete before its copies.
    ReceiveComplete(Name),
    /// The parts of one buffer for different calls do not overlap.
    PartsApart(Name),
    /// A call is for as many bytes or elements as are copied.
    SameLength {
        /// The call's buffer.
        call: Name,
        /// As the call says.
        sent: Length,
        /// As the copies are.
        copied: Length,
    },
    /// A call whose count is not known is for as many bytes or elements as are copied.
    CallLength {
        /// The call's buffer.
        call: Name,
        /// As the copies are.
        copied: Length,
        /// Elements or bytes.
        unit: &'static str,
    },
    /// A number is a whole multiple of another.
    Multiple(Name, Name),
    /// A communicator has so many processes.
    Processes {
        /// Whose processes.
        communicator: Name,
        /// How many.
        number: Name,
        /// Whether the number is a variable, which sentences quote.
        is_variable: bool,
    },
    /// A variable is the rank of the process.
    Rank(Name, Name),
    /// Only the root uses what all processes unpack.
    RootAlone(Name),
    /// A pointer is set on all processes.
    SetOnAll(Name),
    /// A pointer is set where the persistent request is made.
    SetAtRequest(Name),
    /// An array stays where it is while the persistent request is used.
    KeepsMemory(Name),
    /// A datatype is a predefined one of a known size.
    DatatypeSize(Name, u64),
    /// Names of MPI can be used in the procedure.
    MpiKnown,
    /// A procedure has no callers but those in the texts.
    CalledHere,
}

/// A length as a formula. Numbers without one are what a running index counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Length {
    /// For identifiers: `count(p0)`.
    pub short: String,
    /// For sentences: `what p0 counts at faces.f90:12`.
    pub long: String,
}

impl Fact {
    /// The first word of its identifiers.
    pub fn kind(&self) -> &'static str {
        match self {
            Fact::BufferDead(..) => "buffer-dead",
            Fact::NoAlias(..) => "no-alias",
            Fact::UnwrittenBeforeCall(..) => "unwritten-before-call",
            Fact::UnwrittenWhileSent(..) => "unwritten-while-sent",
            Fact::DistinctElements(..) => "distinct-elements",
            Fact::UnusedBeforeUnpacked(..) => "unused-before-unpacked",
            Fact::ReceivedNotSent(..) => "received-not-sent",
            Fact::AllReceived(..) => "all-received",
            Fact::ReceiveComplete(..) => "receive-complete",
            Fact::PartsApart(..) => "parts-apart",
            Fact::SameLength { .. } => "same-length",
            Fact::CallLength { .. } => "call-length",
            Fact::Multiple(..) => "multiple",
            Fact::Processes { .. } => "processes",
            Fact::Rank(..) => "rank",
            Fact::RootAlone(..) => "root-alone",
            Fact::SetOnAll(..) => "set-on-all",
            Fact::SetAtRequest(..) => "set-at-request",
            Fact::KeepsMemory(..) => "keeps-memory",
            Fact::DatatypeSize(..) => "datatype-size",
            Fact::MpiKnown => "mpi-known",
            Fact::CalledHere => "called-here",
        }
    }

    /// Its subject, as identifiers have it; nothing where that is the procedure itself.
    fn operands(&self) -> String {
        match self {
            Fact::BufferDead(name)
            | Fact::UnwrittenBeforeCall(name)
            | Fact::DistinctElements(name)
            | Fact::UnusedBeforeUnpacked(name)
            | Fact::ReceivedNotSent(name)
            | Fact::AllReceived(name)
            | Fact::ReceiveComplete(name)
            | Fact::PartsApart(name)
            | Fact::RootAlone(name)
            | Fact::SetOnAll(name)
            | Fact::SetAtRequest(name)
            | Fact::KeepsMemory(name) => name.clone(),
            Fact::UnwrittenWhileSent(sources) => sources.replace("', '", ","),
            // Which of the two is written is no part of the fact.
            Fact::NoAlias(one, other) => format!("{},{}", one.min(other), one.max(other)),
            Fact::SameLength { call, sent, copied } => {
                format!("{call},{}={}", sent.short, copied.short)
            }
            Fact::CallLength { call, copied, unit } => format!("{call},{}{unit}", copied.short),
            Fact::Multiple(number, of) => format!("{number},{of}"),
            Fact::Processes { communicator, number, .. } => format!("{communicator},{number}"),
            Fact::Rank(variable, communicator) => format!("{variable},{communicator}"),
            Fact::DatatypeSize(datatype, bytes) => format!("{datatype},{bytes}"),
            Fact::MpiKnown | Fact::CalledHere => String::new(),
        }
    }

    /// Its sentence.
    fn sentence(&self, procedure: &str) -> String {
        let procedure = procedure.split('#').next().unwrap_or(procedure);
        match self {
            Fact::BufferDead(buffer) => format!("'{buffer}' is not read again"),
            Fact::NoAlias(one, other) => format!("'{one}' and '{other}' share no memory"),
            Fact::UnwrittenBeforeCall(source) => {
                format!("'{source}' is not written between the copies and the call")
            }
            Fact::UnwrittenWhileSent(sources) => {
                format!("'{sources}' is not written before the send is complete")
            }
            Fact::DistinctElements(array) => {
                format!("the elements of '{array}' that are received are distinct")
            }
            Fact::UnusedBeforeUnpacked(target) => {
                format!("what is received into '{target}' is not used before it would be copied")
            }
            Fact::ReceivedNotSent(target) => {
                format!("what is received into '{target}' is not what is sent from it")
            }
            Fact::AllReceived(buffer) => {
                format!("what is received into '{buffer}' is all that is unpacked from it")
            }
            Fact::ReceiveComplete(..) => "the receive is complete before its copies".into(),
            Fact::PartsApart(buffer) => {
                format!("the parts of '{buffer}' for different calls do not overlap")
            }
            Fact::SameLength { sent, copied, .. } => format!("{} is {}", sent.long, copied.long),
            Fact::CallLength { copied, unit, .. } => {
                format!("the call is for {} {unit}", copied.long)
            }
            Fact::Multiple(number, of) => format!("'{number}' is a multiple of '{of}'"),
            Fact::Processes { communicator, number, is_variable: true } => {
                format!("'{communicator}' has '{number}' processes")
            }
            Fact::Processes { communicator, number, is_variable: false } => {
                format!("'{communicator}' has {number} processes")
            }
            Fact::Rank(variable, communicator) => {
                format!("'{variable}' is the rank in '{communicator}'")
            }
            Fact::RootAlone(..) => "what other processes than the root unpack is not used".into(),
            Fact::SetOnAll(pointer) => format!("'{pointer}' is set on all processes"),
            Fact::SetAtRequest(pointer) => {
                format!("'{pointer}' is set where the request is made")
            }
            Fact::KeepsMemory(array) => {
                format!("'{array}' keeps its memory while the request is used")
            }
            Fact::DatatypeSize(datatype, bytes) => {
                format!("'{datatype}' is a predefined datatype of {bytes} bytes")
            }
            Fact::MpiKnown => format!("MPI is known in '{procedure}'"),
            Fact::CalledHere => format!("'{procedure}' is called from these files only"),
        }
    }
}

/// A fact about one procedure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Premise {
    // Premises are listed in the order of their sentences.
    sentence: String,
    identifier: String,
    /// The fact, with names as the analysis has them.
    pub fact: Fact,
}

impl Premise {
    /// The word that `--assume` takes: `buffer-dead:exchange/buff`.
    pub fn identifier(&self) -> &str {
        &self.identifier
    }

    /// The same with another wording, and the identifier as it is.
    pub fn reworded(&self, wording: impl Fn(&str) -> String) -> Premise {
        Premise { sentence: wording(&self.sentence), ..self.clone() }
    }

    /// Whether this is its sentence; quotes and blanks do not matter.
    pub fn has_sentence(&self, text: &str) -> bool {
        normal(&self.sentence) == normal(text)
    }
}

/// The sentence.
impl fmt::Display for Premise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

/// The procedure that facts are about.
#[derive(Debug, Clone, Default)]
pub struct FactScope {
    procedure: Name,
    /// The callees that stand in it, by the marks of their variables.
    callees: HashMap<String, Name>,
}

impl FactScope {
    /// The procedure of a view, by its name; the second of this name in its file is `name#2`.
    pub fn of(view: &View<'_>) -> FactScope {
        let procedure = view.procedure();
        FactScope {
            procedure: numbered(view, procedure.name.trim_end_matches('\''), procedure.span),
            callees: view.callees(),
        }
    }

    /// A fact about this procedure.
    pub fn premise(&self, fact: Fact) -> Premise {
        let operands = marked(&fact.operands(), |name, mark| match self.callees.get(mark) {
            Some(callee) => format!("{callee}.{name}"),
            None => name.to_owned(),
        });
        let slash = if operands.is_empty() { "" } else { "/" };
        let identifier = format!("{}:{}{slash}{operands}", fact.kind(), self.procedure);
        let sentence = unmarked(&fact.sentence(&self.procedure));
        Premise { identifier: compact(&identifier), sentence, fact }
    }
}

fn numbered(view: &View<'_>, name: &str, span: Span) -> Name {
    let real = view.project().real(span);
    let units = view.project().units().iter().filter(|unit| unit.file == real.file);
    let same = units.flat_map(|unit| &unit.procedures).filter(|p| p.name == name);
    match same.filter(|p| p.span.start < real.start).count() {
        0 => name.to_owned(),
        earlier => format!("{name}#{}", earlier + 1),
    }
}

/// Facts that a person supplies: identifiers as refusals name them, also without the procedure
/// (`buffer-dead:buff` holds in all), and, for one more version, sentences.
#[derive(Debug, Clone, Default)]
pub struct Assumptions {
    identifiers: BTreeSet<String>,
    sentences: BTreeSet<String>,
    everything: bool,
}

impl Assumptions {
    /// These facts; `all` is every fact.
    pub fn new(facts: impl IntoIterator<Item = String>) -> Assumptions {
        let mut assumptions = Assumptions::default();
        for fact in facts {
            assumptions.everything |= fact == "all";
            assumptions.identifiers.insert(compact(&fact));
            assumptions.sentences.insert(normal(&fact));
        }
        assumptions
    }

    /// Whether a fact is among them, by its identifier or its sentence.
    pub fn has(&self, premise: &Premise) -> bool {
        let short =
            compact(&format!("{}:{}", premise.fact.kind(), unmarked(&premise.fact.operands())));
        self.everything
            || self.identifiers.contains(&premise.identifier)
            || self.identifiers.contains(&short)
            || self.sentences.contains(&normal(&premise.sentence))
    }
}

/// Without quotes, and with single blanks.
fn normal(fact: &str) -> String {
    let plain: String = fact.chars().filter(|c| !matches!(c, '\'' | '"' | '`')).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Without quotes and blanks.
fn compact(identifier: &str) -> String {
    let is_dropped = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`');
    identifier.chars().filter(|c| !is_dropped(*c)).collect()
}

/// A text without the marks of names that stand in an expanded procedure (`ptr'3`).
pub fn unmarked(text: &str) -> String {
    marked(text, |name, _| name.to_owned())
}

/// A text with other words in the place of names with a mark, which are given as both parts.
fn marked(text: &str, word: impl Fn(&str, &str) -> String) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '@');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\'') {
        let (before, from) = rest.split_at(at);
        let quotes = from.len() - from.trim_start_matches('\'').len();
        let digits = from[quotes..].len()
            - from[quotes..].trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (mark, after) = from.split_at(quotes + digits);
        let name = before.rfind(|c| !is_word(c)).map_or(before, |end| {
            &before[end + before[end..].chars().next().map_or(0, char::len_utf8)..]
        });
        if digits > 0 && !name.is_empty() {
            out.push_str(&before[..before.len() - name.len()]);
            out.push_str(&word(name, mark));
        } else {
            out.push_str(before);
            out.push_str(mark);
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_quotes_stay() {
        let text = "'ptr'3' and 'n''12' share 'a', 8*k'2";
        assert_eq!(unmarked(text), "'ptr' and 'n' share 'a', 8*k");
    }

    #[test]
    fn names_of_callees_are_told_apart() {
        let callees = HashMap::from([("'3".to_owned(), "pack".to_owned())]);
        let scope = FactScope { procedure: "exchange".into(), callees };
        let dead = |buffer: &str| scope.premise(Fact::BufferDead(buffer.into()));
        let (own, theirs) = (dead("ptr"), dead("ptr'3"));
        assert_eq!(own.identifier(), "buffer-dead:exchange/ptr");
        assert_eq!(theirs.identifier(), "buffer-dead:exchange/pack.ptr");
        assert_eq!(theirs.to_string(), "'ptr' is not read again");
        let given = Assumptions::new([own.identifier().to_owned()]);
        assert!(given.has(&own) && !given.has(&theirs));
        assert!(Assumptions::new(["buffer-dead:ptr".to_owned()]).has(&theirs));
        assert!(Assumptions::new(["ptr is not  read again".to_owned()]).has(&theirs));
    }

    #[test]
    fn the_order_of_two_names_is_no_part_of_a_fact() {
        let scope = FactScope { procedure: "f".into(), ..FactScope::default() };
        let apart = |one: &str, other: &str| scope.premise(Fact::NoAlias(one.into(), other.into()));
        assert_eq!(apart("u", "b").identifier(), "no-alias:f/b,u");
        assert_eq!(apart("b", "u").identifier(), "no-alias:f/b,u");
    }
}
