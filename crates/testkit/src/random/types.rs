//! Random types over every core node and every MPI constructor.

use commloom_layout::{Basic, Type};

use super::calls::{align, random_call, random_step};
use super::{Limits, Rng};
use crate::oracle;

/// A random type within the limits. Small cases (empty, single, touching, negative, zero counts)
/// are as likely as general ones.
pub fn random_type(rng: &mut Rng, limits: &Limits) -> Type {
    let depth = rng.usize(0..=limits.depth);
    let only = (!limits.mixed).then(|| random_basic(rng));
    grow(rng, limits, depth, only)
}

/// A random path of leaf, vec and idx nodes, at most `depth` of them above the leaf.
pub fn random_path(rng: &mut Rng, limits: &Limits) -> Type {
    let mut path = Type::leaf(random_basic(rng));
    for _ in 0..rng.usize(0..=limits.depth) {
        let wrapped = if rng.bool() { random_vec(rng, &path) } else { random_idx(rng, &path) };
        path = accept(wrapped, limits).unwrap_or(path);
    }
    path
}

fn grow(rng: &mut Rng, limits: &Limits, depth: usize, only: Option<Basic>) -> Type {
    if depth == 0 {
        return Type::leaf(only.unwrap_or_else(|| random_basic(rng)));
    }
    let child = grow(rng, limits, depth - 1, only);
    let made = match rng.u32(0..10) {
        0 | 1 => random_vec(rng, &child),
        2 => random_idx(rng, &child),
        3 => random_idxbuc(rng, &child),
        4 => {
            let children = parts(rng, limits, depth, only, &child, None);
            let indices: Vec<i64> = children.iter().map(|c| random_step(rng, c)).collect();
            Type::strc(indices, children).ok()
        }
        _ => {
            let call = random_call(rng, &child);
            let olds = parts(rng, limits, depth, only, &child, Some(call.arity()));
            call.build(&olds).ok()
        }
    };
    accept(made, limits).unwrap_or(child)
}

/// `n` types (0 to 4 if not given), `first` among them.
fn parts(
    rng: &mut Rng,
    limits: &Limits,
    depth: usize,
    only: Option<Basic>,
    first: &Type,
    n: Option<usize>,
) -> Vec<Type> {
    let n = n.unwrap_or_else(|| rng.usize(0..=4));
    let mut parts = Vec::new();
    while parts.len() < n {
        if parts.is_empty() || rng.u32(0..3) == 0 {
            parts.push(first.clone());
        } else {
            let depth = rng.usize(0..depth);
            parts.push(grow(rng, limits, depth, only));
        }
    }
    parts
}

/// The type if it could be built and is within the limits.
fn accept(made: Option<Type>, limits: &Limits) -> Option<Type> {
    made.filter(|t| {
        let low = t.lb().min(t.true_lb());
        let high = t.ub().max(t.true_ub());
        t.size() <= limits.bytes
            && t.nodes() <= 2000
            && low > -limits.span
            && high < limits.span
            && (limits.overlaps || !oracle::overlaps(t, 1))
    })
}

fn random_vec(rng: &mut Rng, child: &Type) -> Option<Type> {
    let count = random_count(rng);
    Type::vec(count, random_step(rng, child), child.clone()).ok()
}

fn random_idx(rng: &mut Rng, child: &Type) -> Option<Type> {
    Type::idx(random_list(rng, child), child.clone()).ok()
}

fn random_idxbuc(rng: &mut Rng, child: &Type) -> Option<Type> {
    let indices = random_list(rng, child);
    let blocks: Vec<u64> = indices.iter().map(|_| rng.u64(0..5)).collect();
    Type::idxbuc(random_step(rng, child), indices, blocks, child.clone()).ok()
}

fn random_count(rng: &mut Rng) -> u64 {
    match rng.u32(0..10) {
        0 => 0,
        1 => 1,
        2 => rng.u64(10..60),
        _ => rng.u64(2..10),
    }
}

/// A list of displacements: ascending without overlap, regular with one exception, or anything.
pub(super) fn random_list(rng: &mut Rng, child: &Type) -> Vec<i64> {
    let n = rng.usize(0..8);
    let step = random_step(rng, child);
    let mut at = if rng.bool() { 0 } else { random_step(rng, child) };
    match rng.u32(0..4) {
        0 => (0..n).map(|_| rng.i64(-300..300)).collect(),
        1 => {
            let odd = rng.usize(0..8);
            let regular = (0..).map(|k| at + k * step);
            (0..n).zip(regular).map(|(k, d)| if k == odd { d + 4 } else { d }).collect()
        }
        _ => {
            let mut list = Vec::new();
            for _ in 0..n {
                list.push(at);
                at += child.true_extent() + rng.i64(0..4) * align(child);
            }
            list
        }
    }
}

/// Common basic types most of the time, any other now and then.
pub(super) fn random_basic(rng: &mut Rng) -> Basic {
    const COMMON: [Basic; 6] =
        [Basic::CHAR, Basic::BYTE, Basic::SHORT, Basic::INT, Basic::DOUBLE, Basic::LONG_DOUBLE];
    if rng.u32(0..5) > 0 {
        COMMON[rng.usize(0..COMMON.len())]
    } else {
        let all: Vec<Basic> = Basic::all().collect();
        all[rng.usize(0..all.len())]
    }
}
