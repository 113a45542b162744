//! Names of a callee in the places where those of the caller stand.

use commloom_source::Span;
use commloom_source::tree::{Dimension, Expression, ExpressionKind as Kind, Subscript, Type};

use super::expand::Expander;
use super::renaming::Renaming;

impl Expander<'_> {
    pub(super) fn of_type(&mut self, of: &Type, names: &Renaming) -> Type {
        match of {
            Type::Pointer(inner) => Type::Pointer(Box::new(self.of_type(inner, names))),
            Type::Reference(inner) => Type::Reference(Box::new(self.of_type(inner, names))),
            Type::Array(inner, dimensions) => {
                let inner = Box::new(self.of_type(inner, names));
                let dimensions = dimensions.iter().map(|d| self.dimension(d, names)).collect();
                Type::Array(inner, dimensions)
            }
            other => other.clone(),
        }
    }

    fn dimension(&mut self, dimension: &Dimension, names: &Renaming) -> Dimension {
        let mut maybe = |e: &Option<Expression>| e.as_ref().map(|e| self.expression(e, names));
        match dimension {
            Dimension::Bounds { lower, upper } => {
                let lower = maybe(lower);
                Dimension::Bounds { lower, upper: self.expression(upper, names) }
            }
            Dimension::Extent(extent) => Dimension::Extent(self.expression(extent, names)),
            Dimension::AssumedSize { lower } => Dimension::AssumedSize { lower: maybe(lower) },
            Dimension::AssumedShape { lower } => Dimension::AssumedShape { lower: maybe(lower) },
        }
    }

    pub(super) fn expression(&mut self, value: &Expression, names: &Renaming) -> Expression {
        let start = self.open();
        let kind = match &value.kind {
            Kind::Name(name) => match names.of.get(name) {
                Some(kind) => self.substituted(kind, value.span, names.instance),
                None => value.kind.clone(),
            },
            Kind::Element { base, subscripts } => Kind::Element {
                base: Box::new(self.expression(base, names)),
                subscripts: subscripts.iter().map(|s| self.subscript(s, names)).collect(),
            },
            Kind::Member { base, field } => {
                Kind::Member { base: Box::new(self.expression(base, names)), field: field.clone() }
            }
            Kind::Unary(sign, inner) => Kind::Unary(*sign, Box::new(self.expression(inner, names))),
            Kind::Binary(sign, left, right) => {
                let left = Box::new(self.expression(left, names));
                Kind::Binary(*sign, left, Box::new(self.expression(right, names)))
            }
            Kind::Cast(of, inner) => {
                let of = self.of_type(of, names);
                Kind::Cast(of, Box::new(self.expression(inner, names)))
            }
            Kind::SizeOfType(of) => Kind::SizeOfType(self.of_type(of, names)),
            Kind::SizeOfValue(inner) => Kind::SizeOfValue(Box::new(self.expression(inner, names))),
            Kind::Call { function, arguments } => Kind::Call {
                function: Box::new(self.expression(function, names)),
                arguments: arguments.iter().map(|a| self.expression(a, names)).collect(),
            },
            Kind::Step { target, by, prefix } => Kind::Step {
                target: Box::new(self.expression(target, names)),
                by: *by,
                prefix: *prefix,
            },
            Kind::Assign { target, operation, value } => {
                let target = Box::new(self.expression(target, names));
                let value = Box::new(self.expression(value, names));
                Kind::Assign { target, operation: *operation, value }
            }
            Kind::Choice { condition, yes, no } => {
                let condition = Box::new(self.expression(condition, names));
                let yes = Box::new(self.expression(yes, names));
                Kind::Choice { condition, yes, no: Box::new(self.expression(no, names)) }
            }
            Kind::List(all) => Kind::List(all.iter().map(|e| self.expression(e, names)).collect()),
            Kind::Keyword(name, inner) => {
                Kind::Keyword(name.clone(), Box::new(self.expression(inner, names)))
            }
            Kind::Unknown(all) => Kind::Unknown(all.iter().map(|n| names.name(n)).collect()),
            Kind::Integer(_) | Kind::Literal(_) | Kind::OffsetOf(..) => value.kind.clone(),
        };
        Expression { span: self.close(start, value.span, names.instance), kind }
    }

    fn subscript(&mut self, subscript: &Subscript, names: &Renaming) -> Subscript {
        let mut maybe = |e: &Option<Expression>| e.as_ref().map(|e| self.expression(e, names));
        match subscript {
            Subscript::Section { first, last, step } => {
                Subscript::Section { first: maybe(first), last: maybe(last), step: maybe(step) }
            }
            Subscript::At(at) => Subscript::At(self.expression(at, names)),
        }
    }

    /// The expression for a dummy argument: a name, a number, or the address of a name.
    fn substituted(&mut self, kind: &Kind, real: Span, instance: usize) -> Kind {
        match kind {
            Kind::Unary(sign, inner) => {
                let start = self.open();
                let kind = self.substituted(&inner.kind, real, instance);
                let span = self.close(start, real, instance);
                Kind::Unary(*sign, Box::new(Expression { span, kind }))
            }
            other => other.clone(),
        }
    }
}
