//! A naive interpreter: one path of a procedure, with numbers. Here are statements;
//! [`super::place`], [`super::number`], [`super::shape`] and [`super::sections`] have what is in
//! them.
//!
//! It shares no code with the symbolic execution that it checks. What it cannot evaluate (floating
//! point numbers, unknown functions) has a value that depends on its place in the text only.

use commloom_source::tree::{
    Binary, Bound, Expression, ExpressionKind, Loop, Statement, StatementKind,
};

use crate::Direction;

use super::interpreter::{Interpreter, STEPS};
use super::memory::{Byte, Held, Memory};
use super::number::compute;
use super::stop::Stop;

impl<'a> Interpreter<'a> {
    /// Runs to the call, and on from there where copies follow it.
    pub fn run(&mut self) -> Result<(), Stop> {
        self.steer(&self.request.procedure.body);
        match self.path(&self.request.procedure.body) {
            Err(Stop::Jump) if self.arrival.is_some() => Ok(()),
            other => other,
        }
    }

    /// Goes to the call without executing loops; memory is as it is there.
    pub fn survey(&mut self) -> Result<(), Stop> {
        self.is_survey = true;
        self.run()?;
        self.memory = self.arrival.take().ok_or(Stop::Unknown)?;
        Ok(())
    }

    /// Gives variables that the way to the call asks for (`if (axis == 2)`) the values that lead
    /// there: few draws would.
    fn steer(&mut self, statements: &[Statement]) {
        let Some(around) = statements.iter().find(|s| s.has(self.request.call)) else { return };
        let inside = |body: &[Statement]| body.iter().any(|s| s.has(self.request.call));
        if let StatementKind::If { condition, then, .. } = &around.kind
            && inside(then)
        {
            self.obey(condition);
        }
        for body in around.bodies() {
            if inside(body) {
                self.steer(body);
            }
        }
    }

    fn obey(&mut self, condition: &Expression) {
        let ExpressionKind::Binary(sign, left, right) = &condition.kind else { return };
        let is_variable = |e: &Expression| match &e.kind {
            ExpressionKind::Name(name) => self.symbols.constant(name).is_none(),
            _ => false,
        };
        match sign {
            Binary::And => {
                self.obey(left);
                self.obey(right);
            }
            Binary::Equal => {
                let (variable, value) =
                    if is_variable(left) { (left, right) } else { (right, left) };
                if is_variable(variable)
                    && let (Ok(spot), Ok(number)) = (self.spot(variable), self.number(value))
                {
                    self.memory.set(spot.at, Held::Number(number));
                }
            }
            _ => {}
        }
    }

