//! The text in Fortran, one statement a line; [`wrap`](super::wrap) brings it into the form of the file.

use std::collections::HashMap;

use crate::affine::{Counter, Polynomial};

use super::names::Names;
use super::number::{Speller, unwrapped};
use super::operation::{Arrays, Kind, Length, Old, Operation, Program, StructMember};
use super::{EmitError, Text, TurnOf};

/// How the calls of a procedure look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manner {
    /// `use mpi_f08`: handles are types.
    pub handles: bool,
    /// `ierr`, where the call has one.
    pub error: Option<String>,
    /// How `MPI_` procedures are written.
    pub case: Case,
}

/// Of names of procedures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// `mpi_send`
    Lower,
    /// `MPI_SEND`
    Upper,
    /// `MPI_Send`
    Mixed,
}

impl Case {
    /// As in this name.
    pub fn of(name: &str) -> Case {
        let rest = name.get(4..).unwrap_or("");
        if name.starts_with("mpi") {
            Case::Lower
        } else if rest.chars().any(|c| c.is_ascii_lowercase()) {
            Case::Mixed
        } else {
            Case::Upper
        }
    }

    /// `MPI_Type_vector` in this manner.
    fn write(self, name: &str) -> String {
        match self {
            Case::Lower => name.to_ascii_lowercase(),
            Case::Upper => name.to_ascii_uppercase(),
            Case::Mixed => name.to_owned(),
        }
    }
}

/// Writes a program.
pub(super) fn write(
    program: &Program,
    element: i64,
    datatype: &str,
    manner: &Manner,
    turns: &[TurnOf],
    names: &mut Names,
) -> Result<Text, EmitError> {
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
    let extent =
        program.operations.iter().any(|o| has_bytes(o, element)).then(|| names.fresh("extent"));
    let mut writer = Writer {
        speller: Speller {
            fortran: true,
            element,
            element_text: extent.clone(),
            program,
            turns: HashMap::new(),
            replaced: HashMap::new(),
        },
        datatype,
        case: manner.case,
        error,
        all_turns: turns,
        depth: 0,
        lines: Vec::new(),
    };
    if let Some(extent) = extent {
        let lower = names.fresh("lower");
        writer.call("MPI_Type_get_extent", &format!("{datatype}, {lower}, {extent}"));
        addresses.extend([lower, extent]);
    }
    for operation in &program.operations {
        writer.operation(operation)?;
    }
    let argument = &program.argument;
    let mut after = Vec::new();
    if let Old::Made(name) = &argument.of {
        writer.call("MPI_Type_commit", name);
        after.push(format!(
            "call {}({name}, {})",
            manner.case.write("MPI_Type_free"),
            writer.error
        ));
    }
    let buffer = match &argument.place {
        Some(place) => writer.speller.place(place)?,
        None => "MPI_BOTTOM".to_owned(),
    };
    Ok(Text {
        declarations: declarations(program, manner, integers, addresses),
        buffer,
        count: writer.speller.count(&argument.count)?,
        datatype: writer.old(&argument.of),
        before: writer.lines,
        after,
    })
}

/// Whether bytes are written that are a multiple of the element's size.
fn has_bytes(operation: &Operation, element: i64) -> bool {
    let counts = |p: &Polynomial| !p.is_zero() && p.divided_by(element).is_some();
    match operation {
        Operation::Hvector { stride, .. } => counts(stride),
        Operation::HindexedBlock { displacements, .. } => displacements.iter().any(counts),
        Operation::Struct { members, .. } => members.iter().any(|m| counts(&m.displacement)),
        Operation::Resized { extent, .. } => counts(extent),
        Operation::Each { body, member, .. } => {
            counts(&member.displacement) || body.iter().any(|o| has_bytes(o, element))
        }
        Operation::If { then, otherwise, .. } => {
            then.iter().chain(otherwise).any(|o| has_bytes(o, element))
        }
        Operation::Contiguous { .. }
        | Operation::Vector { .. }
        | Operation::IndexedBlock { .. }
        | Operation::Address { .. }
        | Operation::Difference { .. }
        | Operation::Free(_) => false,
    }
}

