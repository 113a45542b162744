//! A datatype with numbers: the bytes that it describes, in their order.

use std::collections::HashMap;

use crate::affine::{Atom, Counter, Operator, Place, Polynomial, Step};
use crate::copies::Turns;
use crate::ir::{Datatype, Node};
use crate::source::Span;
use crate::tree::{Dimension, Expression, ExpressionKind, Subscript, Type, Unary};

use super::interpret::{Interpreter, Stop};
use super::memory::{Byte, Held};

/// Values of atoms where the call stands.
pub(super) struct Values<'i, 'a> {
    pub interpreter: &'i mut Interpreter<'a>,
    pub counters: HashMap<Counter, i64>,
    pub turns: &'i [Turns],
    pub span: Span,
}

/// Longest list of bytes.
const BYTES: usize = 1 << 22;

impl Values<'_, '_> {
    /// The bytes of a datatype, in its order.
    pub fn bytes(&mut self, datatype: &Datatype) -> Result<Vec<Byte>, Stop> {
        let mut bytes = Vec::new();
        let element = i64::try_from(datatype.element).map_err(|_| Stop::Limit)?;
        let origin = match &datatype.at {
            Some(address) => {
                let mut byte = self.base(&address.base)?;
                byte.offset += self.number(&address.offset)?;
                byte
            }
            None => Byte { object: String::new(), offset: 0 },
        };
        self.node(&datatype.node, &origin, element, &mut bytes)?;
        Ok(bytes)
    }

    fn node(
        &mut self,
        node: &Node,
        at: &Byte,
        element: i64,
        bytes: &mut Vec<Byte>,
    ) -> Result<(), Stop> {
        if bytes.len() > BYTES {
            return Err(Stop::Limit);
        }
        match node {
            Node::Contiguous { count } => {
                let count = self.number(count)?;
                bytes.extend((0..count.saturating_mul(element)).map(|k| at.plus(k)));
            }
            Node::Vector { count, block, stride } => {
                let (count, block, stride) =
                    (self.number(count)?, self.number(block)?, self.number(stride)?);
                for k in 0..count {
                    let start = at.plus(k * stride * element);
                    bytes.extend((0..block.saturating_mul(element)).map(|b| start.plus(b)));
                }
            }
            Node::Hvector { count, stride, child } => {
                let mut there = at.clone();
                for turn in 0..self.number(count)? {
                    // Between two variables the distance is one of addresses; it has no meaning beyond them.
                    if turn > 0 {
                        there = self.displaced(&there, stride)?;
                    }
                    self.node(child, &there, element, bytes)?;
                }
            }
            Node::Listed { count, block, list, entry, scale } => {
                let (count, block, scale) =
                    (self.number(count)?, self.number(block)?, self.number(scale)?);
                let first = self.spot(list)?;
                let entry = i64::try_from(*entry).map_err(|_| Stop::Limit)?;
                for k in 0..count {
                    let value = self.interpreter.memory.number(&first.plus(k * entry));
                    let start = at.plus(value * scale);
                    bytes.extend((0..block.saturating_mul(element)).map(|b| start.plus(b)));
                }
            }
            Node::Hindexed { displacements, child } => {
                for displacement in displacements {
                    let there = self.displaced(at, displacement)?;
                    self.node(child, &there, element, bytes)?;
                }
            }
            Node::Struct(members) => {
                for member in members {
                    let there = self.displaced(at, &member.displacement)?;
                    self.node(&member.node, &there, element, bytes)?;
                }
            }
            Node::Each { counter, count, displacement, child } => {
                let turns = self.number(count)?;
                for k in 0..turns {
                    self.counters.insert(*counter, k);
                    self.set_variable(*counter)?;
                    let there = self.displaced(at, displacement)?;
                    self.node(child, &there, element, bytes)?;
                }
                self.counters.remove(counter);
            }
            Node::Guard { condition, then, otherwise } => {
                let branch = if self.interpreter.decide(condition) { then } else { otherwise };
                self.node(branch, at, element, bytes)?;
            }
        }
        Ok(())
    }

    /// The loop's variable, as conditions in it read it.
    fn set_variable(&mut self, counter: Counter) -> Result<(), Stop> {
        let Some(turns) = usize::try_from(counter.0).ok().and_then(|at| self.turns.get(at)) else {
            return Ok(());
        };
        let turn = Polynomial::counter(counter).times(&turns.step).plus(&turns.first);
        let value = self.number(&turn)?;
        let variable = Byte { object: turns.variable.clone(), offset: 0 };
        self.interpreter.memory.set(variable, Held::Number(value));
        Ok(())
    }

    /// So many bytes further. A displacement with addresses in it may lead to another object.
    fn displaced(&mut self, at: &Byte, displacement: &Polynomial) -> Result<Byte, Stop> {
        let mut object = at.object.clone();
        let mut failed = None;
        let mut base_offset = 0;
        let mut numbers = Polynomial::zero();
        for (atoms, coefficient) in displacement.terms() {
            match atoms {
                [Atom::Address(place)] => match (self.base(place), coefficient) {
                    (Ok(byte), 1) => {
                        object = byte.object;
                        base_offset += byte.offset;
                    }
                    // Away from the object that it leads from.
                    (Ok(byte), -1) if byte.object == at.object => base_offset -= byte.offset,
                    (Ok(_), _) => failed = Some(Stop::Unknown),
                    (Err(stop), _) => failed = Some(stop),
                },
                _ => {
                    numbers = numbers.plus(&Polynomial::from_terms([(atoms.to_vec(), coefficient)]))
                }
            }
        }
        if let Some(stop) = failed {
            return Err(stop);
        }
        let by = self.number(&numbers)? + base_offset;
        Ok(Byte { object, offset: at.offset + by })
    }

    /// What an address counts from.
    fn base(&mut self, place: &Place) -> Result<Byte, Stop> {
        let expression = self.expression(place)?;
        let spot = self.interpreter.spot(&expression)?;
        match self.interpreter.resolve(&spot.of) {
            Type::Pointer(_) => Ok(self.interpreter.memory.pointer(&spot.at)),
            _ => Ok(spot.at),
        }
    }

    fn spot(&mut self, place: &Place) -> Result<Byte, Stop> {
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
                self.interpreter.number(&Expression { span: self.span, kind })
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
            Atom::Address(_) | Atom::Unnamed(_) => Err(Stop::Unknown),
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
