//! The text in C and C++: no headers but `mpi.h` are needed.

use std::collections::HashMap;

use commloom_copies::type_at;
use commloom_source::Language;
use commloom_source::affine::{Place, Polynomial, Step};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Dimension, Type};

use super::kept::{self, Formals};
use super::model::{Doubtful, EmitError, Request, Text, TurnOf};
use super::names::Names;
use super::number::{Speller, Unit};
use super::operation::{Arrays, Kind, Length, Old, Program};
use super::own;
use super::write::{Argument, Syntax, Writer};

/// The C type that a predefined datatype stands for.
fn c_type(datatype: &str) -> Option<&'static str> {
    Some(match datatype {
        "MPI_DOUBLE" => "double",
        "MPI_FLOAT" => "float",
        "MPI_INT" => "int",
        "MPI_LONG" => "long",
        "MPI_UNSIGNED" => "unsigned",
        "MPI_UNSIGNED_LONG" => "unsigned long",
        "MPI_LONG_LONG" | "MPI_LONG_LONG_INT" => "long long",
        "MPI_SHORT" => "short",
        "MPI_LONG_DOUBLE" => "long double",
        _ => return None,
    })
}

/// The unit that bytes are counted in.
fn unit(request: &Request<'_>, element: i64) -> Result<Unit, EmitError> {
    if let Some((name, bytes)) = &request.datatype.unit {
        let bytes = i64::try_from(*bytes).map_err(|_| EmitError::Lost)?;
        let is_bool = name == "bool" && request.symbols.language() != Language::Cpp;
        let name = if is_bool { "_Bool" } else { name };
        return Ok(Unit::Named(bytes, format!("sizeof({name})")));
    }
    // `MPI_INT64_T` says how many.
    let is_fixed =
        element == 1 || request.element.contains("INT") && request.element.ends_with("_T");
    Ok(match c_type(request.element) {
        Some(name) => Unit::Named(element, format!("sizeof({name})")),
        None if is_fixed => Unit::Byte,
        None => Unit::Unknown,
    })
}

/// Writes a program.
pub(super) fn write(
    program: &Program,
    request: &Request<'_>,
    turns: &[TurnOf],
    (names, so_far): (&mut Names, usize),
) -> Result<Text, EmitError> {
    let element = i64::try_from(request.datatype.element).map_err(|_| EmitError::Lost)?;
    let is_cpp = request.symbols.language() == Language::Cpp;
    let mut writer = Writer {
        syntax: &C { symbols: request.symbols },
        speller: Speller {
            fortran: false,
            cpp: is_cpp,
            unit: unit(request, element)?,
            program,
            turns: HashMap::new(),
            replaced: HashMap::new(),
            symbols: Some(request.symbols),
            is_wide: request.datatype.is_wide,
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
    writer.own = own::address(&writer.speller, request, names);
    let function = kept(&mut writer, program, request, (names, so_far))?;
    let (functions, text) = match function {
        Some((functions, datatype)) => {
            let (buffer, count) = writer.buffer_and_count(program)?;
            (functions, Argument { buffer, count, datatype, after: Vec::new() })
        }
        None => (Vec::new(), writer.program(program)?),
    };
    let is_kept = !functions.is_empty();
    let mut declarations = if is_kept { Vec::new() } else { declarations(program) };
    let assertion = if is_cpp { "static_assert" } else { "_Static_assert" };
    for (one, other) in &request.datatype.equal {
        let (one, other) = (writer.speller.type_name(one), writer.speller.type_name(other));
        declarations.push(format!(
            "{assertion}(sizeof({one}) == sizeof({other}), \"{one} is copied to or from {other}\");"
        ));
    }
    let Argument { buffer, count, datatype, after } = text;
    Ok(Text { functions, declarations, before: writer.lines, buffer, count, datatype, after })
}

/// The functions that keep the type, where it can be kept, and the call of its own.
fn kept(
    writer: &mut Writer<'_>,
    program: &Program,
    request: &Request<'_>,
    (names, so_far): (&mut Names, usize),
) -> Result<Option<(Vec<String>, String)>, EmitError> {
    let (Some(at), Old::Made(made)) = (request.kept_at, &program.argument.of) else {
        return Ok(None);
    };
    if !kept::can_be(program, names) || !kept::is_known(request, names, at) {
        return Ok(None);
    }
    let by_name = Formals::by_name(program, &writer.speller, names).filter(Formals::are_few);
    writer.formals = by_name.is_none().then(|| Formals::of(program, names));
    writer.operations(program)?;
    let inner = std::mem::take(&mut writer.lines);
    let formals = by_name.or(writer.formals.take()).filter(Formals::are_few);
    let Some(formals) = formals else { return Ok(None) };
    names.give_back(so_far);
    let mut own = program.clone();
    own.variables.retain(|variable| variable.name != *made);
    let declared = declarations(&own);
    let parts = (declared.as_slice(), inner.as_slice(), made.as_str());
    Ok(Some(kept::functions(&formals, parts, (request, at), names)))
}

/// One line for each kind of variable.
fn declarations(program: &Program) -> Vec<String> {
    let mut lines: Vec<(&str, Vec<String>)> =
        [("MPI_Datatype", Vec::new()), ("MPI_Aint", Vec::new()), ("int", Vec::new())].into();
    for variable in &program.variables {
        let (at, length) = match variable.kind {
            Kind::Type => (0, None),
            Kind::Types(length) => (0, Some(length)),
            Kind::Address => (1, None),
            Kind::Addresses(length) => (1, Some(length)),
            Kind::Integer => (2, None),
            Kind::Integers(length) => (2, Some(length)),
        };
        let text = match length {
            None => variable.name.clone(),
            Some(Length::Known(length)) => format!("{}[{length}]", variable.name),
            Some(Length::Open) => format!("*{}", variable.name),
        };
        if let Some((_, names)) = lines.get_mut(at) {
            names.push(text);
        }
    }
    lines
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(of, names)| format!("{of} {};", names.join(", ")))
        .collect()
}

struct C<'p> {
    symbols: &'p dyn Symbols,
}

