//! The report as Markdown.

use std::fmt::{self, Write as _};

use commloom_measure::machine::Machine;
use commloom_testkit::random::{Blemish, Shape};

use crate::expectation::Expected;
use crate::measure::{MOST, Measured, ON_ITS_OWN, ratio};
use crate::timing::{Family, Timed};

const HEAD: &str = "\
# How far trees of the large method are from the optimum

Written by `make gaps` (`crates/reconstruct/examples/gaps`); do not edit. `cargo run --release -p
commloom-reconstruct --example gaps -- --show SEED` prints one case: layout, result and optimum.
";

/// Figures over some of the cases.
struct Figures {
    cases: usize,
    hard: usize,
    optimal: usize,
    optimal_hard: usize,
    mean_gap: f64,
    mean_bound: f64,
}

impl Figures {
    fn of<'a>(cases: impl Iterator<Item = &'a Measured> + Clone) -> Figures {
        let count = |p: fn(&Measured) -> bool| cases.clone().filter(|m| p(m)).count();
        let all = count(|_| true);
        let mean = |value: fn(&Measured) -> f64| cases.clone().map(value).sum::<f64>() / float(all);
        Figures {
            cases: all,
            hard: count(Measured::is_hard),
            optimal: count(Measured::is_optimal),
            optimal_hard: count(|m| m.is_hard() && m.is_optimal()),
            mean_gap: mean(Measured::gap),
            mean_bound: mean(Measured::bound_by_cost),
        }
    }
}

impl fmt::Display for Figures {
    /// Cells of a row.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { cases, hard, .. } = self;
        let optimal = percent(self.optimal, self.cases);
        let optimal_hard = percent(self.optimal_hard, self.hard);
        let gap = 100.0 * self.mean_gap;
        write!(
            f,
            "{cases} | {hard} | {optimal} | {optimal_hard} | {gap:.4} | {:.2}",
            self.mean_bound
        )
    }
}

fn float(n: usize) -> f64 {
    f64::from(u32::try_from(n).expect("there are few cases"))
}

/// Rounded down, so that 100 means all.
fn percent(part: usize, all: usize) -> String {
    if all == 0 {
        return "-".to_owned();
    }
    format!("{:.2}", (10_000.0 * float(part) / float(all)).floor() / 100.0)
}

/// Everything but the tables of times.
pub fn quality(all: &[Measured], expected: &[Expected], corpus: &(usize, Vec<String>)) -> String {
    let mut out = HEAD.to_owned();
    by_family(&mut out, all).expect("strings take all");
    expectation(&mut out, expected, corpus).expect("strings take all");
    out
}

fn by_family(out: &mut String, all: &[Measured]) -> fmt::Result {
    let structured = all.iter().filter(|m| m.case.shape.is_structured());
    let tokens = ON_ITS_OWN.exact;
    let first = all.first().map_or(0, |m| m.case.seed);
    write!(
        out,
        "
## Random layouts of up to {MOST} elements

{} layouts ({} of them structured), solved exactly and by the large method with at most {tokens}
tokens for exact local solving. *Hard*: the optimum is below 0.9 of the optimal extended path, the
answer without any search for trees. *Gap*: (cost - optimum) / optimum. *Bound*: proven lower
bound / cost. Every result was flattened and compared; no cost was below the optimum, no bound
above it. The seeds, from {first} on, are others than those that the method was developed on.

| family | cases | hard | optimal % | of the hard % | mean gap % | mean bound | largest gap |
|---|---|---|---|---|---|---|---|
",
        all.len(),
        structured.clone().count(),
    )?;
    for shape in Shape::ALL {
        row(out, shape.name(), all.iter().filter(|m| m.case.shape == shape))?;
    }
    row(out, "**structured**", structured)?;
    out.push_str(
        "
| blemish | cases | hard | optimal % | of the hard % | mean gap % | mean bound | largest gap |
|---|---|---|---|---|---|---|---|
",
    );
    for blemish in Blemish::ALL {
        row(out, blemish.name(), all.iter().filter(|m| m.case.blemish == blemish))?;
    }
    match worst(all.iter()) {
        None => writeln!(out, "\nEvery result is optimal."),
        Some(m) => {
            let (layout, case) = (m.case.layout(), m.case);
            let (family, blemish) = (case.shape.name(), case.blemish.name());
            writeln!(out, "\nLargest gap: seed {}, {family}, blemish {blemish}:", case.seed)?;
            writeln!(out, "{} instead of {}, bound {}.", m.found, m.optimum, m.lower_bound)?;
            writeln!(out, "\n```\n{}\n```", wrapped(&layout))
        }
    }
}

