//! Numbers in the place of names, as they are where the call stands.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use commloom_source::Span;
use commloom_source::affine::{Atom, Counter, Operator, Place, Polynomial, Step};
use commloom_source::tree::{Expression, ExpressionKind, Subscript, Unary};

use crate::Turns;

use super::addresses::Addresses;
use super::interpreter::Interpreter;
use super::memory::{Byte, Held, Object};
use super::stop::Stop;
use super::types::Of;

/// Values of atoms where the call stands.
pub(super) struct Values<'i, 'a> {
    pub interpreter: &'i mut Interpreter<'a>,
    pub counters: HashMap<Counter, i64>,
    pub turns: &'i [Turns],
    pub span: Span,
    pub addresses: Addresses,
    /// The variables that were read on the way, by its name in the program.
    pub sizes: BTreeMap<String, i64>,
    /// How many more parts of structs and lists there may be.
    pub parts: u64,
}

/// Most parts of structs and lists.
const PARTS: u64 = 1 << 20;

impl<'i, 'a> Values<'i, 'a> {
    /// Those of a call to which the interpreter has run.
    pub fn at(
        call: Span,
        turns: &'i [Turns],
        interpreter: &'i mut Interpreter<'a>,
    ) -> Values<'i, 'a> {
        Values::placed(call, turns, interpreter, Vec::new())
    }

    /// With objects that begin at these addresses, as far as they are given.
    pub fn placed(
        call: Span,
        turns: &'i [Turns],
        interpreter: &'i mut Interpreter<'a>,
        starts: Vec<i64>,
    ) -> Values<'i, 'a> {
        let (counters, addresses) = (HashMap::new(), Addresses::placed(starts));
        let sizes = BTreeMap::new();
        Values { interpreter, counters, turns, span: call, addresses, sizes, parts: PARTS }
    }

    /// The loop's variable, as conditions in it read it.
    pub fn set_variable(&mut self, counter: Counter) -> Result<(), Stop> {
        let Some(turns) = usize::try_from(counter.0).ok().and_then(|at| self.turns.get(at)) else {
            return Ok(());
        };
        let turn = Polynomial::counter(counter).times(&turns.step).plus(&turns.first);
        let value = self.number(&turn)?;
        let variable = Byte { object: self.interpreter.objects.named(&turns.variable), offset: 0 };
        self.interpreter.memory.set(variable, Held::Number(value));
        Ok(())
    }

    /// The byte that an address counts from.
    pub fn base(&mut self, place: &Place) -> Result<Byte, Stop> {
        let expression = self.expression(place)?;
        let spot = self.interpreter.spot(&expression)?;
        if self.interpreter.types.is_pointer(spot.of) {
            Ok(self.interpreter.follow(spot.at))
        } else {
            Ok(spot.at)
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
                Ok(self.interpreter.value(at))
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
                let (object, of) = self.shape(name)?;
                let frame = self.interpreter.frame(object, of)?;
                along(&frame, *d).map(|(_, stride)| *stride)
            }
            Atom::Extent(name, d) => {
                let (object, of) = self.shape(name)?;
                let dimensions = Rc::clone(&self.interpreter.types.shape(of)?.dimensions);
                let at = usize::try_from(*d).map_err(|_| Stop::Limit)?;
                self.interpreter.extent(object, at, along(&dimensions, *d)?)
            }
            Atom::Lower(name, d) => {
                let (object, of) = self.shape(name)?;
                let frame = self.interpreter.frame(object, of)?;
                along(&frame, *d).map(|(lower, _)| *lower)
            }
            Atom::Address(place) => {
                let byte = self.base(place)?;
                self.addresses.of(byte)
            }
            Atom::Unnamed(_) | Atom::Lost(_) => Err(Stop::Unknown),
        }
    }

    /// An array, or what a pointer to one points to.
    fn shape(&mut self, name: &str) -> Result<(Object, Of), Stop> {
        let meaning = self.interpreter.meaning(name);
        let (_, of) = meaning.variable.ok_or(Stop::Unknown)?;
        Ok((meaning.object, self.interpreter.types.array(of)?))
    }
}

fn along<T>(all: &[T], dimension: u32) -> Result<&T, Stop> {
    usize::try_from(dimension).ok().and_then(|d| all.get(d)).ok_or(Stop::Unknown)
}
