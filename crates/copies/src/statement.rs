//! Statements that are executed as a whole: assignments, calls, loops and branches.

use std::rc::Rc;

use commloom_program::refusal::Code;
use commloom_source::Span;
use commloom_source::symbols::Touched;
use commloom_source::tree::{Binary, Expression, ExpressionKind, Statement, StatementKind, Type};

use super::Direction;
use super::state::{Value, is_cell};
use super::walk::Walk;
use super::writes::{Writes, for_each_operand, is_call};

impl Walk<'_> {
    /// A statement, executed as a whole.
    pub(super) fn statement(&mut self, statement: &Statement) {
        if self.course.finished {
            return;
        }
        match &statement.kind {
            StatementKind::Loop(counted) if self.is_relevant(statement) => {
                self.counted(counted, statement.span)
            }
            StatementKind::If { condition, then, otherwise }
                if self.decided(condition).is_some() =>
            {
                let branch = if self.decided(condition) == Some(true) { then } else { otherwise };
                branch.iter().for_each(|inner| self.statement(inner));
            }
            StatementKind::If { condition, then, otherwise } if self.is_relevant(statement) => {
                self.branch(statement, condition, then, otherwise);
            }
            StatementKind::Loop(_)
            | StatementKind::While { .. }
            | StatementKind::If { .. }
            | StatementKind::Unknown(_) => {
                if self.is_relevant(statement) {
                    self.trouble(
                        Code::Unreadable,
                        statement.span,
                        "this statement uses the buffer in a way that is not understood",
                    );
                }
                let writes = Writes::of(std::slice::from_ref(statement), self.symbols);
                self.havoc(&writes);
            }
            StatementKind::Assign { target, operation, value } => {
                self.assign(target, *operation, value, statement.span)
            }
            StatementKind::Evaluate(expression) => self.evaluate(expression, statement.span),
            StatementKind::Declare(declarations) => {
                for declaration in declarations {
                    self.state.forget(&declaration.name);
                    if has_bounds(&declaration.of) {
                        let mut then = self.state.clone();
                        then.pieces.clear();
                        self.state.shapes.insert(declaration.name.clone(), Rc::new(then));
                    }
                }
            }
            StatementKind::Block(body) => body.iter().for_each(|inner| self.statement(inner)),
            StatementKind::Label(_) => {
                self.filled_before();
                self.certain.clear();
                self.again(&self.request.procedure.body);
            }
            StatementKind::Return(value) => value.iter().for_each(|value| self.effects_of(value)),
            StatementKind::Break(_)
            | StatementKind::Continue(_)
            | StatementKind::Goto(_)
            | StatementKind::Nothing => {}
        }
    }

    fn assign(
        &mut self,
        target: &Expression,
        operation: Option<Binary>,
        value: &Expression,
        span: Span,
    ) {
        self.calls_in(target);
        self.calls_in(value);
        let to_buffer = self.is_buffer(target);
        let from_buffer = self.mentions_buffer(value);
        match self.request.direction {
            Direction::Pack if to_buffer => return self.copy(target, operation, value, span),
            Direction::Unpack if from_buffer && !self.is_pointer(target) => {
                return self.copy(target, operation, value, span);
            }
            Direction::Unpack if to_buffer && self.course.arrival.is_some() => {
                self.course.finished = true;
                return;
            }
            Direction::Pack if from_buffer && !self.is_pointer(target) => self.state.used = true,
            _ => {}
        }
        let held = self.held(target, operation, value);
        // The target is looked at after the value: its steps come later in no language that
        // matters here.
        match self.locate(target) {
            Some(located) if is_cell(&located.address.place) && self.is_scalar(&located) => {
                // Through a pointer or reference other variables may be written, too.
                let is_fortran = self.symbols.language().is_fortran();
                let is_name_for = |of: &Type| match of {
                    Type::Reference(_) => true,
                    Type::Pointer(_) => is_fortran,
                    _ => false,
                };
                let variable = self.symbols.variable(&located.address.place.variable);
                let is_own = located.address.version.is_none()
                    // Other names for it do not keep their values.
                    && variable.is_some_and(|d| {
                        !is_name_for(&d.of) && (d.unaliased || !is_fortran)
                    });
                if !is_own {
                    self.write(target);
                }
                self.state.set(located.address.place, held);
            }
            _ => self.write(target),
        }
    }

    /// The value that an assignment gives, where it has a form.
    fn held(
        &mut self,
        target: &Expression,
        operation: Option<Binary>,
        value: &Expression,
    ) -> Option<Value> {
        if self.is_pointer(target) {
            return match operation {
                None => self.pointee(value).map(Value::pointer),
                Some(sign @ (Binary::Add | Binary::Subtract)) => {
                    let by = self.number(value)?;
                    let by = if sign == Binary::Add { by } else { by.times_constant(-1) };
                    let from = self.pointee(target)?;
                    self.advance(from, &by).map(Value::pointer)
                }
                Some(_) => None,
            };
        }
        let (number, of) = match operation {
            None => (self.number(value)?, self.integer_of(value)),
            Some(operation) => {
                let whole = Expression {
                    span: value.span,
                    kind: ExpressionKind::Binary(
                        operation,
                        Box::new(target.clone()),
                        Box::new(value.clone()),
                    ),
                };
                (self.number(&whole)?, self.integer_of(&whole))
            }
        };
        let number = match self.integer_of(target) {
            Some(to) => self.converted(number, of, to)?,
            None => number,
        };
        Some(Value::Number(number))
    }

    fn evaluate(&mut self, expression: &Expression, span: Span) {
        match &expression.kind {
            ExpressionKind::Assign { target, operation, value } => {
                self.assign(target, *operation, value, span)
            }
            ExpressionKind::Step { target, by, .. } => {
                let by = Expression { span: expression.span, kind: ExpressionKind::Integer(*by) };
                self.assign(target, Some(Binary::Add), &by, span);
            }
            ExpressionKind::Call { function, arguments }
                if self.is_block_copy(function, arguments) =>
            {
                self.block_copy(arguments, span);
            }
            ExpressionKind::Call { function, arguments }
                if self.is_open_copy(function, arguments) =>
            {
                self.effects_of(expression);
                let message = "how many elements this copies, or from where, cannot be seen";
                self.trouble(Code::Address, span, message);
            }
            ExpressionKind::List(items) => items.iter().for_each(|item| self.evaluate(item, span)),
            _ => self.effects_of(expression),
        }
    }

    /// Everything that evaluating an expression may change.
    pub(super) fn effects_of(&mut self, expression: &Expression) {
        self.calls_in(expression);
        let writes = Writes::of_expression(expression, self.symbols);
        self.havoc(&writes);
    }

    /// The effects of calls in an expression, on the buffer and on what is known.
    fn calls_in(&mut self, expression: &Expression) {
        for_each_operand(expression, &mut |inner| self.calls_in(inner));
        let ExpressionKind::Call { function, arguments } = &expression.kind else { return };
        let effects = self.symbols.effects(function, arguments);
        let Some(buffer) = self.buffer.as_ref().map(|place| place.variable.clone()) else {
            let writes = Writes::of_expression(expression, self.symbols);
            return self.havoc(&writes);
        };
        let aliases = self.aliases();
        let touches = |touched: &Touched| match touched {
            Touched::These(names) => names.iter().any(|name| aliases.contains(name)),
            Touched::Anything => false,
        };
        let reads = touches(&effects.reads);
        let writes = touches(&effects.writes);
        let unknown = effects.writes == Touched::Anything && self.is_exposed(&buffer);
        if unknown && !self.state.pieces.is_empty() {
            let message = format!("this call is not known, and it may use the buffer '{buffer}'");
            self.trouble(Code::Unreadable, expression.span, &message);
        }
        let completes = self.course.arrival.is_some()
            && is_call(self.symbols, function, &["mpi_wait", "mpi_test"]);
        self.course.pending &= !completes;
        // Receives that are pending together have buffers that do not overlap (MPI 4.1, section
        // 3.7.2): the other one fills another part.
        let elsewhere =
            self.course.pending && is_call(self.symbols, function, &["mpi_irecv", "mpi_recv_init"]);
        if writes && !elsewhere && !completes {
            // What stands on the path itself was unpacked before the buffer got other content;
            // what is in loops and branches may have been so in part.
            if self.course.arrival.is_none() || !self.course.is_on_path {
                self.state.pieces.clear();
                self.state.problem = None;
            }
            if self.course.arrival.is_some() {
                self.course.finished = true;
            }
        } else if reads {
            self.state.used = true;
        }
        let all = Writes::of_expression(expression, self.symbols);
        self.havoc(&all);
    }

    /// Something is written whose value is not followed.
    fn write(&mut self, target: &Expression) {
        let writes = Writes::of_target(target, self.symbols);
        self.havoc(&writes);
    }
}

/// Whether a type's size depends on variables.
fn has_bounds(of: &Type) -> bool {
    match of {
        Type::Array(..) => true,
        Type::Pointer(to) | Type::Reference(to) => has_bounds(to),
        _ => false,
    }
}
