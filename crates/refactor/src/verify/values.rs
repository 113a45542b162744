//! Numbers in the place of names, as they are where the call stands.

use std::collections::{BTreeMap, HashMap};

use crate::affine::{Atom, Counter, Operator, Place, Polynomial, Step};
use crate::copies::Turns;
use crate::source::Span;
use crate::tree::{Dimension, Expression, ExpressionKind, Subscript, Type, Unary};

use super::instantiate::Addresses;
use super::interpret::{Interpreter, Stop};
use super::memory::{Byte, Held};

/// Values of atoms where the call stands.
pub(super) struct Values<'i, 'a> {
    pub interpreter: &'i mut Interpreter<'a>,
    pub counters: HashMap<Counter, i64>,
    pub turns: &'i [Turns],
    pub span: Span,
    pub addresses: Addresses,
    /// What was read on the way, by its name in the program.
    pub sizes: BTreeMap<String, i64>,
}

impl<'i, 'a> Values<'i, 'a> {
    /// Those of a call to which the interpreter has run.
    pub fn at(
        call: Span,
        turns: &'i [Turns],
        interpreter: &'i mut Interpreter<'a>,
    ) -> Values<'i, 'a> {
        let (counters, addresses) = (HashMap::new(), Addresses::default());
        Values { interpreter, counters, turns, span: call, addresses, sizes: BTreeMap::new() }
    }

    /// The loop's variable, as conditions in it read it.
    pub fn set_variable(&mut self, counter: Counter) -> Result<(), Stop> {
        let Some(turns) = usize::try_from(counter.0).ok().and_then(|at| self.turns.get(at)) else {
            return Ok(());
        };
        let turn = Polynomial::counter(counter).times(&turns.step).plus(&turns.first);
        let value = self.number(&turn)?;
        let variable = Byte { object: turns.variable.clone(), offset: 0 };
        self.interpreter.memory.set(variable, Held::Number(value));
        Ok(())
    }

    /// What an address counts from.
    pub fn base(&mut self, place: &Place) -> Result<Byte, Stop> {
        let expression = self.expression(place)?;
        let spot = self.interpreter.spot(&expression)?;
        match self.interpreter.resolve(&spot.of) {
            Type::Pointer(_) => Ok(self.interpreter.memory.pointer(&spot.at)),
            _ => Ok(spot.at),
        }
    }

    pub fn spot(&mut self, place: &Place) -> Result<Byte, Stop> {
        let expression = self.expression(place)?;
        Ok(self.interpreter.spot(&expression)?.at)
    }

    /// A place as an expression with numbers.
    fn expression(&mut self, place: &Place) -> Result<Expression, Stop> {
        let span = self.span;
        let mut expression =
            Expression { span, kind: ExpressionKind::Name(place.variable.clone()) };
        for step in &place.steps {
            let base = Box::new(expression);
            let kind = match step {
                Step::At(at) => {
                    let subscripts = at
                        .iter()
                        .map(|p| {
                            Ok(Subscript::At(Expression {
                                span,
                                kind: ExpressionKind::Integer(self.number(p)?),
                            }))
                        })
                        .collect::<Result<Vec<_>, Stop>>()?;
                    ExpressionKind::Element { base, subscripts }
                }
                Step::Field(field) => ExpressionKind::Member { base, field: field.clone() },
                Step::Follow => ExpressionKind::Unary(Unary::Dereference, base),
            };
            expression = Expression { span, kind };
        }
        Ok(expression)
    }

    pub fn number(&mut self, polynomial: &Polynomial) -> Result<i64, Stop> {
        let mut sum = 0_i64;
        for (atoms, coefficient) in polynomial.terms() {
            let mut product = coefficient;
            for atom in atoms {
                product = product.checked_mul(self.atom(atom)?).ok_or(Stop::Limit)?;
            }
            sum = sum.checked_add(product).ok_or(Stop::Limit)?;
        }
        Ok(sum)
    }

    fn atom(&mut self, atom: &Atom) -> Result<i64, Stop> {
        match atom {
            Atom::Counter(counter) => self.counters.get(counter).copied().ok_or(Stop::Unknown),
            Atom::Read { place, .. } if place.steps.is_empty() => {
                let kind = ExpressionKind::Name(place.variable.clone());
                let value = self.interpreter.number(&Expression { span: self.span, kind })?;
                self.sizes.insert(place.variable.clone(), value);
                Ok(value)
            }
            Atom::Read { place, .. } => {
                let at = self.spot(place)?;
                Ok(self.interpreter.memory.number(&at))
            }
            Atom::Apply(operator, operands) => {
                let values =
                    operands.iter().map(|p| self.number(p)).collect::<Result<Vec<_>, _>>()?;
                let value = match (operator, values.as_slice()) {
                    (Operator::Divide, &[a, b]) => a.checked_div(b),
                    (Operator::Remainder, &[a, b]) => a.checked_rem(b),
                    (Operator::Min, all) => all.iter().copied().min(),
                    (Operator::Max, all) => all.iter().copied().max(),
                    _ => None,
                };
                value.ok_or(Stop::Unknown)
            }
            Atom::SizeOf(_) => Ok(8),
            Atom::Layout(layout) => i64::try_from(layout.bytes).map_err(|_| Stop::Limit),
            Atom::Stride(name, d) => {
                let (element, dimensions) = self.shape(name)?;
                self.interpreter.stride(
                    name,
                    &element,
                    &dimensions,
                    usize::try_from(*d).map_err(|_| Stop::Limit)?,
                )
            }
            Atom::Extent(name, d) => {
                let (_, dimensions) = self.shape(name)?;
                let d = usize::try_from(*d).map_err(|_| Stop::Limit)?;
                self.interpreter.extent(name, d, dimensions.get(d).ok_or(Stop::Unknown)?)
            }
            Atom::Lower(name, d) => {
                let (_, dimensions) = self.shape(name)?;
                let d = usize::try_from(*d).map_err(|_| Stop::Limit)?;
                self.interpreter.lower(name, d, dimensions.get(d).ok_or(Stop::Unknown)?)
            }
            Atom::Address(place) => {
                let byte = self.base(place)?;
                self.addresses.of(&byte)
            }
            Atom::Unnamed(_) => Err(Stop::Unknown),
        }
    }

    fn shape(&mut self, name: &str) -> Result<(Type, Vec<Dimension>), Stop> {
        let expression =
            Expression { span: self.span, kind: ExpressionKind::Name(name.to_owned()) };
        let mut of = self.interpreter.spot(&expression)?.of;
        if let Type::Pointer(to) = of {
            of = self.interpreter.resolve(&to);
        }
        match of {
            Type::Array(element, dimensions) => Ok((*element, dimensions)),
            _ => Err(Stop::Unknown),
        }
    }
}
