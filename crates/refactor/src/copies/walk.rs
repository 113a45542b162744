//! Execution of one path through a procedure, from its beginning to a call (and, to unpack, on from there), with symbolic values.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::affine::{Place, Polynomial};
use crate::project::is_forgetful;
use crate::refusal::{Code, Refusal};
use crate::source::Span;
use crate::symbols::{Symbols, Touched};
use crate::tree::{
    Binary, Expression, ExpressionKind, Name, Procedure, Statement, StatementKind, Storage, Type,
    Unary,
};

use super::allocated::{Shape, allocated_once};
use super::known::Known;
use super::place_type::place_type;
use super::state::{Located, State, Value, is_cell};
use super::value::is_whole;
use super::writes::{
    Writes, expression_mentions, for_each_body, for_each_expression, for_each_operand, mentions,
    root,
};
use super::{Direction, Request, Turns};

/// The execution.
pub(super) struct Walk<'a> {
    pub symbols: &'a dyn Symbols,
    pub request: &'a Request<'a>,
    /// The buffer, once it is known (it is looked for by a first walk).
    pub buffer: Option<Place>,
    /// Of a buffer that a pointer leads to: how often the pointer had perhaps changed before the call took it.
    pub buffer_version: Option<u32>,
    /// Locals of C whose address others may have.
    escaped: BTreeSet<Name>,
    pub state: State,
    pub turns: Vec<Turns>,
    /// Arrays whose bounds one `allocate` gives, and those bounds where the path has come through it.
    pub allocated_once: HashSet<Name>,
    pub allocated: HashMap<Name, Shape>,
    /// How many unnamed atoms there are.
    pub unnamed: u32,
    /// Those that are how far a running index goes, with its name.
    pub totals: Vec<(u32, Name)>,
    /// Constants that are being evaluated.
    pub constants: u32,
    /// The call's range, and what is known there.
    pub arrival: Option<Arrival>,
    /// The same where a persistent request is made.
    made: Option<Arrival>,
    /// Whether the path came by there.
    pub was_made: bool,
    finished: bool,
    /// Whether the statement that is executed is on the path itself, not in a loop or branch that is executed as a whole.
    is_on_path: bool,
    /// Whether the call is a receive that no call has completed yet.
    pending: bool,
    /// Statements on the path (not in loops that are executed as a whole) that have to do with the buffer.
    pub sites: Vec<Site<'a>>,
    /// Something of each type, where types cannot be asked.
    pub samples: BTreeMap<Name, Place>,
    /// Conditions that hold on the path.
    pub path: Vec<Known>,
    /// Conditions that will hold at the call, of variables that nobody writes until then.
    pub promised: Vec<Known>,
    /// Variables of the loops that are being executed.
    pub open: Vec<Name>,
    /// What conditions of copies read: a variable, and how often it was perhaps written before.
    pub conditions: Vec<(Name, u32, Span)>,
}

/// What is known where the call stands.
pub(super) struct Arrival {
    pub state: State,
    /// The buffer as the call names it.
    pub buffer: Option<Located>,
    /// How many elements.
    pub count: Option<Polynomial>,
}

/// A statement that copies.
pub(super) struct Site<'a> {
    pub statement: &'a Statement,
    /// Those in it (and perhaps itself) that do nothing else, with the scalars that they change.
    pub pure: Vec<(*const Statement, BTreeSet<Name>)>,
}

