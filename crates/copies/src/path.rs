//! The path through a procedure to a call and, to unpack, on from there.

use std::collections::BTreeMap;

use commloom_source::affine::Place;
use commloom_source::symbols::{Symbols, Touched};
use commloom_source::tree::{Expression, ExpressionKind, Statement, StatementKind, Type};

use super::allocated::allocated_once;
use super::escape::escaping;
use super::state::{Known, Located, State};
use super::walk::{Allocated, Arrival, Certain, Conditions, Course, Site, Unnamed, Walk};
use super::writes::{Writes, for_each_expression, is_call};
use super::{Direction, Request};

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
            escaped: escaping(request.procedure, symbols),
            state: State::default(),
            turns: Vec::new(),
            allocated: Allocated::default(),
            unnamed: Unnamed::default(),
            constants: 0,
            course: Course::default(),
            sites: Vec::new(),
            samples: BTreeMap::new(),
            conditions: Conditions { path: Vec::new(), promised, read: Vec::new() },
            certain: Certain::default(),
            open: Vec::new(),
            is_unsure: false,
            is_wide: false,
        };
        if symbols.language().is_fortran() {
            walk.allocated.once = allocated_once(request.procedure, symbols);
            walk.take_elsewhere();
        }
        walk.take_given();
        walk.run(&request.procedure.body);
        walk
    }

    fn run(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            if self.course.finished {
                return;
            }
            if self.course.arrival.is_none() && statement.has(self.request.call) {
                self.enter(statement);
            } else {
                self.at_top(statement);
            }
        }
    }

    /// A statement with the call in it.
    fn enter(&mut self, statement: &'a Statement) {
        let inside = |body: &[Statement]| body.iter().any(|inner| inner.has(self.request.call));
        match &statement.kind {
            StatementKind::Loop(counted) if inside(&counted.body) => {
                // Any turn may be the one: what is known must hold in all of them.
                self.filled_before();
                self.note_start();
                self.again(std::slice::from_ref(statement));
                self.surely(statement);
                self.run(&counted.body);
                self.course.finished = true;
            }
            StatementKind::While { body, .. } if inside(body) => {
                self.filled_before();
                self.note_start();
                self.again(std::slice::from_ref(statement));
                self.surely(statement);
                self.run(body);
                self.course.finished = true;
            }
            StatementKind::If { condition, then, otherwise }
                if inside(then) || inside(otherwise) =>
            {
                self.surely(statement);
                self.effects_of(condition);
                let holds = inside(then);
                self.learn(condition, holds);
                self.run(if holds { then } else { otherwise });
            }
            StatementKind::Block(body) if inside(body) => self.run(body),
            _ => self.arrive(statement),
        }
    }

    /// Notes that the buffer was filled before a loop or label from where the call is reached,
    /// perhaps several times.
    pub(super) fn filled_before(&mut self) {
        if self.request.direction == Direction::Pack && !self.state.used {
            let first = self.state.pieces.iter().flat_map(|piece| &piece.spans).next();
            self.course.filled = first.copied().or(self.course.filled);
        }
    }

    /// Notes where the buffer's pointer leads before a loop around the call, which may move it.
    fn note_start(&mut self) {
        if self.request.direction == Direction::Pack && self.buffer.is_none() {
            let before = self.state.clone();
            self.course.start = self.buffer_of(self.request.buffer).map(|at| at.address);
            self.state = before;
        }
    }

    /// Statements are executed any number of times before this point.
    pub(super) fn again(&mut self, statements: &[Statement]) {
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
        Arrival { state: before, buffer, count, evaluated: self.certain.mark() }
    }

    /// The call itself.
    fn arrive(&mut self, statement: &Statement) {
        self.surely(statement);
        self.course.arrival = match self.request.setting.made_at {
            None => Some(self.here()),
            // Not on the path: there is nothing to begin with.
            Some(_) => self.course.made.take(),
        };
        self.course.was_made = self.course.arrival.is_some();
        if !self.course.was_made {
            self.course.finished = true;
            return;
        }
        match self.request.direction {
            Direction::Pack => self.course.finished = true,
            Direction::Unpack => {
                for_each_expression(statement, &mut |expression| self.effects_of(expression));
                self.state.pieces.clear();
                self.state.problem = None;
                self.state.used = false;
                self.course.finished = self.buffer.is_none();
                for_each_expression(statement, &mut |expression| {
                    if let ExpressionKind::Call { function, .. } = &expression.kind {
                        self.course.pending = is_call(
                            self.symbols,
                            function,
                            &["mpi_irecv", "mpi_recv_init", "mpi_start"],
                        );
                    }
                });
            }
        }
    }

    /// The place that a call's buffer argument points to.
    fn buffer_of(&mut self, argument: &Expression) -> Option<Located> {
        if !self.symbols.language().is_fortran() {
            return self.address_of(argument);
        }
        if argument.is_section() {
            return self.section_start(argument);
        }
        let located = self.locate(argument)?;
        match self.symbols.resolve(&located.of) {
            Type::Array(..) => self.first_element(located),
            _ => Some(located),
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
        if self.course.arrival.is_some() && self.is_refill(statement) {
            self.course.finished = true;
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
        self.surely(statement);
        self.course.is_on_path = statement.bodies().is_empty();
        self.statement(statement);
        self.course.is_on_path = false;
        if let Some(made_at) = self.request.setting.made_at
            && self.course.arrival.is_none()
            && statement.span == made_at
        {
            self.course.made = Some(self.here());
        }
    }

    /// Whether a statement is a call that fills the buffer anew, while no receive into it is
    /// pending.
    fn is_refill(&self, statement: &Statement) -> bool {
        let call = match &statement.kind {
            StatementKind::Evaluate(call) => call,
            StatementKind::Assign { value, .. } => value,
            _ => return false,
        };
        let ExpressionKind::Call { function, arguments } = &call.kind else { return false };
        if self.course.pending || is_call(self.symbols, function, &["mpi_wait", "mpi_test"]) {
            return false;
        }
        let aliases = self.aliases();
        match self.symbols.effects(function, arguments).writes {
            Touched::These(names) => names.iter().any(|name| aliases.contains(name)),
            Touched::Anything => false,
        }
    }
}
