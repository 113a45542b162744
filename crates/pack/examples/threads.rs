//! What more threads win: time with one thread divided by time with several, interleaved.
//!
//! `cargo run --release -p commloom-pack --example threads [-- THREADS]`

use std::num::NonZeroUsize;
use std::time::Instant;

use commloom_layout::{Basic, Type};
use commloom_pack::{Plan, Threads, detect};

/// Rounds of one and several threads in turn.
const ROUNDS: usize = 15;

fn main() {
    let count = std::env::args().nth(1).map_or(2, |n| n.parse().expect("a number of threads"));
    let count = NonZeroUsize::new(count).expect("at least one thread");
    let threads = Threads::new(count).expect("threads can be started");
    println!(
        "median time with one thread / with {count} (quartiles), and GB/s of packed bytes with one"
    );
    println!("{:22} {:>8}  {:>28}  {:>28}", "layout", "kB", "pack", "unpack");
    for bytes in [128_000, 256_000, 512_000, 1_000_000, 2_560_000, 64_000_000] {
        for (name, ty) in layouts(bytes / 8) {
            let plan = Plan::packed(&ty, 1, &detect()).expect("fits");
            assert!(plan.names_bytes_once(), "{name} would be unpacked by one thread");
            let [pack, unpack] = measure(&plan, &threads);
            println!("{name:22} {:8}  {pack:>28}  {unpack:>28}", bytes / 1000);
        }
    }
}

/// Layouts of `n` doubles.
fn layouts(n: u64) -> [(&'static str, Type); 3] {
    let double = || Type::leaf(Basic::DOUBLE);
    let mut random = 1u64;
    let mut next = || {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33).cast_signed()
    };
    let mut at = 0;
    let sorted: Vec<i64> = (0..n)
        .map(|_| {
            at += 8 * (1 + next() % 3);
            at
        })
        .collect();
    let mut shuffled = sorted.clone();
    for i in (1..shuffled.len()).rev() {
        shuffled.swap(i, usize::try_from(next()).expect("31 bits") % (i + 1));
    }
    [
        ("tiled A=2 (8 of 16)", Type::vec(n, 16, double()).expect("valid")),
        ("list, sorted", Type::idx(sorted, double()).expect("valid")),
        ("list, random", Type::idx(shuffled, double()).expect("valid")),
    ]
}

fn measure(plan: &Plan, threads: &Threads) -> [String; 2] {
    let all = 0..plan.bytes();
    let bytes = usize::try_from(plan.bytes()).expect("fits");
    let mut memory = vec![1u8; usize::try_from(plan.bounds().end).expect("fits")];
    let mut packed = vec![2u8; bytes];
    // Many in a row: the first finds its bytes in the caches of the round before.
    let repeats = (40_000_000 / bytes).clamp(2, 100);
    let one = Threads::ONE;
    let mut samples = [const { Vec::new() }; 2];
    for round in 0..=ROUNDS {
        let mut time = |threads: &Threads| {
            let start = Instant::now();
            for _ in 0..repeats {
                threads.pack(plan, &memory, 0, all.clone(), &mut packed).expect("fits");
            }
            let pack = start.elapsed().as_secs_f64();
            let start = Instant::now();
            for _ in 0..repeats {
                threads.unpack(plan, &mut memory, 0, all.clone(), &packed).expect("fits");
            }
            [pack, start.elapsed().as_secs_f64()]
        };
        let (alone, together) = (time(&one), time(threads));
        // The first round warms up.
        if round > 0 {
            for way in 0..2 {
                samples[way].push((alone[way] / together[way], alone[way]));
            }
        }
    }
    samples.map(|mut samples: Vec<(f64, f64)>| {
        samples.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [low, median, high] = [1, 2, 3].map(|q| samples[q * (samples.len() - 1) / 4].0);
        samples.sort_by(|a, b| a.1.total_cmp(&b.1));
        let rate = (bytes * repeats) as f64 / samples[samples.len() / 2].1 / 1e9;
        format!("{median:.2} ({low:.2}-{high:.2}) {rate:6.1}")
    })
}
