//! Whole numbers of the imagined program.

use crate::tree::{Binary, Expression, ExpressionKind, Type, Unary};

use super::interpret::{Interpreter, Stop};
use super::memory::Held;

/// More numbers and statements than these are not evaluated.
pub(super) const STEPS: u32 = 2_000_000;

impl Interpreter<'_> {
    /// Whether a condition holds; what cannot be evaluated is decided by its place.
    pub fn decide(&mut self, condition: &Expression) -> bool {
        if let Some((_, holds)) = self.request.setting.given.iter().find(|(c, _)| c == condition) {
            return *holds;
        }
        match self.number(condition) {
            Ok(value) => value != 0,
            Err(_) => self.memory.chance((condition.span.start, "condition")),
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

pub(super) fn compute(operation: Binary, a: i64, b: i64) -> Result<i64, Stop> {
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
pub(super) fn whole(of: &Type) -> bool {
    matches!(of, Type::Basic(name, _) if !["float", "double", "real", "complex"].iter().any(|word| name.contains(word)))
}
