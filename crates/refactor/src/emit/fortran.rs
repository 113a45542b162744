//! The text in Fortran, one statement a line; [`wrap`](super::wrap) brings it into the form of the
//! file.

use std::collections::HashMap;

use commloom_source::affine::{Atom, Place, Polynomial, Step};

use super::kept;
use super::model::{Case, Doubtful, EmitError, Manner, Request, Text, TurnOf};
use super::names::Names;
use super::number::{Speller, Unit, is_sum, parted};
use super::operation::{Arrays, Kind, Length, Operation, Program};
use super::write::{Argument, Syntax, Writer};

/// Writes a program.
pub(super) fn write(
    program: &Program,
    request: &Request<'_>,
    turns: &[TurnOf],
    names: &mut Names,
) -> Result<Text, EmitError> {
    let manner = request.manner;
    let mut integers = Vec::new();
    let mut addresses = Vec::new();
    let error = match &manner.error {
        Some(name) => name.clone(),
        None => {
            let name = names.fresh("ierr");
            integers.push(name.clone());
            name
        }
    };
    let whole = |bytes| i64::try_from(bytes).map_err(|_| EmitError::Lost);
    let element = whole(request.datatype.element)?;
    let part = request.datatype.unit.as_ref().map_or(Ok(element), |(_, bytes)| whole(*bytes))?;
    let extent =
        (part > 1 && program.operations.iter().any(counts_units)).then(|| names.fresh("extent"));
    let unit = match &extent {
        _ if part <= 1 => Unit::Byte,
        Some(extent) if part == element => Unit::Named(part, extent.clone()),
        Some(extent) => Unit::Named(part, format!("({extent} / {})", element / part)),
        None => Unit::Unknown,
    };
    let syntax = Fortran { case: manner.case, error };
    let mut writer = Writer {
        syntax: &syntax,
        speller: Speller {
            fortran: true,
            cpp: false,
            unit,
            program,
            turns: HashMap::new(),
            replaced: HashMap::new(),
            symbols: Some(request.symbols),
            is_wide: false,
            doubtful: Doubtful { of: Some(request.doubts), turns, ..Doubtful::default() },
        },
        own: None,
        element,
        datatype: request.element,
        turns,
        depth: 0,
        lines: Vec::new(),
        formals: None,
    };
    if let Some(extent) = extent {
        let lower = names.fresh("lower");
        let arguments = format!("{}, {lower}, {extent}", request.element);
        writer.call("MPI_Type_get_extent", &arguments);
        addresses.extend([lower, extent]);
    }
    let Argument { buffer, count, datatype, mut after } = writer.program(program)?;
    let mut before = writer.lines;
    let texts = || before.iter().chain([&buffer, &count]);
    if manner.error.is_some() && texts().any(|text| needs(text, &syntax.error)) {
        let manner = &Manner { error: None, ..manner.clone() };
        return write(program, &Request { manner, ..*request }, turns, names);
    }
    let of = kept(program, request, names, &writer.speller);
    let made = of.as_ref().map(|_| datatype.as_str());
    let mut declarations = declarations((program, made), manner, integers, addresses);
    if let Some(of) = of {
        before = of.around(&before, &std::mem::take(&mut after), names, &mut declarations);
    }
    // What comes after the call would say that all went well.
    if manner.error.is_some() && manner.is_error_read && !after.is_empty() {
        let manner = &Manner { error: None, ..manner.clone() };
        return write(program, &Request { manner, ..*request }, turns, names);
    }
    declarations.extend(same_kinds(request, names)?);
    let all = before.iter().chain(&after).chain(&declarations).chain([&buffer, &count]);
    without_own_names(request, all)?;
    Ok(Text { functions: Vec::new(), declarations, before, buffer, count, datatype, after })
}

/// Declarations that do not compile where types that must be one differ: they divide by zero.
fn same_kinds(request: &Request<'_>, names: &mut Names) -> Result<Vec<String>, EmitError> {
    let mut all = Vec::new();
    for (one, other) in &request.datatype.equal {
        let types = || EmitError::Types { one: one.clone(), other: other.clone() };
        let (a, b) = kind(one).zip(kind(other)).ok_or_else(types)?;
        let check = names.fresh("same_kind");
        all.push(format!("integer, parameter :: {check} = 1 / merge(1, 0, {a} == {b})"));
    }
    Ok(all)
}

/// Procedures of the language that the text may call.
const INTRINSICS: [&str; 10] =
    ["any", "int", "kind", "lbound", "max", "merge", "min", "mod", "size", "storage_size"];

/// Whether a name of the language is one of the program, perhaps: a procedure of it is seen in
/// whatever uses its module, under that name or another.
fn is_taken(request: &Request<'_>, name: &str) -> bool {
    let symbols = request.symbols;
    symbols.variable(name).is_some()
        || symbols.constant(name).is_some()
        || symbols.is_own_procedure(name)
}

