//! Copies in the order of the buffer become a datatype, bottom-up.

use commloom_program::refusal::{Code, Refusal};
use commloom_source::affine::{Atom, Counter, Place, Polynomial, Step};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Dimension, Expression, ExpressionKind, Name, Subscript, Type};

use crate::{Address, Copy, Dense, Origin, Packing, Parts, Turns};

use super::build::{Build, absolute};
use super::passes::{Pass, Passes};
use super::units::Units;
use super::{Datatype, Member, Node};

/// The datatype of what is copied, of elements of so many bytes.
///
/// # Errors
/// Where a copy is not made of whole elements.
pub fn datatype(
    symbols: &dyn Symbols,
    packing: &Packing,
    element: u64,
) -> Result<Datatype, Refusal> {
    passed(symbols, packing, element, usize::MAX).map(|(datatype, _)| datatype)
}

/// The datatype after so many passes, and these.
pub(super) fn passed(
    symbols: &dyn Symbols,
    packing: &Packing,
    element: u64,
    most: usize,
) -> Result<(Datatype, Vec<Pass>), Refusal> {
    // The type of a range with parts is that of the first.
    let parts = packing.parts.as_ref();
    let copies = parts.map_or(&packing.copies, |parts| &parts.first);
    let length = parts.map_or(&packing.length, |parts| &parts.length);
    let build = Build { element, passes: Passes::up_to(most) };
    let units = Units::of(symbols, copies, element);
    let lower = Lower { symbols, build, units: &units, turns: &packing.turns };
    let (origin, node) = lower.build.group(lower.members(copies)?);
    let size = Polynomial::size(element);
    let count = length.exact_quotient(&size).unwrap_or_else(Polynomial::lost);
    let first = first_copy(copies);
    let other_bases = node.any(&mut |atom| matches!(atom, Atom::Address(_)));
    let first = first.filter(|_| !other_bases);
    let at = first.map(|copy| lower.at_start(copy, &node));
    let words = first.and_then(|copy| copy.origin.as_ref()).and_then(at_first_turn);
    if at.is_some() && matches!(node, Node::Contiguous { .. }) {
        lower.build.passes.take(Pass::SendCount);
    }
    let node = match at {
        Some(_) => node,
        None => absolute(origin, node),
    };
    let node = match parts {
        // Adjacent parts of adjacent elements need no other extent.
        Some(Parts { extent, length, .. })
            if !(at.is_some() && extent == length && matches!(node, Node::Contiguous { .. })) =>
        {
            Node::Resized { extent: extent.clone(), child: Box::new(node) }
        }
        _ => node,
    };
    let made = lower.build.passes.into_made();
    let Units { unit, equal } = units;
    let is_wide = packing.is_wide;
    Ok((Datatype { element, unit, equal, count, at, origin: words, is_wide, node }, made))
}

fn has_counter(place: &Place) -> bool {
    place.subscripts().any(|p| p.any(&mut |atom| matches!(atom, Atom::Counter(_))))
}

/// The words for an address in the first turn of all loops; none where they read an array there.
fn at_first_turn(origin: &Origin) -> Option<Origin> {
    let reads = |value: &Polynomial| {
        value.any(&mut |atom| matches!(atom, Atom::Read { place, .. } if has_counter(place)))
    };
    let counts = origin.values.iter().any(|(_, value)| reads(value));
    let mut lists = false;
    origin.expression.each(&mut |e| {
        if let ExpressionKind::Element { subscripts, .. } = &e.kind {
            lists |= subscripts.iter().any(|s| matches!(s, Subscript::At(at) if has_element(at)));
        }
    });
    let turn = |atom: &Atom| matches!(atom, Atom::Counter(_)).then(Polynomial::zero);
    (!counts && !lists).then(|| origin.map(&mut { turn }))
}

/// Whether a subscript reads an array itself: where a loop takes no turn, there may be none.
fn has_element(subscript: &Expression) -> bool {
    let mut found = false;
    subscript.each(&mut |e| found |= matches!(e.kind, ExpressionKind::Element { .. }));
    found
}

