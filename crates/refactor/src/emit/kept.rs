//! A datatype that is made once: it is kept until what it is made of changes, so that a call in a
//! loop finds what it has made the turn before. In C and C++ a function of its own keeps it,
//!
//! ```c
//! MPI_Send(&u[0][1], 1, u_type(ny, nx), to, tag, comm);
//! ```
//!
//! in Fortran variables of the procedure do, which stay as they are between its calls.
//!
//! Only types that follow from numbers are kept: of lists and addresses nobody sees whether they
//! have changed. There is one type for all threads, and C has MPI free it before it ends by an
//! attribute of `MPI_COMM_SELF` (MPI 4.1, section 11.4.2). So programs with
//! `MPI_THREAD_MULTIPLE`, or with sessions, make their types at each call.

use commloom_source::Span;
use commloom_source::affine::{Atom, Place, Polynomial};
use commloom_source::symbols::Symbols;

use super::model::Request;
use super::names::Names;
use super::number::{Speller, Unit, Width};
use super::operation::{Old, Operation, Program};
use crate::scopes::rewritten;

/// More numbers than this make no text that people would read.
pub(super) const MOST: usize = 8;

/// The arguments of a function in place of the numbers of a datatype.
#[derive(Debug)]
pub(super) struct Formals {
    list: Vec<Formal>,
    /// Names that they cannot have.
    taken: Vec<String>,
}

#[derive(Debug)]
struct Formal {
    name: String,
    width: Width,
    /// The text that is given for it at the call.
    actual: String,
}

impl Formals {
    /// For a program whose variables the function declares.
    pub fn of(program: &Program, names: &Names) -> Formals {
        let own = program.variables.iter().map(|variable| variable.name.clone());
        let taken =
            own.chain([MADE_OF, TYPE].map(str::to_owned)).chain(names.all_macros()).collect();
        Formals { list: Vec::new(), taken }
    }

    /// For a program whose numbers are sums and products of few variables of type `int`: these,
    /// under their own names. None for others.
    pub fn by_name(program: &Program, speller: &Speller<'_>, names: &Names) -> Option<Formals> {
        let mut found: Vec<String> = Vec::new();
        let is_basic = match &speller.unit {
            Unit::Named(_, text) => is_literal(text),
            Unit::Byte | Unit::Unknown => true,
        };
        let mut are_all = is_basic && !speller.is_wide;
        for number in numbers(program) {
            number.any(&mut |atom| {
                match atom {
                    Atom::Read { place, .. } if place.steps.is_empty() => {
                        let name = place.variable.as_str();
                        are_all &= speller.is_narrow(atom)
                            && !names.is_defined(name)
                            && is_word(name)
                            && ![MADE_OF, TYPE].contains(&name);
                        if !found.iter().any(|known| known == name) {
                            found.push(name.to_owned());
                        }
                    }
                    Atom::Apply(..) => {}
                    _ => are_all = false,
                }
                false
            });
        }
        let one = |name: String| Formal { actual: name.clone(), name, width: Width::Plain };
        // As people count them: nx, ny, nz.
        found.sort();
        let list = found.into_iter().map(one).collect();
        are_all.then_some(Formals { list, taken: Vec::new() })
    }

    /// The argument that stands for a number of the program; a number that is written as such
    /// stays.
    pub fn name(&mut self, text: String, width: Width, role: &str) -> String {
        if is_literal(&text) {
            return text;
        }
        let known = self.list.iter().find(|f| f.actual == text && f.width == width);
        if let Some(formal) = known {
            return formal.name.clone();
        }
        let name = self.free(&text, role);
        self.taken.push(name.clone());
        self.list.push(Formal { name: name.clone(), width, actual: text });
        name
    }

    /// The program's own word where it is one.
    fn free(&self, text: &str, role: &str) -> String {
        let word = text.split('@').next().unwrap_or(text).to_lowercase();
        let stem = if is_word(&word) { &word } else { role };
        let numbered = (2..).map(|number| format!("{stem}_{number}"));
        let mut all = std::iter::once(stem.to_owned()).chain(numbered);
        let is_taken = |name: &String| self.taken.iter().any(|t| t.eq_ignore_ascii_case(name));
        all.find(|name| !is_taken(name)).unwrap_or_default()
    }

