//! How far normal forms of given trees are from the exact optimum, and what they look like.

use std::cell::RefCell;
use std::collections::BTreeMap;

use commloom_layout::{Basic, CostModel, Kind, Type};
use commloom_reconstruct::{
    Constructors, Limits, Reconstruction, certify, normalize_within, reconstruct,
};
use commloom_testkit::Rng;
use commloom_testkit::random::{Blemish, Shape, random_layout};
use commloom_testkit::runner::check_seed;

/// Nothing is flattened; up to 16 parts of a strc are arranged exactly.
const LAWS_ONLY: Limits = Limits { flatten: 0, exact_tree: 16 };

fn tree_within(limits: &Limits, ty: &Type) -> Reconstruction {
    let model = CostModel::default();
    let normal = normalize_within(limits, ty, Constructors::Tree, &model).unwrap();
    certify(ty, &normal.ty, &model)
        .unwrap_or_else(|e| panic!("{e}\n  before {ty:?}\n  after {:?}", normal.ty));
    assert_eq!(normal.cost, model.cost(&normal.ty));
    assert!(normal.lower_bound <= normal.cost);
    normal
}

/// Other descriptions of one layout, as programs give them.
mod describe {
    use super::{Kind, Rng, Type};

    fn signed(n: u64) -> i64 {
        i64::try_from(n).unwrap()
    }

    /// `ty` with one change at a random node; the type map stays.
    pub fn differently(rng: &mut Rng, ty: &Type) -> Type {
        let children = ty.children();
        if !children.is_empty() && rng.u32(0..3) > 0 {
            let part = rng.usize(0..children.len());
            let changed = differently(rng, &children[part]);
            return with_child(ty, part, changed);
        }
        match rng.u32(0..12) {
            0 => Type::resized(rng.i64(-9..9), rng.i64(0..99), ty.clone()).unwrap(),
            1 => Type::strc([0], [ty.clone()]).unwrap(),
            2 => Type::vec(1, rng.i64(-9..9), ty.clone()).unwrap(),
            3 => Type::idx([0], ty.clone()).unwrap(),
            _ => in_other_words(rng, ty),
        }
    }

    fn with_child(ty: &Type, part: usize, child: Type) -> Type {
        match ty.kind() {
            Kind::Leaf(_) => ty.clone(),
            Kind::Resized { lb, extent, .. } => Type::resized(*lb, *extent, child).unwrap(),
            Kind::Vec { count, stride, .. } => Type::vec(*count, *stride, child).unwrap(),
            Kind::Idx { indices, .. } => Type::idx(indices.clone(), child).unwrap(),
            Kind::IdxBuc { stride, indices, blocks, .. } => {
                Type::idxbuc(*stride, indices.clone(), blocks.clone(), child).unwrap()
            }
            Kind::Strc { indices, children } => {
                let mut children = children.to_vec();
                children[part] = child;
                Type::strc(indices.clone(), children).unwrap()
            }
        }
    }

    fn in_other_words(rng: &mut Rng, ty: &Type) -> Type {
        match ty.kind() {
            Kind::Leaf(_) | Kind::Resized { .. } => ty.clone(),
            Kind::Vec { count, stride, child } if *count > 1 => match rng.u32(0..4) {
                0 => split(rng, *count, *stride, child),
                1 => {
                    let m = (2..=*count).find(|m| count.is_multiple_of(*m)).unwrap();
                    let inner = Type::vec(m, *stride, child.clone()).unwrap();
                    Type::vec(count / m, signed(m) * stride, inner).unwrap()
                }
                2 => rotated(rng, *count, *stride, child)
                    .unwrap_or_else(|| split(rng, *count, *stride, child)),
                _ if *count <= 12 => {
                    let starts: Vec<i64> = (0..signed(*count)).map(|k| k * stride).collect();
                    Type::idx(starts, child.clone()).unwrap()
                }
                _ => split(rng, *count, *stride, child),
            },
            Kind::Vec { .. } => ty.clone(),
            Kind::Idx { indices, child } => {
                let parts = vec![child.clone(); indices.len()];
                Type::strc(indices.clone(), parts).unwrap()
            }
            Kind::IdxBuc { stride, indices, blocks, child } => {
                let vec = |b: &u64| Type::vec(*b, *stride, child.clone()).unwrap();
                let parts: Vec<Type> = blocks.iter().map(vec).collect();
                Type::strc(indices.clone(), parts).unwrap()
            }
            Kind::Strc { indices, children } => {
                let k = rng.usize(0..=children.len());
                let part = |from: usize, to: usize| {
                    Type::strc(&indices[from..to], &children[from..to]).unwrap()
                };
                Type::strc([0, 0], [part(0, k), part(k, children.len())]).unwrap()
            }
        }
    }

    fn split(rng: &mut Rng, count: u64, stride: i64, child: &Type) -> Type {
        let k = [1, count - 1, rng.u64(1..count)][rng.usize(0..3)];
        let vec = |n| Type::vec(n, stride, child.clone()).unwrap();
        Type::strc([0, signed(k) * stride], [vec(k), vec(count - k)]).unwrap()
    }

