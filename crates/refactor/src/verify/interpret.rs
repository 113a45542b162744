//! A naive interpreter: one path of a procedure, with numbers.
//!
//! It shares no code with the symbolic execution that it checks. What it cannot evaluate (floating point numbers, unknown functions) has a value that depends
//! on its place in the text only.

use std::collections::HashMap;

use crate::copies::{Direction, Request};
use crate::source::Span;
use crate::symbols::Symbols;
use crate::tree::{
    Binary, Bound, Dimension, Expression, ExpressionKind, Loop, Statement, StatementKind,
    Subscript, Type, Unary,
};

use super::memory::{Byte, Held, Memory};

/// More statements than these are not executed.
const STEPS: u32 = 2_000_000;

/// A place and what is there.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub at: Byte,
    pub of: Type,
}

/// Why the interpreter gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// It met something that it does not know.
    Unknown,
    /// The values that were drawn do not lead to the call.
    Elsewhere,
    /// It took too long.
    Limit,
    /// The path ended (`break`, `continue`, `return`).
    Jump,
}

pub(super) struct Interpreter<'a> {
    symbols: &'a dyn Symbols,
    request: &'a Request<'a>,
    pub memory: Memory,
    /// Memory as it was where arrays with variable bounds were declared.
    shapes: HashMap<String, Memory>,
    /// What is known at the call.
    pub arrival: Option<Memory>,
    pub buffer: Option<Byte>,
    pub count: Option<i64>,
    finished: bool,
    steps: u32,
}

