//! Whole numbers of the imagined program.

use std::rc::Rc;

use commloom_source::tree::{Binary, Expression, ExpressionKind, Unary};

use super::interpreter::{Interpreter, STEPS, Spot};
use super::memory::{Byte, Held};
use super::stop::Stop;

impl Interpreter<'_> {
    /// Whether a condition holds; what cannot be evaluated is decided by its place.
    pub fn decide(&mut self, condition: &Expression) -> bool {
        if let Some((_, holds)) = self.request.setting.given.iter().find(|(c, _)| c == condition) {
            return *holds;
        }
        match self.number(condition) {
            Ok(value) => value != 0,
            Err(_) => self.draw.condition(condition.span.start),
        }
    }

    /// A whole number.
    pub fn number(&mut self, expression: &Expression) -> Result<i64, Stop> {
        match &expression.kind {
            ExpressionKind::Integer(value) => Ok(*value),
            ExpressionKind::Name(name) => {
                let meaning = self.meaning(name);
                if let Some(value) = meaning.constant {
                    self.steps += 1;
                    return if self.steps > STEPS { Err(Stop::Limit) } else { self.number(value) };
                }
                let (_, of) = meaning.variable.ok_or(Stop::Unknown)?;
                self.read(Spot { at: Byte { object: meaning.object, offset: 0 }, of })
            }
            ExpressionKind::Element { .. }
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(Unary::Dereference, _) => {
                let spot = self.spot(expression)?;
                self.read(spot)
            }
            ExpressionKind::Unary(Unary::Minus, inner) => Ok(-self.number(inner)?),
            ExpressionKind::Unary(Unary::Not, inner) => Ok(i64::from(self.number(inner)? == 0)),
            ExpressionKind::Binary(operation, left, right) => {
                let (a, b) = (self.number(left)?, self.number(right)?);
                compute(*operation, a, b)
            }
            ExpressionKind::Cast(of, inner) => {
                let of = self.types.of(of);
                if self.types.shape(of)?.is_whole { self.number(inner) } else { Err(Stop::Unknown) }
            }
            ExpressionKind::SizeOfType(of) => {
                let (of, nothing) = (self.types.of(of), self.objects.named(""));
                self.size(of, nothing)
            }
            ExpressionKind::SizeOfValue(inner) => {
                let of = self.type_of(inner)?;
                if let Some(size) = self.types.shape(of)?.size {
                    return Ok(size);
                }
                // It is not evaluated.
                let memory = self.memory.clone();
                let spot = self.spot(inner);
                self.memory = memory;
                self.size(of, spot?.at.object)
            }
            ExpressionKind::OffsetOf(of, field) => {
                let of = self.types.of(of);
                Ok(self.types.field(of, field)?.0)
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

    /// A number in memory.
    fn read(&self, spot: Spot) -> Result<i64, Stop> {
        if self.types.shape(spot.of)?.is_whole {
            Ok(self.value(spot.at))
        } else {
            Err(Stop::Unknown)
        }
    }

    /// A number in memory, of whatever type.
    pub fn value(&self, at: Byte) -> i64 {
        match self.memory.held(at) {
            Some(Held::Number(number)) => number,
            Some(Held::Pointer(_)) | None => {
                self.draw.value(self.objects.name(at.object), at.offset)
            }
        }
    }

    fn call(&mut self, function: &Expression, arguments: &[Expression]) -> Result<i64, Stop> {
        let ExpressionKind::Name(name) = &function.kind else { return Err(Stop::Unknown) };
        if name == "size"
            && let [array, along @ ..] = arguments
        {
            let spot = self.spot(array)?;
            let of = self.types.array(spot.of)?;
            let dimensions = Rc::clone(&self.types.shape(of)?.dimensions);
            if dimensions.is_empty() {
                return Err(Stop::Unknown);
            }
            let along = along.first().map(|d| self.number(d)).transpose()?;
            let mut size = 1;
            for (d, dimension) in dimensions.iter().enumerate() {
                if along.is_none_or(|along| i64::try_from(d) == Ok(along - 1)) {
                    size *= self.extent(spot.at.object, d, dimension)?;
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
