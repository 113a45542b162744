//! Buffers with a part for each process: the type is that of one part, with the extent that leads
//! from the copies of one process to those of the next.
//!
//! The copies fill all parts together, densely, in the order of the buffer: their outermost loop
//! is cut where the parts are (`2*n` columns are two parts of `n`). What is left of it must move
//! by the same number of bytes from part to part, and there must be as many parts as processes.

use std::collections::BTreeSet;

use commloom_copies::{Dense, Direction, Packing, Parts, Setting};
use commloom_program::View;
use commloom_program::fact::Fact;
use commloom_program::refusal::{Code, Refusal};
use commloom_source::affine::{Atom, Operator, Polynomial};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Binary, Expression, ExpressionKind as Kind, Name, Type};

use super::broadcast::Read;
use super::calls::Manner;
use super::candidate::{Candidate, read_in};
use super::found::Found;
use super::model::Ledger;
use super::persistent::loads;
use super::processes::{Asked, holds, text};
use super::root::Roles;
use super::touch::roots;

/// Pairs of variables that are tried as multiples of each other.
const MOST_PAIRS: usize = 6;

/// Reads the copies of all parts, and cuts them. Where that needs one number to be a multiple of
/// another, a person has to say so.
pub(super) fn read(view: &View<'_>, found: &Found<'_>, element: u64) -> Read {
    let refuse = |code, message: &str| Read::only(Err(Refusal::new(code, found.call, message)));
    let Manner::Parts { root, .. } = found.side.manner else {
        return refuse(Code::NoCopies, "the buffer has no parts");
    };
    if found.arguments.iter().any(|a| matches!(&a.kind, Kind::Name(n) if is_in_place(n))) {
        return refuse(Code::Collective, "with MPI_IN_PLACE one buffer is both");
    }
    let roles = root
        .and_then(|at| found.arguments.get(at))
        .map_or_else(Roles::default, |root| Roles::of(view, found, root));
    if roles.here == Some(false) {
        return refuse(Code::NoCopies, "the buffer is not looked at on this process");
    }
    let with = |multiples: Vec<(Name, Name)>| {
        let setting = Setting { is_part: true, multiples, ..roles.given(true) };
        read_in(view, found, element, &setting).and_then(|packing| cut(found, packing, element))
    };
    let mut packing = with(Vec::new());
    if packing.as_ref().is_err_and(|refusal| refusal.code != Code::NoCopies) {
        let better = pairs(view).into_iter().find_map(|pair| with(vec![pair]).ok());
        if let Some(better) = better {
            packing = Ok(better);
        }
    }
    Read { packing, unpacking: None, roles }
}

fn is_in_place(name: &str) -> bool {
    name.eq_ignore_ascii_case("mpi_in_place")
}

/// Whether all holds besides the conditions of one send or receive.
pub(super) fn are_for_all(
    view: &View<'_>,
    candidate: &Candidate<'_>,
    packing: &Packing,
) -> Result<(), Refusal> {
    let found = &candidate.found;
    let ledger = &candidate.ledger;
    let (Some(parts), Manner::Parts { root, comm }) = (&packing.parts, found.side.manner) else {
        return Ok(());
    };
    for (multiple, of) in &packing.setting.multiples {
        let message =
            format!("the parts are alike only where '{multiple}' is a multiple of '{of}'");
        let fact = Fact::Multiple(multiple.clone(), of.clone());
        ledger.need(Code::Collective, found.call, message, fact)?;
    }
    if let Some(communicator) = found.arguments.get(comm) {
        as_many(view, found, &parts.count, communicator, ledger)?;
    }
    if root.is_some() {
        on_root(view, candidate, packing)?;
    }
    Ok(())
}

/// There are as many parts as processes.
fn as_many(
    view: &View<'_>,
    found: &Found<'_>,
    parts: &Polynomial,
    communicator: &Expression,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    if let Some(name) = variable(parts) {
        return holds(view, Asked::Size, &name, communicator, found.call, ledger);
    }
    let of = text(view, communicator);
    let message = format!("that there are {parts} processes in '{of}' cannot be seen here");
    let number = parts.to_string();
    let fact = Fact::Processes { communicator: of, number, is_variable: false };
    ledger.need(Code::Collective, found.call, message, fact)
}

