//! Normalization: the layout stays, the cost never rises, the count is part of the layout.

use commloom_layout::{Basic, CostModel, LayoutError, Type, mpi, text};
use commloom_reconstruct::{
    Constructors, Limits, ReconstructError, Reconstruction, certify, normalize_many,
    normalize_within,
};

use super::bytes::Bytes;
use super::models::{SETS, assert_model_refused, is_usable, model};

/// Smaller than the defaults (time is what a fuzzer has too little of), and so small that the laws
/// have to do the work. One of them is chosen by the length of the input.
const LIMITS: [Limits; 3] = [
    Limits { flatten: 1000, exact_tree: 40 },
    Limits { flatten: 100, exact_tree: 16 },
    Limits { flatten: 3, exact_tree: 3 },
];

/// Most steps of [`built`], and most nodes of a type.
const STEPS: usize = 48;
const NODES: u64 = 2000;

/// Normalizes the type that the bytes spell or build, in each constructor set.
pub fn normalize(data: &[u8]) {
    let read = std::str::from_utf8(data).ok().and_then(|source| text::parse(source).ok());
    let (ty, count, model) = match read {
        Some(ty) => (ty, 3, CostModel::default()),
        None => {
            let mut bytes = Bytes::new(data);
            let (model, count) = (model(&mut bytes), bytes.count());
            (built(&mut bytes), count, model)
        }
    };
    if ty.nodes() > NODES {
        return;
    }
    let limits = &LIMITS[data.len() % LIMITS.len()];
    for set in SETS {
        assert_normal(&ty, &model, || normalize_within(limits, &ty, set, &model));
    }
    let set = SETS[data.len() / LIMITS.len() % SETS.len()];
    assert_count_belongs_to_the_layout(count, &ty, set, &model);
}

/// The normal form stands for `ty` and costs what it says, or is refused for a reason.
fn assert_normal(
    ty: &Type,
    model: &CostModel,
    normalize: impl FnOnce() -> Result<Reconstruction, ReconstructError>,
) {
    let normal = match normalize() {
        Ok(normal) => normal,
        Err(
            ReconstructError::Layout(LayoutError::Overflow { .. })
            | ReconstructError::TooWide { .. },
        ) if is_usable(model) => return,
        Err(error) => return assert_model_refused(model, &error),
    };
    assert!(is_usable(model), "{model:?} was accepted");
    if let Err(error) = certify(ty, &normal.ty, model) {
        panic!("{error}\n  before {ty}\n  after  {}\n  {model:?}", normal.ty);
    }
    assert_eq!(normal.cost, model.cost(&normal.ty), "{ty} became {}", normal.ty);
    assert!(normal.lower_bound <= normal.cost, "{ty}: {normal:?}");
    assert!(!normal.exact || normal.lower_bound == normal.cost, "{ty}: {normal:?}");
}

fn assert_count_belongs_to_the_layout(count: u64, ty: &Type, set: Constructors, model: &CostModel) {
    let Ok(many) = mpi::contiguous(count, ty) else {
        assert!(normalize_many(count, ty, set, model).is_err(), "{count} of {ty}");
        return;
    };
    assert_normal(&many, model, || normalize_many(count, ty, set, model));
}

/// The type that a stack machine builds: leaves are pushed, every other constructor takes what it
/// needs from the top. A constructor that refuses its arguments leaves its first child.
fn built(bytes: &mut Bytes<'_>) -> Type {
    let mut stack: Vec<Type> = Vec::new();
    for _ in 0..STEPS {
        if bytes.is_empty() {
            break;
        }
        let next = step(bytes, &mut stack);
        stack.push(next);
    }
    // What is left becomes one type, so that no byte was in vain.
    let indices: Vec<i64> = (0..).step_by(64).take(stack.len()).collect();
    match stack.len() {
        1 => stack.remove(0),
        _ => Type::strc(indices, stack).unwrap_or_else(|_| Type::leaf(Basic::BYTE)),
    }
}

fn step(bytes: &mut Bytes<'_>, stack: &mut Vec<Type>) -> Type {
    const BASICS: [Basic; 6] =
        [Basic::BYTE, Basic::INT, Basic::DOUBLE, Basic::CHAR, Basic::SHORT, Basic::LONG_DOUBLE];
    let operation = bytes.byte();
    let Some(child) = stack.pop() else {
        return Type::leaf(BASICS[usize::from(operation) % BASICS.len()]);
    };
    let made = match operation % 16 {
        0 => {
            let leaf = Type::leaf(BASICS[bytes.below(BASICS.len())]);
            stack.push(child);
            return leaf;
        }
        1 => {
            stack.push(child.clone());
            return child;
        }
        2 | 3 => Type::vec(bytes.count(), bytes.int(), child.clone()),
        4 => Type::idx(bytes.list(), child.clone()),
        5 => {
            let indices = bytes.list();
            let blocks: Vec<u64> = indices.iter().map(|_| bytes.count()).collect();
            Type::idxbuc(bytes.int(), indices, blocks, child.clone())
        }
        6 | 7 => {
            let parts = children(bytes, stack, &child);
            let indices: Vec<i64> = parts.iter().map(|_| bytes.int()).collect();
            Type::strc(indices, parts)
        }
        8 => Type::resized(bytes.int(), bytes.int(), child.clone()),
        9 => mpi::contiguous(bytes.count(), &child),
        10 => mpi::vector(bytes.count(), bytes.count(), bytes.int(), &child),
        11 => mpi::hvector(bytes.count(), bytes.count(), bytes.int(), &child),
        12 => mpi::indexed_block(bytes.count(), &bytes.list(), &child),
        13 => {
            let places = bytes.list();
            let blocks: Vec<u64> = places.iter().map(|_| bytes.count()).collect();
            mpi::hindexed(&blocks, &places, &child)
        }
        14 => {
            let parts = children(bytes, stack, &child);
            let blocks: Vec<u64> = parts.iter().map(|_| bytes.count()).collect();
            let places: Vec<i64> = parts.iter().map(|_| bytes.int()).collect();
            mpi::structure(&blocks, &places, &parts)
        }
        _ => {
            let sizes = [bytes.count().max(1), 1 + bytes.count() % 9];
            let subsizes = sizes.map(|n| 1 + bytes.count() % n);
            let starts = [0, 1].map(|k| bytes.count() % (sizes[k] - subsizes[k] + 1));
            let order =
                if bytes.byte().is_multiple_of(2) { mpi::Order::C } else { mpi::Order::Fortran };
            mpi::subarray(&sizes, &subsizes, &starts, order, &child)
        }
    };
    made.unwrap_or(child)
}

/// `first` and up to five more from the stack, each of them perhaps several times.
fn children(bytes: &mut Bytes<'_>, stack: &mut Vec<Type>, first: &Type) -> Vec<Type> {
    let mut parts = vec![first.clone()];
    for _ in 0..bytes.below(6) {
        match stack.pop() {
            Some(next) if bytes.byte().is_multiple_of(2) => parts.push(next),
            Some(next) => {
                stack.push(next.clone());
                parts.push(next);
            }
            None => parts.push(first.clone()),
        }
    }
    parts
}
