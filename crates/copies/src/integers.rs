//! Whole numbers of C in their types: unsigned arithmetic wraps, and conversions may change
//! values.
//!
//! A polynomial is a number without bounds. The value of an expression of an unsigned type of `n`
//! bits is only *congruent* to it, modulo 2^n. Where such a value becomes a wider one (a
//! subscript, an operand beside a wider one), or a signed one, it must be shown to be the same: by
//! the ranges of types, and since a loop that copies takes fewer turns than a message can have
//! elements (2^31). 64 bits are as wide as addresses: there congruent is the same.

use commloom_source::affine::{Atom, Operator, Place, Polynomial};
use commloom_source::tree::{Binary, Expression, ExpressionKind, Type, Unary};

use super::place_type::{place_type, type_at};
use super::walk::Walk;

/// A type of whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Integer {
    pub bits: u32,
    pub is_signed: bool,
}

impl Integer {
    const INT: Integer = Integer { bits: 32, is_signed: true };
    const SIZE: Integer = Integer { bits: 64, is_signed: false };
    pub const ADDRESS: Integer = Integer { bits: 64, is_signed: true };

    /// Of a type of C.
    pub fn of(of: &Type) -> Option<Integer> {
        let Type::Basic(name, size) = of else { return None };
        let inexact = ["float", "double", "complex"];
        if inexact.iter().any(|word| name.contains(word)) {
            return None;
        }
        let unsigned = ["unsigned", "uint", "size_t", "bool"];
        let is_unsigned = name != "ssize_t" && unsigned.iter().any(|word| name.starts_with(word));
        Some(Integer { bits: size * 8, is_signed: !is_unsigned })
    }

    /// C11 6.3.1.1: smaller types become `int`.
    fn promoted(self) -> Integer {
        if self.bits < 32 { Integer::INT } else { self }
    }

    /// C11 6.3.1.8, under LP64.
    pub fn common(self, other: Integer) -> Integer {
        let (a, b) = (self.promoted(), other.promoted());
        let bits = a.bits.max(b.bits);
        let widest = |i: Integer| i.bits == bits;
        let is_signed = [a, b].iter().filter(|i| widest(**i)).all(|i| i.is_signed);
        Integer { bits, is_signed }
    }

    fn range(self) -> Range {
        let bits = self.bits.min(64);
        if self.is_signed {
            Range { low: -(1 << (bits - 1)), high: (1 << (bits - 1)) - 1 }
        } else {
            Range { low: 0, high: (1 << bits) - 1 }
        }
    }
}

/// Numbers from one to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Range {
    low: i128,
    high: i128,
}

/// Larger than all that a program computes, and far from where sums of it overflow.
const HUGE: i128 = 1 << 100;

impl Range {
    const ALL: Range = Range { low: -HUGE, high: HUGE };

    fn new(low: i128, high: i128) -> Range {
        Range { low: low.max(-HUGE), high: high.min(HUGE) }
    }

    fn plus(self, other: Range) -> Range {
        Range::new(self.low + other.low, self.high + other.high)
    }

    fn times(self, other: Range) -> Range {
        let product = |a: i128, b: i128| a.saturating_mul(b);
        let all = [
            product(self.low, other.low),
            product(self.low, other.high),
            product(self.high, other.low),
            product(self.high, other.high),
        ];
        Range::new(
            all.iter().copied().min().unwrap_or(-HUGE),
            all.iter().copied().max().unwrap_or(HUGE),
        )
    }

    fn is_in(self, other: Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }
}

/// Turns of a loop that copies: a message has fewer elements.
const MOST_TURNS: i128 = (1 << 31) - 1;

