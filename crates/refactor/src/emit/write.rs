//! Operations as statements. What differs between languages is behind [`Syntax`].

use commloom_source::affine::{Place, Polynomial};
use commloom_source::tree::Expression;

use super::kept::Formals;
use super::model::{EmitError, TurnOf};
use super::number::{Speller, Width, unwrapped};
use super::operation::{Arrays, Old, Operation, Program, Round, StructMember};

/// How a language says it.
pub(super) trait Syntax {
    /// The blanks that inner statements begin with.
    fn indent(&self) -> &'static str;
    /// A call of MPI.
    fn call(&self, function: &str, arguments: &str) -> String;
    /// A variable that a call gives a value to.
    fn output(&self, variable: &str) -> String;
    /// `target = value`
    fn assign(&self, target: &str, value: &str) -> String;
    /// The lower bound of a type.
    fn no_bytes(&self) -> &'static str;
    /// An entry of an array, counted from 0.
    fn entry(&self, array: &str, number: usize) -> String;
    /// The entry that a variable counts, from 0.
    fn entry_at(&self, array: &str, index: &str) -> String;
    /// Where a place is.
    fn address(&self, speller: &Speller<'_>, place: &Place) -> Result<String, EmitError>;
    /// Where the memory is that a place stands for: that which it leads to, where it is a pointer.
    fn base(&self, speller: &Speller<'_>, place: &Place) -> Result<String, EmitError> {
        self.address(speller, place)
    }
    /// An address that is not null, for `MPI_BOTTOM` is: that of the variable itself where the
    /// place may not be there, and so nothing is sent from it.
    fn valid(
        &self,
        _: &Speller<'_>,
        _: &Place,
        address: String,
        _: &str,
    ) -> Result<String, EmitError> {
        Ok(address)
    }
    /// So many entries of a list of the program, less a number.
    fn list(
        &self,
        speller: &Speller<'_>,
        place: &Place,
        count: &Polynomial,
        shift: &Polynomial,
    ) -> Result<String, EmitError>;
    /// Memory for the arrays of a struct of so many members.
    fn allocate(&self, arrays: &Arrays, count: &str) -> Vec<String>;
    /// No memory for them any more.
    fn release(&self, arrays: &Arrays) -> Vec<String>;
    /// The text around statements for each number from 0.
    fn each(&self, index: &str, count: &str) -> (String, &'static str);
    /// The text around and between two branches.
    fn branches(&self, condition: &str) -> (String, &'static str, &'static str);
}

/// Writes the statements of one program.
pub(super) struct Writer<'p> {
    pub syntax: &'p dyn Syntax,
    pub speller: Speller<'p>,
    /// The call's datatype.
    pub datatype: &'p str,
    pub turns: &'p [TurnOf],
    /// The buffer in the program's own words.
    pub own: Option<String>,
    /// Bytes of an element.
    pub element: i64,
    pub depth: usize,
    pub lines: Vec<String>,
    /// Where the type is made by a function: what it is given in place of numbers.
    pub formals: Option<Formals>,
}

/// The arguments that the call gets.
pub(super) struct Argument {
    pub buffer: String,
    pub count: String,
    pub datatype: String,
    /// The lines after the call.
    pub after: Vec<String>,
}

impl Writer<'_> {
    /// All statements before the call.
    pub(super) fn program(&mut self, program: &Program) -> Result<Argument, EmitError> {
        let after = self.operations(program)?;
        let (buffer, count) = self.buffer_and_count(program)?;
        Ok(Argument { buffer, count, datatype: self.old(&program.argument.of), after })
    }

    /// Two arguments of the call.
    pub(super) fn buffer_and_count(
        &self,
        program: &Program,
    ) -> Result<(String, String), EmitError> {
        let argument = &program.argument;
        let buffer = match &argument.place {
            Some(_) if self.own.is_some() => self.own.clone().unwrap_or_default(),
            Some(place) => self.syntax.address(&self.speller, place)?,
            None => "MPI_BOTTOM".to_owned(),
        };
        Ok((buffer, self.speller.count(&argument.count)?))
    }

    /// The statements that make the type, and those that free it.
    pub(super) fn operations(&mut self, program: &Program) -> Result<Vec<String>, EmitError> {
        for operation in &program.operations {
            self.operation(operation)?;
        }
        let Old::Made(name) = &program.argument.of else { return Ok(Vec::new()) };
        let reference = self.syntax.output(name);
        self.call("MPI_Type_commit", &reference);
        Ok(vec![self.syntax.call("MPI_Type_free", &reference)])
    }

    /// A number of things, not below zero.
    fn count(&mut self, number: &Polynomial, role: &str) -> Result<String, EmitError> {
        match &mut self.formals {
            Some(formals) if !self.speller.is_natural(number) => {
                let text = self.speller.plain(number)?;
                let name = formals.name(text, Width::Plain, role);
                Ok(format!("({name} > 0 ? {name} : 0)"))
            }
            _ => {
                let text = self.speller.count(number)?;
                Ok(self.given(text, Width::Plain, role))
            }
        }
    }