    /// Whether people would read a function with them.
    pub fn are_few(&self) -> bool {
        self.list.len() <= MOST
    }

    /// As the function declares them.
    fn declared(&self) -> String {
        let one = |f: &Formal| match f.width {
            Width::Plain => format!("int {}", f.name),
            Width::Wide => format!("MPI_Aint {}", f.name),
        };
        if self.list.is_empty() {
            return "void".to_owned();
        }
        self.list.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// As a call gives them.
    fn given(&self) -> String {
        self.list.iter().map(|f| f.actual.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Where the function keeps its type.
const TYPE: &str = "type";
/// Where it keeps what that was made of.
const MADE_OF: &str = "made_of";
/// All names of the functions, which no macro may have.
const OWN: [&str; 8] =
    [TYPE, MADE_OF, "comm", "key", "state", "free_kept_type", "renew_type", "MPI_Comm_set_attr"];

/// The numbers of operations that a kept type may consist of.
fn numbers(program: &Program) -> Vec<&Polynomial> {
    let mut all = Vec::new();
    for operation in &program.operations {
        match operation {
            Operation::Contiguous { count, .. } => all.push(count),
            Operation::Vector { count, block, stride, .. }
            | Operation::Hvector { count, block, stride, .. } => all.extend([count, block, stride]),
            Operation::HindexedBlock { displacements, block, .. } => {
                all.push(block);
                all.extend(displacements);
            }
            Operation::Struct { members, .. } => {
                all.extend(members.iter().flat_map(|m| [&m.block, &m.displacement]));
            }
            Operation::Resized { extent, .. } => all.push(extent),
            _ => {}
        }
    }
    all
}

/// Whether a text can be a name of C.
fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Digits and types of C: what means the same everywhere.
fn is_literal(text: &str) -> bool {
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.all(|word| {
        word.chars().all(|c| c.is_ascii_digit())
            || ["sizeof", "double", "float", "int", "long", "short", "unsigned", "char", "MPI_Aint"]
                .contains(&word)
    })
}

/// Whether a datatype can be kept: it follows from numbers, and the program has one thread at a
/// time.
pub(super) fn can_be(program: &Program, names: &Names) -> bool {
    let is_of_numbers = program.operations.iter().all(|operation| match operation {
        Operation::Contiguous { .. }
        | Operation::Vector { .. }
        | Operation::Hvector { .. }
        | Operation::HindexedBlock { .. }
        | Operation::Struct { .. }
        | Operation::Resized { .. }
        | Operation::Free(_) => true,
        Operation::IndexedBlock { .. }
        | Operation::Address { .. }
        | Operation::Difference { .. }
        | Operation::Each { .. }
        | Operation::If { .. } => false,
    });
    let is_made = matches!(program.argument.of, Old::Made(_));
    is_of_numbers
        && is_made
        && !OWN.iter().any(|name| names.is_defined(name))
        && !names.has_threads()
        && !names.has("MPI_Session_init")
}

/// Whether a function at this place can name the elements as the call does: by a name of MPI's, or
/// by a macro that stands for such names, and is defined before.
pub(super) fn is_known(request: &Request<'_>, names: &Names, at: Span) -> bool {
    let name = request.element;
    let Some(mut all) = names.definitions(name) else { return is_predefined(name) };
    let says = |text: Option<&str>| {
        text.is_some_and(|text| text.lines().any(|line| is_definition(line, name)))
    };
    all.all(|of| is_predefined(of) && !names.is_defined(of))
        && says(request.source.get(..at.start))
        && !says(request.source.get(at.start..))
}

/// `#define MPI_REAL_TYPE MPI_DOUBLE`, or its end.
fn is_definition(line: &str, name: &str) -> bool {
    let directive = line.trim_start().strip_prefix('#').unwrap_or("");
    let mut words = directive.split_whitespace();
    matches!(words.next(), Some("define" | "undef")) && words.next() == Some(name)
}

/// The places of a program of Fortran that a type is made of; none where more than that is in it.
pub(super) fn places(program: &Program, symbols: &dyn Symbols) -> Option<Vec<Place>> {
    let mut found: Vec<Place> = Vec::new();
    let mut are_all = true;
    for number in numbers(program) {
        number.any(&mut |atom| {
            match atom {
                Atom::Read { place, .. } => {
                    if symbols.constant(&place.variable).is_none() && !found.contains(place) {
                        found.push(place.clone());
                    }
                }
                Atom::Apply(..) => {}
                _ => are_all = false,
            }
            false
        });
    }
    are_all.then_some(found)
}

/// `MPI_DOUBLE`: in capitals, as no datatype of a program may be called.
pub(super) fn is_predefined(datatype: &str) -> bool {
    let rest = datatype.strip_prefix("MPI_");
    rest.is_some_and(|rest| {
        rest.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    })
}

/// The functions that a call needs, and the call of the one that has its datatype. `inner` are the
/// statements that make the type in the variable `made`.
pub(super) fn functions(
    formals: &Formals,
    (declarations, inner, made): (&[String], &[String], &str),
    (request, at): (&Request<'_>, Span),
    names: &mut Names,
) -> (Vec<String>, String) {
    let [free, renew] = ["free_kept_type", "renew_type"].map(|stem| names.function(at, stem, stem));
    let helpers = format!(
        "/* MPI_Finalize frees a type that is kept. */\n\
         static int {free}(MPI_Comm comm, int key, void *type, void *state)\n\
         {{\n    (void)comm, (void)key, (void)state;\n    \
         return MPI_Type_free((MPI_Datatype *)type);\n}}\n\n\
         static void {renew}(MPI_Datatype *type)\n\
         {{\n    if (*type != MPI_DATATYPE_NULL) {{\n        MPI_Type_free(type);\n    \
         }} else {{\n        int key;\n        \
         MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, {free}, &key, (void *)0);\n        \
         MPI_Comm_set_attr(MPI_COMM_SELF, key, type);\n        \
         MPI_Comm_free_keyval(&key);\n    }}\n}}\n"
    );
    let list = &formals.list;
    let tests = list.iter().enumerate().map(|(at, f)| {
        let line = if at > 0 && at % 3 == 0 { "\n       " } else { "" };
        format!("{line} && {MADE_OF}[{at}] == {}", f.name)
    });
    let mut body = vec![format!("static MPI_Datatype {TYPE} = MPI_DATATYPE_NULL;")];
    if !list.is_empty() {
        body.push(format!("static MPI_Aint {MADE_OF}[{}];", list.len()));
    }
    body.push(format!("if ({TYPE} != MPI_DATATYPE_NULL{})", tests.collect::<String>()));
    body.push(format!("    return {TYPE};"));
    body.push(format!("{renew}(&{TYPE});"));
    body.extend(declarations.iter().cloned());
    let mut kept_name = |name: &str, _| Ok(if name == made { TYPE } else { name }.to_owned());
    body.extend(inner.iter().flat_map(|line| rewritten(line, &mut kept_name)));
    let kept = list.iter().enumerate().map(|(at, f)| format!("{MADE_OF}[{at}] = {}", f.name));
    let kept: Vec<String> = kept.collect();
    body.extend(kept.chunks(4).map(|some| format!("{};", some.join(", "))));
    body.push(format!("return {TYPE};"));
    let lines: String = body.iter().map(|line| format!("    {line}\n")).collect();
    let rest = format!("({})\n{{\n{lines}}}\n", formals.declared());
    let variable = request.datatype.at.as_ref().map(|at| at.place.variable.as_str());
    let word = variable.and_then(|name| name.split('@').next());
    let stem = word.filter(|word| is_word(word)).unwrap_or("message");
    // Called with other numbers it would make its type anew each time: they have another one.
    let given = formals.given();
    let name = names.function(at, &format!("{rest}{given}"), &format!("{stem}_type"));
    let until = if list.is_empty() { "" } else { " until its arguments change" };
    let function =
        format!("/* Kept{until}; for one thread at a time. */\nstatic MPI_Datatype {name}{rest}");
    (vec![helpers, function], format!("{name}({given})"))
}
