//! The text in C and C++: no headers but `mpi.h` are needed.

use std::collections::HashMap;

use crate::affine::{Counter, Place, Polynomial, Step};
use crate::symbols::Symbols;
use crate::tree::Type;

use super::number::{Speller, unwrapped};
use super::operation::{Arrays, Kind, Length, Old, Operation, Program, StructMember};
use super::{EmitError, Text, TurnOf};

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

/// Writes a program.
pub(super) fn write(
    program: &Program,
    element: i64,
    datatype: &str,
    symbols: &dyn Symbols,
    turns: &[TurnOf],
) -> Result<Text, EmitError> {
    let element_text = c_type(datatype).map(|t| format!("sizeof({t})"));
    let mut writer = Writer {
        speller: Speller {
            fortran: false,
            element,
            element_text,
            program,
            turns: HashMap::new(),
            replaced: HashMap::new(),
        },
        datatype,
        symbols,
        all_turns: turns,
        depth: 0,
        lines: Vec::new(),
    };
    for operation in &program.operations {
        writer.operation(operation)?;
    }
    let argument = &program.argument;
    let name = writer.old(&argument.of);
    let mut after = Vec::new();
    if let Old::Made(name) = &argument.of {
        writer.line(format!("MPI_Type_commit(&{name});"));
        after.push(format!("MPI_Type_free(&{name});"));
    }
    let buffer = match &argument.place {
        Some(place) => writer.address(place)?,
        None => "MPI_BOTTOM".to_owned(),
    };
    let count = writer.speller.count(&argument.count)?;
    Ok(Text {
        declarations: declarations(program),
        before: writer.lines,
        buffer,
        count,
        datatype: name,
        after,
    })
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

struct Writer<'p> {
    speller: Speller<'p>,
    datatype: &'p str,
    symbols: &'p dyn Symbols,
    all_turns: &'p [TurnOf],
    depth: usize,
    lines: Vec<String>,
}