    /// A number of elements from one to another.
    fn plain(&mut self, number: &Polynomial, role: &str) -> Result<String, EmitError> {
        let text = self.speller.plain(number)?;
        Ok(self.given(text, Width::Plain, role))
    }

    /// A number of bytes.
    fn bytes(&mut self, number: &Polynomial, role: &str) -> Result<String, EmitError> {
        let text = self.speller.bytes(number)?;
        Ok(self.given(text, Width::Wide, role))
    }

    /// A number as it is written here: what the function was given, where there is one.
    fn given(&mut self, text: String, width: Width, role: &str) -> String {
        match &mut self.formals {
            Some(formals) => formals.name(text, width, role),
            None => text,
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        self.lines.push(format!("{}{text}", self.syntax.indent().repeat(self.depth)));
    }

    pub(super) fn call(&mut self, function: &str, arguments: &str) {
        let text = self.syntax.call(function, arguments);
        self.line(&text);
    }

    fn assign(&mut self, target: &str, value: &str) {
        let text = self.syntax.assign(target, value);
        self.line(&text);
    }

    fn old(&self, old: &Old) -> String {
        match old {
            Old::Element => self.datatype.to_owned(),
            Old::Made(name) => name.clone(),
        }
    }

    /// A call that makes a type of others.
    fn make(&mut self, function: &str, arguments: &[String], old: &Old, new: &str) {
        let (old, new) = (self.old(old), self.syntax.output(new));
        let arguments: Vec<&str> = arguments.iter().map(|text| unwrapped(text)).collect();
        self.call(function, &format!("{}, {old}, {new}", arguments.join(", ")));
    }

    fn operation(&mut self, operation: &Operation) -> Result<(), EmitError> {
        match operation {
            Operation::Contiguous { count, old, new } => {
                let count = self.count(count, "count")?;
                self.make("MPI_Type_contiguous", &[count], old, new);
            }
            // MPI takes strides in elements as `int`.
            Operation::Vector { count, block, stride, old, new }
                if self.speller.is_wide(stride) || self.speller.may_be_long(stride) =>
            {
                let bytes = self.bytes(&stride.times_constant(self.element), "stride")?;
                let arguments = [self.count(count, "count")?, self.count(block, "block")?, bytes];
                self.make("MPI_Type_create_hvector", &arguments, old, new);
            }
            Operation::Vector { count, block, stride, old, new } => {
                let arguments = [
                    self.count(count, "count")?,
                    self.count(block, "block")?,
                    self.plain(stride, "stride")?,
                ];
                self.make("MPI_Type_vector", &arguments, old, new);
            }
            Operation::Hvector { count, block, stride, old, new } => {
                let arguments = [
                    self.count(count, "count")?,
                    self.count(block, "block")?,
                    self.bytes(stride, "stride")?,
                ];
                self.make("MPI_Type_create_hvector", &arguments, old, new);
            }
            Operation::IndexedBlock { count, block, list, shift, old, new } => {
                let list = self.syntax.list(&self.speller, list, count, shift)?;
                let arguments = [self.count(count, "count")?, self.count(block, "block")?, list];
                self.make("MPI_Type_create_indexed_block", &arguments, old, new);
            }
            Operation::HindexedBlock { displacements, block, old, array, new } => {
                self.placed_blocks(displacements, block, old, (array, new))?;
            }
            Operation::Struct { members, arrays, new } => {
                for (at, member) in members.iter().enumerate() {
                    self.member(member, arrays, &|syntax, array| syntax.entry(array, at))?;
                }
                self.structure(&members.len().to_string(), arrays, new);
            }
            Operation::Resized { extent, old, new } => {
                let extent = self.bytes(extent, "extent")?;
                let (old, new) = (self.old(old), self.syntax.output(new));
                let arguments = format!("{old}, {}, {extent}, {new}", self.syntax.no_bytes());
                self.call("MPI_Type_create_resized", &arguments);
            }
            Operation::Address { place, new } => {
                let address = self.syntax.base(&self.speller, place)?;
                let address = self.syntax.valid(&self.speller, place, address, new)?;
                self.call("MPI_Get_address", &format!("{address}, {}", self.syntax.output(new)));
            }
            Operation::Difference { of, minus, new } => {
                self.assign(new, &format!("{of} - {minus}"));
            }
            Operation::Free(name) => {
                let reference = self.syntax.output(name);
                self.call("MPI_Type_free", &reference);
            }
            Operation::Each { rounds, entry, body, members, arrays, new } => {
                self.each((rounds, entry.as_deref()), body, members, (arrays, new))?;
            }
            Operation::If { condition, then, otherwise } => {
                self.branches(condition, then, otherwise)?;
            }
        }
        Ok(())
    }

    /// One of two, where the condition can be asked.
    fn branches(
        &mut self,
        condition: &Expression,
        then: &[Operation],
        otherwise: &[Operation],
    ) -> Result<(), EmitError> {
        if !self.speller.can_ask(condition) {
            return Err(EmitError::Unread);
        }
        let text = self.speller.condition(condition)?;
        let (begin, between, end) = self.syntax.branches(unwrapped(&text));
        self.line(&begin);
        for (holds, branch, last) in [(true, then, between), (false, otherwise, end)] {
            self.speller.doubtful.conditions.push((condition.clone(), holds));
            self.nested(branch)?;
            self.speller.doubtful.conditions.pop();
            self.line(last);
        }
        Ok(())
    }

    /// Blocks of one length, each at its displacement.
    fn placed_blocks(
        &mut self,
        displacements: &[Polynomial],
        block: &Polynomial,
        old: &Old,
        (array, new): (&str, &str),
    ) -> Result<(), EmitError> {
        let values = displacements.iter().map(|d| self.bytes(d, "displacement"));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        let arguments = [values.len().to_string(), self.count(block, "block")?, array.to_owned()];
        for (at, value) in values.iter().enumerate() {
            self.assign(&self.syntax.entry(array, at), value);
        }
        self.make("MPI_Type_create_hindexed_block", &arguments, old, new);
        Ok(())
    }

    /// A struct with a member, or several, for each turn of some loops.
    fn each(
        &mut self,
        (rounds, entry): (&[Round], Option<&str>),
        body: &[Operation],
        members: &[StructMember],
        (arrays, new): (&Arrays, &str),
    ) -> Result<(), EmitError> {
        let count = |round: &Round| self.speller.count(&round.count);
        let counts = rounds.iter().map(count).collect::<Result<Vec<_>, _>>()?;
        let mut total = counts.join(" * ");
        if members.len() > 1 {
            total = format!("{} * {total}", members.len());
        }
        for line in self.syntax.allocate(arrays, &total) {
            self.line(&line);
        }
        if let Some(entry) = entry {
            self.assign(entry, "0");
        }
        self.rounds(rounds, &counts, &mut |writer| {
            for operation in body {
                writer.operation(operation)?;
            }
            writer.entries(rounds, entry, members, arrays)
        })?;
        let entries = entry.or(counts.first().map(String::as_str));
        self.structure(entries.unwrap_or("0"), arrays, new);
        // What was made in each turn is freed for each.
        if let (false, Some(types), [Round { index, .. }]) =
            (body.is_empty(), &arrays.types, rounds)
        {
            let entry = self.syntax.entry_at(types, index);
            let free = self.syntax.call("MPI_Type_free", &self.syntax.output(&entry));
            self.rounds(rounds, &counts, &mut |writer| {
                writer.line(&free);
                Ok(())
            })?;
        }
        for line in self.syntax.release(arrays) {
            self.line(&line);
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

    fn structure(&mut self, count: &str, arrays: &Arrays, new: &str) {
        let Arrays { blocks, displacements, types } = arrays;
        let new = self.syntax.output(new);
        let (function, types) = match types {
            Some(types) => ("MPI_Type_create_struct", types.as_str()),
            None => ("MPI_Type_create_hindexed", self.datatype),
        };
        self.call(function, &format!("{count}, {blocks}, {displacements}, {types}, {new}"));
    }

    fn member(
        &mut self,
        member: &StructMember,
        arrays: &Arrays,
        entry: &dyn Fn(&dyn Syntax, &str) -> String,
    ) -> Result<(), EmitError> {
        let block = self.count(&member.block, "block")?;
        let displacement = self.bytes(&member.displacement, "displacement")?;
        self.assign(&entry(self.syntax, &arrays.blocks), &block);
        self.assign(&entry(self.syntax, &arrays.displacements), &displacement);
        if let Some(types) = &arrays.types {
            let old = self.old(&member.old);
            self.assign(&entry(self.syntax, types), &old);
        }
        Ok(())
    }

    /// The members of one turn.
    fn entries(
        &mut self,
        rounds: &[Round],
        entry: Option<&str>,
        members: &[StructMember],
        arrays: &Arrays,
    ) -> Result<(), EmitError> {
        let index = entry.or(rounds.first().map(|round| round.index.as_str())).unwrap_or_default();
        for member in members {
            self.member(member, arrays, &|syntax, array| syntax.entry_at(array, index))?;
            if let Some(entry) = entry {
                self.assign(entry, &format!("{entry} + 1"));
            }
        }
        Ok(())
    }

    /// Statements for each turn of all loops.
    fn rounds(
        &mut self,
        rounds: &[Round],
        counts: &[String],
        body: &mut dyn FnMut(&mut Self) -> Result<(), EmitError>,
    ) -> Result<(), EmitError> {
        let (Some((round, inner)), Some((count, others))) =
            (rounds.split_first(), counts.split_first())
        else {
            return body(self);
        };
        self.speller.turns.insert(round.counter, round.index.clone());
        if let Some(turn) = self.turns.iter().find(|t| t.counter == round.counter) {
            let value = (turn.first.clone(), turn.step.clone(), round.counter);
            self.speller.replaced.insert(turn.variable.clone(), value);
        }
        let (begin, end) = self.syntax.each(&round.index, count);
        self.line(&begin);
        self.depth += 1;
        self.rounds(inner, others, body)?;
        self.depth -= 1;
        self.line(end);
        Ok(())
    }
}