/// The text calls no procedure of the language whose name is one of the program.
fn without_own_names<'t>(
    request: &Request<'_>,
    mut texts: impl Iterator<Item = &'t String>,
) -> Result<(), EmitError> {
    let taken: Vec<&str> = INTRINSICS.into_iter().filter(|name| is_taken(request, name)).collect();
    let called = |text: &'t String| {
        let is_it = |word: &&str| taken.iter().any(|name| word.eq_ignore_ascii_case(name));
        words(text).filter(is_it).find(|word| calls(text, word))
    };
    match texts.find_map(called) {
        Some(name) => Err(EmitError::Intrinsic { name: name.to_owned() }),
        None => Ok(()),
    }
}

/// Whether a text has a word with arguments: `kind` in `integer(kind=4)` has none.
fn calls(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let behind = text.get(at + word.len()..).unwrap_or("");
        behind.trim_start().starts_with('(')
    })
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
}

/// Whether a statement needs the value of the variable that tells about errors, which each call
/// gives another one.
fn needs(text: &str, error: &str) -> bool {
    let rest = text.strip_suffix(&format!(", {error})")).unwrap_or(text);
    words(rest).any(|word| word.eq_ignore_ascii_case(error))
}

/// The values that a kept type is made of.
struct MadeOf {
    values: Vec<String>,
    /// In the kind of addresses: they are not all of the default one.
    are_long: bool,
}

impl MadeOf {
    /// The statements that make a type, where it is to be made anew; `free` frees the old one.
    fn around(
        &self,
        make: &[String],
        free: &[String],
        names: &mut Names,
        declarations: &mut Vec<String>,
    ) -> Vec<String> {
        let has = names.fresh("has_type");
        let name = (!self.values.is_empty()).then(|| names.fresh("made_of"));
        let values = format!("(/ {} /)", self.values.join(", "));
        let changed = name.iter().map(|name| format!(" .or. any({name} /= {values})"));
        let mut lines = vec![format!("if (.not. {has}{}) then", changed.collect::<String>())];
        lines.extend(free.iter().map(|free| format!("   if ({has}) {free}")));
        lines.extend(make.iter().map(|line| format!("   {line}")));
        lines.push(format!("   {has} = .true."));
        lines.extend(name.iter().map(|name| format!("   {name} = {values}")));
        lines.push("end if".to_owned());
        declarations.push(format!("logical, save :: {has} = .false."));
        let kind = if self.are_long { "integer(kind=MPI_ADDRESS_KIND)" } else { "integer" };
        let many = self.values.len();
        declarations.extend(name.map(|name| format!("{kind}, save :: {name}({many}) = 0")));
        lines
    }
}

/// The values that the type is made of, where it can be [kept](super::kept) in variables.
fn kept(
    program: &Program,
    request: &Request<'_>,
    names: &Names,
    speller: &Speller<'_>,
) -> Option<MadeOf> {
    let own = request.source.get(request.kept_at?.range())?;
    // Beside it no variable can be saved by itself.
    let saves_all = own.lines().any(|line| line.trim().eq_ignore_ascii_case("save"));
    if saves_all || is_taken(request, "any") || !kept::can_be(program, names) {
        return None;
    }
    let places = kept::places(program, request.symbols)?;
    // Of what kind components are, is not looked up: in one list all must be of the same.
    let is_long = |place: &Place| {
        place.steps.iter().any(|step| matches!(step, Step::Field(_)))
            || speller.has_long(&Polynomial::atom(Atom::Read { place: place.clone(), version: 0 }))
    };
    let are_long = places.iter().any(is_long);
    let kind = |value: String| {
        if are_long { format!("int({value}, MPI_ADDRESS_KIND)") } else { value }
    };
    let mut values: Vec<String> =
        places.iter().map(|place| speller.place(place).ok().map(kind)).collect::<Option<_>>()?;
    values.sort();
    let element = request.element;
    if !kept::is_predefined(&element.to_ascii_uppercase()) {
        let is_name = element.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let value = if request.manner.handles { "%MPI_VAL" } else { "" };
        let value = format!("{element}{value}");
        values.push(kind(is_name.then_some(value)?));
    }
    (values.len() <= kept::MOST).then_some(MadeOf { values, are_long })
}

/// The kind of a type of numbers.
fn kind(of: &str) -> Option<String> {
    Some(match of {
        "real" => "kind(1.0)".into(),
        "double precision" => "kind(1d0)".into(),
        "integer" => "kind(1)".into(),
        "logical" => "kind(.true.)".into(),
        _ => {
            let digits = of.split_once('(')?.1.strip_suffix(')')?;
            digits.parse::<u32>().ok()?.to_string()
        }
    })
}

