//! The cost of making a plan, and that of the cache in its place: `cargo bench -p commloom-plan`.
//!
//! Goal: below 2 us for types of up to ten nodes (lists count by their entries). Every row is the
//! median over many samples with the quartiles, in nanoseconds.

use std::hint::black_box;
use std::time::Instant;

use commloom_layout::mpi::{self, Order};
use commloom_layout::{Basic, Type};
use commloom_measure::statistics::Quartiles;
use commloom_plan::{Plan, PlanCache, Target};
use commloom_testkit::{Limits, Rng, random_type};

const ROUNDS: usize = 31;

/// The machine with most to decide.
const WIDE: Target =
    Target { vector: 64, byte_permute: true, l1: 48 << 10, l2: 2 << 20, ..Target::PORTABLE };

fn main() {
    println!("making a plan, ns (quartiles)          wide machine          portable");
    let mut worst: Vec<(f64, String)> = Vec::new();
    for (name, ty, count) in cases() {
        let [wide, portable] =
            samples([&|| make(&ty, count, &WIDE), &|| make(&ty, count, &Target::PORTABLE)]);
        println!("{name:28} {:2} nodes {}  {}", ty.nodes(), text(&wide), text(&portable));
        worst.push((wide.median, name));
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("slowest: {} ({:.0} ns)", worst[0].1, worst[0].0);
    random();
    cached();
}

fn make(ty: &Type, count: u64, target: &Target) {
    black_box(Plan::packed(black_box(ty), count, target).expect("fits"));
}

/// One type of every constructor, and nests of up to ten nodes.
fn cases() -> Vec<(String, Type, u64)> {
    let int = || Type::leaf(Basic::INT);
    let double = || Type::leaf(Basic::DOUBLE);
    let some = |ty: Result<Type, commloom_layout::LayoutError>| ty.expect("valid");
    let unit = |n: u64| {
        some(mpi::contiguous(n, &int()).and_then(|t| mpi::resized(0, 4 * n.cast_signed() + 8, &t)))
    };
    let mut cases = vec![
        ("leaf".to_owned(), int(), 1),
        ("contiguous".to_owned(), some(mpi::contiguous(1000, &double())), 1),
        ("vector, 8 of 16".to_owned(), some(mpi::vector(1000, 1, 2, &double())), 1),
        ("vector, 12 of 20".to_owned(), some(mpi::vector(1000, 3, 5, &int())), 1),
        ("vector, 3 of 7".to_owned(), some(mpi::vector(1000, 3, 7, &Type::leaf(Basic::BYTE))), 1),
        ("vector, 800 of 1600".to_owned(), some(mpi::vector(1000, 100, 200, &double())), 1),
        ("count x 8 of 16".to_owned(), unit(2), 1000),
        ("count x 40 of 48".to_owned(), unit(10), 1000),
        (
            "hvector of vector".to_owned(),
            some(mpi::hvector(50, 1, 8000, &some(mpi::vector(50, 1, 2, &double())))),
            1,
        ),
        (
            "indexed, 4 blocks".to_owned(),
            some(mpi::indexed(&[1, 3, 2, 1], &[0, 4, 9, 14], &int())),
            1,
        ),
        (
            "block (1+3 of 8), x 1000".to_owned(),
            some(mpi::indexed(&[1, 3], &[0, 3], &int()).and_then(|t| mpi::resized(0, 32, &t))),
            1000,
        ),
        (
            "indexed_block, 10".to_owned(),
            some(mpi::indexed_block(2, &[0, 5, 9, 17, 20, 31, 40, 44, 50, 61], &int())),
            1,
        ),
        (
            "idxbuc, 4 buckets".to_owned(),
            some(Type::idxbuc(16, [0, 100, 300, 350], [2, 3, 1, 2], double())),
            1,
        ),
        (
            "struct of 4 fields".to_owned(),
            some(Type::strc([0, 8, 20, 32], [int(), double(), int(), double()])),
            1,
        ),
        (
            "struct of 4 fields, x 1000".to_owned(),
            some(
                Type::strc([0, 8, 20, 32], [int(), double(), int(), double()])
                    .and_then(|t| Type::resized(0, 48, t)),
            ),
            1000,
        ),
        (
            "struct of 9 fields, x 1000".to_owned(),
            some(nine().and_then(|t| Type::resized(0, 136, t))),
            1000,
        ),
        (
            "subarray 3-D, face".to_owned(),
            some(mpi::subarray(&[64, 64, 64], &[64, 64, 1], &[0, 0, 0], Order::C, &double())),
            1,
        ),
        (
            "subarray 4-D".to_owned(),
            some(mpi::subarray(&[16; 4], &[8; 4], &[4; 4], Order::C, &double())),
            1,
        ),
        ("transpose".to_owned(), some(Type::vec(512, 8, some(Type::vec(512, 4096, double())))), 1),
    ];
    cases.extend(nests());
    cases
}

/// Vectors and lists around a struct, one more each time.
fn nests() -> Vec<(String, Type, u64)> {
    let mut nest =
        Type::strc([0, 12], [Type::leaf(Basic::INT), Type::leaf(Basic::DOUBLE)]).expect("valid");
    let mut cases = Vec::new();
    for at in 1.. {
        if nest.nodes() >= 10 {
            break;
        }
        let gap = nest.true_extent() + 8 * (at % 3) + 4;
        nest = match at % 3 {
            0 => Type::idx([0, gap + 4, 3 * gap], nest),
            _ => Type::vec(3, gap, nest),
        }
        .expect("valid");
        cases.push((format!("nest of {}", nest.nodes()), nest.clone(), 1));
    }
    cases
}

fn nine() -> Result<Type, commloom_layout::LayoutError> {
    let fields = [Basic::INT, Basic::DOUBLE, Basic::SHORT];
    let places: Vec<i64> = (0..9).map(|i| 16 * i - i % 2 * 2).collect();
    Type::strc(places, (0..9).map(|i| Type::leaf(fields[i % 3])).collect::<Vec<_>>())
}

/// Random types of at most ten nodes: the share below the goal, and the worst.
fn random() {
    let mut rng = Rng::with_seed(4);
    let mut times: Vec<(f64, u64, Type)> = Vec::new();
    while times.len() < 300 {
        let ty = random_type(&mut rng, &Limits::default());
        if (2..=10).contains(&ty.nodes()) && ty.size() > 0 {
            let count = rng.u64(1..100);
            let [time] = samples([&|| make(&ty, count, &WIDE)]);
            times.push((time.median, count, ty));
        }
    }
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |q: usize| times[q * (times.len() - 1) / 100].0;
    let good = times.iter().filter(|(time, ..)| *time < 2000.0).count();
    println!(
        "{} random types of up to ten nodes: median {:.0} ns, 90 % below {:.0}, 99 % below {:.0}; \
         {good} below 2 us",
        times.len(),
        at(50),
        at(90),
        at(99)
    );
    for (time, count, ty) in times.iter().rev().take(5) {
        println!("  {time:6.0} ns  {count} x {ty}");
    }
}

/// Hits of the cache.
fn cached() {
    let cache = PlanCache::new(1 << 20);
    let tiled = Type::vec(1000, 16, Type::leaf(Basic::DOUBLE)).expect("valid");
    let again = Type::vec(1000, 16, Type::leaf(Basic::DOUBLE)).expect("valid");
    let many: Vec<Type> =
        (2..502).map(|n| Type::vec(n, 24, Type::leaf(Basic::INT)).expect("valid")).collect();
    let get = |ty: &Type| drop(black_box(cache.get(black_box(ty), 1, &WIDE).expect("fits")));
    many.iter().for_each(get);
    let next = std::cell::Cell::new(0);
    let plan = cache.get(&tiled, 1, &WIDE).expect("fits");
    let [with, last, equal, other, clone] = samples([
        &|| {
            black_box(cache.with(black_box(&tiled), 1, &WIDE, Plan::bytes).expect("fits"));
        },
        &|| get(&tiled),
        &|| get(&again),
        &|| {
            next.set((next.get() + 1) % many.len());
            get(&many[next.get()]);
        },
        &|| drop(black_box(plan.clone())),
    ]);
    println!("cache hit, ns (quartiles)");
    println!("  used last by this thread, borrowed  {}", text(&with));
    println!("  used last by this thread            {}", text(&last));
    println!("  an equal type, not the same         {}", text(&equal));
    println!("  one of 500, in turn                 {}", text(&other));
    println!("  (clone and drop of a plan)          {}", text(&clone));
}

fn text(found: &Quartiles) -> String {
    format!("{:7.1} ({:6.1}-{:6.1})", found.median, found.low, found.high)
}

/// Nanoseconds per call, the calls taking turns.
fn samples<const N: usize>(calls: [&dyn Fn(); N]) -> [Quartiles; N] {
    let mut times = [const { Vec::new() }; N];
    for round in 0..=ROUNDS {
        for (call, times) in calls.iter().zip(&mut times) {
            let start = Instant::now();
            (0..200).for_each(|_| call());
            // The first round warms up.
            if round > 0 {
                times.push(start.elapsed().as_secs_f64() * 1e9 / 200.0);
            }
        }
    }
    times.map(|times: Vec<f64>| Quartiles::of(&times).expect("there are rounds"))
}