impl C<'_> {
    fn plain_address(&self, speller: &Speller<'_>, place: &Place) -> Result<String, EmitError> {
        let name = &place.variable;
        let of = self.symbols.variable(name).map(|v| self.symbols.resolve(&v.of));
        match (place.steps.as_slice(), of) {
            ([], Some(Type::Pointer(_) | Type::Array(..))) => Ok(name.clone()),
            ([], _) => Ok(format!("&{name}")),
            // What points to nothing in particular points to bytes.
            ([Step::At(bytes)], Some(Type::Pointer(to)))
                if self.symbols.resolve(&to) == Type::Void =>
            {
                match bytes.as_slice() {
                    [bytes] if bytes.is_zero() => Ok(name.clone()),
                    [bytes] => Ok(format!("(char *){name} + {}", speller.bytes(bytes)?)),
                    _ => Err(EmitError::NotAnArray { name: name.clone() }),
                }
            }
            // There is no element to take the address of where a container is empty.
            ([Step::At(at)], Some(Type::Array(..) | Type::Reference(_)))
                if speller.cpp && self.is_container(name) =>
            {
                let element = speller.place(place)?;
                let inside = element.strip_prefix(name.as_str());
                let inside = inside.and_then(|rest| rest.strip_prefix('[')?.strip_suffix(']'));
                let is_first = at.iter().all(Polynomial::is_zero);
                Ok(match inside {
                    Some(_) if is_first => format!("{name}.data()"),
                    Some(inside) => format!("{name}.data() + {inside}"),
                    None => format!("&{element}"),
                })
            }
            ([before @ .., Step::Follow], _) => {
                speller.place(&Place { variable: name.clone(), steps: before.to_vec() })
            }
            _ => Ok(format!("&{}", speller.place(place)?)),
        }
    }
}

impl C<'_> {
    /// C++: whether a variable is a `std::vector`, or another name for one.
    fn is_container(&self, name: &str) -> bool {
        let Some(declared) = self.symbols.variable(name) else { return false };
        let of = match self.symbols.resolve(&declared.of) {
            Type::Reference(inner) => self.symbols.resolve(&inner),
            of => of,
        };
        matches!(&of, Type::Array(_, all) if matches!(all[..], [Dimension::AssumedShape { .. }]))
    }
}