impl Writer<'_> {
    fn line(&mut self, text: String) {
        self.lines.push(format!("{}{text}", "    ".repeat(self.depth)));
    }

    fn old(&self, old: &Old) -> String {
        match old {
            Old::Element => self.datatype.to_owned(),
            Old::Made(name) => name.clone(),
        }
    }

    /// A pointer to a place.
    fn address(&self, place: &Place) -> Result<String, EmitError> {
        match place.steps.last() {
            None => {
                let of =
                    self.symbols.variable(&place.variable).map(|v| self.symbols.resolve(&v.of));
                let is_pointer = matches!(of, Some(Type::Pointer(_) | Type::Array(..)));
                let name = &place.variable;
                Ok(if is_pointer { name.clone() } else { format!("&{name}") })
            }
            Some(Step::Follow) => {
                let mut pointer = place.clone();
                pointer.steps.pop();
                self.speller.place(&pointer)
            }
            Some(_) => Ok(format!("&{}", self.speller.place(place)?)),
        }
    }

    fn operation(&mut self, operation: &Operation) -> Result<(), EmitError> {
        let s = &self.speller;
        let text = match operation {
            Operation::Contiguous { count, old, new } => {
                format!("MPI_Type_contiguous({}, {}, &{new});", s.count(count)?, self.old(old))
            }
            Operation::Vector { count, block, stride, old, new } => format!(
                "MPI_Type_vector({}, {}, {}, {}, &{new});",
                s.count(count)?,
                s.count(block)?,
                s.plain(stride)?,
                self.old(old)
            ),
            Operation::Hvector { count, block, stride, old, new } => format!(
                "MPI_Type_create_hvector({}, {}, {}, {}, &{new});",
                s.count(count)?,
                s.count(block)?,
                s.bytes(stride)?,
                self.old(old)
            ),
            Operation::IndexedBlock { count, block, list, old, new } => format!(
                "MPI_Type_create_indexed_block({}, {}, {}, {}, &{new});",
                s.count(count)?,
                s.count(block)?,
                self.address(list)?,
                self.old(old)
            ),
            Operation::HindexedBlock { displacements, block, old, array, new } => {
                let values =
                    displacements.iter().map(|d| s.bytes(d)).collect::<Result<Vec<_>, _>>()?;
                let call = format!(
                    "MPI_Type_create_hindexed_block({}, {}, {array}, {}, &{new});",
                    displacements.len(),
                    s.count(block)?,
                    self.old(old)
                );
                for (at, value) in values.into_iter().enumerate() {
                    self.line(format!("{array}[{at}] = {value};"));
                }
                call
            }
            Operation::Struct { members, arrays, new } => {
                for (at, member) in members.iter().enumerate() {
                    self.member(member, arrays, &at.to_string())?;
                }
                let Arrays { blocks, displacements, types } = arrays;
                format!(
                    "MPI_Type_create_struct({}, {blocks}, {displacements}, {types}, &{new});",
                    members.len()
                )
            }
            Operation::Resized { extent, old, new } => {
                format!(
                    "MPI_Type_create_resized({}, 0, {}, &{new});",
                    self.old(old),
                    s.bytes(extent)?
                )
            }
            Operation::Address { place, new } => {
                format!("MPI_Get_address({}, &{new});", self.address(place)?)
            }
            Operation::Difference { of, minus, new } => format!("{new} = {of} - {minus};"),
            Operation::Free(name) => format!("MPI_Type_free(&{name});"),
            Operation::Each { counter, index, count, body, member, arrays, new } => {
                return self.each(*counter, index, count, body, member, arrays, new);
            }
            Operation::If { condition, then, otherwise } => {
                let condition = s.condition(condition)?;
                self.line(format!("if ({}) {{", unwrapped(&condition)));
                self.nested(then)?;
                self.line("} else {".to_owned());
                self.nested(otherwise)?;
                "}".to_owned()
            }
        };
        self.line(text);
        Ok(())
    }

    fn nested(&mut self, operations: &[Operation]) -> Result<(), EmitError> {
        self.depth += 1;
        for operation in operations {
            self.operation(operation)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn member(
        &mut self,
        member: &StructMember,
        arrays: &Arrays,
        at: &str,
    ) -> Result<(), EmitError> {
        let Arrays { blocks, displacements, types } = arrays;
        let block = self.speller.count(&member.block)?;
        let displacement = self.speller.bytes(&member.displacement)?;
        let old = self.old(&member.old);
        self.line(format!("{blocks}[{at}] = {block};"));
        self.line(format!("{displacements}[{at}] = {displacement};"));
        self.line(format!("{types}[{at}] = {old};"));
        Ok(())
    }

    /// A struct with a member for each turn; memory by `MPI_Alloc_mem`, which needs no other header.
    #[expect(clippy::too_many_arguments, reason = "the parts of one operation")]
    fn each(
        &mut self,
        counter: Counter,
        index: &str,
        count: &Polynomial,
        body: &[Operation],
        member: &StructMember,
        arrays: &Arrays,
        new: &str,
    ) -> Result<(), EmitError> {
        let Arrays { blocks, displacements, types } = arrays;
        let count = self.speller.count(count)?;
        for (array, of) in [(blocks, "int"), (displacements, "MPI_Aint"), (types, "MPI_Datatype")] {
            self.line(format!(
                "MPI_Alloc_mem((MPI_Aint)sizeof({of}) * ({count} + 1), MPI_INFO_NULL, &{array});"
            ));
        }
        let header = format!("for ({index} = 0; {index} < {count}; {index}++)");
        self.line(format!("{header} {{"));
        self.speller.turns.insert(counter, index.to_owned());
        if let Some(turn) = self.all_turns.iter().find(|t| t.counter == counter) {
            let value = (turn.first.clone(), turn.step.clone(), counter);
            self.speller.replaced.insert(turn.variable.clone(), value);
        }
        self.nested(body)?;
        self.depth += 1;
        self.member(member, arrays, index)?;
        self.depth -= 1;
        self.line("}".to_owned());
        self.line(format!(
            "MPI_Type_create_struct({count}, {blocks}, {displacements}, {types}, &{new});"
        ));
        if matches!(member.old, Old::Made(_)) {
            self.line(format!("{header} MPI_Type_free(&{types}[{index}]);"));
        }
        for array in [blocks, displacements, types] {
            self.line(format!("MPI_Free_mem({array});"));
        }
        Ok(())
    }
}
