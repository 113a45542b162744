//! Under which relation of sizes two copies of one array never meet, where its elements are
//! counted by one index: `u[k * width + i]`.
//!
//! The distance of two elements is `width * rows + columns`. They are apart if `columns` is never
//! a multiple of `width`, or if `rows` is large enough; what is missing to be sure of that is a
//! number that must not be negative, as `nx - hs`.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use commloom_source::affine::{Atom, Counter, Polynomial};
use commloom_source::tree::Name;

use super::apart::{Inside, has_counter, reach};

/// Terms of a relation that a person can read in a condition.
const MOST_TERMS: usize = 4;

/// Steps of a proof that a sum of facts is a number.
const MOST_STEPS: usize = 8;

/// Numbers that must not be negative so that two copies never meet; nothing if they never do.
/// None: no such numbers are known.
pub(super) fn relations(one: &Inside<'_>, other: &Inside<'_>) -> Option<Vec<SizeRelation>> {
    // A loop that is around both turns for each by itself.
    let own = |counter: Counter| Counter(counter.0.wrapping_add(1 << 31));
    let renamed = |p: &Polynomial| {
        p.map(&mut |atom| match atom {
            Atom::Counter(counter) => Some(Polynomial::counter(own(*counter))),
            _ => None,
        })
    };
    let mut loops = one.loops.clone();
    loops.extend(other.loops.iter().map(|(counter, count)| (own(*counter), renamed(count))));
    let distance = renamed(&other.copy.address.offset).minus(&one.copy.address.offset);
    let two = Two {
        // Where a loop takes no turn there is no copy.
        facts: loops.iter().map(|(_, count)| count.minus(&Polynomial::constant(1))).collect(),
        loops,
        before: one.copy.length.clone(),
        behind: renamed(&other.copy.length),
    };
    let mut ways = two.in_line(&distance);
    // One subscript that differs is enough: each is inside of its bounds.
    let (a, b) = (&one.copy.address, &other.copy.address);
    if a.place.steps.len() == b.place.steps.len() && !a.base.subscripts().any(has_counter) {
        for (x, y) in a.place.subscripts().zip(b.place.subscripts()) {
            let distance = renamed(y).minus(x);
            let more = |number: Polynomial| number.minus(&Polynomial::constant(1));
            ways.push(vec![two.low(&distance).map(more)]);
            ways.push(vec![two.high(&distance).map(|high| more(high.times_constant(-1)))]);
        }
    }
    for (counter, _) in &one.loops {
        let slope = one.copy.address.offset.linear_in(&Atom::Counter(*counter));
        if let Some((width, _)) = slope.filter(|(width, _)| !width.is_zero() && !has_counter(width))
        {
            ways.extend(two.in_rows(&distance, &width));
        }
    }
    two.least(ways.into_iter())
}

/// Numbers that must not be negative so that each turn has an element of its own: from the inner
/// loop to the outer one, each step is as large as all that the loops inside of it step over.
pub(super) fn own(one: &Inside<'_>) -> Option<Vec<SizeRelation>> {
    let address = &one.copy.address.offset;
    let two = Two {
        facts: one.loops.iter().map(|(_, n)| n.minus(&Polynomial::constant(1))).collect(),
        loops: one.loops.clone(),
        before: one.copy.length.clone(),
        behind: Polynomial::zero(),
    };
    let way = |order: &[usize]| -> Option<Way> {
        let mut span = one.copy.length.clone();
        let mut way = Vec::new();
        for (counter, count) in order.iter().filter_map(|at| one.loops.get(*at)) {
            let (slope, _) = address.linear_in(&Atom::Counter(*counter))?;
            if has_counter(&slope) || has_counter(count) {
                return None;
            }
            way.push(Some(slope.minus(&span)));
            span = slope.times(count);
        }
        Some(way)
    };
    let loops = one.loops.len();
    let orders: &[&[usize]] = match loops {
        1 => &[&[0]],
        2 => &[&[1, 0], &[0, 1]],
        3 => &[&[2, 1, 0], &[1, 2, 0], &[2, 0, 1], &[0, 2, 1], &[1, 0, 2], &[0, 1, 2]],
        _ => return None,
    };
    let ways = orders.iter().filter_map(|order| way(order));
    two.least(ways)
}

/// A number that must not be negative, and numbers that are not, where the copies are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeRelation {
    /// A sum of variables and constants.
    pub number: Polynomial,
    /// Such as the turns of loops less one.
    facts: Vec<Polynomial>,
}

impl SizeRelation {
    /// Whether it holds where others do.
    pub fn follows(&self, others: &[Polynomial]) -> bool {
        follows(&self.number, &[&self.facts, others], 0)
    }