    fn path(&mut self, statements: &[Statement]) -> Result<(), Stop> {
        for statement in statements {
            if self.finished {
                return Ok(());
            }
            if self.arrival.is_none() && statement.has(self.request.call) {
                self.enter(statement)?;
            } else {
                match self.execute(statement) {
                    // A path that leaves before the call is not the one that is looked at.
                    Err(Stop::Jump) if self.arrival.is_none() => {}
                    other => other?,
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, statement: &Statement) -> Result<(), Stop> {
        let inside = |body: &[Statement]| body.iter().any(|s| s.has(self.request.call));
        match &statement.kind {
            StatementKind::Loop(Loop { body, .. }) | StatementKind::While { body, .. }
                if inside(body) =>
            {
                self.path(body)?;
                self.finished = true;
                Ok(())
            }
            StatementKind::If { condition, then, otherwise }
                if inside(then) || inside(otherwise) =>
            {
                let wanted = inside(then);
                // Values that lead elsewhere tell nothing about this call.
                if !self.is_survey && self.decide(condition) != wanted {
                    return Err(Stop::Elsewhere);
                }
                self.path(if wanted { then } else { otherwise })
            }
            StatementKind::Block(body) if inside(body) => self.path(body),
            _ => self.arrive(),
        }
    }

    fn arrive(&mut self) -> Result<(), Stop> {
        let (memory, buffer, count) = match self.request.setting.made_at {
            None => self.here()?,
            // A way to the start on which no request was made.
            Some(_) => self.made.take().ok_or(Stop::Elsewhere)?,
        };
        self.count = count;
        self.arrival = Some(memory);
        match self.request.direction {
            _ if self.is_survey => self.finished = true,
            Direction::Pack => self.finished = true,
            Direction::Unpack => self.memory.reset(buffer.object),
        }
        self.buffer = Some(buffer);
        Ok(())
    }

    /// The memory here, and the call's arguments.
    fn here(&mut self) -> Result<(Memory, Byte, Option<i64>), Stop> {
        let buffer = if self.is_survey {
            Byte { object: self.objects.named(""), offset: 0 }
        } else {
            self.argument(self.request.buffer)?
        };
        let count = self.request.count.and_then(|count| self.number(count).ok());
        Ok((self.memory.clone(), buffer, count))
    }

    fn argument(&mut self, argument: &Expression) -> Result<Byte, Stop> {
        if argument.is_section() {
            return Ok(self.section_start(argument)?.at);
        }
        if self.is_fortran {
            return Ok(self.spot(argument)?.at);
        }
        match &argument.kind {
            ExpressionKind::Cast(_, inner) => self.argument(inner),
            _ => Ok(self.pointee(argument)?.at),
        }
    }

    fn execute(&mut self, statement: &Statement) -> Result<(), Stop> {
        if self.beside.contains(&statement.span) {
            return Ok(());
        }
        let begins = self.arrival.is_some() && self.copying.contains(&statement.span);
        let (before, copied) = (self.is_copying, self.memory.copied);
        self.is_copying |= begins;
        let done = self.carry_out(statement);
        self.is_copying = before;
        if self.request.setting.made_at == Some(statement.span) && self.arrival.is_none() {
            self.made = Some(self.here()?);
        }
        if self.copies.contains(&statement.span) {
            self.amount += self.memory.copied.saturating_sub(copied);
        }
        done
    }

    fn carry_out(&mut self, statement: &Statement) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > STEPS {
            return Err(Stop::Limit);
        }
        match &statement.kind {
            StatementKind::Loop(_) | StatementKind::While { .. } if self.is_survey => Ok(()),
            StatementKind::Loop(counted) => self.turns(counted),
            StatementKind::While { condition, body } => {
                for _ in 0..100 {
                    if let Some(condition) = condition
                        && !self.decide(condition)
                    {
                        return Ok(());
                    }
                    match self.all(body) {
                        Err(Stop::Jump) => return Ok(()),
                        other => other?,
                    }
                }
                Ok(())
            }
            StatementKind::If { condition, then, otherwise } => {
                let branch = if self.decide(condition) { then } else { otherwise };
                self.all(branch)
            }
            StatementKind::Assign { target, operation, value } => {
                self.assign(target, *operation, value);
                Ok(())
            }
            StatementKind::Evaluate(expression) => {
                self.evaluate(expression);
                Ok(())
            }
            StatementKind::Declare(declarations) => {
                for declaration in declarations {
                    self.declare(&declaration.name);
                }
                Ok(())
            }
            StatementKind::Block(body) => self.all(body),
            StatementKind::Break(_)
            | StatementKind::Continue(_)
            | StatementKind::Goto(_)
            | StatementKind::Return(_) => Err(Stop::Jump),
            StatementKind::Label(_) | StatementKind::Nothing | StatementKind::Unknown(_) => Ok(()),
        }
    }

    fn all(&mut self, statements: &[Statement]) -> Result<(), Stop> {
        statements.iter().try_for_each(|statement| self.execute(statement))
    }

    fn turns(&mut self, counted: &Loop) -> Result<(), Stop> {
        let bounds =
            (self.number(&counted.first), self.number(&counted.last), self.number(&counted.step));
        let (Ok(mut value), Ok(last), Ok(step)) = bounds else { return Ok(()) };
        let variable = Byte { object: self.objects.named(&counted.variable), offset: 0 };
        if step == 0 {
            return Err(Stop::Unknown);
        }
        let distance = last.saturating_sub(value).saturating_mul(step.signum());
        let least = if counted.bound == Bound::Inclusive { -1 } else { 0 };
        self.negative |= distance < least
            && self.copies.iter().any(|copy| counted.body.iter().any(|s| s.span.contains(*copy)));
        loop {
            self.memory.set(variable, Held::Number(value));
            let more = match (counted.bound, step > 0) {
                (Bound::Inclusive, true) => value <= last,
                (Bound::Inclusive, false) => value >= last,
                (Bound::Exclusive, true) => value < last,
                (Bound::Exclusive, false) => value > last,
            };
            if !more {
                return Ok(());
            }
            match self.all(&counted.body) {
                Err(Stop::Jump) => return Ok(()),
                other => other?,
            }
            self.steps += 1;
            value = value.checked_add(step).ok_or(Stop::Limit)?;
        }
    }

    fn assign(&mut self, target: &Expression, operation: Option<Binary>, value: &Expression) {
        if self.is_survey && !self.is_counted(target) {
            return;
        }
        if self.is_fortran && self.sections(target, value).is_some() {
            return;
        }
        if !self.is_fortran
            && let Ok(of) = self.type_of(target)
            && self.types.is_pointer(of)
        {
            let to = match operation {
                None => self.pointee(value).map(|spot| spot.at),
                Some(sign) => self.shifted(target, sign, value),
            };
            if let (Ok(spot), Ok(to)) = (self.spot(target), to) {
                self.memory.set(spot.at, Held::Pointer(to));
            }
            return;
        }
        let inner = match &value.kind {
            ExpressionKind::Cast(_, inner) if operation.is_none() => inner,
            _ => value,
        };
        // The value first: steps in it come before those of the target, which no program can tell
        // here.
        let from = if operation.is_none() { self.spot(inner).ok() } else { None };
        if let Some(from) = from {
            let Ok(to) = self.spot(target) else { return };
            if let Ok(size) = self.size(to.of, to.at.object) {
                let is_whole = self.types.shape(from.of).is_ok_and(|shape| shape.is_whole);
                let number = is_whole.then(|| self.value(from.at));
                self.copy(to.at, from.at, size);
                if let Some(number) = number {
                    self.memory.set(to.at, Held::Number(number));
                }
            }
            return;
        }
        let number = match operation {
            None => self.number(value),
            Some(operation) => self
                .number(target)
                .and_then(|a| self.number(value).and_then(|b| compute(operation, a, b))),
        };
        let Ok(to) = self.spot(target) else { return };
        let fresh = Byte {
            object: self.objects.computed(value.span.start),
            offset: i64::from(self.steps) * 64,
        };
        if let Ok(size) = self.size(to.of, to.at.object) {
            self.memory.copy(to.at, fresh, size);
        }
        let number = number.unwrap_or_else(|_| self.value(fresh));
        self.memory.set(to.at, Held::Number(number));
    }

    /// Whether a place holds a whole number or a pointer: sizes are made of them.
    fn is_counted(&mut self, target: &Expression) -> bool {
        self.type_of(target).is_ok_and(|of| {
            self.types.is_pointer(of) || self.types.shape(of).is_ok_and(|shape| shape.is_whole)
        })
    }

    /// Copies bytes; what the copying statements move is noted.
    pub fn copy(&mut self, to: Byte, from: Byte, size: i64) {
        if self.is_copying {
            let moved = (0..size).map(|k| (to.plus(k), self.memory.origin(from.plus(k))));
            self.moved.extend(moved);
        }
        self.memory.copy(to, from, size);
    }

    fn shifted(
        &mut self,
        target: &Expression,
        sign: Binary,
        value: &Expression,
    ) -> Result<Byte, Stop> {
        let by = self.number(value)?;
        let from = self.pointee(target)?;
        let size = self.size(from.of, from.at.object)?;
        let by = match sign {
            Binary::Add => by,
            Binary::Subtract => -by,
            _ => return Err(Stop::Unknown),
        };
        Ok(from.at.plus(by * size))
    }

    fn evaluate(&mut self, expression: &Expression) {
        match &expression.kind {
            ExpressionKind::Assign { target, operation, value } => {
                self.assign(target, *operation, value)
            }
            ExpressionKind::Step { target, by, .. } => {
                let by = Expression { span: expression.span, kind: ExpressionKind::Integer(*by) };
                self.assign(target, Some(Binary::Add), &by);
            }
            ExpressionKind::List(items) => items.iter().for_each(|item| self.evaluate(item)),
            ExpressionKind::Call { function, arguments }
                if name_of(function).is_some_and(|name| name == "$allocate") =>
            {
                arguments.iter().for_each(|array| self.allocate(array));
            }
            ExpressionKind::Call { .. } if self.is_survey => {}
            ExpressionKind::Call { function, arguments } => {
                let copies = name_of(function)
                    .is_some_and(|name| name.ends_with("memcpy") || name.ends_with("memmove"));
                if let ([to, from, length], true) = (arguments.as_slice(), copies)
                    && let (Ok(to), Ok(from), Ok(length)) =
                        (self.argument(to), self.argument(from), self.number(length))
                {
                    self.copy(to, from, length.min(i64::from(STEPS)));
                }
            }
            _ => {
                let _ = self.number(expression);
            }
        }
    }
}

/// The name of a procedure that is called by its name.
fn name_of(function: &Expression) -> Option<&str> {
    match &function.kind {
        ExpressionKind::Name(name) => Some(name),
        _ => None,
    }
}