impl Walk<'_> {
    /// The type of an expression's value; none in Fortran, whose integers do not wrap, and where
    /// it is not known.
    pub(super) fn integer_of(&self, expression: &Expression) -> Option<Integer> {
        if self.symbols.language().is_fortran() {
            return None;
        }
        match &expression.kind {
            ExpressionKind::Integer(value) => Some(match i32::try_from(*value) {
                Ok(_) => Integer::INT,
                Err(_) => Integer::ADDRESS,
            }),
            ExpressionKind::Name(name) => match self.symbols.variable(name) {
                Some(declaration) => self.integer(&declaration.of),
                None => self.integer_of(self.symbols.constant(name)?),
            },
            ExpressionKind::Element { .. }
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(Unary::Dereference, _) => {
                Integer::of(&self.symbols.resolve(&place_type(self.symbols, expression)?))
            }
            ExpressionKind::Unary(Unary::Not, _) => Some(Integer::INT),
            ExpressionKind::Unary(_, inner) => Some(self.integer_of(inner)?.promoted()),
            ExpressionKind::Binary(operation, left, right) => match operation {
                Binary::ShiftLeft | Binary::ShiftRight => Some(self.integer_of(left)?.promoted()),
                Binary::Add
                | Binary::Subtract
                | Binary::Multiply
                | Binary::Divide
                | Binary::Remainder
                | Binary::BitAnd
                | Binary::BitOr
                | Binary::BitXor => Some(self.integer_of(left)?.common(self.integer_of(right)?)),
                _ => Some(Integer::INT),
            },
            ExpressionKind::Cast(of, _) => self.integer(of),
            ExpressionKind::SizeOfType(_)
            | ExpressionKind::SizeOfValue(_)
            | ExpressionKind::OffsetOf(..) => Some(Integer::SIZE),
            ExpressionKind::Step { target, .. } | ExpressionKind::Assign { target, .. } => {
                self.integer_of(target)
            }
            ExpressionKind::Choice { yes, no, .. } => {
                Some(self.integer_of(yes)?.common(self.integer_of(no)?))
            }
            ExpressionKind::Call { arguments, .. } => {
                // `std::min` and `std::max` are the only ones that are evaluated.
                self.integer_of(arguments.first()?)
            }
            _ => None,
        }
    }

    fn integer(&self, of: &Type) -> Option<Integer> {
        match self.symbols.resolve(of) {
            Type::Reference(to) => Integer::of(&self.symbols.resolve(&to)),
            of => Integer::of(&of),
        }
    }

    /// The number that a value of one type is in another one; none where it may be another number.
    pub(super) fn converted(
        &mut self,
        value: Polynomial,
        from: Option<Integer>,
        to: Integer,
    ) -> Option<Polynomial> {
        let Some(from) = from.filter(|_| !self.symbols.language().is_fortran()) else {
            return Some(value);
        };
        let is_kept = match (from.bits < to.bits, from.is_signed, to.is_signed) {
            // Signed arithmetic does not overflow, and sixty-four bits are those of addresses.
            (true, true, _) => true,
            (true, false, _) => from.bits >= 64 || self.is_in(&value, from),
            (false, ..) if from == to || to.bits >= 64 || !to.is_signed => true,
            (false, ..) => self.is_in(&value, to),
        };
        if !is_kept {
            self.is_unsure = true;
        }
        is_kept.then_some(value)
    }

    /// Whether a value is no less than 0 in mathematics, and no more than its type holds.
    pub(super) fn is_exact(&self, value: &Polynomial, of: Integer) -> bool {
        of.is_signed || self.is_in(value, of)
    }

    /// Whether a number is surely one that a type has.
    fn is_in(&self, value: &Polynomial, of: Integer) -> bool {
        let wanted = of.range();
        let plain = self.range(value);
        let low = plain.low.max(self.extreme_turn(value, false).low);
        let high = plain.high.min(self.extreme_turn(value, true).high);
        Range { low, high }.is_in(wanted)
    }

    /// The range of a number at the turns of loops where it is largest, or smallest: bounds cancel
    /// there.
    fn extreme_turn(&self, value: &Polynomial, largest: bool) -> Range {
        let mut value = value.clone();
        for (number, turns) in self.turns.iter().enumerate().rev() {
            let Ok(number) = u32::try_from(number) else { return Range::ALL };
            let counter = Atom::Counter(commloom_source::affine::Counter(number));
            if !value.mentions(&counter) {
                continue;
            }
            let Some((slope, _)) = value.linear_in(&counter) else { return Range::ALL };
            let rises = self.range(&slope);
            let at = match (rises.low >= 0, rises.high <= 0) {
                (true, _) if largest => turns.count.minus(&Polynomial::constant(1)),
                (_, true) if !largest => turns.count.minus(&Polynomial::constant(1)),
                (true, _) | (_, true) => Polynomial::zero(),
                _ => return Range::ALL,
            };
            value = value.substitute(&counter, &at);
        }
        self.range(&value)
    }

    fn range(&self, value: &Polynomial) -> Range {
        if value.is_lost() {
            return Range::ALL;
        }
        let mut sum = Range { low: 0, high: 0 };
        for (atoms, factor) in value.terms() {
            let mut product = Range { low: i128::from(factor), high: i128::from(factor) };
            for atom in atoms {
                product = product.times(self.range_of(atom));
            }
            sum = sum.plus(product);
        }
        sum
    }

    fn range_of(&self, atom: &Atom) -> Range {
        match atom {
            Atom::Counter(_) => Range { low: 0, high: MOST_TURNS },
            Atom::Read { place, .. } => self.range_at(place),
            Atom::Apply(operator, operands) => {
                let all: Vec<Range> = operands.iter().map(|o| self.range(o)).collect();
                match (operator, all.as_slice()) {
                    (Operator::Divide, [a, b]) if b.low > 0 => {
                        let all = [a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high];
                        Range {
                            low: all.iter().copied().min().unwrap_or(-HUGE),
                            high: all.iter().copied().max().unwrap_or(HUGE),
                        }
                    }
                    (Operator::Remainder, [a, b]) if b.low > 0 => {
                        Range { low: if a.low >= 0 { 0 } else { 1 - b.high }, high: b.high - 1 }
                    }
                    (Operator::Min, all) => Range {
                        low: all.iter().map(|r| r.low).min().unwrap_or(-HUGE),
                        high: all.iter().map(|r| r.high).min().unwrap_or(HUGE),
                    },
                    (Operator::Max, all) => Range {
                        low: all.iter().map(|r| r.low).max().unwrap_or(-HUGE),
                        high: all.iter().map(|r| r.high).max().unwrap_or(HUGE),
                    },
                    _ => Range::ALL,
                }
            }
            Atom::SizeOf(_) | Atom::Layout(_) => Range { low: 0, high: MOST_TURNS },
            _ => Range::ALL,
        }
    }

    /// The values that a place can have, by its type.
    fn range_at(&self, place: &Place) -> Range {
        if place.steps.is_empty() && self.symbols.variable(&place.variable).is_none() {
            return match self.symbols.constant(&place.variable).map(|value| &value.kind) {
                Some(ExpressionKind::Integer(value)) => {
                    Range { low: i128::from(*value), high: i128::from(*value) }
                }
                Some(_) => Integer::INT.range(),
                None => Range::ALL,
            };
        }
        type_at(self.symbols, place)
            .and_then(|of| Integer::of(&of))
            .map_or(Range::ALL, Integer::range)
    }
}