    /// Its variables, each with the number of its value; none where one has several.
    pub(super) fn versions(&self) -> Option<BTreeMap<Name, u32>> {
        let mut versions = BTreeMap::new();
        let mut is_one = true;
        for number in self.facts.iter().chain([&self.number]) {
            number.any(&mut |atom| {
                if let Atom::Read { place, version } = atom {
                    let known = versions.entry(place.variable.clone()).or_insert(*version);
                    is_one &= *known == *version;
                }
                false
            });
        }
        is_one.then_some(versions)
    }
}

/// Two copies: bytes of the first one, bytes of the second.
struct Two {
    loops: Vec<(Counter, Polynomial)>,
    facts: Vec<Polynomial>,
    before: Polynomial,
    behind: Polynomial,
}

/// Numbers none of which must be negative.
type Way = Vec<Option<Polynomial>>;

impl Two {
    fn low(&self, number: &Polynomial) -> Option<Polynomial> {
        reach(number, &self.loops, &[], false)
    }

    fn high(&self, number: &Polynomial) -> Option<Polynomial> {
        reach(number, &self.loops, &[], true)
    }

    /// One lies before the other as a whole.
    fn in_line(&self, distance: &Polynomial) -> Vec<Way> {
        let after = self.low(distance).map(|low| low.minus(&self.before));
        let before = self.high(distance).map(|high| high.plus(&self.behind).times_constant(-1));
        vec![vec![after], vec![before]]
    }

    /// They are in other rows of some width, or in other columns of these.
    fn in_rows(&self, distance: &Polynomial, width: &Polynomial) -> Vec<Way> {
        let (mut rows, mut columns, mut rest) =
            (Polynomial::zero(), Polynomial::zero(), distance.clone());
        for (counter, _) in &self.loops {
            let atom = Atom::Counter(*counter);
            let Some((slope, without)) = rest.linear_in(&atom) else { return Vec::new() };
            let turn = Polynomial::counter(*counter);
            match slope.exact_quotient(width) {
                Some(by) => rows = rows.plus(&turn.times(&by)),
                None => columns = columns.plus(&turn.times(&slope)),
            }
            rest = without;
        }
        let mut ways = Vec::new();
        for (whole, part) in divisions(&rest, width) {
            for more in [-1, 0, 1] {
                let rows = rows.plus(&whole).minus(&Polynomial::constant(more));
                let columns = columns.plus(&part).plus(&width.times_constant(more));
                let (low, high) = (self.low(&columns), self.high(&columns));
                let after = |by: &Polynomial| low.as_ref().map(|low| low.plus(by));
                let before = |by: &Polynomial| high.as_ref().map(|high| by.minus(high));
                let free = width.minus(&self.behind);
                ways.push(vec![after(&self.before.times_constant(-1)), before(&free)]);
                let one = Polynomial::constant(1);
                let is_wide = Some(width.clone());
                let below = self.low(&rows).map(|rows| rows.minus(&one));
                let fits = after(&width.minus(&self.before));
                ways.push(vec![below, fits, is_wide.clone()]);
                let above = self.high(&rows).map(|rows| rows.plus(&one).times_constant(-1));
                ways.push(vec![above, before(&free), is_wide]);
            }
        }
        ways
    }

    /// The numbers that are missing on the way on which they are the fewest, or say the least;
    /// none where two ways exclude each other, and neither is more likely to be meant.
    fn least(&self, ways: impl Iterator<Item = Way>) -> Option<Vec<SizeRelation>> {
        let mut best: Option<Vec<Polynomial>> = None;
        let mut is_open = false;
        for missing in ways.filter_map(|way| self.missing(way)) {
            match best.as_ref().map_or(Ordering::Less, |best| self.compared(&missing, best)) {
                Ordering::Less => (best, is_open) = (Some(missing), false),
                Ordering::Equal => {
                    let all = best.iter().flatten().chain(&missing);
                    let sum = all.fold(Polynomial::constant(1), |sum, number| sum.plus(number));
                    is_open |= follows(&sum.times_constant(-1), &[&self.facts], 0);
                }
                Ordering::Greater => {}
            }
        }
        // Two relations for one pair are more likely a detour than what the program means.
        let best = best.filter(|best| best.is_empty() || (best.len() == 1 && !is_open))?;
        let relation = |number| SizeRelation { number, facts: self.facts.clone() };
        Some(best.into_iter().map(relation).collect())
    }