fn first_copy(copies: &Dense) -> Option<&Copy> {
    match copies {
        Dense::Copy(copy) => Some(copy),
        Dense::Loop(_, _, body) => first_copy(body),
        Dense::Sequence(parts) => parts.iter().find_map(first_copy),
        Dense::Guard { then, otherwise, .. } => first_copy(then).or_else(|| first_copy(otherwise)),
    }
}

struct Lower<'a> {
    symbols: &'a dyn Symbols,
    build: Build,
    units: &'a Units,
    /// All loops, by their counters.
    turns: &'a [Turns],
}

impl Lower<'_> {
    /// The first copy's address with all counters 0. Blocks that a list places lie from what its
    /// shift means.
    fn at_start(&self, copy: &Copy, node: &Node) -> Address {
        copy.address.map(&mut |atom| match atom {
            Atom::Counter(_) => Some(Polynomial::zero()),
            Atom::Read { place, .. } if has_counter(place) => {
                let zero = self.counts_from_zero().then(Polynomial::zero);
                shift_of(node, &place.variable).or(zero)
            }
            _ => None,
        })
    }

    /// Whether what an array says in a loop's first turn is taken for 0 where a datatype begins: a
    /// loop without turns must not read the array. In Fortran, whose arrays may not begin there,
    /// it is read.
    fn counts_from_zero(&self) -> bool {
        !self.symbols.language().is_fortran()
    }

    /// A place in the first turn of a loop, as far as the datatype's beginning goes.
    fn first_turn(&self, place: &Polynomial, turn: &Atom) -> Polynomial {
        let place = place.map(&mut |atom| match atom {
            // What is somewhere else in each turn counts from nothing.
            Atom::Address(_) if atom.any(&mut |a| a == turn) => Some(Polynomial::zero()),
            Atom::Read { .. } if self.counts_from_zero() && atom.any(&mut |a| a == turn) => {
                Some(Polynomial::zero())
            }
            _ => None,
        });
        place.substitute(turn, &Polynomial::zero())
    }

    /// The members that copies become, at absolute displacements.
    fn members(&self, copies: &Dense) -> Result<Vec<Member>, Refusal> {
        match copies {
            Dense::Copy(copy) => Ok(vec![self.block(copy)?]),
            Dense::Sequence(parts) => {
                let mut members = Vec::new();
                for part in parts {
                    for member in self.members(part)? {
                        self.build.push(&mut members, member);
                    }
                }
                Ok(members)
            }
            Dense::Loop(counter, count, body) => {
                match self.decided_outside(*counter, count, body) {
                    Some(guard) => self.members(&guard),
                    None => Ok(vec![self.repeat(*counter, count, self.members(body)?, body)]),
                }
            }
            Dense::Guard { condition, then, otherwise } => {
                let (yes, no) = (self.members(then)?, self.members(otherwise)?);
                let origin = yes
                    .first()
                    .or(no.first())
                    .map_or_else(Polynomial::zero, |member| member.displacement.clone());
                let relative = |members: Vec<Member>| {
                    if members.is_empty() {
                        return Node::Struct(Vec::new());
                    }
                    let (at, node) = self.build.group(members);
                    let displacement = at.minus(&origin);
                    if displacement.is_zero() {
                        node
                    } else {
                        Node::Struct(vec![Member { displacement, node }])
                    }
                };
                let (then, otherwise) = (Box::new(relative(yes)), Box::new(relative(no)));
                Ok(vec![Member {
                    displacement: origin.clone(),
                    node: Node::Guard { condition: condition.clone(), then, otherwise },
                }])
            }
        }
    }

    /// A loop whose turns are all decided alike becomes a condition with the loop in it, which is
    /// more often a regular type.
    fn decided_outside(&self, counter: Counter, count: &Polynomial, body: &Dense) -> Option<Dense> {
        let Dense::Guard { condition, then, otherwise } = body else { return None };
        let turns = self.turns.get(usize::try_from(counter.0).ok()?)?;
        if turns.variable.is_empty()
            || condition.mentions(&turns.variable)
            || !self.build.passes.take(Pass::ConditionOutside)
        {
            return None;
        }
        let around = |part: &Dense| match part {
            Dense::Sequence(parts) if parts.is_empty() => Box::new(part.clone()),
            _ => Box::new(Dense::Loop(counter, count.clone(), Box::new(part.clone()))),
        };
        Some(Dense::Guard {
            condition: condition.clone(),
            then: around(then),
            otherwise: around(otherwise),
        })
    }

    fn block(&self, copy: &Copy) -> Result<Member, Refusal> {
        let count = self
            .units
            .count(&copy.measured)
            .exact_quotient(&Polynomial::size(self.build.element))
            .ok_or_else(|| {
                let message = format!(
                    "{} bytes are copied, which are not whole elements of {} bytes",
                    copy.length, self.build.element
                );
                Refusal::new(Code::Element, copy.span, message)
            })?;
        let base = Polynomial::atom(Atom::Address(copy.address.base.clone()));
        Ok(Member {
            displacement: base.plus(&self.units.count(&copy.address.measured)),
            node: Node::Contiguous { count },
        })
    }

    /// A loop around members: struct -> hindexed -> hvector where all of them move alike.
    fn repeat(
        &self,
        counter: Counter,
        count: &Polynomial,
        members: Vec<Member>,
        body: &Dense,
    ) -> Member {
        let atom = Atom::Counter(counter);
        if let Some(member) = self.by_list(&atom, count, &members, body) {
            return member;
        }
        let fixed = members
            .iter()
            .all(|member| !member.node.any(&mut |a| *a == atom) && !member.node.has_guards());
        let slopes: Option<Vec<Polynomial>> = members
            .iter()
            .map(|member| member.displacement.linear_in(&atom).map(|(slope, _)| slope))
            .collect();
        if let Some(slopes) = slopes
            && fixed
            && let Some(stride) = slopes.first()
            && slopes.iter().all(|slope| slope == stride)
            && self.build.passes.take(Pass::LoopToHvector)
        {
            let stride = stride.clone();
            let at_first = members
                .into_iter()
                .map(|m| Member {
                    displacement: m.displacement.substitute(&atom, &Polynomial::zero()),
                    node: m.node,
                })
                .collect();
            let (displacement, child) = self.build.group(at_first);
            return Member {
                displacement,
                node: self.build.repeated(count.clone(), stride, child),
            };
        }
        let (place, child) = self.build.group(members);
        let origin = self.first_turn(&place, &atom);
        let displacement = place.minus(&origin);
        Member {
            displacement: origin,
            node: Node::Each {
                counter,
                count: count.clone(),
                displacement,
                child: Box::new(child),
            },
        }
    }

    /// One block per turn, at a place that an array lists entry by entry.
    fn by_list(
        &self,
        turn: &Atom,
        count: &Polynomial,
        members: &[Member],
        body: &Dense,
    ) -> Option<Member> {
        let [Member { displacement, node: Node::Contiguous { count: block } }] = members else {
            return None;
        };
        let mut entries = Vec::new();
        displacement.any(&mut |atom| {
            if matches!(atom, Atom::Read { .. }) && atom.any(&mut |a| a == turn) {
                entries.push(atom.clone());
            }
            false
        });
        entries.dedup();
        let [entry_atom @ Atom::Read { place, .. }] = entries.as_slice() else { return None };
        let (scale, rest) = displacement.linear_in(entry_atom)?;
        if rest.mentions(turn) || scale.mentions(turn) || block.mentions(turn) {
            return None;
        }
        let list = self.consecutive(place, turn)?;
        let of = self.symbols.resolve(&self.symbols.variable(&place.variable)?.of);
        let entry = self.symbols.size_of(&element_of(self.symbols, &of)?)?;
        if !self.build.passes.take(Pass::LoopToList) {
            return None;
        }
        let shift = first_copy(body).and_then(|copy| self.shift(&copy.address.place, entry_atom));
        let shift = shift.unwrap_or_else(Polynomial::zero);
        let displacement = rest.plus(&scale.times(&shift));
        let (count, block) = (count.clone(), block.clone());
        let node = Node::Listed { count, block, list, entry, scale, shift };
        Some(Member { displacement, node })
    }

    /// The entry that a subscript of Fortran would need to be the first one: what lies there is an
    /// element, where the array has any.
    fn shift(&self, place: &Place, entry: &Atom) -> Option<Polynomial> {
        if self.counts_from_zero() {
            return None;
        }
        let own = place.steps.iter().position(
            |step| matches!(step, Step::At(at) if at.iter().any(|p| p.mentions(entry))),
        )?;
        let Some(Step::At(subscripts)) = place.steps.get(own) else { return None };
        let along = subscripts.iter().position(|p| p.mentions(entry))?;
        let (slope, rest) = subscripts.get(along)?.linear_in(entry)?;
        if slope.as_constant() != Some(1) || rest.any(&mut |a| matches!(a, Atom::Counter(_))) {
            return None;
        }
        let one = Polynomial::constant(1);
        let declaration = self.symbols.variable(&place.variable)?;
        let lower = match self.symbols.resolve(&declaration.of) {
            Type::Array(_, dimensions) if own == 0 => match dimensions.get(along)? {
                Dimension::Bounds { lower: None, .. } | Dimension::AssumedSize { lower: None } => {
                    one
                }
                Dimension::AssumedShape { lower: None } if !declaration.allocatable => one,
                _ => Polynomial::atom(Atom::Lower(
                    place.variable.clone(),
                    u32::try_from(along).ok()?,
                )),
            },
            Type::Pointer(_) if own == 0 => {
                Polynomial::atom(Atom::Lower(place.variable.clone(), u32::try_from(along).ok()?))
            }
            _ => one,
        };
        Some(lower.minus(&rest))
    }

    /// The first entry of a list that is read entry by entry.
    fn consecutive(&self, place: &Place, turn: &Atom) -> Option<Place> {
        let Some((Step::At(subscripts), before)) = place.steps.split_last() else { return None };
        let fastest = if self.symbols.language().is_fortran() {
            0
        } else {
            subscripts.len().checked_sub(1)?
        };
        let (slope, first) = subscripts.get(fastest)?.linear_in(turn)?;
        let others = subscripts.iter().enumerate().any(|(d, p)| d != fastest && p.mentions(turn));
        let outside = Place { variable: place.variable.clone(), steps: before.to_vec() };
        if slope.as_constant() != Some(1)
            || others
            || outside.subscripts().any(|p| p.mentions(turn))
        {
            return None;
        }
        let mut subscripts = subscripts.clone();
        subscripts[fastest] = first;
        let mut steps = before.to_vec();
        steps.push(Step::At(subscripts));
        Some(Place { variable: place.variable.clone(), steps })
    }
}

/// The shift of the first list of a name.
fn shift_of(node: &Node, name: &Name) -> Option<Polynomial> {
    match node {
        Node::Listed { list, shift, .. } => (list.variable == *name).then(|| shift.clone()),
        Node::Hvector { child, .. }
        | Node::Hindexed { child, .. }
        | Node::Each { child, .. }
        | Node::Resized { child, .. } => shift_of(child, name),
        Node::Struct(members) => members.iter().find_map(|m| shift_of(&m.node, name)),
        Node::Guard { then, otherwise, .. } => {
            shift_of(then, name).or_else(|| shift_of(otherwise, name))
        }
        Node::Contiguous { .. } | Node::Vector { .. } => None,
    }
}

/// The type that an array or pointer holds, in the end.
fn element_of(symbols: &dyn Symbols, of: &Type) -> Option<Type> {
    match of {
        Type::Array(element, _) => Some(symbols.resolve(element)),
        Type::Reference(to) => element_of(symbols, &symbols.resolve(to)),
        Type::Pointer(to) => match symbols.resolve(to) {
            Type::Array(element, _) => Some(symbols.resolve(&element)),
            other => Some(other),
        },
        _ => None,
    }
}