impl<'a> Interpreter<'a> {
    pub fn new(symbols: &'a dyn Symbols, request: &'a Request<'a>, seed: u64) -> Interpreter<'a> {
        Interpreter {
            symbols,
            request,
            memory: Memory::new(seed),
            shapes: HashMap::new(),
            arrival: None,
            buffer: None,
            count: None,
            finished: false,
            steps: 0,
        }
    }

    /// Runs to the call, and on from there where copies follow it.
    pub fn run(&mut self) -> Result<(), Stop> {
        match self.path(&self.request.procedure.body) {
            Err(Stop::Jump) if self.arrival.is_some() => Ok(()),
            other => other,
        }
    }

    fn path(&mut self, statements: &[Statement]) -> Result<(), Stop> {
        for statement in statements {
            if self.finished {
                return Ok(());
            }
            if self.arrival.is_none() && holds(statement, self.request.call) {
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
        let inside = |body: &[Statement]| body.iter().any(|s| holds(s, self.request.call));
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
                if self.decide(condition) != wanted {
                    return Err(Stop::Elsewhere);
                }
                self.path(if wanted { then } else { otherwise })
            }
            StatementKind::Block(body) if inside(body) => self.path(body),
            _ => self.arrive(),
        }
    }

    fn arrive(&mut self) -> Result<(), Stop> {
        let buffer = self.argument(self.request.buffer)?;
        self.count = self.request.count.and_then(|count| self.number(count).ok());
        self.arrival = Some(self.memory.clone());
        match self.request.direction {
            Direction::Pack => self.finished = true,
            Direction::Unpack => self.memory.reset(&buffer.object),
        }
        self.buffer = Some(buffer);
        Ok(())
    }

    fn argument(&mut self, argument: &Expression) -> Result<Byte, Stop> {
        if self.symbols.language().is_fortran() {
            return Ok(self.spot(argument)?.at);
        }
        match &argument.kind {
            ExpressionKind::Cast(_, inner) => self.argument(inner),
            _ => Ok(self.pointee(argument)?.at),
        }
    }

    fn execute(&mut self, statement: &Statement) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > STEPS {
            return Err(Stop::Limit);
        }
        match &statement.kind {
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
                    self.shapes.insert(declaration.name.clone(), self.memory.clone());
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
        let variable = Byte { object: counted.variable.clone(), offset: 0 };
        if step == 0 {
            return Err(Stop::Unknown);
        }
        loop {
            self.memory.set(variable.clone(), Held::Number(value));
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

    /// Whether a condition holds; what cannot be evaluated is decided by its place.
    pub fn decide(&mut self, condition: &Expression) -> bool {
        match self.number(condition) {
            Ok(value) => value != 0,
            Err(_) => self.memory.random((condition.span.start, "condition")) > 2,
        }
    }

    fn assign(&mut self, target: &Expression, operation: Option<Binary>, value: &Expression) {
        if self.symbols.language().is_fortran() && self.sections(target, value).is_some() {
            return;
        }
        if let Ok(of) = self.type_of(target)
            && matches!(of, Type::Pointer(_))
            && !self.symbols.language().is_fortran()
        {
            let to = match operation {
                None => self.pointee(value).map(|spot| spot.at),
                Some(sign) => self.moved(target, sign, value),
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
        // The value first: steps in it come before those of the target, which no program can tell here.
        let from = if operation.is_none() { self.spot(inner).ok() } else { None };
        if let Some(from) = from {
            let Ok(to) = self.spot(target) else { return };
            if let Ok(size) = self.size(&to.of, &to.at.object) {
                let number = whole(&self.resolve(&from.of)).then(|| self.memory.number(&from.at));
                self.memory.copy(&to.at, &from.at, size);
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
            object: format!("value at {}", value.span.start),
            offset: i64::from(self.steps) * 64,
        };
        if let Ok(size) = self.size(&to.of, &to.at.object) {
            self.memory.copy(&to.at, &fresh, size);
        }
        self.memory.set(
            to.at.clone(),
            Held::Number(number.unwrap_or_else(|_| self.memory.random(&fresh))),
        );
    }

    fn moved(
        &mut self,
        target: &Expression,
        sign: Binary,
        value: &Expression,
    ) -> Result<Byte, Stop> {
        let by = self.number(value)?;
        let from = self.pointee(target)?;
        let size = self.size(&from.of, &from.at.object)?;
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
            ExpressionKind::Call { function, arguments } => {
                let copies = matches!(&function.kind, ExpressionKind::Name(name) if name.ends_with("memcpy") || name.ends_with("memmove"));
                if let ([to, from, length], true) = (arguments.as_slice(), copies)
                    && let (Ok(to), Ok(from), Ok(length)) =
                        (self.argument(to), self.argument(from), self.number(length))
                {
                    self.memory.copy(&to, &from, length.min(i64::from(STEPS)));
                }
            }
            _ => {
                let _ = self.number(expression);
            }
        }
    }

    /// An assignment of array sections, element by element.
    fn sections(&mut self, target: &Expression, value: &Expression) -> Option<()> {
        let (to, to_at) = self.part(target)?;
        let (from, from_at) = self.part(value)?;
        let pairs: Vec<(Byte, Byte)> = to_at
            .iter()
            .zip(&from_at)
            .filter_map(|(a, b)| {
                Some((self.subscripted(&to, a).ok()?.at, self.subscripted(&from, b).ok()?.at))
            })
            .collect();
        let element = self.subscripted(&to, to_at.first()?).ok()?;
        let size = self.size(&element.of, &element.at.object).ok()?;
        for (to, from) in pairs {
            self.memory.copy(&to, &from, size);
        }
        Some(())
    }

    /// An array and the subscripts of all elements of a section, in the order of Fortran; none if it is no section.
    fn part(&mut self, expression: &Expression) -> Option<(Spot, Vec<Vec<i64>>)> {
        let (base, subscripts): (&Expression, &[Subscript]) = match &expression.kind {
            ExpressionKind::Element { base, subscripts } => (base, subscripts),
            ExpressionKind::Name(_) => (expression, &[]),
            _ => return None,
        };
        let ranges = subscripts.iter().any(|s| matches!(s, Subscript::Section { .. }));
        let array = self.spot(base).ok()?;
        let Type::Array(_, dimensions) = self.array_type(&array.of) else { return None };
        if !ranges && !subscripts.is_empty() {
            return None;
        }
        let mut all: Vec<Vec<i64>> = vec![Vec::new()];
        for (d, dimension) in dimensions.iter().enumerate() {
            let lower = self.lower(&array.at.object, d, dimension).ok()?;
            let (first, last, step) = match subscripts.get(d) {
                Some(Subscript::At(at)) => {
                    let at = self.number(at).ok()?;
                    (at, at, 1)
                }
                Some(Subscript::Section { first, last, step }) => {
                    let first = first.as_ref().map_or(Ok(lower), |e| self.number(e)).ok()?;
                    let last = match last {
                        Some(last) => self.number(last).ok()?,
                        None => self.extent(&array.at.object, d, dimension).ok()? + lower - 1,
                    };
                    let step = step.as_ref().map_or(Ok(1), |e| self.number(e)).ok()?;
                    (first, last, step)
                }
                None => (lower, self.extent(&array.at.object, d, dimension).ok()? + lower - 1, 1),
            };
            if step == 0 {
                return None;
            }
            let count = ((last - first + step) / step).max(0);
            all = (0..count)
                .flat_map(|k| {
                    all.iter().map(move |before| [before.as_slice(), &[first + k * step]].concat())
                })
                .collect();
        }
        Some((array, all))
    }

    pub fn resolve(&self, of: &Type) -> Type {
        match self.symbols.resolve(of) {
            Type::Reference(to) => self.symbols.resolve(&to),
            other => other,
        }
    }

    fn array_type(&self, of: &Type) -> Type {
        match self.resolve(of) {
            Type::Pointer(to) => self.resolve(&to),
            other => other,
        }
    }

    fn type_of(&mut self, expression: &Expression) -> Result<Type, Stop> {
        let memory = self.memory.clone();
        let spot = self.spot(expression);
        self.memory = memory;
        Ok(self.resolve(&spot?.of))
    }

    /// Where a place is.
    pub fn spot(&mut self, expression: &Expression) -> Result<Spot, Stop> {
        match &expression.kind {
            ExpressionKind::Name(name) => {
                let of = self.symbols.variable(name).ok_or(Stop::Unknown)?.of.clone();
                Ok(Spot { at: Byte { object: name.clone(), offset: 0 }, of: self.resolve(&of) })
            }
            ExpressionKind::Element { base, subscripts } => {
                let at = subscripts
                    .iter()
                    .map(|s| match s {
                        Subscript::At(at) => self.number(at),
                        Subscript::Section { .. } => Err(Stop::Unknown),
                    })
                    .collect::<Result<Vec<_>, _>>()?;
                if self.symbols.language().is_fortran() {
                    let array = self.spot(base)?;
                    return self.subscripted(&array, &at);
                }
                let first = self.pointee(base)?;
                let size = self.size(&first.of, &root_of(&first.at.object))?;
                let index = at.first().copied().ok_or(Stop::Unknown)?;
                Ok(Spot { at: first.at.plus(index.wrapping_mul(size)), of: first.of })
            }
            ExpressionKind::Member { base, field } => {
                let record = self.spot(base)?;
                let (offset, of) =
                    self.symbols.field(&self.resolve(&record.of), field).ok_or(Stop::Unknown)?;
                Ok(Spot { at: record.at.plus(i64::try_from(offset).map_err(|_| Stop::Limit)?), of })
            }
            ExpressionKind::Unary(Unary::Dereference, pointer) => self.pointee(pointer),
            _ => Err(Stop::Unknown),
        }
    }

    /// What a pointer points to, or where an array begins.
    pub fn pointee(&mut self, pointer: &Expression) -> Result<Spot, Stop> {
        match &pointer.kind {
            ExpressionKind::Unary(Unary::Address, place) => self.spot(place),
            ExpressionKind::Cast(of, inner) => {
                let spot = self.pointee(inner)?;
                match self.resolve(of) {
                    Type::Pointer(to) => Ok(Spot { of: *to, ..spot }),
                    _ => Err(Stop::Unknown),
                }
            }
            ExpressionKind::Binary(sign @ (Binary::Add | Binary::Subtract), left, right) => {
                let (pointer, number) =
                    if self.pointee_type(left) { (left, right) } else { (right, left) };
                let by = self.number(number)?;
                let spot = self.pointee(pointer)?;
                let size = self.size(&spot.of, &root_of(&spot.at.object))?;
                let by = if *sign == Binary::Add { by } else { -by };
                Ok(Spot { at: spot.at.plus(by.wrapping_mul(size)), of: spot.of })
            }
            ExpressionKind::Step { target, by, prefix } => {
                let before = self.pointee(target)?;
                let size = self.size(&before.of, &root_of(&before.at.object))?;
                let after = Spot { at: before.at.plus(by * size), of: before.of.clone() };
                let cell = self.spot(target)?;
                self.memory.set(cell.at, Held::Pointer(after.at.clone()));
                Ok(if *prefix { after } else { before })
            }
            _ => {
                let spot = self.spot(pointer)?;
                match self.resolve(&spot.of) {
                    Type::Pointer(to) => Ok(Spot { at: self.memory.pointer(&spot.at), of: *to }),
                    Type::Array(element, dimensions) if dimensions.len() > 1 => {
                        Ok(Spot { at: spot.at, of: Type::Array(element, dimensions[1..].to_vec()) })
                    }
                    Type::Array(element, _) => Ok(Spot { at: spot.at, of: *element }),
                    _ => Err(Stop::Unknown),
                }
            }
        }
    }

    fn pointee_type(&mut self, expression: &Expression) -> bool {
        let memory = self.memory.clone();
        let found = self.pointee(expression).is_ok();
        self.memory = memory;
        found
    }

    /// An element of an array of Fortran.
    fn subscripted(&mut self, array: &Spot, at: &[i64]) -> Result<Spot, Stop> {
        let pointer = matches!(self.resolve(&array.of), Type::Pointer(_));
        let Type::Array(element, dimensions) = self.array_type(&array.of) else {
            return Err(Stop::Unknown);
        };
        if dimensions.len() != at.len() {
            return Err(Stop::Unknown);
        }
        let base = if pointer { self.memory.pointer(&array.at) } else { array.at.clone() };
        let name = array.at.object.clone();
        let mut offset = 0_i64;
        for (d, (&subscript, dimension)) in at.iter().zip(&dimensions).enumerate() {
            let lower = self.lower(&name, d, dimension)?;
            let stride = self.stride(&name, &element, &dimensions, d)?;
            offset = offset.wrapping_add((subscript - lower).wrapping_mul(stride));
        }
        Ok(Spot { at: base.plus(offset), of: *element })
    }

    /// Bytes between neighbours; those of assumed shapes have gaps.
    pub fn stride(
        &mut self,
        name: &str,
        element: &Type,
        dimensions: &[Dimension],
        along: usize,
    ) -> Result<i64, Stop> {
        let packed = self.symbols.variable(name).is_some_and(|d| d.allocatable);
        let mut stride = self.size(element, name)?;
        for (d, dimension) in dimensions.iter().enumerate().take(along + 1) {
            let measured = matches!(dimension, Dimension::AssumedShape { .. }) && !packed;
            if measured {
                stride *= 1 + self.memory.random((name, d, "gap"));
            }
            if d < along {
                stride = stride.wrapping_mul(self.extent(name, d, dimension)?);
            }
        }
        Ok(stride)
    }

    pub fn lower(&mut self, name: &str, d: usize, dimension: &Dimension) -> Result<i64, Stop> {
        let fortran = i64::from(self.symbols.language().is_fortran());
        match dimension {
            Dimension::Bounds { lower, .. } | Dimension::AssumedSize { lower } => {
                lower.as_ref().map_or(Ok(fortran), |lower| self.bound(name, lower))
            }
            Dimension::AssumedShape { lower: Some(lower) } => self.bound(name, lower),
            Dimension::AssumedShape { lower: None } => {
                let declaration = self.symbols.variable(name).ok_or(Stop::Unknown)?;
                let deferred =
                    declaration.allocatable || matches!(declaration.of, Type::Pointer(_));
                Ok(if deferred { self.memory.random((name, d, "lower")) } else { fortran })
            }
            Dimension::Extent(_) => Ok(fortran),
        }
    }

    pub fn extent(&mut self, name: &str, d: usize, dimension: &Dimension) -> Result<i64, Stop> {
        match dimension {
            Dimension::Bounds { upper, .. } => {
                Ok(self.bound(name, upper)? - self.lower(name, d, dimension)? + 1)
            }
            Dimension::Extent(extent) => self.bound(name, extent),
            Dimension::AssumedSize { .. } => Err(Stop::Unknown),
            Dimension::AssumedShape { .. } => Ok(self.memory.random((name, d, "extent"))),
        }
    }

    /// A bound, as it was when the array was declared.
    fn bound(&mut self, name: &str, expression: &Expression) -> Result<i64, Stop> {
        let then = self.shapes.get(name).cloned().unwrap_or_else(|| self.memory.fresh());
        let now = std::mem::replace(&mut self.memory, then);
        let value = self.number(expression);
        self.memory = now;
        value
    }

    pub fn size(&mut self, of: &Type, name: &str) -> Result<i64, Stop> {
        let of = self.resolve(of);
        if let Some(size) = self.symbols.size_of(&of) {
            return i64::try_from(size).map_err(|_| Stop::Limit);
        }
        match of {
            Type::Array(element, dimensions) => {
                let mut size = self.size(&element, name)?;
                for (d, dimension) in dimensions.iter().enumerate() {
                    size = size.wrapping_mul(self.extent(name, d, dimension)?);
                }
                Ok(size)
            }
            Type::Named(_) => Ok(8),
            _ => Err(Stop::Unknown),
        }
    }

    /// A whole number.
    pub fn number(&mut self, expression: &Expression) -> Result<i64, Stop> {
        match &expression.kind {
            ExpressionKind::Integer(value) => Ok(*value),
            ExpressionKind::Name(name) if self.symbols.constant(name).is_some() => {
                let value = self.symbols.constant(name).ok_or(Stop::Unknown)?;
                self.steps += 1;
                if self.steps > STEPS { Err(Stop::Limit) } else { self.number(value) }
            }
            ExpressionKind::Name(_)
            | ExpressionKind::Element { .. }
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(Unary::Dereference, _) => {
                let spot = self.spot(expression)?;
                if whole(&self.resolve(&spot.of)) {
                    Ok(self.memory.number(&spot.at))
                } else {
                    Err(Stop::Unknown)
                }
            }
            ExpressionKind::Unary(Unary::Minus, inner) => Ok(-self.number(inner)?),
            ExpressionKind::Unary(Unary::Not, inner) => Ok(i64::from(self.number(inner)? == 0)),
            ExpressionKind::Binary(operation, left, right) => {
                let (a, b) = (self.number(left)?, self.number(right)?);
                compute(*operation, a, b)
            }
            ExpressionKind::Cast(of, inner) => {
                if whole(&self.resolve(of)) {
                    self.number(inner)
                } else {
                    Err(Stop::Unknown)
                }
            }
            ExpressionKind::SizeOfType(of) => self.size(of, ""),
            ExpressionKind::SizeOfValue(inner) => {
                let memory = self.memory.clone();
                let spot = self.spot(inner);
                self.memory = memory;
                let spot = spot?;
                self.size(&spot.of, &spot.at.object)
            }
            ExpressionKind::OffsetOf(of, field) => {
                let (offset, _) =
                    self.symbols.field(&self.resolve(of), field).ok_or(Stop::Unknown)?;
                i64::try_from(offset).map_err(|_| Stop::Limit)
            }
            ExpressionKind::Step { target, by, prefix } => {
                let before = self.number(target)?;
                let spot = self.spot(target)?;
                self.memory.set(spot.at, Held::Number(before + by));
                Ok(if *prefix { before + by } else { before })
            }
            ExpressionKind::Assign { target, operation: None, value } => {
                let value = self.number(value)?;
                let spot = self.spot(target)?;
                self.memory.set(spot.at, Held::Number(value));
                Ok(value)
            }
            ExpressionKind::Choice { condition, yes, no } => {
                let branch = if self.decide(condition) { yes } else { no };
                self.number(branch)
            }
            ExpressionKind::Call { function, arguments } => self.call(function, arguments),
            _ => Err(Stop::Unknown),
        }
    }

    fn call(&mut self, function: &Expression, arguments: &[Expression]) -> Result<i64, Stop> {
        let ExpressionKind::Name(name) = &function.kind else { return Err(Stop::Unknown) };
        if name == "size"
            && let [array, along @ ..] = arguments
        {
            let spot = self.spot(array)?;
            let Type::Array(_, dimensions) = self.array_type(&spot.of) else {
                return Err(Stop::Unknown);
            };
            let along = along.first().map(|d| self.number(d)).transpose()?;
            let mut size = 1;
            for (d, dimension) in dimensions.iter().enumerate() {
                if along.is_none_or(|along| i64::try_from(d) == Ok(along - 1)) {
                    size *= self.extent(&spot.at.object, d, dimension)?;
                }
            }
            return Ok(size);
        }
        let values = arguments
            .iter()
            .map(|argument| self.number(argument))
            .collect::<Result<Vec<_>, _>>()?;
        match (name.trim_start_matches("std::"), values.as_slice()) {
            ("int", [value, ..]) => Ok(*value),
            ("mod", &[a, b]) => compute(Binary::Remainder, a, b),
            ("min" | "min0", all) => all.iter().copied().min().ok_or(Stop::Unknown),
            ("max" | "max0", all) => all.iter().copied().max().ok_or(Stop::Unknown),
            _ => Err(Stop::Unknown),
        }
    }
}

fn compute(operation: Binary, a: i64, b: i64) -> Result<i64, Stop> {
    let truth = |holds: bool| Some(i64::from(holds));
    let value = match operation {
        Binary::Add => a.checked_add(b),
        Binary::Subtract => a.checked_sub(b),
        Binary::Multiply => a.checked_mul(b),
        Binary::Divide => a.checked_div(b),
        Binary::Remainder => a.checked_rem(b),
        Binary::Power => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        Binary::ShiftLeft => u32::try_from(b).ok().and_then(|b| a.checked_shl(b)),
        Binary::ShiftRight => u32::try_from(b).ok().and_then(|b| a.checked_shr(b)),
        Binary::BitAnd => Some(a & b),
        Binary::BitOr => Some(a | b),
        Binary::BitXor => Some(a ^ b),
        Binary::And => truth(a != 0 && b != 0),
        Binary::Or => truth(a != 0 || b != 0),
        Binary::Equal => truth(a == b),
        Binary::NotEqual => truth(a != b),
        Binary::Less => truth(a < b),
        Binary::LessEqual => truth(a <= b),
        Binary::Greater => truth(a > b),
        Binary::GreaterEqual => truth(a >= b),
        Binary::Concatenate => None,
    };
    value.ok_or(Stop::Unknown)
}

/// Whether values of a type are whole numbers.
fn whole(of: &Type) -> bool {
    matches!(of, Type::Basic(name, _) if !["float", "double", "real", "complex"].iter().any(|word| name.contains(word)))
}

/// The variable whose declaration tells the shape of what an object holds.
fn root_of(object: &str) -> String {
    object.trim_start_matches('*').split('+').next().unwrap_or_default().to_owned()
}

/// Whether a statement is, or has in it, the one at a place.
fn holds(statement: &Statement, call: Span) -> bool {
    let bodies = statement.bodies();
    if bodies.is_empty() {
        return contains(statement.span, call);
    }
    statement.expressions().iter().any(|part| contains(part.span, call))
        || bodies.into_iter().flatten().any(|inner| holds(inner, call))
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
