//! Conditions as text.

use commloom_source::affine::Polynomial;
use commloom_source::tree::{Binary, Expression, ExpressionKind, Subscript, Unary};

use super::model::EmitError;
use super::number::Speller;

impl Speller<'_> {
    /// A condition as it was written, with loop variables replaced by what they are in the turn at
    /// hand.
    pub(super) fn condition(&self, value: &Expression) -> Result<String, EmitError> {
        // What may not be there is named before the condition, too.
        let asks = |name: &str| ["present", "allocated", "associated"].contains(&name);
        if self.fortran && value.root().is_some_and(|name| asks(name)) {
            return Err(EmitError::Absent);
        }
        let text = |e: &Expression| self.condition(e);
        Ok(match &value.kind {
            ExpressionKind::Integer(n) => n.to_string(),
            ExpressionKind::Literal(written) => written.clone(),
            ExpressionKind::Name(name) => match self.replaced.get(name) {
                Some((first, step, counter)) => {
                    let value = first.plus(&step.times(&Polynomial::counter(*counter)));
                    format!("({})", self.plain(&value)?)
                }
                None => name.clone(),
            },
            ExpressionKind::Element { base, subscripts } => {
                let mut inside = Vec::with_capacity(subscripts.len());
                for subscript in subscripts {
                    match subscript {
                        Subscript::At(at) => inside.push(text(at)?),
                        Subscript::Section { .. } => return Err(EmitError::Condition),
                    }
                }
                let base = text(base)?;
                if self.fortran {
                    format!("{base}({})", inside.join(", "))
                } else {
                    format!("{base}[{}]", inside.join("]["))
                }
            }
            ExpressionKind::Member { base, field } => match (&base.kind, self.fortran) {
                (ExpressionKind::Unary(Unary::Dereference, pointer), false) => {
                    format!("{}->{field}", text(pointer)?)
                }
                (_, true) => format!("{}%{field}", text(base)?),
                (_, false) => format!("{}.{field}", text(base)?),
            },
            ExpressionKind::Unary(operator, inner) => {
                let sign = match (operator, self.fortran) {
                    (Unary::Minus, _) => "-",
                    (Unary::Not, true) => ".not. ",
                    (Unary::Not, false) => "!",
                    (Unary::Complement, false) => "~",
                    (Unary::Dereference, false) => "*",
                    (Unary::Address, false) => "&",
                    (_, true) => return Err(EmitError::Condition),
                };
                format!("({sign}{})", text(inner)?)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = (text(left)?, text(right)?);
                match (operator, self.fortran) {
                    (Binary::Remainder, true) => format!("mod({left}, {right})"),
                    _ => format!("({left} {} {right})", self.sign(*operator)?),
                }
            }
            ExpressionKind::Call { function, arguments } => {
                let inside = arguments.iter().map(text).collect::<Result<Vec<_>, _>>()?;
                format!("{}({})", text(function)?, inside.join(", "))
            }
            ExpressionKind::Choice { condition, yes, no } if !self.fortran => {
                format!("({} ? {} : {})", text(condition)?, text(yes)?, text(no)?)
            }
            _ => return Err(EmitError::Condition),
        })
    }

    fn sign(&self, operator: Binary) -> Result<&'static str, EmitError> {
        Ok(match (operator, self.fortran) {
            (Binary::Add, _) => "+",
            (Binary::Subtract, _) => "-",
            (Binary::Multiply, _) => "*",
            (Binary::Divide, _) => "/",
            (Binary::Less, false) => "<",
            (Binary::LessEqual, false) => "<=",
            (Binary::Greater, false) => ">",
            (Binary::GreaterEqual, false) => ">=",
            (Binary::Equal, false) => "==",
            (Binary::NotEqual, false) => "!=",
            (Binary::And, false) => "&&",
            (Binary::Or, false) => "||",
            (Binary::Remainder, false) => "%",
            (Binary::ShiftLeft, false) => "<<",
            (Binary::ShiftRight, false) => ">>",
            (Binary::BitAnd, false) => "&",
            (Binary::BitOr, false) => "|",
            (Binary::BitXor, false) => "^",
            (Binary::Less, true) => ".lt.",
            (Binary::LessEqual, true) => ".le.",
            (Binary::Greater, true) => ".gt.",
            (Binary::GreaterEqual, true) => ".ge.",
            // Equality of logical values is written otherwise; the tree does not tell.
            (Binary::Equal, true) => ".eq.",
            (Binary::NotEqual, true) => ".ne.",
            (Binary::And, true) => ".and.",
            (Binary::Or, true) => ".or.",
            (Binary::Power, true) => "**",
            _ => return Err(EmitError::Condition),
        })
    }
}
