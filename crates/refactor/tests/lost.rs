//! Arithmetic that leaves 64 bits proves nothing: two numbers that are *lost* are not taken for
//! equal, whatever compares them.

use std::collections::{BTreeMap, HashMap};

use commloom_refactor::affine::{Atom, Operator, Place, Polynomial, Step};
use fastrand::Rng;

/// Expressions are compared by their values modulo a prime, where nothing overflows: polynomials
/// that differ do so at a random point, but for a chance of 16 in 2^61.
const PRIME: u128 = (1 << 61) - 1;
/// The points: values of three variables.
const POINTS: [[u64; 3]; 3] = [
    [0x1bad_5eed_0dd5_1de5, 0x0123_4567_89ab_cdef, 0x1357_9bdf_0246_8ace],
    [0x0fed_cba9_8765_4321, 0x1122_3344_5566_7788, 0x0c0f_fee0_dead_beef],
    [3, 5, 7],
];

/// A polynomial, and its values at the points.
#[derive(Clone)]
struct Drawn {
    polynomial: Polynomial,
    values: [u128; 3],
}

fn modulo(value: i64) -> u128 {
    u128::from(value.unsigned_abs()) % PRIME
}

fn constant(value: i64) -> Drawn {
    let size = modulo(value);
    let at = if value < 0 { (PRIME - size) % PRIME } else { size };
    Drawn { polynomial: Polynomial::constant(value), values: [at; 3] }
}

fn variable(number: usize) -> Drawn {
    let place = Place::variable(["n", "m", "k"][number]);
    Drawn {
        polynomial: Polynomial::atom(Atom::Read { place, version: 0 }),
        values: POINTS.map(|point| u128::from(point[number]) % PRIME),
    }
}

fn joined(a: &Drawn, b: &Drawn, polynomial: Polynomial, by: fn(u128, u128) -> u128) -> Drawn {
    let mut values = a.values;
    for (value, other) in values.iter_mut().zip(b.values) {
        *value = by(*value, other) % PRIME;
    }
    Drawn { polynomial, values }
}

fn drawn(rng: &mut Rng, depth: u32) -> Drawn {
    if depth == 0 || rng.u64(0..5) == 0 {
        return match rng.u64(0..6) {
            0..3 => variable(usize::try_from(rng.u64(0..3)).expect("three")),
            3 => constant(rng.i64(-4..5)),
            4 => constant([i64::MAX, i64::MIN, i64::MAX - 1, 1 << 62][at(rng, 4)]),
            _ => constant(1 << rng.u64(0..63)),
        };
    }
    let (a, b) = (drawn(rng, depth - 1), drawn(rng, depth - 1));
    let (p, q) = (&a.polynomial, &b.polynomial);
    match rng.u64(0..3) {
        0 => joined(&a, &b, p.plus(q), |x, y| x + y),
        1 => joined(&a, &b, p.minus(q), |x, y| x + PRIME - y),
        _ => joined(&a, &b, p.times(q), |x, y| x * y),
    }
}

fn at(rng: &mut Rng, below: u64) -> usize {
    usize::try_from(rng.u64(0..below)).expect("small")
}

/// Numbers that have a polynomial in them, and may be asked whether it is the same.
fn inside(p: &Polynomial) -> [Polynomial; 2] {
    let step = Step::At(vec![p.clone()]);
    let place = Place { variable: "a".into(), steps: vec![step] };
    let halved = Polynomial::apply(Operator::Divide, vec![p.clone(), Polynomial::constant(1)]);
    [Polynomial::atom(Atom::Read { place, version: 0 }), halved]
}

#[test]
fn no_two_numbers_are_equal_that_differ_or_are_not_known() {
    for seed in 0..80 {
        let mut rng = Rng::with_seed(seed);
        let depth = 1 + u32::try_from(seed % 4).expect("small");
        let all: Vec<Drawn> = (0..24).map(|_| drawn(&mut rng, depth)).collect();
        let mut hashed: HashMap<&Polynomial, usize> = HashMap::new();
        let mut sorted: BTreeMap<&Polynomial, usize> = BTreeMap::new();
        for (number, a) in all.iter().enumerate() {
            let p = &a.polynomial;
            assert!(!p.is_lost() || p.as_constant().is_none(), "seed {seed}: {p}");
            let known = [hashed.insert(p, number), sorted.insert(p, number)];
            let equal = |b: &Drawn| {
                let q = &b.polynomial;
                p == q
                    || p.minus(q).is_zero()
                    || inside(p)[0] == inside(q)[0]
                    || inside(p)[1] == inside(q)[1]
            };
            let found = known.into_iter().flatten();
            let found = found.chain((0..number).filter(|b| equal(&all[*b])));
            for other in found {
                let b = &all[other];
                let context = format!("seed {seed}: {p} and {}", b.polynomial);
                assert!(!p.is_lost() && !b.polynomial.is_lost(), "{context}");
                assert_eq!(a.values, b.values, "{context}");
            }
        }
    }
}

#[test]
fn the_property_meets_overflow_and_equality() {
    let (mut lost, mut equal) = (0, 0);
    for seed in 0..80 {
        let mut rng = Rng::with_seed(seed);
        let depth = 1 + u32::try_from(seed % 4).expect("small");
        let all: Vec<Drawn> = (0..24).map(|_| drawn(&mut rng, depth)).collect();
        lost += all.iter().filter(|d| d.polynomial.is_lost()).count();
        equal += all.windows(2).filter(|w| w[0].polynomial == w[1].polynomial).count();
    }
    assert!(lost > 300 && equal > 8, "{lost} lost, {equal} equal");
}
