//! Whole numbers: expressions to polynomials.

use commloom_source::affine::{Atom, Operator, Place, Polynomial};
use commloom_source::tree::{Binary, Expression, ExpressionKind, Name, Type, Unary};

use super::integers::Integer;
use super::place_type::is_whole;
use super::state::{Located, Value, is_cell, read};
use super::walk::Walk;

impl Walk<'_> {
    /// An expression's value; none if it is no whole number, or one that has no form. Steps in it
    /// (`p++`) are carried out.
    pub(super) fn number(&mut self, expression: &Expression) -> Option<Polynomial> {
        let value = self.number_unlimited(expression)?;
        (!value.is_lost()).then_some(value)
    }

    fn number_unlimited(&mut self, expression: &Expression) -> Option<Polynomial> {
        match &expression.kind {
            ExpressionKind::Integer(value) => Some(Polynomial::constant(*value)),
            ExpressionKind::Name(name) => match self.symbols.constant(name) {
                Some(value) => self.constant(name, value),
                None => self.scalar(expression),
            },
            ExpressionKind::Element { .. }
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(Unary::Dereference, _) => self.scalar(expression),
            ExpressionKind::Unary(Unary::Minus, inner) => {
                Some(self.number(inner)?.times_constant(-1))
            }
            ExpressionKind::Binary(operation, left, right) => {
                self.operation(*operation, left, right)
            }
            ExpressionKind::Cast(of, inner) => {
                let of = self.symbols.resolve(of);
                if !is_whole(&of) {
                    return None;
                }
                let value = self.number(inner)?;
                let Some(to) = Integer::of(&of) else { return Some(value) };
                let from = self.integer_of(inner);
                self.note_width(&value, to, from);
                self.converted(value, from, to)
            }
            ExpressionKind::SizeOfType(of) => {
                self.measure(of, &String::new(), &Place::variable(String::new()))
            }
            ExpressionKind::SizeOfValue(inner) => self.size_of_value(inner),
            ExpressionKind::OffsetOf(of, field) => {
                let (offset, _) = self.symbols.field(&self.symbols.resolve(of), field)?;
                self.component(of, field, offset, &Place::variable(String::new()))
            }
            ExpressionKind::Step { target, by, prefix } => {
                let before = self.number(target)?;
                let after = before.plus(&Polynomial::constant(*by));
                let cell = self.locate(target)?.address.place;
                self.state.set(cell, Some(Value::Number(after.clone())));
                Some(if *prefix { after } else { before })
            }
            ExpressionKind::Assign { target, operation: None, value } => {
                let value = self.number(value)?;
                let cell = self.locate(target)?.address.place;
                self.state.set(cell, Some(Value::Number(value.clone())));
                Some(value)
            }
            ExpressionKind::Call { function, arguments } => self.intrinsic(function, arguments),
            _ => None,
        }
    }

    /// A named number stays a name: it may be another one in the next build.
    fn constant(&mut self, name: &str, value: &Expression) -> Option<Polynomial> {
        // Which one an `#if` decides about.
        if is_open(value) {
            return Some(read(Place::variable(name.to_owned()), 0));
        }
        self.constants += 1;
        let number = (self.constants <= MOST_CONSTANTS).then(|| self.at_start(value)).flatten();
        self.constants -= 1;
        let number = number?;
        // Within the definition of another one its value is enough.
        let is_used = self.constants == 0 && number.as_constant().is_some();
        Some(if is_used { read(Place::variable(self.first_name(name)), 0) } else { number })
    }

    /// The first name of a constant that is defined as another one (`parameter (jmax = nmax)`):
    /// the name that is defined by more than a name. So both are known to be the same.
    fn first_name(&self, name: &str) -> Name {
        let mut name = name;
        for _ in 0..MOST_CONSTANTS {
            match self.symbols.constant(name).map(|value| &value.kind) {
                Some(ExpressionKind::Name(other)) if self.symbols.constant(other).is_some() => {
                    name = other;
                }
                _ => break,
            }
        }
        name.to_owned()
    }

    /// Values of constants are those of the place where they are defined; they do not depend on
    /// what is known here.
    fn at_start(&mut self, expression: &Expression) -> Option<Polynomial> {
        let now = std::mem::take(&mut self.state);
        let value = self.number(expression);
        self.state = now;
        value
    }

    /// The number that a place holds.
    fn scalar(&mut self, expression: &Expression) -> Option<Polynomial> {
        let located = self.locate(expression)?;
        // It would be written as what its bytes are not taken for.
        if self.is_cast(&located) || !is_whole(&self.symbols.resolve(&located.of)) {
            return None;
        }
        let Located { address, .. } = located;
        match self.state.values.get(&address.place) {
            Some(Value::Number(value)) => Some(value.clone()),
            Some(Value::Pointer(_)) => None,
            None => {
                let version = self.version(&address.place);
                // An element that may be one of the cells with known values.
                let unsure = !is_cell(&address.place)
                    && self.state.values.keys().any(|cell| {
                        cell.variable == address.place.variable && !cell.steps.is_empty()
                    });
                (!unsure).then(|| read(address.place, version))
            }
        }
    }

    fn operation(
        &mut self,
        operation: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Option<Polynomial> {
        let mut a = self.number(left)?;
        let mut b = self.number(right)?;
        let (of_left, of_right) = (self.integer_of(left), self.integer_of(right));
        if let (Some(of_left), Some(of_right)) = (of_left, of_right) {
            let shifts = matches!(operation, Binary::ShiftLeft | Binary::ShiftRight);
            let common = if shifts { of_left } else { of_left.common(of_right) };
            // Numbers of bytes are written by sizes of types, which are wide.
            if !has_size(&a) && !has_size(&b) {
                self.note_width(&a, common, Some(of_left));
                self.note_width(&b, common, Some(of_right));
            }
            a = self.converted(a, Some(of_left), common)?;
            b = self.converted(b, Some(of_right), common)?;
            // What wrapped is divided as what it became.
            let divides = matches!(operation, Binary::Divide | Binary::Remainder);
            if divides && !(self.is_exact(&a, common) && self.is_exact(&b, common)) {
                return None;
            }
        }
        match operation {
            Binary::Add => Some(a.plus(&b)),
            Binary::Subtract => Some(a.minus(&b)),
            Binary::Multiply => Some(a.times(&b)),
            Binary::Divide => self.divided(&a, &b),
            Binary::Remainder => {
                (!b.is_zero()).then(|| Polynomial::apply(Operator::Remainder, vec![a, b]))
            }
            Binary::Power => {
                let exponent = u32::try_from(b.as_constant()?).ok().filter(|&e| e <= 8)?;
                Some((0..exponent).fold(Polynomial::constant(1), |power, _| power.times(&a)))
            }
            Binary::ShiftLeft => {
                let by = u32::try_from(b.as_constant()?).ok().filter(|&by| by < 62)?;
                Some(a.times_constant(1_i64 << by))
            }
            _ => None,
        }
    }

    /// `a / b`; of a multiple of `b`, times anything, the rest goes into no remainder.
    fn divided(&mut self, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        for (multiple, of) in &self.request.setting.multiples {
            let (multiple, of) = (Place::variable(multiple.clone()), Place::variable(of.clone()));
            if *b != read(of.clone(), self.version(&of)) {
                continue;
            }
            let version = self.version(&multiple);
            let whole = read(multiple, version);
            if let Some(times) = a.exact_quotient(&whole) {
                let part = Polynomial::apply(Operator::Divide, vec![whole, b.clone()]);
                return Some(times.times(&part));
            }
        }
        quotient(a, b)
    }

    /// The text that is written must compute as wide as the program does where that is wider than
    /// `int`, or wraps.
    fn note_width(&mut self, value: &Polynomial, of: Integer, from: Option<Integer>) {
        let is_narrow = of.bits <= 32 && of.is_signed;
        let is_used = value.as_constant().is_none() || from != Some(of);
        self.is_wide |= !is_narrow && !has_size(value) && is_used;
    }

    fn size_of_value(&mut self, inner: &Expression) -> Option<Polynomial> {
        // The operand is not evaluated: steps in it have no effect.
        let copy = self.state.clone();
        let located = self.locate(inner);
        self.state = copy;
        let located = located?;
        let place = located.address.place;
        self.measure(&located.of, &place.variable, &place)
    }

    /// Functions of whole numbers that every compiler knows.
    fn intrinsic(&mut self, function: &Expression, arguments: &[Expression]) -> Option<Polynomial> {
        let ExpressionKind::Name(name) = &function.kind else { return None };
        let fortran = self.symbols.language().is_fortran();
        if fortran && self.symbols.is_own_procedure(name) {
            return None;
        }
        match (name.as_str(), arguments) {
            ("int", [value, ..]) if fortran => self.number(value),
            ("mod", [a, b]) if fortran => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                (!b.is_zero()).then(|| Polynomial::apply(Operator::Remainder, vec![a, b]))
            }
            ("min" | "min0" | "max" | "max0", _) if fortran => {
                self.extreme(name.starts_with("max"), arguments)
            }
            ("std::min" | "std::max", _) => self.extreme(name == "std::max", arguments),
            ("size", [array]) if fortran => self.array_size(array, None),
            ("size", [array, dimension]) if fortran => {
                let dimension = self.number(dimension)?.as_constant()?;
                self.array_size(array, Some(usize::try_from(dimension.checked_sub(1)?).ok()?))
            }
            _ => None,
        }
    }

    fn extreme(&mut self, largest: bool, arguments: &[Expression]) -> Option<Polynomial> {
        let operands =
            arguments.iter().map(|argument| self.number(argument)).collect::<Option<Vec<_>>>()?;
        Some(Polynomial::apply(if largest { Operator::Max } else { Operator::Min }, operands))
    }

    /// Fortran's `size`.
    fn array_size(&mut self, array: &Expression, along: Option<usize>) -> Option<Polynomial> {
        let located = self.locate(array)?;
        let mut of = self.symbols.resolve(&located.of);
        if let Type::Pointer(inner) = of {
            of = self.symbols.resolve(&inner);
        }
        let Type::Array(_, dimensions) = of else { return None };
        let name = located.address.place.variable;
        match along {
            Some(d) => self.extent(&name, d, dimensions.get(d)?),
            None => dimensions
                .iter()
                .enumerate()
                .try_fold(Polynomial::constant(1), |size, (d, dimension)| {
                    Some(size.times(&self.extent(&name, d, dimension)?))
                }),
        }
    }
}

fn has_size(value: &Polynomial) -> bool {
    value.any(&mut |atom| matches!(atom, Atom::Layout(_) | Atom::SizeOf(_)))
}

/// Whether a constant has one of several values, and the text does not say which.
fn is_open(value: &Expression) -> bool {
    matches!(&value.kind, ExpressionKind::Choice { condition, .. }
        if matches!(condition.kind, ExpressionKind::Unknown(_)))
}

/// Constants that are defined by others, at most so deep.
const MOST_CONSTANTS: u32 = 64;

/// `a / b`, towards zero.
pub(super) fn quotient(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    if b.is_zero() {
        return None;
    }
    match a.exact_quotient(b) {
        Some(exact) => Some(exact),
        None => Some(Polynomial::apply(Operator::Divide, vec![a.clone(), b.clone()])),
    }
}

/// The atom of a scalar that changes from turn to turn.
pub(super) fn unnamed(number: u32) -> Polynomial {
    Polynomial::atom(Atom::Unnamed(number))
}
