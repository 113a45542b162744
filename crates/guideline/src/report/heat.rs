//! What every description costs in every library, as data.

use std::collections::BTreeMap;

use crate::results::{Case, Method, Mode, Operation, Role};
use crate::verdict::{Key, Subject, case_name};

/// Layout x description x library, for one operation.
#[derive(Debug, Clone)]
pub struct HeatMap {
    /// Which operation.
    pub operation: Operation,
    /// Library and mode.
    pub columns: Vec<(usize, Mode)>,
    /// Layouts with their descriptions, in the order of the paper.
    pub rows: Vec<Row>,
}

/// One way to communicate a layout.
#[derive(Debug, Clone)]
pub struct Row {
    /// Which layout.
    pub layout: String,
    /// How.
    pub way: String,
    /// One for each column, where it was measured.
    pub cells: Vec<Option<Cell>>,
}

/// Times over the best way of the same library for the same data, native or under commloom.
#[derive(Debug, Clone)]
pub struct Cell {
    /// The largest factor over all block sizes and data sizes.
    pub worst: f64,
    /// Where that is.
    pub at: String,
    /// The geometric mean of all.
    pub mean: f64,
}

/// Factors of one cell: their logarithms.
#[derive(Default)]
struct Factors {
    sum: f64,
    count: u32,
    worst: Option<(f64, String)>,
}

/// One map for each operation that was measured.
pub fn heat_maps(subjects: &[Subject<'_>]) -> Vec<HeatMap> {
    let operations: std::collections::BTreeSet<Operation> =
        subjects.iter().flat_map(Subject::operations).collect();
    operations.into_iter().map(|operation| heat_map(operation, subjects)).collect()
}

fn heat_map(operation: Operation, subjects: &[Subject<'_>]) -> HeatMap {
    let column = |(k, subject): (usize, &Subject<'_>)| {
        subject.modes().into_iter().map(move |mode| (k, mode)).collect::<Vec<_>>()
    };
    let columns: Vec<(usize, Mode)> = subjects.iter().enumerate().flat_map(column).collect();
    let mut names: Vec<(String, String)> = Vec::new();
    let mut all: BTreeMap<(String, String), BTreeMap<(usize, Mode), Factors>> = BTreeMap::new();
    for (k, subject) in subjects.iter().enumerate() {
        for (key, factor) in factors(operation, subject) {
            let case = subject.case(&key);
            let name = (layout_name(case), way_name(case, key.method));
            if !names.contains(&name) {
                names.push(name.clone());
            }
            let of = all.entry(name).or_default().entry((k, key.mode)).or_default();
            of.sum += factor.ln();
            of.count += 1;
            if of.worst.as_ref().is_none_or(|(worst, _)| factor > *worst) {
                of.worst = Some((factor, case_name(case)));
            }
        }
    }
    // Layouts stay together, in the order in which they come first.
    let mut layouts: Vec<&String> = Vec::new();
    for (layout, _) in &names {
        if !layouts.contains(&layout) {
            layouts.push(layout);
        }
    }
    let row = |name: &(String, String)| {
        let of = all.get(name);
        let cell = |column| {
            let factors = of?.get(column)?;
            let (worst, at) = factors.worst.clone()?;
            Some(Cell { worst, at, mean: (factors.sum / f64::from(factors.count)).exp() })
        };
        let cells = columns.iter().map(cell).collect();
        Row { layout: name.0.clone(), way: name.1.clone(), cells }
    };
    let rows = layouts
        .iter()
        .flat_map(|layout| names.iter().filter(move |name| name.0 == **layout))
        .map(row)
        .collect();
    HeatMap { operation, columns, rows }
}

/// Median times over the best of the same data, in any mode and by any method.
fn factors(operation: Operation, subject: &Subject<'_>) -> Vec<(Key, f64)> {
    let keys = || {
        let is = move |key: &&Key| {
            key.operation == operation && subject.case(key).role != Role::Contiguous
        };
        subject.times.iter().filter(move |(key, _)| is(key))
    };
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    for (key, timed) in keys() {
        let least = best.entry(subject.case(key).group.as_str()).or_insert(f64::INFINITY);
        *least = least.min(timed.summary.median);
    }
    let factor = |(key, timed): (&Key, &crate::verdict::Timed)| {
        let least = best.get(subject.case(key).group.as_str())?;
        let factor = timed.summary.median / least;
        (factor.is_finite() && factor >= 1.0).then_some((*key, factor))
    };
    keys().filter_map(factor).collect()
}

fn layout_name(case: &Case) -> String {
    match case.variant {
        Some(variant) => format!("{}, variant {variant}", case.layout),
        None => case.layout.clone(),
    }
}

fn way_name(case: &Case, method: Method) -> String {
    let name = match case.role {
        Role::NormalForm => "commloom's normal form",
        _ => &case.description,
    };
    match method {
        Method::Typed => name.to_owned(),
        Method::Packed => format!("{name}, packed"),
    }
}