/// Whether bytes are written that are counted in the element's size.
fn counts_units(operation: &Operation) -> bool {
    let counts = |p: &Polynomial| !parted(p).1.is_zero();
    match operation {
        Operation::Hvector { stride, .. } => counts(stride),
        Operation::HindexedBlock { displacements, .. } => displacements.iter().any(counts),
        Operation::Struct { members, .. } => members.iter().any(|m| counts(&m.displacement)),
        Operation::Resized { extent, .. } => counts(extent),
        Operation::Each { body, members, .. } => {
            members.iter().any(|m| counts(&m.displacement)) || body.iter().any(counts_units)
        }
        Operation::If { then, otherwise, .. } => then.iter().chain(otherwise).any(counts_units),
        Operation::Contiguous { .. }
        | Operation::Vector { .. }
        | Operation::IndexedBlock { .. }
        | Operation::Address { .. }
        | Operation::Difference { .. }
        | Operation::Free(_) => false,
    }
}

/// One line for each kind of variable; the type `kept` stays between calls.
fn declarations(
    (program, kept): (&Program, Option<&str>),
    manner: &Manner,
    mut integers: Vec<String>,
    mut addresses: Vec<String>,
) -> Vec<String> {
    let mut types = Vec::new();
    let mut open = [Vec::new(), Vec::new(), Vec::new()];
    let [open_types, open_addresses, open_integers] = &mut open;
    for variable in program.variables.iter().filter(|v| Some(v.name.as_str()) != kept) {
        let (list, open_list, length) = match variable.kind {
            Kind::Type => (&mut types, &mut *open_types, None),
            Kind::Types(length) => (&mut types, &mut *open_types, Some(length)),
            Kind::Address => (&mut addresses, &mut *open_addresses, None),
            Kind::Addresses(length) => (&mut addresses, &mut *open_addresses, Some(length)),
            Kind::Integer => (&mut integers, &mut *open_integers, None),
            Kind::Integers(length) => (&mut integers, &mut *open_integers, Some(length)),
        };
        match length {
            None => list.push(variable.name.clone()),
            Some(Length::Known(length)) => list.push(format!("{}({length})", variable.name)),
            Some(Length::Open) => open_list.push(format!("{}(:)", variable.name)),
        }
    }
    let handle = if manner.handles { "type(MPI_Datatype)" } else { "integer" };
    let wide = "integer(kind=MPI_ADDRESS_KIND)";
    let [open_types, open_addresses, open_integers] = open;
    let mut lines = Vec::new();
    for (of, list) in [(handle, types), (wide, addresses), ("integer", integers)] {
        if !list.is_empty() {
            lines.push(format!("{of} :: {}", list.join(", ")));
        }
    }
    lines.extend(kept.map(|kept| format!("{handle}, save :: {kept}")));
    for (of, list) in [(handle, open_types), (wide, open_addresses), ("integer", open_integers)] {
        if !list.is_empty() {
            lines.push(format!("{of}, allocatable :: {}", list.join(", ")));
        }
    }
    lines
}

struct Fortran {
    case: Case,
    error: String,
}

impl Syntax for Fortran {
    fn indent(&self) -> &'static str {
        "   "
    }

    fn call(&self, function: &str, arguments: &str) -> String {
        format!("call {}({arguments}, {})", self.case.write(function), self.error)
    }

    fn output(&self, variable: &str) -> String {
        variable.to_owned()
    }

    fn assign(&self, target: &str, value: &str) -> String {
        format!("{target} = {value}")
    }

    fn no_bytes(&self) -> &'static str {
        "int(0, MPI_ADDRESS_KIND)"
    }

    fn entry(&self, array: &str, number: usize) -> String {
        format!("{array}({})", number + 1)
    }

    fn entry_at(&self, array: &str, index: &str) -> String {
        format!("{array}({index} + 1)")
    }

    fn address(&self, speller: &Speller<'_>, place: &Place) -> Result<String, EmitError> {
        speller.place(place)
    }

    fn list(
        &self,
        speller: &Speller<'_>,
        place: &Place,
        count: &Polynomial,
        shift: &Polynomial,
    ) -> Result<String, EmitError> {
        let list = speller.stretch(place, count)?;
        let shift = speller.plain(shift)?;
        Ok(match shift.strip_prefix('-') {
            _ if shift == "0" => list,
            Some(positive) if !is_sum(positive) => format!("{list} + {positive}"),
            _ if is_sum(&shift) => format!("{list} - ({shift})"),
            _ => format!("{list} - {shift}"),
        })
    }

    fn allocate(&self, arrays: &Arrays, count: &str) -> Vec<String> {
        let Arrays { blocks, displacements, types } = arrays;
        let all = [blocks, displacements].into_iter().chain(types);
        let all: Vec<String> = all.map(|array| format!("{array}({count})")).collect();
        vec![format!("allocate({})", all.join(", "))]
    }

    fn release(&self, arrays: &Arrays) -> Vec<String> {
        let Arrays { blocks, displacements, types } = arrays;
        let all: Vec<&str> =
            [blocks, displacements].into_iter().chain(types).map(String::as_str).collect();
        vec![format!("deallocate({})", all.join(", "))]
    }

    fn each(&self, index: &str, count: &str) -> (String, &'static str) {
        (format!("do {index} = 0, {count} - 1"), "end do")
    }

    fn branches(&self, condition: &str) -> (String, &'static str, &'static str) {
        (format!("if ({condition}) then"), "else", "end if")
    }
}