impl<'a> Walk<'a> {
    /// Walks through a procedure to the call, looking for copies to or from `buffer`.
    pub fn through(
        symbols: &'a dyn Symbols,
        request: &'a Request<'a>,
        buffer: Option<(Place, Option<u32>)>,
        promised: Vec<Known>,
    ) -> Walk<'a> {
        let (buffer, buffer_version) = buffer.unzip();
        let mut walk = Walk {
            symbols,
            request,
            buffer,
            buffer_version: buffer_version.flatten(),
            escaped: BTreeSet::new(),
            state: State::default(),
            turns: Vec::new(),
            allocated_once: HashSet::new(),
            allocated: HashMap::new(),
            unnamed: 0,
            totals: Vec::new(),
            constants: 0,
            arrival: None,
            made: None,
            was_made: false,
            finished: false,
            is_on_path: false,
            pending: false,
            sites: Vec::new(),
            samples: BTreeMap::new(),
            path: Vec::new(),
            promised,
            open: Vec::new(),
            conditions: Vec::new(),
        };
        walk.escaped = escaping(request.procedure, symbols);
        if symbols.language().is_fortran() {
            walk.allocated_once = allocated_once(request.procedure, symbols);
        }
        walk.take_given();
        walk.run(&request.procedure.body);
        walk
    }

    fn run(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            if self.finished {
                return;
            }
            if self.arrival.is_none() && holds(statement, self.request.call) {
                self.enter(statement);
            } else {
                self.at_top(statement);
            }
        }
    }

    /// A statement with the call in it.
    fn enter(&mut self, statement: &'a Statement) {
        let inside = |body: &[Statement]| body.iter().any(|inner| holds(inner, self.request.call));
        match &statement.kind {
            StatementKind::Loop(counted) if inside(&counted.body) => {
                // Any turn may be the one: what is known must hold in all of them.
                self.again(std::slice::from_ref(statement));
                self.run(&counted.body);
                self.finished = true;
            }
            StatementKind::While { body, .. } if inside(body) => {
                self.again(std::slice::from_ref(statement));
                self.run(body);
                self.finished = true;
            }
            StatementKind::If { condition, then, otherwise }
                if inside(then) || inside(otherwise) =>
            {
                self.effects_of(condition);
                let holds = inside(then);
                self.learn(condition, holds);
                self.run(if holds { then } else { otherwise });
            }
            StatementKind::Block(body) if inside(body) => self.run(body),
            _ => self.arrive(statement),
        }
    }

    /// Statements are executed any number of times before this point.
    fn again(&mut self, statements: &[Statement]) {
        let writes = Writes::of(statements, self.symbols);
        self.havoc(&writes);
        self.state.pieces.clear();
        self.state.problem = None;
        self.state.used = true;
    }

    /// The call's arguments, as they are here.
    fn here(&mut self) -> Arrival {
        let before = self.state.clone();
        let buffer = self.buffer_of(self.request.buffer);
        let count = self.request.count.and_then(|count| self.number(count));
        self.state = before.clone();
        Arrival { state: before, buffer, count }
    }

    /// The call itself.
    fn arrive(&mut self, statement: &Statement) {
        self.arrival = match self.request.setting.made_at {
            None => Some(self.here()),
            // Not on the path: there is nothing to begin with.
            Some(_) => self.made.take(),
        };
        self.was_made = self.arrival.is_some();
        if !self.was_made {
            self.finished = true;
            return;
        }
        match self.request.direction {
            Direction::Pack => self.finished = true,
            Direction::Unpack => {
                for_each_expression(statement, &mut |expression| self.effects_of(expression));
                self.state.pieces.clear();
                self.state.problem = None;
                self.state.used = false;
                self.finished = self.buffer.is_none();
                for_each_expression(statement, &mut |expression| {
                    if let ExpressionKind::Call { function, .. } = &expression.kind {
                        self.pending = is_call(
                            self.symbols,
                            function,
                            &["mpi_irecv", "mpi_recv_init", "mpi_start"],
                        );
                    }
                });
            }
        }
    }

    /// What a call's buffer argument points to.
    fn buffer_of(&mut self, argument: &Expression) -> Option<Located> {
        if !self.symbols.language().is_fortran() {
            return self.address_of(argument);
        }
        let located = self.locate(argument)?;
        match self.symbols.resolve(&located.of) {
            Type::Array(..) => self.first_element(located),
            _ => Some(located),
        }
    }

    /// What an argument that is an address points to, whatever pointer it is cast to.
    pub(super) fn address_of(&mut self, argument: &Expression) -> Option<Located> {
        match &argument.kind {
            ExpressionKind::Cast(_, inner) => self.address_of(inner),
            _ => self.pointee(argument),
        }
    }

    /// A statement on the path.
    fn at_top(&mut self, statement: &'a Statement) {
        if let StatementKind::If { condition, then, otherwise } = &statement.kind
            && let Some(holds) = self.decided(condition)
        {
            return self.run(if holds { then } else { otherwise });
        }
        // What was unpacked so far is all that was received before.
        if self.arrival.is_some() && self.is_refill(statement) {
            self.finished = true;
            return;
        }
        if self.is_relevant(statement) {
            let mut pure = Vec::new();
            statement.each(&mut |inner| {
                let (is_pure, changes) = self.purity(inner);
                if is_pure {
                    pure.push((std::ptr::from_ref(inner), changes));
                }
            });
            self.sites.push(Site { statement, pure });
        }
        self.note_allocation(statement);
        self.is_on_path = statement.bodies().is_empty();
        self.statement(statement);
        self.is_on_path = false;
        if let Some(made_at) = self.request.setting.made_at
            && self.arrival.is_none()
            && statement.span == made_at
        {
            self.made = Some(self.here());
        }
    }

    /// Whether a statement is a call that fills the buffer anew, while no receive into it is pending.
    fn is_refill(&self, statement: &Statement) -> bool {
        let call = match &statement.kind {
            StatementKind::Evaluate(call) => call,
            StatementKind::Assign { value, .. } => value,
            _ => return false,
        };
        let ExpressionKind::Call { function, arguments } = &call.kind else { return false };
        if self.pending || is_call(self.symbols, function, &["mpi_wait", "mpi_test"]) {
            return false;
        }
        let aliases = self.aliases();
        match self.symbols.effects(function, arguments).writes {
            Touched::These(names) => names.iter().any(|name| aliases.contains(name)),
            Touched::Anything => false,
        }
    }

    /// A statement, executed as a whole.
    pub(super) fn statement(&mut self, statement: &Statement) {
        if self.finished {
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
            StatementKind::Label(_) => self.again(&self.request.procedure.body),
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
            Direction::Unpack if to_buffer && self.arrival.is_some() => {
                self.finished = true;
                return;
            }
            Direction::Pack if from_buffer && !self.is_pointer(target) => self.state.used = true,
            _ => {}
        }
        let held = self.held(target, operation, value);
        // The target is looked at after the value: its steps come later in no language that matters here.
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
                    && variable.is_some_and(|d| !is_name_for(&d.of));
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
        let number = match operation {
            None => self.number(value)?,
            Some(operation) => {
                let whole = Expression {
                    span: value.span,
                    kind: ExpressionKind::Binary(
                        operation,
                        Box::new(target.clone()),
                        Box::new(value.clone()),
                    ),
                };
                self.number(&whole)?
            }
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
        let completes =
            self.arrival.is_some() && is_call(self.symbols, function, &["mpi_wait", "mpi_test"]);
        self.pending &= !completes;
        // Receives that are pending together have buffers that do not overlap (MPI 4.1, section 3.7.2): the other one fills another part.
        let elsewhere =
            self.pending && is_call(self.symbols, function, &["mpi_irecv", "mpi_recv_init"]);
        if writes && !elsewhere && !completes {
            // What stands on the path itself was unpacked before the buffer got other content; what is in loops and branches may have been so in part.
            if self.arrival.is_none() || !self.is_on_path {
                self.state.pieces.clear();
                self.state.problem = None;
            }
            if self.arrival.is_some() {
                self.finished = true;
            }
        } else if reads {
            self.state.used = true;
        }
        let all = Writes::of_expression(expression, self.symbols);
        self.havoc(&all);
    }

    /// Something is written whose value is not followed.
    pub(super) fn write(&mut self, target: &Expression) {
        let writes = Writes::of_target(target, self.symbols);
        self.havoc(&writes);
    }

    /// Forgets what may have been written.
    pub(super) fn havoc(&mut self, writes: &Writes) {
        for name in &writes.own {
            self.state.forget(name);
        }
        for name in &writes.inside {
            self.state.forget_inside(name);
        }
        if writes.anything {
            let (symbols, escaped) = (self.symbols, &self.escaped);
            self.state.forget_exposed(|name| exposed(symbols, escaped, name));
        }
    }

    /// Whether others can reach a variable.
    pub(super) fn is_exposed(&self, name: &str) -> bool {
        exposed(self.symbols, &self.escaped, name)
    }

    /// The names by which the buffer is known here.
    pub(super) fn aliases(&self) -> BTreeSet<Name> {
        let Some(buffer) = &self.buffer else { return BTreeSet::new() };
        let pointers = self.state.values.iter().filter_map(|(place, value)| match value {
            Value::Pointer(located) if &located.address.base == buffer => {
                Some(place.variable.clone())
            }
            _ => None,
        });
        std::iter::once(buffer.variable.clone()).chain(pointers).collect()
    }

    /// Whether a place is in the buffer.
    fn is_buffer(&self, target: &Expression) -> bool {
        // A pointer to the buffer that is itself assigned is no place in it.
        self.buffer.is_some()
            && !self.is_pointer(target)
            && root(target).is_some_and(|name| self.aliases().contains(name))
    }

    fn mentions_buffer(&self, expression: &Expression) -> bool {
        let aliases = self.aliases();
        expression_mentions(expression, &|name| aliases.contains(name))
    }

    /// Whether a statement has to do with the buffer.
    pub(super) fn is_relevant(&self, statement: &Statement) -> bool {
        let aliases = self.aliases();
        !aliases.is_empty() && mentions(statement, &|name| aliases.contains(name))
    }

    /// Whether a place is a pointer of C.
    fn is_pointer(&self, target: &Expression) -> bool {
        self.locate_type(target).is_some_and(|of| matches!(of, Type::Pointer(_)))
            && !self.symbols.language().is_fortran()
    }

    /// The type of a place, without evaluating anything.
    pub(super) fn locate_type(&self, expression: &Expression) -> Option<Type> {
        place_type(self.symbols, expression)
    }

    fn is_scalar(&self, located: &Located) -> bool {
        let of = self.symbols.resolve(&located.of);
        is_whole(&of) || (matches!(of, Type::Pointer(_)) && !self.symbols.language().is_fortran())
    }

    /// The first reason why the copies cannot be known is kept.
    pub(super) fn trouble(&mut self, code: Code, span: Span, message: &str) {
        self.begin();
        self.state.problem.get_or_insert_with(|| Refusal::new(code, span, message));
    }

    /// The buffer gets new content, or is read anew.
    pub(super) fn begin(&mut self) {
        if self.state.used && self.request.direction == Direction::Pack {
            self.state.pieces.clear();
            self.state.problem = None;
            self.state.used = false;
        }
    }

    /// At the end of a branch or turn: copies that were sent in it are not those of a later call.
    pub(super) fn consume(&mut self) {
        if self.state.used && self.request.direction == Direction::Pack {
            self.state.pieces.clear();
            self.state.problem = None;
        }
    }

    /// An atom that stands for something that has no formula.
    pub(super) fn fresh(&mut self) -> u32 {
        self.unnamed += 1;
        self.unnamed
    }

    /// An atom for how far a running index goes.
    pub(super) fn total(&mut self, index: &Place) -> u32 {
        let atom = self.fresh();
        self.totals.push((atom, index.variable.clone()));
        atom
    }

    /// Whether a statement only copies and counts, and which scalars it changes.
    fn purity(&self, statement: &Statement) -> (bool, BTreeSet<Name>) {
        let mut pure = true;
        let mut changes = BTreeSet::new();
        self.purity_of(statement, &mut pure, &mut changes);
        (pure, changes)
    }

    fn purity_of(&self, statement: &Statement, pure: &mut bool, changes: &mut BTreeSet<Name>) {
        for_each_expression(statement, &mut |expression| {
            self.changes_in(expression, pure, changes)
        });
        match &statement.kind {
            StatementKind::Loop(counted) => {
                if !counted.declares {
                    changes.insert(counted.variable.clone());
                }
            }
            StatementKind::Assign { target, value, .. } => match &target.kind {
                ExpressionKind::Name(name) if self.counts(target) => {
                    changes.insert(name.clone());
                }
                _ => *pure &= self.counts(target) || self.is_copy(target, value),
            },
            StatementKind::Evaluate(expression) => {
                let copies = matches!(&expression.kind, ExpressionKind::Call { function, arguments } if self.is_block_copy(function, arguments));
                *pure &= copies
                    || matches!(
                        expression.kind,
                        ExpressionKind::Step { .. } | ExpressionKind::Assign { .. }
                    );
            }
            StatementKind::Declare(_)
            | StatementKind::Block(_)
            | StatementKind::Nothing
            | StatementKind::If { .. } => {}
            _ => *pure = false,
        }
        for_each_body(statement, &mut |inner| self.purity_of(inner, pure, changes));
    }

    fn changes_in(&self, expression: &Expression, pure: &mut bool, changes: &mut BTreeSet<Name>) {
        match &expression.kind {
            ExpressionKind::Step { target, .. } | ExpressionKind::Assign { target, .. } => {
                match root(target) {
                    Some(name) if self.counts(target) => {
                        changes.insert(name.clone());
                    }
                    _ => *pure = false,
                }
            }
            ExpressionKind::Unknown(_) => *pure = false,
            _ => {}
        }
        for_each_operand(expression, &mut |inner| self.changes_in(inner, pure, changes));
    }

    /// Whether a place is a scalar whose values are followed.
    fn counts(&self, target: &Expression) -> bool {
        self.locate_type(target).is_some_and(|of| is_whole(&of) || matches!(of, Type::Pointer(_)))
            && !self.is_buffer(target)
    }

    fn is_copy(&self, target: &Expression, value: &Expression) -> bool {
        match self.request.direction {
            Direction::Pack => self.is_buffer(target),
            Direction::Unpack => self.mentions_buffer(value),
        }
    }
}