    /// First part of the first copy, what is then repeated, rest of the last copy.
    fn rotated(rng: &mut Rng, count: u64, stride: i64, child: &Type) -> Option<Type> {
        let (indices, children) = match child.kind() {
            Kind::Strc { indices, children } => (indices.to_vec(), children.to_vec()),
            Kind::Idx { indices, child } => (indices.to_vec(), vec![child.clone(); indices.len()]),
            _ => return None,
        };
        if indices.len() < 2 || indices.len() > 20 {
            return None;
        }
        let k = rng.usize(1..indices.len());
        let strc = |i: Vec<i64>, c: Vec<Type>| Type::strc(i, c).unwrap();
        let head = strc(indices[..k].to_vec(), children[..k].to_vec());
        let tail = strc(indices[k..].to_vec(), children[k..].to_vec());
        let next = indices[..k].iter().map(|i| i + stride);
        let turned = strc(
            indices[k..].iter().copied().chain(next).collect(),
            [&children[k..], &children[..k]].concat(),
        );
        let middle = Type::vec(count - 1, stride, turned).unwrap();
        Some(strc(vec![0, 0, signed(count - 1) * stride], vec![head, middle, tail]))
    }
}

#[derive(Default, Clone, Copy)]
struct Tally {
    cases: u32,
    optimal: u32,
    cost: u64,
    least: u64,
    /// Largest gap, in hundredths of a percent.
    worst: u64,
}

impl Tally {
    fn add(&mut self, cost: u64, least: u64) {
        self.cases += 1;
        self.optimal += u32::from(cost == least);
        self.cost += cost;
        self.least += least;
        self.worst = self.worst.max((cost - least) * 10_000 / least);
    }
}

impl Tally {
    fn join(&mut self, other: &Tally) {
        self.cases += other.cases;
        self.optimal += other.optimal;
        self.cost += other.cost;
        self.least += other.least;
        self.worst = self.worst.max(other.worst);
    }
}

impl std::fmt::Display for Tally {
    #[allow(clippy::cast_precision_loss)]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let share = 100.0 * f64::from(self.optimal) / f64::from(self.cases);
        let gap = 100.0 * (self.cost as f64 / self.least as f64 - 1.0);
        let worst = self.worst as f64 / 100.0;
        write!(f, "{:6} | {share:6.2} % | {gap:7.3} % | {worst:6.1} %", self.cases)
    }
}

/// Normal forms of other descriptions of random layouts, against the exact tree.
fn distances(seeds: std::ops::Range<u64>, most: usize) -> [BTreeMap<&'static str, Tally>; 2] {
    let tallies = RefCell::new([BTreeMap::new(), BTreeMap::new()]);
    let case = |rng: &mut Rng| {
        let shape = Shape::ALL[rng.usize(0..Shape::ALL.len())];
        let blemish = Blemish::ALL[rng.usize(0..Blemish::ALL.len())];
        let n = rng.usize(4..=most);
        let starts = random_layout(rng, shape, blemish, n);
        let model = CostModel::default();
        let best = reconstruct(&starts, Basic::CHAR, Constructors::Tree, &model).unwrap();
        let mut ty = match rng.u32(0..4) {
            0 => Type::idx(starts, Type::leaf(Basic::CHAR)).unwrap(),
            1 => reconstruct(&starts, Basic::CHAR, Constructors::Extended, &model).unwrap().ty,
            _ => best.ty,
        };
        for _ in 0..rng.usize(1..=4) {
            ty = describe::differently(rng, &ty);
        }
        for (k, limits) in [LAWS_ONLY, Limits::default()].iter().enumerate() {
            let found = tree_within(limits, &ty);
            tallies.borrow_mut()[k]
                .entry(shape.name())
                .or_insert(Tally::default())
                .add(found.cost, best.cost);
            assert!(found.cost >= best.cost, "{ty:?}");
        }
    };
    seeds.for_each(|seed| check_seed(seed, case));
    tallies.into_inner()
}

/// Prints the table of book/src/explanation/normal-forms.md (there: 20,000 cases,
/// `COMMLOOM_CASES`).
#[test]
fn normal_forms_of_trees_are_close_to_the_optimum() {
    let asked = |name: &str| std::env::var(name).ok().and_then(|v| v.parse().ok());
    let cases = asked("COMMLOOM_CASES").unwrap_or(2_000);
    let most = asked("COMMLOOM_ELEMENTS").and_then(|n| usize::try_from(n).ok()).unwrap_or(256);
    let first = asked("COMMLOOM_SEED").unwrap_or(0);
    let names = ["nothing flattened", "default limits"];
    // Of a thousand cases of at most 256 elements.
    let least_optimal = if most <= 256 { [990, 998] } else { [980, 980] };
    for (k, tallies) in distances(first..first + cases, most).into_iter().enumerate() {
        println!("{}", names[k]);
        let mut all = Tally::default();
        for (shape, tally) in &tallies {
            println!("{shape:16} | {tally}");
            all.join(tally);
        }
        println!("{:16} | {all}", "all");
        assert!(all.optimal * 1000 >= all.cases * least_optimal[k], "{all}");
        assert!(all.cost * 1000 <= all.least * 1005, "{all}");
    }
}
