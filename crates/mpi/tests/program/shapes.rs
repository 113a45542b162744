//! Random layouts of the shapes that `encode` can emit, each node and each way in which nodes
//! touch about as often as any other.

use commloom_layout::{Basic, Type};
use commloom_testkit::{Limits, Rng, oracle, random_type};

/// Basic types that every library has, without bytes that mean nothing.
const BASICS: [Basic; 5] = [Basic::INT, Basic::DOUBLE, Basic::CHAR, Basic::SHORT, Basic::FLOAT];
/// Where the first part of something lies.
const FIRST: [i64; 10] = [-40, -8, -3, 0, 0, 0, 3, 8, 8, 24];
/// Room between parts.
const GAPS: [i64; 6] = [0, 0, 0, 4, 8, 21];
/// Farthest bound of a layout from its origin.
const SPAN: i64 = 300_000;

/// A layout with at most so many bytes of data (but at least one).
pub fn shape(rng: &mut Rng, most: u64) -> Type {
    let mut made = if rng.u32(0..8) == 0 {
        let limits = Limits { span: SPAN, overlaps: false, bytes: most, ..Limits::default() };
        let drawn = random_type(rng, &limits);
        let known = drawn.size() > 0 && drawn.type_map().all(|e| BASICS.contains(&e.basic));
        if known { drawn } else { field(rng) }
    } else {
        field(rng)
    };
    // Growing by layers, until it is as long as is wanted or will not grow any more.
    for _ in 0..rng.usize(1..8) {
        let next = layer(rng, &made, most);
        let fits = |ty: &Type| {
            let reach = ty.true_lb().abs().max(ty.true_ub().abs()).max(ty.ub().abs());
            (1..=most).contains(&ty.size()) && ty.extent() >= 0 && reach.max(ty.lb().abs()) < SPAN
        };
        made = next.filter(fits).unwrap_or(made);
    }
    made
}

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.usize(0..from.len())]
}

/// Some elements of one basic type, or a struct of such that lie somewhere.
fn field(rng: &mut Rng) -> Type {
    let run = run(rng);
    if rng.u32(0..3) == 0 { run } else { structure(rng, &run).unwrap_or(run) }
}

fn run(rng: &mut Rng) -> Type {
    let basic = pick(rng, &BASICS);
    let leaf = Type::leaf(basic);
    let n = pick(rng, &[1, 1, 2, 3, 16]);
    let size = i64::try_from(basic.size()).expect("a few bytes");
    Type::vec(n, size, leaf).expect("a few bytes")
}

/// The layout and other fields in a struct, one behind the other, mostly touching.
fn structure(rng: &mut Rng, one: &Type) -> Option<Type> {
    let mut parts: Vec<Type> = (0..rng.usize(1..4)).map(|_| run(rng)).collect();
    let at = rng.usize(0..=parts.len());
    parts.insert(at, one.clone());
    let touching = rng.bool();
    let mut end = pick(rng, &FIRST);
    let mut places = Vec::new();
    for part in &parts {
        places.push(end.checked_sub(part.true_lb())?);
        let gap = if touching { 0 } else { pick(rng, &GAPS) };
        end = end.checked_add(part.true_extent())?.checked_add(gap)?;
    }
    if rng.u32(0..8) == 0 {
        let (from, to) = (rng.usize(0..parts.len()), rng.usize(0..parts.len()));
        parts.swap(from, to);
        places.swap(from, to);
    }
    Type::strc(places, parts).ok()
}

/// Something made of copies of the layout, or the layout in other bounds.
fn layer(rng: &mut Rng, child: &Type, most: u64) -> Option<Type> {
    let room = (most / child.size().max(1)).max(1);
    let count = match rng.u32(0..3) {
        0 => rng.u64(1..5),
        1 => rng.u64(1..40),
        _ => rng.u64(1..=room.min(2000)),
    };
    let extent = child.extent().max(child.true_extent());
    let step = match rng.u32(0..3) {
        0 => child.extent(),
        1 => child.true_extent(),
        _ => extent + pick(rng, &GAPS),
    };
    match rng.u32(0..7) {
        0 => structure(rng, child),
        1 => Type::vec(count, if rng.u32(0..5) == 0 { -step } else { step }, child.clone()).ok(),
        2 => Type::vec(count, step, child.clone()).ok(),
        3 => Type::idx(places(rng, count, step), child.clone()).ok(),
        4 => {
            let block = rng.i64(1..4);
            let inner =
                Type::vec(u64::try_from(block).ok()?, child.extent(), child.clone()).ok()?;
            Type::idx(places(rng, count.div_ceil(3), step.max(block * child.extent())), inner).ok()
        }
        5 => {
            let most = rng.u64(1..5);
            let places =
                places(rng, count.div_ceil(3), step.checked_mul(i64::try_from(most).ok()?)?);
            let blocks: Vec<u64> = places.iter().map(|_| rng.u64(0..=most)).collect();
            Type::idxbuc(step, places, blocks, child.clone()).ok()
        }
        _ => {
            let lb = child.true_lb() + pick(rng, &[0, 0, -8, -3]);
            let beyond = child.true_ub().checked_sub(lb)?;
            Type::resized(lb, beyond + pick(rng, &GAPS), child.clone()).ok()
        }
    }
}

/// So many displacements: rising, mostly by the step, or falling.
fn places(rng: &mut Rng, count: u64, step: i64) -> Vec<i64> {
    let mut at = pick(rng, &FIRST);
    let odd = rng.bool();
    let mut places = Vec::new();
    for _ in 0..count {
        places.push(at);
        at += step + if odd { pick(rng, &GAPS) } else { 0 };
    }
    if rng.u32(0..5) == 0 {
        places.reverse();
    }
    places
}

/// Whether so many elements name no byte twice, so that they can be received.
pub fn is_receivable(layout: &Type, count: u64) -> bool {
    let mut bytes = oracle::byte_map(layout, count);
    bytes.sort_unstable();
    bytes.windows(2).all(|pair| pair[0] != pair[1])
}