/// Whether the name of a procedure, or of the one that it stands for, begins like one of these.
fn is_call(symbols: &dyn Symbols, function: &Expression, beginnings: &[&str]) -> bool {
    let ExpressionKind::Name(name) = &function.kind else { return false };
    let name = symbols.stands_for(name).to_ascii_lowercase();
    beginnings.iter().any(|beginning| name.starts_with(beginning))
}

fn exposed(symbols: &dyn Symbols, escaped: &BTreeSet<Name>, name: &str) -> bool {
    let shared =
        symbols.variable(name).is_none_or(|d| matches!(d.storage, Storage::Shared | Storage::Kept));
    (shared || escaped.contains(name)) && !symbols.is_hidden(name)
}

/// Whether a statement is, or has in it, the one at a place. (The span of an `else if` need not have all of its branches.)
fn holds(statement: &Statement, call: Span) -> bool {
    let bodies = statement.bodies();
    if bodies.is_empty() {
        return contains(statement.span, call);
    }
    statement.expressions().iter().any(|part| contains(part.span, call))
        || bodies.into_iter().flatten().any(|inner| holds(inner, call))
}

/// Whether one span lies in another.
fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Whether a type's size depends on variables.
fn has_bounds(of: &Type) -> bool {
    match of {
        Type::Array(..) => true,
        Type::Pointer(to) | Type::Reference(to) => has_bounds(to),
        _ => false,
    }
}