    /// Whether less is missing: fewer numbers, or such as follow from the others, or more
    /// plausible ones.
    fn compared(&self, one: &[Polynomial], other: &[Polynomial]) -> Ordering {
        let says = |these: &[Polynomial], those: &[Polynomial]| {
            those.iter().all(|number| follows(number, &[&self.facts, these], 0))
        };
        let size = |all: &[Polynomial]| {
            let plausible = all.iter().map(slope_of_all).sum::<i64>();
            (plausible.saturating_neg(), all.iter().map(terms).sum::<usize>())
        };
        one.len().cmp(&other.len()).then_with(|| match (says(other, one), says(one, other)) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => size(one).cmp(&size(other)),
        })
    }

    /// Those of the numbers of which it is not known that they are not negative; none where they
    /// are no relation of a few variables.
    fn missing(&self, way: Way) -> Option<Vec<Polynomial>> {
        let mut missing: Vec<Polynomial> = Vec::new();
        for number in way {
            let number = reduced(&number?);
            // What cannot hold is nothing to ask for.
            let opposite = number.plus(&Polynomial::constant(1)).times_constant(-1);
            if follows(&opposite, &[&self.facts], 0) {
                return None;
            }
            let is_known = follows(&number, &[&self.facts, &missing], 0);
            if !is_known && !missing.contains(&number) {
                if !is_relation(&number) {
                    return None;
                }
                missing.push(number);
            }
        }
        // One of them may say all.
        let all = missing.clone();
        missing.retain(|number| {
            let others: Vec<Polynomial> = all.iter().filter(|o| *o != number).cloned().collect();
            all.len() == 1 || !follows(number, &[&self.facts, &others], 0)
        });
        Some(if missing.is_empty() { all } else { missing })
    }
}

/// Whether a number is a sum of facts, each any number of times, and of a number that is not
/// negative.
fn follows(number: &Polynomial, facts: &[&[Polynomial]], steps: usize) -> bool {
    if number.is_lost() || steps > MOST_STEPS {
        return false;
    }
    let Some((atoms, factor)) = number.terms().find(|(atoms, _)| !atoms.is_empty()) else {
        return number.as_constant().is_some_and(|rest| rest >= 0);
    };
    facts.iter().copied().flatten().any(|fact| {
        let same = fact.terms().find(|(others, _)| *others == atoms);
        let times = same.and_then(|(_, of)| (factor % of == 0).then(|| factor / of));
        times.is_some_and(|times| {
            times > 0 && follows(&number.minus(&fact.times_constant(times)), facts, steps + 1)
        })
    })
}

/// A number as a multiple of another and a rest, in the ways that its terms offer.
fn divisions(number: &Polynomial, by: &Polynomial) -> Vec<(Polynomial, Polynomial)> {
    let one = |atoms: &[Atom], factor: i64| Polynomial::from_terms([(atoms.to_vec(), factor)]);
    let mut found = vec![(Polynomial::zero(), number.clone())];
    for (head, factor) in by.terms() {
        let head = one(head, factor);
        let (mut whole, mut rest) = (Polynomial::zero(), number.clone());
        for _ in 0..MOST_STEPS {
            let quotient =
                rest.terms().find_map(|(atoms, factor)| one(atoms, factor).exact_quotient(&head));
            let Some(quotient) = quotient else { break };
            rest = rest.minus(&quotient.times(by));
            whole = whole.plus(&quotient);
        }
        found.push((whole, rest));
    }
    found
}