impl Syntax for C<'_> {
    fn indent(&self) -> &'static str {
        "    "
    }

    fn call(&self, function: &str, arguments: &str) -> String {
        format!("{function}({arguments});")
    }

    fn output(&self, variable: &str) -> String {
        format!("&{variable}")
    }

    fn assign(&self, target: &str, value: &str) -> String {
        format!("{target} = {value};")
    }

    fn no_bytes(&self) -> &'static str {
        "0"
    }

    fn entry(&self, array: &str, number: usize) -> String {
        format!("{array}[{number}]")
    }

    fn entry_at(&self, array: &str, index: &str) -> String {
        format!("{array}[{index}]")
    }

    /// A pointer to a place; a null one where the pointers that lead there may not be there.
    fn address(&self, speller: &Speller<'_>, place: &Place) -> Result<String, EmitError> {
        let text = self.plain_address(speller, place)?;
        Ok(match speller.way(place)? {
            Some(test) => format!("{test} ? {text} : 0"),
            None => text,
        })
    }

    fn valid(
        &self,
        speller: &Speller<'_>,
        place: &Place,
        address: String,
        variable: &str,
    ) -> Result<String, EmitError> {
        let is_pointer = matches!(type_at(self.symbols, place), Some(Type::Pointer(_)));
        let own = if is_pointer { speller.test(place)? } else { None };
        let text = match is_pointer {
            true => speller.place(place)?,
            false => self.plain_address(speller, place)?,
        };
        let test = match own.or(speller.way(place)?) {
            Some(test) => test,
            None if is_pointer && speller.may_be_null(place) => text.clone(),
            None => return Ok(address),
        };
        let text = if text.contains(" + ") { format!("({text})") } else { text };
        Ok(format!("{test} ? (void *){text} : (void *)&{variable}"))
    }

    fn base(&self, speller: &Speller<'_>, place: &Place) -> Result<String, EmitError> {
        match type_at(self.symbols, place) {
            Some(Type::Pointer(_)) => speller.place(place),
            _ => self.address(speller, place),
        }
    }

    fn list(
        &self,
        speller: &Speller<'_>,
        place: &Place,
        _: &Polynomial,
        shift: &Polynomial,
    ) -> Result<String, EmitError> {
        // There are no expressions that are arrays.
        if !shift.is_zero() {
            return Err(EmitError::Unnamed);
        }
        let list = self.address(speller, place)?;
        // C++ takes no pointer to what is as wide and has another name.
        let symbols = speller.symbols.filter(|_| speller.cpp);
        let is_other = symbols.is_some_and(|symbols| {
            let of = symbols.variable(&place.variable).map(|declared| declared.of.clone());
            place.steps.iter().any(|step| matches!(step, Step::Field(_)))
                || !of.is_some_and(|of| is_of_int(symbols, &of))
        });
        Ok(if is_other { format!("reinterpret_cast<const int *>({list})") } else { list })
    }

    /// `MPI_Alloc_mem` needs no other header.
    fn allocate(&self, arrays: &Arrays, count: &str) -> Vec<String> {
        let Arrays { blocks, displacements, types } = arrays;
        let types = types.as_ref().map(|types| (types, "MPI_Datatype"));
        [(blocks, "int"), (displacements, "MPI_Aint")]
            .into_iter()
            .chain(types)
            .map(|(array, of)| {
                let bytes = format!("(MPI_Aint)sizeof({of}) * ({count} + 1)");
                format!("MPI_Alloc_mem({bytes}, MPI_INFO_NULL, &{array});")
            })
            .collect()
    }

    fn release(&self, arrays: &Arrays) -> Vec<String> {
        let Arrays { blocks, displacements, types } = arrays;
        let all = [blocks, displacements].into_iter().chain(types);
        all.map(|array| format!("MPI_Free_mem({array});")).collect()
    }

    fn each(&self, index: &str, count: &str) -> (String, &'static str) {
        (format!("for ({index} = 0; {index} < {count}; {index}++) {{"), "}")
    }

    fn branches(&self, condition: &str) -> (String, &'static str, &'static str) {
        (format!("if ({condition}) {{"), "} else {", "}")
    }
}

/// Whether an array, or what a pointer leads to, has elements of type `int`.
fn is_of_int(symbols: &dyn Symbols, of: &Type) -> bool {
    match symbols.resolve(of) {
        Type::Array(inner, _) | Type::Pointer(inner) | Type::Reference(inner) => {
            is_of_int(symbols, &inner)
        }
        Type::Basic(name, 4) => name == "int",
        _ => false,
    }
}
