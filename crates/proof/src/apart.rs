//! Whether elements are surely different ones: of one copy in different turns of its loops, and of
//! two copies.
//!
//! Subscripts are inside of their bounds (or the program is wrong), so that one subscript that
//! differs is enough.

use commloom_copies::{Address, Copy, Dense};
use commloom_source::affine::{Atom, Counter, Polynomial, Step};

/// A copy with the loops around it and how often each turns.
#[derive(Clone)]
pub(super) struct Inside<'p> {
    pub copy: &'p Copy,
    pub(super) loops: Vec<(Counter, Polynomial)>,
}

/// All copies with their loops.
pub(super) fn inside(dense: &Dense) -> Vec<Inside<'_>> {
    let mut all = Vec::new();
    collect(dense, &mut Vec::new(), &mut all);
    all
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

/// Whether each turn has its own element: subscript by subscript, each is a number of mixed radix
/// in those loops that it depends on and that no other subscript tells already; these count as
/// known.
pub(super) fn is_injective(inside: &Inside<'_>) -> bool {
    let copy = inside.copy;
    let mut left: Vec<(Counter, Polynomial)> =
        inside.loops.iter().filter(|(_, n)| n.as_constant() != Some(1)).cloned().collect();
    // Bytes of an array of one dimension of bytes say as much as its subscripts, but a subscript
    // counts elements.
    loop {
        let before = left.len();
        for subscript in copy.address.place.subscripts() {
            let here: Vec<(Counter, Polynomial)> = left
                .iter()
                .filter(|(c, _)| subscript.mentions(&Atom::Counter(*c)))
                .cloned()
                .collect();
            if !here.is_empty() && radix(subscript, &here, &Polynomial::constant(1)) {
                left.retain(|(c, _)| !here.iter().any(|(h, _)| h == c));
            }
        }
        if left.is_empty() {
            return true;
        }
        if left.len() == before {
            return radix(&copy.address.offset, &inside.loops, &copy.length);
        }
    }
}

/// Whether all turns are for the same element.
pub(super) fn is_repeated(inside: &Inside<'_>) -> bool {
    let address = &inside.copy.address;
    let once = |count: &Polynomial| count.as_constant().is_some_and(|n| n <= 1);
    !inside.loops.iter().all(|(_, count)| once(count))
        && !has_counter(&address.offset)
        && !address.base.subscripts().any(has_counter)
}

/// Whether a number is different for all turns, at least by `unit`: sorted by their weight, each
/// loop's weight is at least the weight of the one before times its turns.
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

/// Whether a number differs from turn to turn of some loop.
pub(super) fn has_counter(number: &Polynomial) -> bool {
    number.any(&mut |atom| matches!(atom, Atom::Counter(_)))
}

/// Whether one number is as large as another for all values of what they are made of, as far as
/// can be seen: all coefficients of the difference are positive. Sizes and strides are not
/// negative in a program whose loops turn.
fn at_least(one: &Polynomial, other: &Polynomial) -> bool {
    let difference = one.minus(other);
    !difference.is_lost() && difference.terms().all(|(_, factor)| factor > 0)
}

/// Whether two copies to (or from) one variable never meet: they are of different components, or a
/// subscript of one is always larger than that of the other; or all bytes of one lie before those
/// of the other, as constants tell.
pub(super) fn are_apart(one: &Inside<'_>, other: &Inside<'_>) -> bool {
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
    (same_steps && by_subscript(one, other)) || by_range(one, other)
}

/// Looks for a subscript whose smallest value in one copy is larger than the largest in the other.
/// Loops whose turns must be the same, because a subscript would differ otherwise, count as one:
/// `u(i, c)` and `u(i, d)` meet only where `c` is `d`.
fn by_subscript(one: &Inside<'_>, other: &Inside<'_>) -> bool {
    // A loop that is around both turns for each by itself.
    let own = |counter: Counter| Counter(counter.0.wrapping_add(1 << 31));
    let mut renamed: Vec<(Counter, Counter)> =
        other.loops.iter().map(|(c, _)| (*c, own(*c))).collect();
    let places = |inside: &Inside<'_>| -> Vec<Polynomial> {
        inside.copy.address.place.subscripts().cloned().collect()
    };
    let (mine, original) = (places(one), places(other));
    let with = |p: &Polynomial, names: &[(Counter, Counter)]| {
        p.map(&mut |atom| match atom {
            Atom::Counter(counter) => {
                let new = names.iter().find(|(old, _)| old == counter)?.1;
                Some(Polynomial::counter(new))
            }
            _ => None,
        })
    };
    let mut same: Vec<Counter> = Vec::new();
    for (x, y) in mine.iter().zip(&original) {
        let counters = (single(x, &one.loops), single(y, &other.loops));
        let (Some(mine), Some(theirs)) = counters else { continue };
        let equal = with(y, &[(theirs, mine)]) == *x;
        if equal && !same.contains(&mine) {
            same.push(mine);
            renamed.retain(|(old, _)| *old != theirs);
            renamed.push((theirs, mine));
        }
    }
    let theirs: Vec<(Counter, Polynomial)> = other
        .loops
        .iter()
        .map(|(counter, count)| {
            let new = renamed.iter().find(|(old, _)| old == counter);
            (new.map_or(*counter, |(_, new)| *new), with(count, &renamed))
        })
        .collect();
    mine.iter().zip(&original).any(|(x, y)| {
        let y = with(y, &renamed);
        let (low, high) = (reach(x, &one.loops, &same, false), reach(x, &one.loops, &same, true));
        let (below, above) = (reach(&y, &theirs, &same, false), reach(&y, &theirs, &same, true));
        is_above(&below, &high) || is_above(&low, &above)
    })
}

fn is_above(low: &Option<Polynomial>, high: &Option<Polynomial>) -> bool {
    match (low, high) {
        (Some(low), Some(high)) => low.minus(high).as_constant().is_some_and(|d| d > 0),
        _ => false,
    }
}

/// The one loop that a number depends on, in a line with a slope that is a number.
fn single(number: &Polynomial, loops: &[(Counter, Polynomial)]) -> Option<Counter> {
    let mut all = loops.iter().filter(|(c, _)| number.mentions(&Atom::Counter(*c)));
    let (counter, _) = all.next()?;
    let (slope, _) = number.linear_in(&Atom::Counter(*counter))?;
    (all.next().is_none() && slope.as_constant().is_some_and(|s| s != 0)).then_some(*counter)
}

/// The smallest or largest value in all turns of all loops but those that are `known`; where a
/// loop takes no turn, there is none to be compared.
pub(super) fn reach(
    number: &Polynomial,
    loops: &[(Counter, Polynomial)],
    known: &[Counter],
    largest: bool,
) -> Option<Polynomial> {
    let mut reached = number.clone();
    // Inner loops first: how often they turn may depend on outer ones.
    for (counter, count) in loops.iter().rev().filter(|(c, _)| !known.contains(c)) {
        let atom = Atom::Counter(*counter);
        if !reached.mentions(&atom) {
            continue;
        }
        let (slope, rest) = reached.linear_in(&atom)?;
        let last = count.minus(&Polynomial::constant(1));
        reached = match slope.as_constant()? {
            rising if (rising > 0) == largest => rest.plus(&last.times_constant(rising)),
            _ => rest,
        };
    }
    let is_open =
        loops.iter().any(|(c, _)| !known.contains(c) && reached.mentions(&Atom::Counter(*c)));
    (!is_open && !reached.is_lost()).then_some(reached)
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