fn row<'a>(
    out: &mut String,
    name: &str,
    cases: impl Iterator<Item = &'a Measured> + Clone,
) -> fmt::Result {
    if cases.clone().next().is_none() {
        return Ok(());
    }
    let largest = worst(cases.clone()).map_or("-".to_owned(), |m| {
        let (gap, seed) = (100.0 * m.gap(), m.case.seed);
        format!("{gap:.1} % (seed {seed}: {} for {}, n = {})", m.found, m.optimum, m.n)
    });
    writeln!(out, "| {name} | {} | {largest} |", Figures::of(cases))
}

/// The case with the largest gap, if any has one.
fn worst<'a>(cases: impl Iterator<Item = &'a Measured>) -> Option<&'a Measured> {
    cases.filter(|m| !m.is_optimal()).max_by(|a, b| a.gap().total_cmp(&b.gap()))
}

/// The numbers in lines of about 100 columns.
fn wrapped(layout: &[i64]) -> String {
    let (mut out, mut column) = (String::new(), 0);
    for displacement in layout {
        let word = displacement.to_string();
        if column + word.len() > 98 {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
        }
        column += word.len() + 1;
        out.push_str(&word);
    }
    out
}

fn expectation(
    out: &mut String,
    expected: &[Expected],
    (solved, missed): &(usize, Vec<String>),
) -> fmt::Result {
    let optimal = expected.iter().filter(|e| e.found == e.optimum).count();
    write!(
        out,
        "
## The layouts of the expectation tests

Carpen-Amarie, Hunold and Träff, in the sizes of the paper, with the default budget. {optimal} of
{} are optimal. Where n is past the exact programme (*), the optimum is that of the same layout
with fewer blocks, rows and elements of a block: at least 20 of each.

| test | n | cost | optimum | bound | type |
|---|---|---|---|---|---|
",
        expected.len()
    )?;
    for e in expected {
        let star = if e.scaled { "*" } else { "" };
        let Expected { name, n, found, optimum, lower_bound, ty, .. } = e;
        let text = ty.to_string();
        let ty =
            if text.len() <= 100 { format!("`{text}`") } else { format!("{} nodes", ty.nodes()) };
        writeln!(out, "| {name} | {n} | {found} | {optimum}{star} | {lower_bound} | {ty} |")?;
    }
    let found = solved - missed.len();
    writeln!(
        out,
        "\nThe corpus of named layouts (`crates/testkit/src/corpus.rs`), flattened, the large\n\
         method on its own: {found} of {solved} optimal."
    )?;
    missed.iter().try_for_each(|name| writeln!(out, "- {name}"))
}

/// A table of times.
pub fn times(n: usize, layouts: u64, families: &[Family]) -> String {
    let structured = || families.iter().filter(|f| f.shape.is_structured());
    let bound = structured().map(bound_by_cost).sum::<f64>() / float(structured().count());
    let mut out = format!(
        "
## Time at n = {n}

{layouts} layouts of each family without blemish, the large method with its default budget, one
run of each, {}. The slowest of each family in full; the last column is the mean over its layouts.
Over all structured families bound / cost is {bound:.2} on average.

| family | seed | n | seconds | ns per element | budget | cost | bound | bound / cost |
|---|---|---|---|---|---|---|---|---|
",
        Machine::here().processor,
    );
    for family in families {
        let Some(Timed { seed, n, seconds, cost, lower_bound, complete }) = family.runs.first()
        else {
            continue;
        };
        let budget = if *complete { "enough" } else { "spent" };
        let (name, per_element) = (family.shape.name(), 1e9 * seconds / float(*n));
        writeln!(
            out,
            "| {name} | {seed} | {n} | {seconds:.3} | {per_element:.0} | {budget} | {cost} | \
             {lower_bound} | {:.2} |",
            bound_by_cost(family),
        )
        .expect("strings take all");
    }
    out
}

fn bound_by_cost(family: &Family) -> f64 {
    let bounds = family.runs.iter().map(|run| ratio(run.lower_bound, run.cost));
    bounds.sum::<f64>() / float(family.runs.len())
}

/// The cases that are not optimal, one a line, the largest gap first.
pub fn misses(all: &[Measured]) -> String {
    let mut misses: Vec<&Measured> = all.iter().filter(|m| !m.is_optimal()).collect();
    misses.sort_by(|a, b| b.gap().total_cmp(&a.gap()));
    let line = |m: &Measured| {
        let (seed, shape, blemish) = (m.case.seed, m.case.shape.name(), m.case.blemish.name());
        let Measured { n, found, optimum, .. } = m;
        let gap = 100.0 * m.gap();
        format!("{gap:6.2} %  seed {seed}, {shape}, {blemish}, n = {n}: {found} for {optimum}\n")
    };
    misses.into_iter().map(line).collect()
}
