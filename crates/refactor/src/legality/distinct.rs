//! Condition 7, in space: no element is received twice (MPI 4.1, section 5.1.12: overlapping entries are erroneous in a receive).

use crate::affine::{Atom, Counter, Polynomial, Step};
use crate::copies::{Address, Copy, Dense, Packing};
use crate::project::View;
use crate::refusal::{Code, Refusal};

use super::find::Found;
use super::model::Ledger;

/// A copy with the loops around it and how often each turns.
struct Inside<'p> {
    copy: &'p Copy,
    loops: Vec<(Counter, Polynomial)>,
}

/// Refuses where two copies may have the same target.
pub(super) fn distinct(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let mut all = Vec::new();
    collect(&packing.copies, &mut Vec::new(), &mut all);
    let fact = |name: &str| format!("the elements of '{name}' that are received are distinct");
    for inside in &all {
        let name = &inside.copy.address.base.variable;
        if !is_injective(inside) {
            let message = format!("some elements of '{name}' may be received twice");
            ledger.need(Code::ReceiveOverlap, inside.copy.span, message, fact(name))?;
        }
    }
    for (index, one) in all.iter().enumerate() {
        for other in &all[index + 1..] {
            let (a, b) = (&one.copy.address.base.variable, &other.copy.address.base.variable);
            let apart = if a == b { are_apart(one, other) } else { !view.may_alias(a, b) };
            if !apart {
                let message = format!("these copies may write to the same elements of '{a}'");
                ledger.need(Code::ReceiveOverlap, other.copy.span, message, fact(a))?;
            }
        }
    }
    if packing.copies.has_guards() {
        let message = "what is received is unpacked under a condition";
        return Err(Refusal::new(Code::ReceiveCount, found.call, message));
    }
    Ok(())
}

fn collect<'p>(
    dense: &'p Dense,
    loops: &mut Vec<(Counter, Polynomial)>,
    all: &mut Vec<Inside<'p>>,
) {
    match dense {
        Dense::Copy(copy) => all.push(Inside { copy, loops: loops.clone() }),
        Dense::Loop(counter, count, body) => {
            loops.push((*counter, count.clone()));
            collect(body, loops, all);
            loops.pop();
        }
        Dense::Sequence(parts) => parts.iter().for_each(|part| collect(part, loops, all)),
        Dense::Guard { then, otherwise, .. } => {
            collect(then, loops, all);
            collect(otherwise, loops, all);
        }
    }
}

/// Whether each turn has its own target: subscript by subscript (subscripts are inside of their bounds, or the program is wrong), each is a
/// number of mixed radix in the loops that it depends on.
fn is_injective(inside: &Inside<'_>) -> bool {
    let copy = inside.copy;
    let mut left: Vec<(Counter, Polynomial)> =
        inside.loops.iter().filter(|(_, n)| n.as_constant() != Some(1)).cloned().collect();
    // Bytes of an array of one dimension of bytes say as much as its subscripts, but a subscript counts elements.
    for subscript in copy.address.place.subscripts() {
        let here: Vec<(Counter, Polynomial)> =
            left.iter().filter(|(c, _)| subscript.mentions(&Atom::Counter(*c))).cloned().collect();
        if here.is_empty() {
            continue;
        }
        if radix(subscript, &here, &Polynomial::constant(1)) {
            left.retain(|(c, _)| !here.iter().any(|(h, _)| h == c));
        }
    }
    left.is_empty() || radix(&copy.address.offset, &inside.loops, &copy.length)
}

/// Whether a number is different for all turns, at least by `unit`: sorted by their weight, each loop's weight is at least the weight of the one
/// before times its turns.
fn radix(number: &Polynomial, loops: &[(Counter, Polynomial)], unit: &Polynomial) -> bool {
    let mut weights: Vec<(Polynomial, Polynomial)> = Vec::new();
    for (counter, count) in loops {
        if count.as_constant() == Some(1) {
            continue;
        }
        match number.linear_in(&Atom::Counter(*counter)) {
            Some((weight, _)) if !weight.is_zero() && !has_counter(&weight) => {
                let weight =
                    if weight.looks_negative() { weight.times_constant(-1) } else { weight };
                weights.push((weight, count.clone()));
            }
            _ => return false,
        }
    }
    // The smallest first: one that divides the others.
    let mut span = unit.clone();
    while !weights.is_empty() {
        let Some(next) = weights.iter().position(|(weight, _)| at_least(weight, &span)) else {
            return false;
        };
        let smallest = (0..weights.len())
            .filter(|&i| at_least(&weights[i].0, &span))
            .find(|&i| weights.iter().all(|(w, _)| at_least(w, &weights[i].0)))
            .unwrap_or(next);
        let (weight, count) = weights.swap_remove(smallest);
        span = weight.times(&count);
    }
    true
}

fn has_counter(number: &Polynomial) -> bool {
    number.any(&mut |atom| matches!(atom, Atom::Counter(_)))
}

/// Whether one number is as large as another for all values of what they are made of, as far as can be seen: all coefficients of the difference
/// are positive. Sizes and strides are not negative in a program whose loops turn.
fn at_least(one: &Polynomial, other: &Polynomial) -> bool {
    let difference = one.minus(other);
    !difference.is_lost() && difference.terms().all(|(_, factor)| factor > 0)
}

/// Whether two copies to one variable never meet: a subscript differs by a constant, and does not depend on loops otherwise; or all bytes of
/// one lie before those of the other, as constants tell.
fn are_apart(one: &Inside<'_>, other: &Inside<'_>) -> bool {
    let (a, b) = (&one.copy.address, &other.copy.address);
    let fields = |address: &Address| -> Vec<String> {
        address
            .place
            .steps
            .iter()
            .filter_map(|s| match s {
                Step::Field(name) => Some(name.clone()),
                _ => None,
            })
            .collect()
    };
    if fields(a) != fields(b) {
        return true;
    }
    let same_steps = a.place.steps.len() == b.place.steps.len();
    let pairs: Vec<(Polynomial, Polynomial)> =
        a.place.subscripts().cloned().zip(b.place.subscripts().cloned()).collect();
    let by_subscript = same_steps
        && pairs.iter().any(|(x, y)| {
            let free = !has_counter(x) && !has_counter(y);
            free && x.minus(y).as_constant().is_some_and(|d| d != 0)
        });
    by_subscript || by_range(one, other)
}

fn by_range(one: &Inside<'_>, other: &Inside<'_>) -> bool {
    let range = |inside: &Inside<'_>| -> Option<(i64, i64)> {
        let (mut low, mut high) = (0i64, inside.copy.length.as_constant()?);
        let mut rest = inside.copy.address.offset.clone();
        for (counter, count) in &inside.loops {
            let atom = Atom::Counter(*counter);
            let (weight, without) = rest.linear_in(&atom)?;
            let reach = weight.as_constant()?.checked_mul(count.as_constant()?.checked_sub(1)?)?;
            low = low.checked_add(reach.min(0))?;
            high = high.checked_add(reach.max(0))?;
            rest = without;
        }
        let at = rest.as_constant()?;
        Some((low.checked_add(at)?, high.checked_add(at)?))
    };
    match (range(one), range(other)) {
        (Some((a, b)), Some((c, d))) => b <= c || d <= a,
        _ => false,
    }
}