/// Divided by what all its factors are multiples of.
fn reduced(number: &Polynomial) -> Polynomial {
    let common =
        number.terms().fold(0_u64, |common, (_, factor)| gcd(common, factor.unsigned_abs()));
    let divided = i64::try_from(common).ok().and_then(|by| number.divided_by(by));
    divided.unwrap_or_else(|| number.clone())
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// How much a relation gains where all its variables grow: of two that exclude each other the one
/// that does is more likely to be meant.
fn slope_of_all(number: &Polynomial) -> i64 {
    let factors = number.terms().filter(|(atoms, _)| !atoms.is_empty()).map(|(_, factor)| factor);
    factors.fold(0, i64::saturating_add)
}

fn terms(number: &Polynomial) -> usize {
    number.terms().count()
}

/// Whether a number is a sum of a few variables and constants.
fn is_relation(number: &Polynomial) -> bool {
    let is_plain = |(atoms, factor): (&[Atom], i64)| match atoms {
        [] => true,
        [Atom::Read { place, .. }] => place.steps.is_empty() && factor.abs() <= 2,
        _ => false,
    };
    // What would need negative sizes is nothing to ask for.
    let rises = number.terms().any(|(atoms, factor)| !atoms.is_empty() && factor > 0);
    !number.is_lost() && rises && terms(number) <= MOST_TERMS && number.terms().all(is_plain)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use commloom_copies::{Address, Copy};
    use commloom_source::affine::Place;
    use commloom_source::tree::Type;
    use commloom_source::{FileId, Span};

    use super::*;

    const NAMES: [&str; 3] = ["n", "m", "h"];

    /// Numbers that look drawn, and are the same each time.
    struct Drawn(u64);

    impl Drawn {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(self.0 >> 33).unwrap() % end
        }

        fn one(&mut self, all: &[Polynomial]) -> Polynomial {
            all[self.below(all.len())].clone()
        }
    }

    fn name(at: usize) -> Polynomial {
        Polynomial::atom(Atom::Read { place: Place::variable(NAMES[at]), version: 0 })
    }

    fn number(value: i64) -> Polynomial {
        Polynomial::constant(value)
    }

    /// A copy of some bytes at places of rows as wide as `width`.
    fn drawn(drawn: &mut Drawn, width: &Polynomial) -> (Copy, Vec<(Counter, Polynomial)>) {
        let (n, m, h) = (name(0), name(1), name(2));
        let counts = [n.clone(), m.clone(), h.clone(), number(2), number(3)];
        let starts =
            [number(0), number(1), n.clone(), h.clone(), n.plus(&h), m.clone(), width.minus(&h)];
        let columns = drawn.one(&starts);
        let rows = drawn.one(&starts).times(width);
        let mut offset = columns.plus(&rows);
        let mut loops = Vec::new();
        for (slope, counter) in [(width.clone(), 0), (number(1), 1)] {
            let turn = Polynomial::counter(Counter(counter));
            offset = offset.plus(&turn.times(&slope));
            loops.push((Counter(counter), drawn.one(&counts)));
        }
        let offset = offset.times_constant(8);
        let place = Place::variable("u");
        let address =
            Address { base: place.clone(), version: None, measured: offset.clone(), offset, place };
        let length = number(8);
        let span = Span { file: FileId(0), start: 0, end: 0 };
        let of = Type::Void;
        let copy =
            Copy { address, measured: length.clone(), length, of, other: None, origin: None, span };
        (copy, loops)
    }

    fn at(number: &Polynomial, values: &[i64; 3], turns: &[i64]) -> i64 {
        let value = number.evaluate(&mut |atom| match atom {
            Atom::Counter(counter) => turns.get(usize::try_from(counter.0).ok()?).copied(),
            Atom::Read { place, .. } => {
                NAMES.iter().position(|name| *name == place.variable).map(|at| values[at])
            }
            _ => None,
        });
        value.expect("a number")
    }

    fn bytes(one: &Inside<'_>, values: &[i64; 3]) -> Vec<i64> {
        let mut all = Vec::new();
        for a in 0..at(&one.loops[0].1, values, &[]) {
            for b in 0..at(&one.loops[1].1, values, &[]) {
                all.push(at(&one.copy.address.offset, values, &[a, b]));
            }
        }
        all
    }

    /// Whatever the sizes are: where the relations hold, no element is touched twice.
    #[test]
    fn copies_are_apart_where_the_relations_hold() {
        let mut chance = Drawn(7);
        let (mut free, mut asked, mut held) = (0, 0, 0);
        for _ in 0..400 {
            let (n, m, h) = (name(0), name(1), name(2));
            let twice = n.plus(&h.times_constant(2));
            let width = chance.one(&[twice, n.plus(&m), m.plus(&number(3)), n.plus(&number(1))]);
            let (a, b) = (drawn(&mut chance, &width), drawn(&mut chance, &width));
            let one = Inside { copy: &a.0, loops: a.1 };
            let other = Inside { copy: &b.0, loops: b.1 };
            let found = [relations(&one, &other), own(&one)];
            free += usize::from(found[0].as_ref().is_some_and(Vec::is_empty));
            asked += usize::from(found[0].as_ref().is_some_and(|found| !found.is_empty()));
            for values in (0..7 * 7 * 7).map(|at| [at % 7 - 1, at / 7 % 7 - 1, at / 49 - 1]) {
                let holds = |found: &Vec<SizeRelation>| {
                    found.iter().all(|relation| at(&relation.number, &values, &[]) >= 0)
                };
                let (ones, others) = (bytes(&one, &values), bytes(&other, &values));
                if found[0].as_ref().is_some_and(holds) {
                    held += 1;
                    let meets = ones.iter().any(|byte| others.contains(byte));
                    assert!(!meets, "{:?} {:?} {values:?}", found[0], [&one.copy.address.offset]);
                }
                if found[1].as_ref().is_some_and(holds) {
                    let distinct: HashSet<&i64> = ones.iter().collect();
                    assert_eq!(distinct.len(), ones.len(), "{:?} {values:?}", found[1]);
                }
            }
        }
        assert!(free > 5 && asked > 100 && held > 10_000, "{free} {asked} {held}");
    }
}