/// Locals whose address is taken, or whose content is handed to a call: of C. (Fortran's dummy arguments keep no address.)
fn escaping(procedure: &Procedure, symbols: &dyn Symbols) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    if !symbols.language().is_fortran() {
        for statement in &procedure.body {
            escaping_in(statement, symbols, &mut names);
        }
    }
    names
}

fn escaping_in(statement: &Statement, symbols: &dyn Symbols, names: &mut BTreeSet<Name>) {
    for_each_expression(statement, &mut |expression| taken(expression, symbols, names));
    for_each_body(statement, &mut |inner| escaping_in(inner, symbols, names));
}

fn taken(expression: &Expression, symbols: &dyn Symbols, names: &mut BTreeSet<Name>) {
    let is_array = |name: &Name| {
        symbols.variable(name).is_some_and(|d| matches!(symbols.resolve(&d.of), Type::Array(..)))
    };
    if let ExpressionKind::Call { function, arguments } = &expression.kind
        && root(function).is_some_and(|name| is_forgetful(symbols.stands_for(name)))
    {
        for argument in arguments {
            match &argument.kind {
                ExpressionKind::Unary(Unary::Address, place) => {
                    for_each_operand(place, &mut |inner| taken(inner, symbols, names));
                }
                _ => taken(argument, symbols, names),
            }
        }
        return;
    }
    if let ExpressionKind::Call { arguments, .. } = &expression.kind {
        let arrays = arguments.iter().filter_map(root).filter(|name| is_array(name));
        names.extend(arrays.cloned());
    }
    if let ExpressionKind::Unary(Unary::Address, place) = &expression.kind
        && let Some(name) = root(place)
        && !is_behind_pointer(place, symbols)
    {
        names.insert(name.clone());
    }
    for_each_operand(expression, &mut |inner| taken(inner, symbols, names));
}

/// Whether a place is what a pointer points to, `p[i]`: its address is not that of the pointer.
fn is_behind_pointer(place: &Expression, symbols: &dyn Symbols) -> bool {
    match &place.kind {
        ExpressionKind::Element { base, .. } => match &base.kind {
            ExpressionKind::Name(name) => symbols
                .variable(name)
                .is_some_and(|d| matches!(symbols.resolve(&d.of), Type::Pointer(_))),
            _ => is_behind_pointer(base, symbols),
        },
        ExpressionKind::Member { base, .. } => is_behind_pointer(base, symbols),
        ExpressionKind::Unary(Unary::Dereference, _) => true,
        _ => false,
    }
}