/// The variable that a number is.
fn variable(number: &Polynomial) -> Option<Name> {
    let mut terms = number.terms();
    match (terms.next(), terms.next()) {
        (Some(([Atom::Read { place, .. }], 1)), None) if place.steps.is_empty() => {
            Some(place.variable.clone())
        }
        _ => None,
    }
}

/// Of a buffer that only the root looks at, all processes make the type.
fn on_root(view: &View<'_>, candidate: &Candidate<'_>, packing: &Packing) -> Result<(), Refusal> {
    let found = &candidate.found;
    let ledger = &candidate.ledger;
    let is_root = candidate.roles.here == Some(true);
    let guarded = is_root || candidate.roles.guard(&packing.statements);
    if packing.direction == Direction::Unpack && !guarded {
        let message = "only the root receives, and all processes unpack";
        let fact = Fact::RootAlone(packing.buffer.clone());
        ledger.need(Code::Collective, found.call, message, fact)?;
    }
    if is_root || !guarded {
        return Ok(());
    }
    for name in loads(view, found, packing) {
        let message = format!(
            "what '{name}' leads to is read on all processes, and only the root had copies"
        );
        let fact = Fact::SetOnAll(name);
        ledger.need(Code::Collective, found.call, message, fact)?;
    }
    Ok(())
}

/// Variables that are divided by others.
fn pairs(view: &View<'_>) -> Vec<(Name, Name)> {
    let mut pairs: BTreeSet<(Name, Name)> = BTreeSet::new();
    let is_number = |name: &Name| {
        view.variable(name).is_some_and(|d| matches!(view.resolve(&d.of), Type::Basic(..)))
    };
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            for expression in s.expressions() {
                expression.each(&mut |e| {
                    let Kind::Binary(Binary::Divide, a, b) = &e.kind else { return };
                    let Kind::Name(of) = &b.kind else { return };
                    if is_number(of) {
                        let multiples = roots(a).into_iter().filter(|n| n != of && is_number(n));
                        pairs.extend(multiples.map(|n| (n, of.clone())));
                    }
                });
            }
        });
    }
    pairs.into_iter().take(MOST_PAIRS).collect()
}

/// Cuts the copies into parts as long as the call says.
fn cut(found: &Found<'_>, packing: Packing, element: u64) -> Result<Packing, Refusal> {
    let refuse = |message: String| Refusal::new(Code::Collective, found.call, message);
    let Some(part) = packing.sent_length.clone() else {
        return Err(refuse("how many elements a part has is not known".into()));
    };
    if part.is_zero() {
        return Err(refuse("the parts have no elements".into()));
    }
    let cutting = Cutting { whole: Whole::of(&packing), part: part.clone() };
    let Some(cut) = cutting.cut(&packing.copies) else {
        let size = Polynomial::size(element);
        let shown = |length: &Polynomial| {
            length
                .exact_quotient(&size)
                .map_or_else(|| format!("{length} bytes"), |n| format!("{n} elements"))
        };
        return Err(refuse(format!(
            "{} are copied, which are no parts of {} at equal distances",
            shown(&packing.length),
            shown(&part)
        )));
    };
    if cut.extent.is_zero() || cut.extent.looks_negative() {
        let message = "the parts of all processes are the same place, or lie in falling order";
        return Err(refuse(message.into()));
    }
    let parts = Parts { count: cut.count, first: cut.first, length: part, extent: cut.extent };
    Ok(Packing { parts: Some(parts), ..packing })
}

/// Copies of one part.
struct Cut {
    first: Dense,
    extent: Polynomial,
    count: Polynomial,
}

struct Cutting {
    whole: Whole,
    part: Polynomial,
}

impl Cutting {
    fn cut(&self, copies: &Dense) -> Option<Cut> {
        match copies {
            Dense::Copy(copy) => {
                let count = self.whole.quotient(&copy.length, &self.part)?;
                let mut first = copy.clone();
                first.length = self.part.clone();
                Some(Cut { first: Dense::Copy(first), extent: self.part.clone(), count })
            }
            Dense::Loop(counter, count, body) => {
                let atom = Atom::Counter(*counter);
                let length = length(body)?;
                if length.mentions(&atom) || has_shape_of(body, &atom) {
                    return None;
                }
                let stride = slope(body, &atom)?;
                if let Some(turns) = self.whole.quotient(&self.part, &length) {
                    // So many turns are one part.
                    let parts = self.whole.quotient(count, &turns)?;
                    let first = match turns.as_constant() {
                        Some(1) => body.substitute(&atom, &Polynomial::zero()),
                        _ => Dense::Loop(*counter, turns.clone(), body.clone()),
                    };
                    return Some(Cut { first, extent: stride.times(&turns), count: parts });
                }
                // Each turn is several parts.
                let inner = self.cut(body)?;
                let first = inner.first.substitute(&atom, &Polynomial::zero());
                (self.whole.expanded(&stride)
                    == self.whole.expanded(&inner.extent.times(&inner.count)))
                .then(|| Cut { first, extent: inner.extent, count: inner.count.times(count) })
            }
            Dense::Sequence(parts) => match parts.as_slice() {
                [one] => self.cut(one),
                _ => None,
            },
            Dense::Guard { .. } => None,
        }
    }
}

