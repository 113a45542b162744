//! The tables in Markdown.

use std::fmt::Write as _;
use std::time::SystemTime;

use commloom_measure::date;
use commloom_measure::machine::{Machine, version};
use commloom_measure::statistics::slope;

use super::cases::Case;
use super::{CALLS, Ratios};

fn head(columns: &[&str]) {
    println!("| {} |", columns.join(" | "));
    println!("|{}|", columns.iter().map(|_| " ---: ").collect::<Vec<_>>().join("|"));
}

/// The text before the first table.
pub fn begin_ratios() {
    println!("# Speed of basic and extended reconstruction\n");
    println!("Written by `make bench-reconstruct` (crates/reconstruct/benches/ratios.rs).\n");
    let commit = version("git", &["describe", "--always", "--dirty"]);
    println!("- {}, commit {commit}", date::minute(SystemTime::now()));
    let Machine { processor, cores, kernel, .. } = Machine::here();
    println!("- {processor}, {cores} cores; {kernel}");
    println!("- {}, release build\n", version("rustc", &["--version"]));
    println!(
        "Time of one call as a multiple of the time of one pass that sums the same sequence: \
         median (quartiles). The sum is a plain `fold`, compiled as everything else, for any \
         x86-64; commloom chooses AVX2 at run time where the processor has it. Of a sum that does \
         so, too, the time is given: in the caches it is much faster. *basic* and *extended* are \
         `reconstruct_shared`, which keeps the caller's list where a type has to list all \
         displacements; *slice* is `reconstruct`, which copies it. Above the goal (4 for basic, 8 \
         for extended): bold.\n"
    );
    println!("Memory that was freed is used again (`MALLOC_MMAP_MAX_=0`, no trimming).\n");
    head_of_ratios();
}

fn head_of_ratios() {
    let mut columns = vec!["n", "case", "sum", "sum, AVX2"];
    columns.extend(CALLS.map(|c| c.name));
    head(&columns);
}

/// One line of a table of ratios.
pub fn ratios(n: i64, case: &Case, found: &Ratios) {
    let (sum, wide_sum) = (time(found.sum[1]), time(found.wide_sum[1]));
    let mut line = format!("| {n} | {} | {sum} | {wide_sum} |", case.name);
    for ([low, median, high], measured) in found.calls.iter().zip(CALLS) {
        let mark = if *median > measured.goal { "**" } else { "" };
        write!(line, " {mark}{median:.1}{mark} ({low:.1}-{high:.1}) |").expect("a string");
    }
    println!("{line}");
}

/// The text before the table where every list is in new memory.
pub fn begin_new_memory() {
    println!("\n## In new memory\n");
    println!(
        "The same where the C library gives each list of megabytes back to the system, as it does \
         by default: with each call the pages of the result are new. That is the time of the \
         system, for any program that writes a result of this size.\n"
    );
    head_of_ratios();
}

/// The text before the tables of growth.
pub fn begin_growth() {
    println!("\n## Growth\n");
    println!(
        "Median times, and the slope of log time over log n (least squares). Goal: at most 1.05. \
         That is about the algorithm, so the sequence comes from memory for every n. Where the \
         sequence lies in the caches if it fits, the exponent is that of the machine's memories: \
         also that of the sum.\n"
    );
}

/// The head of one of the two tables.
pub fn begin_growth_where(cached: bool) {
    let place = if cached { "in the caches, if it fits" } else { "in memory" };
    println!("{}The sequence is {place}:\n", if cached { "\n" } else { "" });
    head(&["case", "", "10^5", "10^6", "10^7", "10^8", "exponent"]);
}

/// The lines of one case: seconds of the sum, basic, extended for each n.
pub fn growth(case: &Case, times: &[(i64, [f64; 3]); 4]) {
    for (k, name) in ["sum", "basic", "extended"].into_iter().enumerate() {
        let points: Vec<(f64, f64)> =
            times.iter().map(|(n, t)| ((*n as f64).ln(), t[k].ln())).collect();
        let cells: Vec<String> = times.iter().map(|(_, t)| time(t[k])).collect();
        println!(
            "| {} | {name} | {} | {:.3} |",
            case.name,
            cells.join(" | "),
            slope(&points).unwrap_or(f64::NAN)
        );
    }
}

/// The text before the table of trees.
pub fn begin_trees() {
    println!("\n## Trees\n");
    println!("Time of one call. Goal: less than 1 s for 10^6, less than 10 s for 10^7.\n");
    head(&["case", "10^6", "10^7"]);
}

/// The line of one case.
pub fn trees(case: &Case, seconds: &[f64; 2]) {
    println!("| {} | {} |", case.name, seconds.map(time).join(" | "));
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.1} us", s * 1e6),
        s => format!("{:.2} ms", s * 1e3),
    }
}