fn declarations(
    program: &Program,
    manner: &Manner,
    mut integers: Vec<String>,
    mut addresses: Vec<String>,
) -> Vec<String> {
    let mut types = Vec::new();
    let mut open = [Vec::new(), Vec::new(), Vec::new()];
    let [open_types, open_addresses, open_integers] = &mut open;
    for variable in &program.variables {
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
    for (of, list) in [(handle, open_types), (wide, open_addresses), ("integer", open_integers)] {
        if !list.is_empty() {
            lines.push(format!("{of}, allocatable :: {}", list.join(", ")));
        }
    }
    lines
}

struct Writer<'p> {
    speller: Speller<'p>,
    datatype: &'p str,
    case: Case,
    error: String,
    all_turns: &'p [TurnOf],
    depth: usize,
    lines: Vec<String>,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        self.lines.push(format!("{}{text}", "   ".repeat(self.depth)));
    }

    fn call(&mut self, name: &str, arguments: &str) {
        let text = format!("call {}({arguments}, {})", self.case.write(name), self.error);
        self.line(&text);
    }

    fn old(&self, old: &Old) -> String {
        match old {
            Old::Element => self.datatype.to_owned(),
            Old::Made(name) => name.clone(),
        }
    }

    fn operation(&mut self, operation: &Operation) -> Result<(), EmitError> {
        let s = &self.speller;
        match operation {
            Operation::Contiguous { count, old, new } => {
                let arguments = format!("{}, {}, {new}", s.count(count)?, self.old(old));
                self.call("MPI_Type_contiguous", &arguments);
            }
            Operation::Vector { count, block, stride, old, new } => {
                let arguments = format!(
                    "{}, {}, {}, {}, {new}",
                    s.count(count)?,
                    s.count(block)?,
                    s.plain(stride)?,
                    self.old(old)
                );
                self.call("MPI_Type_vector", &arguments);
            }
            Operation::Hvector { count, block, stride, old, new } => {
                let arguments = format!(
                    "{}, {}, {}, {}, {new}",
                    s.count(count)?,
                    s.count(block)?,
                    s.bytes(stride)?,
                    self.old(old)
                );
                self.call("MPI_Type_create_hvector", &arguments);
            }
            Operation::IndexedBlock { count, block, list, old, new } => {
                let arguments = format!(
                    "{}, {}, {}, {}, {new}",
                    s.count(count)?,
                    s.count(block)?,
                    s.stretch(list, count)?,
                    self.old(old)
                );
                self.call("MPI_Type_create_indexed_block", &arguments);
            }
            Operation::HindexedBlock { displacements, block, old, array, new } => {
                let values =
                    displacements.iter().map(|d| s.bytes(d)).collect::<Result<Vec<_>, _>>()?;
                let count = values.len();
                let arguments =
                    format!("{count}, {}, {array}, {}, {new}", s.count(block)?, self.old(old));
                for (at, value) in values.into_iter().enumerate() {
                    self.line(&format!("{array}({}) = {value}", at + 1));
                }
                self.call("MPI_Type_create_hindexed_block", &arguments);
            }
            Operation::Struct { members, arrays, new } => {
                for (at, member) in members.iter().enumerate() {
                    self.member(member, arrays, &(at + 1).to_string())?;
                }
                let Arrays { blocks, displacements, types } = arrays;
                let arguments =
                    format!("{}, {blocks}, {displacements}, {types}, {new}", members.len());
                self.call("MPI_Type_create_struct", &arguments);
            }
            Operation::Resized { extent, old, new } => {
                let arguments = format!(
                    "{}, int(0, MPI_ADDRESS_KIND), {}, {new}",
                    self.old(old),
                    s.bytes(extent)?
                );
                self.call("MPI_Type_create_resized", &arguments);
            }
            Operation::Address { place, new } => {
                let arguments = format!("{}, {new}", s.place(place)?);
                self.call("MPI_Get_address", &arguments);
            }
            Operation::Difference { of, minus, new } => {
                self.line(&format!("{new} = {of} - {minus}"))
            }
            Operation::Free(name) => self.call("MPI_Type_free", name),
            Operation::Each { counter, index, count, body, member, arrays, new } => {
                self.each(*counter, index, count, body, member, arrays, new)?;
            }
            Operation::If { condition, then, otherwise } => {
                let condition = s.condition(condition)?;
                self.line(&format!("if ({}) then", unwrapped(&condition)));
                self.nested(then)?;
                self.line("else");
                self.nested(otherwise)?;
                self.line("end if");
            }
        }
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
        self.line(&format!("{blocks}({at}) = {block}"));
        self.line(&format!("{displacements}({at}) = {displacement}"));
        self.line(&format!("{types}({at}) = {old}"));
        Ok(())
    }

    /// A struct with a member for each turn.
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
        self.line(&format!(
            "allocate({blocks}({count}), {displacements}({count}), {types}({count}))"
        ));
        self.line(&format!("do {index} = 0, {count} - 1"));
        self.speller.turns.insert(counter, index.to_owned());
        if let Some(turn) = self.all_turns.iter().find(|t| t.counter == counter) {
            let value = (turn.first.clone(), turn.step.clone(), counter);
            self.speller.replaced.insert(turn.variable.clone(), value);
        }
        self.nested(body)?;
        self.depth += 1;
        self.member(member, arrays, &format!("{index} + 1"))?;
        self.depth -= 1;
        self.line("end do");
        self.call(
            "MPI_Type_create_struct",
            &format!("{count}, {blocks}, {displacements}, {types}, {new}"),
        );
        if matches!(member.old, Old::Made(_)) {
            self.line(&format!("do {index} = 0, {count} - 1"));
            self.depth += 1;
            self.call("MPI_Type_free", &format!("{types}({index} + 1)"));
            self.depth -= 1;
            self.line("end do");
        }
        self.line(&format!("deallocate({blocks}, {displacements}, {types})"));
        Ok(())
    }
}