/// Bytes of copies; none where conditions decide.
fn length(copies: &Dense) -> Option<Polynomial> {
    match copies {
        Dense::Copy(copy) => Some(copy.length.clone()),
        Dense::Loop(counter, count, body) => {
            let inner = length(body)?;
            (!inner.mentions(&Atom::Counter(*counter))).then(|| inner.times(count))
        }
        Dense::Sequence(parts) => {
            parts.iter().try_fold(Polynomial::zero(), |sum, part| Some(sum.plus(&length(part)?)))
        }
        Dense::Guard { .. } => None,
    }
}

/// Whether lengths or turns in copies depend on a loop around them.
fn has_shape_of(copies: &Dense, turn: &Atom) -> bool {
    match copies {
        Dense::Copy(copy) => copy.length.mentions(turn),
        Dense::Loop(_, count, body) => count.mentions(turn) || has_shape_of(body, turn),
        Dense::Sequence(parts) => parts.iter().any(|part| has_shape_of(part, turn)),
        Dense::Guard { .. } => true,
    }
}

/// By how many bytes all copies move from turn to turn.
fn slope(copies: &Dense, turn: &Atom) -> Option<Polynomial> {
    let mut slopes = Vec::new();
    copies.each(&mut |copy| {
        let address = &copy.address;
        let is_moved = address.base.subscripts().any(|s| s.mentions(turn));
        let slope = address.offset.linear_in(turn).map(|(slope, _)| slope);
        slopes.push(slope.filter(|s| !is_moved && !s.mentions(turn)));
    });
    let first = slopes.first()?.clone()?;
    slopes.iter().all(|s| s.as_ref() == Some(&first)).then_some(first)
}

/// Numbers that are whole multiples: `n` is `p * (n / p)`.
struct Whole {
    products: Vec<(Atom, Polynomial)>,
}

impl Whole {
    /// Of the quotients that the copies' numbers have in them.
    fn of(packing: &Packing) -> Whole {
        let mut products = Vec::new();
        let mut look = |number: &Polynomial| {
            number.any(&mut |atom| {
                let Atom::Apply(Operator::Divide, operands) = atom else { return false };
                let [a, b] = operands.as_slice() else { return false };
                let is_pair = packing.setting.multiples.iter().any(|(multiple, of)| {
                    variable(a).as_ref() == Some(multiple) && variable(b).as_ref() == Some(of)
                });
                if let (true, Some(([whole], _))) = (is_pair, a.terms().next()) {
                    products.push((whole.clone(), b.times(&Polynomial::atom(atom.clone()))));
                }
                false
            });
        };
        packing.sent_length.iter().for_each(&mut look);
        packing.turns.iter().for_each(|turns| look(&turns.count));
        packing.copies.each(&mut |copy| {
            look(&copy.length);
            look(&copy.address.offset);
        });
        products.dedup();
        Whole { products }
    }

    /// With multiples written as products.
    fn expanded(&self, number: &Polynomial) -> Polynomial {
        number.terms().fold(Polynomial::zero(), |sum, (atoms, factor)| {
            let product = atoms.iter().fold(Polynomial::constant(factor), |product, atom| {
                let known = self.products.iter().find(|(whole, _)| whole == atom);
                product.times(
                    &known.map_or_else(|| Polynomial::atom(atom.clone()), |(_, p)| p.clone()),
                )
            });
            sum.plus(&product)
        })
    }

    /// One number divided by another without a rest.
    fn quotient(&self, number: &Polynomial, by: &Polynomial) -> Option<Polynomial> {
        let plain = number.exact_quotient(by);
        plain.or_else(|| self.expanded(number).exact_quotient(&self.expanded(by)))
    }
}
