//! Time and memory of each phase of the analysis, on the patterns that matter: `make bench-detect`.
//!
//! Prints Markdown. Arguments: names of patterns (all), `--quick` (small sizes only). Building the graphs is not
//! counted. Of several runs the least: the rest is what else the machine did.

mod measure;
mod patterns;

use measure::{Measured, measure};
use patterns::{PATTERNS, Pattern};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Processes up to which `--quick` goes.
const QUICK: u32 = 1 << 10;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|a| a == "--quick");
    let wanted: Vec<&String> = arguments.iter().filter(|a| *a != "--quick").collect();
    println!("# How fast communication graphs are analysed\n");
    println!(
        "Made by `make bench-detect`, {}. One thread. Milliseconds of processor time, the least of several runs;",
        about()
    );
    println!(
        "building the graph is not counted. Memory: the most at any time, graph included, in bytes per process."
    );
    println!(
        "The exponent is fitted to the time of all phases in the number of processes, from 2^14 on where there"
    );
    println!("are so many.");
    for pattern in PATTERNS {
        if wanted.is_empty() || wanted.iter().any(|name| pattern.name.contains(&***name)) {
            table(pattern, quick);
        }
    }
}

fn table(pattern: &Pattern, quick: bool) {
    println!("\n## {}\n\n{}\n", pattern.title, pattern.what);
    println!(
        "| processes | operations | transfers | matching | order | dataflow | detection | all | bytes per process | found |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let sizes = pattern.sizes.iter().copied().filter(|p| !quick || *p <= QUICK);
    let rows: Vec<Measured> = sizes
        .map(|processes| {
            let m = measure(pattern, processes, &MEMORY);
            print!("| {} | {} | {} |", m.processes, m.operations, m.transfers);
            m.phases
                .iter()
                .chain([&m.all()])
                .for_each(|t| print!(" {:.2} |", t.as_secs_f64() * 1e3));
            println!(" {:.0} | {} |", m.bytes_each(), m.found);
            m
        })
        .collect();
    if let Some(exponent) = exponent(&rows) {
        println!("\nExponent: {exponent:.2}. {}", pattern.limit);
    }
}

/// The slope of the least squares line through the logarithms.
fn exponent(rows: &[Measured]) -> Option<f64> {
    let large: Vec<&Measured> = rows.iter().filter(|m| m.processes >= 1 << 14).collect();
    let used = if large.len() >= 3 { large } else { rows.iter().collect() };
    let points: Vec<(f64, f64)> =
        used.iter().map(|m| (f64::from(m.processes).ln(), m.all().as_secs_f64().ln())).collect();
    let n = f64::from(u32::try_from(points.len()).ok()?);
    let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let over: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let under: f64 = points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    (points.len() > 1).then(|| over / under)
}

/// Date, processor and compiler.
fn about() -> String {
    let of = |program: &str, arguments: &[&str]| {
        let output = std::process::Command::new(program).args(arguments).output();
        let text = output.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned());
        text.unwrap_or_else(|_| format!("no {program}"))
    };
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|l| l.strip_prefix("model name")).unwrap_or(": unknown");
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!(
        "{}, {}, {}, commit {}, load {}",
        of("date", &["+%Y-%m-%d"]),
        model.trim_start_matches(['\t', ' ', ':']),
        of("rustc", &["--version"]),
        of("git", &["describe", "--always", "--dirty"]),
        load.split(' ').next().unwrap_or("unknown"),
    )
}
